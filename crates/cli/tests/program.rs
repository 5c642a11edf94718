//! The program as a user meets it: run, and judged by what it prints, writes
//! and returns.

use assert_cmd::Command;
use predicates::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn evalsmith(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
    command.current_dir(folder.path());
    command
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A small dataset called `games`.
fn with_games(game: &str) -> TempDir {
    let folder = folder();
    evalsmith(&folder)
        .args(["data", "generate", game, "--out", "games", "--games", "60", "--depth", "1"])
        .assert()
        .success();
    folder
}

const SMALL: [&str; 8] = ["--games", "300", "--depth", "1", "--pairs", "20", "--cpu-ms", "0.1"];

/// Every file below a folder with its bytes, but for locks.
fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|e| e != "lock") {
                let name = path.strip_prefix(root).expect("below the root").display().to_string();
                found.insert(name, fs::read(&path).expect("a readable file"));
            }
        }
    }
    found
}

/// Match logs hold games in the order in which they ended; their lines are the
/// result, whatever the order. The tables beside them are indices of that order.
fn results(root: &Path) -> BTreeMap<String, Vec<Vec<u8>>> {
    let lines = |(name, bytes): (String, Vec<u8>)| {
        let mut lines: Vec<_> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        if name.contains(".jsonl") {
            lines.sort();
        }
        (name, lines)
    };
    let is_result = |(name, _): &(String, Vec<u8>)| !name.ends_with(".jsonl.results");
    contents(root).into_iter().filter(is_result).map(lines).collect()
}

#[test]
fn the_whole_walk_ends_with_a_report_and_the_same_command_repeats_it() {
    for game in ["othello", "malawi"] {
        let folder = folder();
        let walk = |threads: &str| {
            let mut command = evalsmith(&folder);
            command.args(["learn", game, "--out", "run", "--threads", threads]).args(SMALL);
            command.assert().success().get_output().stdout.clone()
        };
        let first = walk("2");
        let before = contents(&folder.path().join("run"));
        let text = String::from_utf8(first.clone()).expect("text");
        for part in ["positions of 300 games", "equal depth", "equal CPU time", "report.html"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        let page = String::from_utf8(before["report.html"].clone()).expect("text");
        for part in ["<svg", "clustered by game", "Why the function says so", "How this was made"] {
            assert!(page.contains(part), "{part} is missing in the report");
        }
        assert_eq!(walk("2"), first, "the repeated walk says something else");
        assert_eq!(contents(&folder.path().join("run")), before, "the repeated walk changed files");

        let mut alone = evalsmith(&folder);
        alone.args(["learn", game, "--out", "alone", "--threads", "1"]).args(SMALL);
        alone.args(["--calibration", "run/calibration.json"]).assert().success();
        let [run, alone] = ["run", "alone"].map(|name| results(&folder.path().join(name)));
        for (name, content) in &run {
            assert!(alone[name] == *content, "{name} depends on the number of threads");
        }
    }
}

#[test]
fn a_killed_walk_goes_on_to_the_result_of_an_undisturbed_one() {
    let folder = folder();
    let arguments = |out: &str| {
        let mut list = vec!["learn".to_owned(), "othello".into(), "--out".into(), out.into()];
        list.extend(SMALL.map(String::from));
        list
    };
    evalsmith(&folder).args(arguments("whole")).assert().success();
    let whole = folder.path().join("whole");

    let killed = folder.path().join("killed");
    let mut list = arguments("killed");
    list.extend(["--calibration".into(), "whole/calibration.json".into()]);
    for milliseconds in [40, 150, 300, 500, 800] {
        let mut run = Process::new(assert_cmd::cargo::cargo_bin!("evalsmith"))
            .args(&list)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        run.kill().expect("killed, or already over");
        run.wait().expect("it is over");
    }
    evalsmith(&folder).args(&list).assert().success();
    let (whole, killed) = (results(&whole), results(&killed));
    assert_eq!(whole.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    for (name, content) in &whole {
        assert!(killed[name] == *content, "{name} differs after kills");
    }
}

#[test]
fn single_steps_work_on_files() {
    let folder = with_games("othello");
    let run = |arguments: &[&str]| {
        let output =
            evalsmith(&folder).args(arguments).assert().success().get_output().stdout.clone();
        String::from_utf8(output).expect("text")
    };
    assert!(run(&["data", "info", "games"]).contains("positions"));
    let info: serde_json::Value =
        serde_json::from_str(&run(&["data", "info", "games", "--format", "json"])).expect("JSON");
    assert_eq!(info["games"], 60);
    refused(&folder, &["data", "features", "games", "-o", "features.csv"], 2, ".parquet");
    run(&["data", "features", "games", "-o", "features.parquet"]);
    assert!(fs::metadata(folder.path().join("features.parquet")).is_ok_and(|m| m.len() > 1000));
    assert!(run(&["model", "fit", "games", "-o", "m.safetensors"]).contains("clustered by game"));
    assert!(run(&["model", "show", "m.safetensors", "--stage", "40"]).contains("mobility"));
    assert!(run(&["model", "show", "m.safetensors", "--format", "csv"]).starts_with("stage,"));
    run(&[
        "match",
        "run",
        "othello",
        "m.safetensors",
        "hand",
        "--pairs",
        "3",
        "--depth",
        "1",
        "--log",
        "m.jsonl",
    ]);
    for form in ["svg", "html", "csv", "json"] {
        let file = format!("curve.{form}");
        run(&[
            "curve",
            "draw",
            "games",
            "--function",
            "m.safetensors",
            "--min-count",
            "20",
            "-o",
            &file,
        ]);
        assert!(fs::metadata(folder.path().join(file)).is_ok_and(|m| m.len() > 100));
    }
    assert!(run(&["games"]).contains("malawi"));
    assert!(run(&["reproduce"]).contains("lee86 T3-1"));
}

#[test]
fn a_game_is_played_to_its_end_in_the_terminal() {
    let folder = folder();
    evalsmith(&folder)
        .args(["play", "othello", "--side", "none", "--depth", "2"])
        .assert()
        .success()
        .stdout(predicate::str::contains("The game is over: "));
    evalsmith(&folder)
        .args(["play", "othello", "--depth", "2"])
        .write_stdin("f5\nhint\nwhy\nmoves\nundo\nz9\nundo\nhelp\nquit\n")
        .assert()
        .success()
        .stdout(
            predicate::str::contains("took back f5")
                .and(predicate::str::contains("% to win"))
                .and(predicate::str::contains("log-odds"))
                .and(
                    predicate::str::contains("not a legal move")
                        .or(predicate::str::contains("malformed")),
                )
                .and(predicate::str::contains("nothing to take back")),
        );
}

/// Checks that a call fails with this exit code and a message with these words.
fn refused(folder: &TempDir, arguments: &[&str], code: i32, words: &str) {
    evalsmith(folder)
        .args(arguments)
        .assert()
        .code(code)
        .stderr(predicate::str::contains(words).and(predicate::str::contains("panicked").not()));
}

#[test]
fn wrong_calls_are_named_with_exit_code_two() {
    let folder = folder();
    let cases: &[(&[&str], &str)] = &[
        (&["learn", "ludo"], "known are: othello, malawi"),
        (&["learn", "othello", "--games", "none"], "invalid value"),
        (&["learn", "othello", "--games", "0"], "invalid value"),
        (&["learn", "othello", "--chance", "2"], "from 0 to 1"),
        (&["play", "othello", "--from", "XXOO X"], "malformed Othello board"),
        (&["play", "malawi", "--from", "nonsense"], "malformed"),
        (&["reproduce", "turing50"], "known are: lee86"),
        (
            &["curve", "draw", "nowhere", "--function", "hand", "-o", "c.bmp"],
            ".svg, .html, .csv, .json",
        ),
        (&["--threads", "0", "games"], "threads"),
    ];
    for (arguments, words) in cases {
        refused(&folder, arguments, 2, words);
    }
}

#[test]
fn what_cannot_be_used_is_named_with_exit_code_one_and_left_alone() {
    let folder = with_games("othello");
    let at = |name: &str| folder.path().join(name);
    refused(&folder, &["data", "info", "nowhere"], 1, "nowhere");

    fs::create_dir(at("thesis")).expect("made");
    fs::write(at("thesis/chapter.tex"), "precious").expect("written");
    for job in [&["learn", "othello"][..], &["data", "generate", "othello"]] {
        let arguments: Vec<_> = job.iter().chain(&["--out", "thesis"]).copied().collect();
        refused(&folder, &arguments, 1, "thesis");
    }
    assert_eq!(fs::read(at("thesis/chapter.tex")).expect("still there"), b"precious");

    refused(
        &folder,
        &["data", "generate", "othello", "--out", "games", "--games", "61", "--depth", "1"],
        1,
        "games",
    );

    evalsmith(&folder).args(["model", "fit", "games", "-o", "m.safetensors"]).assert().success();
    let model = fs::read(at("m.safetensors")).expect("a model");
    refused(&folder, &["model", "fit", "games", "-o", "m.safetensors"], 1, "--force");
    assert_eq!(fs::read(at("m.safetensors")).expect("still there"), model);
    refused(
        &folder,
        &["match", "run", "malawi", "m.safetensors", "hand", "--pairs", "2", "--log", "x.jsonl"],
        1,
        "othello",
    );
    fs::write(at("cut.safetensors"), &model[..model.len() / 2]).expect("written");
    refused(&folder, &["model", "show", "cut.safetensors"], 1, "cut.safetensors");

    let part = at("games/part-00000.parquet");
    let whole = fs::read(&part).expect("a part");
    for broken in [&whole[..whole.len() / 2], b"PAR1 of something else", b""] {
        fs::write(&part, broken).expect("written");
        refused(
            &folder,
            &["model", "fit", "games", "-o", "n.safetensors"],
            1,
            "part-00000.parquet",
        );
    }
    assert!(!at("n.safetensors").exists());
}

#[test]
fn every_game_speaks_as_an_engine() {
    let folder = folder();
    for (arguments, said, heard) in [
        (&["chess"][..], "uci\nsetoption name Function value hand\ngo depth 2\n", "bestmove "),
        (&["shogi", "--depth", "1"], "usi\ngo btime 0 wtime 0\n", "bestmove "),
        (&["go", "--nodes", "50"], "1 genmove b\n", "=1 "),
        (&["malawi", "--depth", "1"], "1 genmove white\n", "=1 "),
        (&["othello", "--move-time", "0.01"], "1 genmove b\n", "=1 "),
        (&["othello", "--protocol", "nboard"], "nboard 2\nset depth 3\nhint 2\nping 1\n", "pong 1"),
        (&["chess", "--protocol", "xboard"], "protover 2\nsd 1\ngo\nping 1\n", "pong 1"),
    ] {
        let mut engine = evalsmith(&folder);
        let spoken = engine.arg("engine").args(arguments).write_stdin(said).assert().success();
        let text = String::from_utf8_lossy(&spoken.get_output().stdout).into_owned();
        assert!(text.lines().any(|line| line.starts_with(heard)), "{arguments:?}: {text}");
    }
}

#[test]
fn an_engine_that_cannot_be_is_told_so() {
    let folder = folder();
    for (arguments, reason) in [
        (&["chess", "--protocol", "gtp"][..], "uci, xboard"),
        (&["chess", "--protocol", "winboard"], "nboard or xboard"),
        (&["chess", "--hash", "0"], "--hash"),
        (&["ludo"], "othello"),
        (&[], "<GAME>"),
    ] {
        let mut engine = evalsmith(&folder);
        let refused = engine.arg("engine").args(arguments).assert().code(2);
        refused.stderr(predicate::str::contains(reason));
    }
}

#[test]
fn an_engine_is_checked() {
    let folder = folder();
    let program = assert_cmd::cargo::cargo_bin("evalsmith");
    let check = |protocol: &str, command: &[&str]| {
        let mut check = evalsmith(&folder);
        check.args(["engine", "check", "--protocol", protocol, "--format", "json", "--"]);
        check.args(command).assert()
    };
    let program = program.to_str().expect("a path in Unicode");
    for (protocol, game) in [("uci", "chess"), ("xboard", "chess"), ("nboard", "othello")] {
        let command = [program, "engine", game, "--protocol", protocol, "--nodes", "100"];
        let passed = check(protocol, &command).success();
        passed.stdout(predicate::str::contains("\"mark\": \"fail\"").not());
    }
    let failed = check("uci", &[program, "games"]).code(1);
    failed.stdout(predicate::str::contains("\"mark\": \"fail\""));
}

/// A device never ends; it is refused wherever a file is held in memory as a whole.
#[cfg(target_os = "linux")]
#[test]
fn devices_are_no_input() {
    let folder = with_games("othello");
    let problem = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;\n";
    fs::write(folder.path().join("one.obf"), problem).expect("written");
    for command in [
        "solve one.obf --peer /dev/zero",
        "solve /dev/zero",
        "match run --plan /dev/zero --log a.jsonl",
        "match run othello a b --engines /dev/zero --log a.jsonl",
        "match run othello @/dev/zero#a hand --log a.jsonl",
        "match run othello hand trivial --openings /dev/zero --log a.jsonl",
        "analyze othello f5 --probcut /dev/zero",
        "model fit games --learner patterns --patterns /dev/zero -o a.safetensors",
        "curve values games --engine sh --protocol nboard --eval /dev/zero -o a.tsv",
        "learn othello --calibration /dev/zero --out a",
        "book import othello /dev/zero --out a.book",
        "book info /dev/zero",
    ] {
        let run = evalsmith(&folder)
            .args(command.split(' '))
            .timeout(Duration::from_mins(1))
            .assert()
            .failure();
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(said.contains("/dev/zero") && said.contains("it is a device"), "{command}: {said}");
    }
}

/// `quit` ends a search at once; its answer is a legal move all the same.
#[test]
fn quit_behind_a_search_is_answered_by_a_legal_move() {
    let folder = folder();
    let pawns = ('a'..='h').flat_map(|file| ['3', '4'].map(|rank| format!("{file}2{file}{rank}")));
    let knights = ["b1a3", "b1c3", "g1f3", "g1h3"].map(str::to_owned);
    let legal: Vec<_> = pawns.chain(knights).collect();
    for (go, threads) in [("go depth 3", "1"), ("go depth 60", "2"), ("go infinite", "1")] {
        let run = evalsmith(&folder)
            .args(["engine", "chess", "--threads", threads])
            .write_stdin(format!("position startpos\n{go}\nquit\n"))
            .assert()
            .success();
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let best: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
        let [best] = best[..] else { panic!("{go}: {text}") };
        let best = best.split(' ').next().unwrap_or_default();
        assert!(legal.iter().any(|m| m == best), "{go}: {text}");
    }
}
