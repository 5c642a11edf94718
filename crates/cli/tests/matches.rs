//! Matches as a user meets them: run, killed, resumed, reported.

use assert_cmd::Command;
use predicates::prelude::*;
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

fn stdout(folder: &TempDir, arguments: &[&str]) -> String {
    let run = evalsmith(folder).args(arguments).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).expect("text")
}

/// The lines of a log, whatever the order in which games ended.
fn lines(log: &Path) -> Vec<String> {
    let mut lines: Vec<_> =
        fs::read_to_string(log).expect("a log").lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn logs(folder: &Path) -> usize {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    files.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).count()
}

#[test]
fn a_killed_match_is_resumed_from_its_log_alone() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let run = |log: &'static str| {
        ["match", "run", "othello", "hand", "trivial@depth=2", "--depth", "3", "--pairs", "60"]
            .into_iter()
            .chain(["--solve-at", "6", "--decided-at", "9", "--log", log])
            .collect::<Vec<_>>()
    };
    let whole = stdout(&folder, &run("whole.jsonl"));
    for milliseconds in [30, 60, 120] {
        let mut killed = Process::new(assert_cmd::cargo::cargo_bin!("evalsmith"))
            .args(run("killed.jsonl"))
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        killed.kill().expect("killed, or already over");
        killed.wait().expect("it is over");
    }
    // However early the kills came, there is a log of this match to cut and resume.
    stdout(&folder, &run("killed.jsonl"));
    let text = fs::read(at("killed.jsonl")).expect("a log");
    fs::write(at("killed.jsonl"), &text[..text.len() / 2]).expect("written");
    assert_eq!(stdout(&folder, &["match", "resume", "killed.jsonl", "--threads", "1"]), whole);
    assert_eq!(lines(&at("killed.jsonl")), lines(&at("whole.jsonl")));
    assert_eq!(stdout(&folder, &["match", "report", "whole.jsonl"]), whole);

    for (name, begins) in
        [("games.pgn", "[Event "), ("games.ggf", "(;GM[Othello]"), ("games", "(;")]
    {
        stdout(&folder, &["match", "records", "whole.jsonl", "-o", name]);
        let text = fs::read_to_string(folder.path().join(name)).expect("the games");
        assert!(text.starts_with(begins), "{name}: {text}");
    }
    stdout(&folder, &["match", "report", "whole.jsonl", "-o", "page.html"]);
    let page = fs::read_to_string(at("page.html")).expect("a page");
    assert!(page.contains("othello: hand against trivial@depth=2"), "{page}");
    evalsmith(&folder)
        .args(["match", "report", "whole.jsonl", "-o", "page.html"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("--force"));
}

#[test]
fn a_sequential_test_ends_alike_for_any_threads() {
    let folder = folder();
    let run = |log: &str, threads: &str| {
        let arguments = ["match", "sprt", "othello", "hand", "trivial", "--depth", "1"];
        let test = ["--elo0", "0", "--elo1", "50", "--log", log, "--threads", threads];
        stdout(&folder, &[&arguments[..], &test].concat())
    };
    let alone = run("alone.jsonl", "1");
    assert!(alone.contains("H1 accepted"), "{alone}");
    assert_eq!(run("many.jsonl", "5"), alone);
    assert_eq!(stdout(&folder, &["match", "resume", "many.jsonl"]), alone);
}

/// Time that is counted in nodes is the same however the machine is loaded.
#[test]
fn clocks_of_functions_do_not_depend_on_threads() {
    let folder = folder();
    let run = |log: &str, threads: &str| {
        let arguments = ["match", "run", "othello", "hand", "trivial@cpu=200us", "--pairs", "4"];
        let more = ["--pace", "cpu=4ms+200us", "--log", log, "--threads", threads];
        stdout(&folder, &[&arguments[..], &more].concat())
    };
    let at = |name: &str| folder.path().join(name);
    let one = run("one", "1");
    assert!(one.contains("cpu=4ms+200us against cpu=200us"), "{one}");
    fs::copy(at("one.calibration.json"), at("two.calibration.json")).expect("copied");
    assert_eq!(run("two", "2"), one);
    assert_eq!(lines(&at("one")), lines(&at("two")));
}

#[test]
fn tournaments_rate_their_players() {
    let folder = folder();
    let shared = ["--pairs", "12", "--format", "csv", "--out"];
    let play = |arguments: &[&str]| {
        let (out, rest) = arguments.split_last().expect("a folder");
        stdout(&folder, &[&["match"], rest, &shared, &[*out][..]].concat())
    };
    let all =
        play(&["tournament", "othello", "trivial", "hand", "hand@depth=1", "--depth", "2", "all"]);
    let players: Vec<_> = all.lines().skip(1).map(|l| l.split(',').nth(1).unwrap_or("")).collect();
    assert_eq!(players, ["hand", "hand@depth=1", "trivial"], "{all}");
    assert_eq!(logs(&folder.path().join("all")), 3);
    assert_eq!(
        play(&["tournament", "othello", "trivial", "hand", "hand@depth=1", "--depth", "2", "all"]),
        all
    );
    let gauntlet =
        play(&["gauntlet", "othello", "hand", "trivial", "hand@depth=1", "--depth", "2", "one"]);
    assert_eq!(logs(&folder.path().join("one")), 2, "{gauntlet}");
    let ladder = play(&["ladder", "othello", "hand", "--depths", "1..3", "steps"]);
    assert!(ladder.lines().nth(1).is_some_and(|best| best.contains("hand@depth=3")), "{ladder}");
    evalsmith(&folder)
        .args(["match", "ladder", "othello", "hand", "--depth", "2", "--out", "wrong"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--depths alone"));
    fs::write(
        folder.path().join("players.toml"),
        "[x]\nfunction = 'hand'\n[y]\nfunction = 'trivial'\n",
    )
    .expect("written");
    let listed =
        play(&["tournament", "othello", "--engines", "players.toml", "--depth", "2", "file"]);
    assert!(listed.lines().nth(1).is_some_and(|best| best.starts_with("1,x,")), "{listed}");
    evalsmith(&folder)
        .args(["match", "gauntlet", "othello", "hand", "trivial", "--out", "all"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("another run"));
    evalsmith(&folder)
        .args(["match", "tournament", "othello", "hand", "hand", "--out", "same"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("hand"));
}

/// With twice its own time a function is its equal by half.
#[test]
fn the_factor_of_equal_strength_is_found() {
    let folder = folder();
    let arguments = ["match", "time-factor", "othello", "hand@cpu=400us", "hand@cpu=200us"];
    let more = ["--pairs", "30", "--batches", "3", "--precision", "9", "--out", "factor"];
    let found = stdout(&folder, &[&arguments[..], &more].concat());
    assert!(found.contains("0.500") && found.contains("1.000"), "{found}");
    evalsmith(&folder)
        .args(["match", "time-factor", "othello", "hand", "hand", "--depth", "2", "--out", "x"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("limit hand by time"));
}

#[test]
fn openings_come_from_lists_and_trees() {
    let folder = folder();
    fs::write(folder.path().join("list"), "f5 d6\n\ne6f4\nf5 f6\n").expect("written");
    evalsmith(&folder)
        .args(["match", "run", "othello", "hand", "trivial", "--depth", "1"])
        .args(["--openings", "list", "--log", "a", "--format", "json"])
        .assert()
        .success()
        .stderr(predicate::str::contains("list: line 3 leads to the position of line 1"))
        .stdout(predicate::str::contains("\"games\": 4"));
    // One first move up to symmetry, three answers, fourteen positions after them.
    let all = stdout(
        &folder,
        &[
            "match",
            "run",
            "othello",
            "hand",
            "trivial",
            "--depth",
            "1",
            "--enumerate",
            "3",
            "--log",
            "b",
        ],
    );
    assert!(all.contains("   28  "), "{all}");
    fs::write(folder.path().join("list"), "f5 d6\nf5 a1\n").expect("written");
    evalsmith(&folder)
        .args(["match", "run", "othello", "hand", "trivial", "--openings", "list", "--log", "c"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("list, line 2").and(predicate::str::contains("\"a1\"")));
}

#[cfg(unix)]
#[test]
fn a_failing_engine_ends_the_match_and_the_results_stand() {
    let folder = folder();
    let script = "#!/bin/sh\nwhile read word rest; do case $word in\nuci) echo uciok;;\n\
                  isready) echo readyok;;\ngo) exit 7;;\nesac; done\n";
    fs::write(folder.path().join("broken.sh"), script).expect("written");
    let players = "[broken]\nprotocol = 'uci'\ncommand = 'sh'\narguments = ['broken.sh']\n";
    fs::write(folder.path().join("players.toml"), players).expect("written");
    evalsmith(&folder)
        .args(["match", "run", "chess", "trivial", "broken", "--engines", "players.toml"])
        .args(["--depth", "1", "--pairs", "2", "--threads", "1", "--log", "log.jsonl"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("3 forfeited"))
        .stderr(
            predicate::str::contains("broken (player 1) failed in 3 games running")
                .and(predicate::str::contains("log.jsonl.faults/game-2.txt")),
        );
    let words = fs::read_to_string(folder.path().join("log.jsonl.faults/game-0.txt"));
    assert!(words.expect("its last words").contains("> go depth 1"));
    evalsmith(&folder)
        .args(["match", "run", "chess", "trivial", "engine:uci:/no/such", "--log", "none.jsonl"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("/no/such did not start"));
}

/// What was played before one player failed is shown, and how to go on.
#[cfg(unix)]
#[test]
fn a_tournament_that_a_fault_ends_shows_its_standings() {
    let folder = folder();
    let players = "[broken]\nprotocol = 'uci'\ncommand = 'sh'\narguments = ['-c', 'exit 3']\n";
    fs::write(folder.path().join("players.toml"), players).expect("written");
    evalsmith(&folder)
        .args(["match", "tournament", "chess", "hand", "trivial", "broken"])
        .args(["--engines", "players.toml", "--depth", "1", "--pairs", "2", "--out", "all"])
        .assert()
        .code(1)
        .stdout(
            predicate::str::contains("No ratings yet")
                .and(predicate::str::contains("4/4").or(predicate::str::contains("3.5/4"))),
        )
        .stderr(
            predicate::str::contains("broken (player 1) cannot play: the engine ended")
                .and(predicate::str::contains("continue with: "))
                .and(predicate::str::contains("--engines players.toml")),
        );
}

#[test]
fn counts_are_calculated() {
    let folder = folder();
    let games = stdout(&folder, &["match", "stats", "136", "111", "96"]);
    assert!(games.contains("+40.70") && games.contains("+49.77"), "{games}");
    let pairs = stdout(
        &folder,
        &["match", "stats", "--pairs", "365", "16618", "36229", "16974", "390"]
            .into_iter()
            .chain(["--normalised", "--elo1", "2"])
            .collect::<Vec<_>>(),
    );
    assert!(pairs.contains("+2.25"), "{pairs}");
    for wrong in
        [&["match", "stats", "1", "2", "3", "4"][..], &["match", "stats", "--pairs", "1", "2", "3"]]
    {
        evalsmith(&folder).args(wrong).assert().code(2);
    }
    evalsmith(&folder)
        .args(["match", "stats", "1", "2", "3", "--elo0", "5", "--elo1", "5"])
        .assert()
        .code(2);
}

#[test]
fn games_of_pgn_are_openings() {
    let folder = folder();
    let games = "[Event \"a\"]\n\n1. e4 e5 {best} 2. Nf3 *\n\n[Event \"b\"]\n\n1. e4 e5 2. Bc4 *\n\n\
                 [Event \"c\"]\n\n1. d4 d5 (1... Nf6) 2. c4 1-0\n";
    fs::write(folder.path().join("games.pgn"), games).expect("written");
    let run = ["match", "run", "chess", "hand", "trivial", "--depth", "1", "--format", "json"];
    let cut = |plies: &str, log: &str| {
        let mut command = evalsmith(&folder);
        command.args(run).args(["--openings", "games.pgn", "--opening-plies", plies]);
        command.args(["--log", log]).assert().success()
    };
    cut("3", "whole").stdout(predicate::str::contains("\"games\": 6"));
    cut("2", "cut")
        .stdout(predicate::str::contains("\"games\": 4"))
        .stderr(predicate::str::contains("games.pgn: line 5 leads to the position of line 1"));
    fs::write(folder.path().join("games.pgn"), "[Event \"a\"]\n\n1. e4 Ke7 *\n").expect("written");
    evalsmith(&folder)
        .args(run)
        .args(["--openings", "games.pgn", "--log", "wrong"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("games.pgn, line 1").and(predicate::str::contains("Ke7")));
}

#[test]
fn a_plan_orders_a_tournament_and_its_folder_tells_of_it() {
    let folder = folder();
    let plan = "game = 'othello'\nout = 'cup'\npairs = 4\nopening-plies = 8\npace = 'depth=1'\n\
                format = 'csv'\n[deep]\nfunction = 'hand'\npace = 'depth=2'\n\
                [plain]\nfunction = 'trivial'\n";
    fs::write(folder.path().join("cup.toml"), plan).expect("written");
    let played = stdout(&folder, &["match", "tournament", "--plan", "cup.toml"]);
    assert!(played.lines().nth(1).is_some_and(|best| best.starts_with("1,deep,")), "{played}");
    assert_eq!(stdout(&folder, &["match", "report", "cup", "--format", "csv"]), played);
    assert_eq!(stdout(&folder, &["match", "resume", "cup", "--format", "csv"]), played);
    stdout(&folder, &["match", "report", "cup", "-o", "cup.html"]);
    let page = fs::read_to_string(folder.path().join("cup.html")).expect("a page");
    assert!(page.contains("Cross table") && page.contains("<svg"), "{page}");
    stdout(&folder, &["match", "report", "cup/01-02.jsonl", "-o", "match.html"]);
    let page = fs::read_to_string(folder.path().join("match.html")).expect("a page");
    assert!(page.contains("Share of the points") && page.contains("<svg"), "{page}");

    fs::write(folder.path().join("cup.toml"), "game = 'othello'\npears = 4\n").expect("written");
    evalsmith(&folder)
        .args(["match", "tournament", "--plan", "cup.toml", "--out", "other"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--pears"));
    evalsmith(&folder)
        .args(["match", "report", folder.path().to_str().expect("a name")])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("run.json"));
}

#[cfg(unix)]
#[test]
fn an_engine_without_a_clock_that_never_answers_forfeits() {
    let folder = folder();
    let silent = "engine:uci:sh -c 'while read word; do case $word in uci) echo uciok;; \
                  isready) echo readyok;; quit) exit;; esac; done'";
    evalsmith(&folder)
        .args(["match", "run", "chess", "trivial", silent, "--depth", "1", "--pairs", "1"])
        .args(["--max-faults", "1", "--move-timeout", "0.2", "--threads", "1", "--log", "log"])
        .timeout(Duration::from_secs(50))
        .assert()
        .code(1)
        .stderr(
            predicate::str::contains("sh (player 1) failed in 1 game running")
                .and(predicate::str::contains("a move")),
        );
}

/// A name that promises another format is refused, as `data export` does.
#[test]
fn records_are_not_written_under_a_name_of_another_format() {
    let folder = folder();
    let run = ["match", "run", "othello", "hand", "trivial", "--depth", "1", "--pairs", "1"];
    evalsmith(&folder).args(run).args(["--log", "log.jsonl"]).assert().success();
    let records = ["match", "records", "log.jsonl", "-o"];
    for name in ["z.parquet", "z.csv", "z.pg"] {
        evalsmith(&folder)
            .args(records)
            .arg(name)
            .assert()
            .code(2)
            .stderr(predicate::str::contains(format!("the name {name} tells no format of games")))
            .stderr(predicate::str::contains("give --format, one of pgn, sgf"));
        assert!(!folder.path().join(name).exists());
    }
    evalsmith(&folder).args(records).args(["z.parquet", "--format", "ggf"]).assert().success();
    let text = fs::read_to_string(folder.path().join("z.parquet")).expect("games");
    assert!(text.starts_with("(;GM[Othello]"), "{text}");
}

/// A link to a log is the log, also when its games are put in order at the end.
#[cfg(unix)]
#[test]
fn a_link_to_a_log_stays_a_link() {
    let folder = folder();
    let (log, link) = (folder.path().join("log.jsonl"), folder.path().join("link.jsonl"));
    let run = |log: &str| {
        let run = ["match", "run", "othello", "hand", "trivial", "--depth", "1", "--pairs", "3"];
        evalsmith(&folder).args(run).args(["--log", log]).assert().success();
    };
    run("log.jsonl");
    let whole = fs::read_to_string(&log).expect("a log");
    // Its games in another order, which the next run mends.
    let mut games: Vec<_> = whole.split_inclusive('\n').collect();
    games[1..].reverse();
    fs::write(&log, games.concat()).expect("written");
    std::os::unix::fs::symlink("log.jsonl", &link).expect("a link");
    run("link.jsonl");
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&log).expect("a log"), whole);
}
