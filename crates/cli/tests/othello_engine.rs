//! `solve` and `analyze` as a user meets them.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use tempfile::TempDir;

fn evalsmith(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
    command.current_dir(folder.path());
    command
}

/// A folder with one problem of ten empty squares in `problems.obf`, and scores that
/// are right or wrong.
fn with_problem(scores: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("problems.obf"), format!("% one\n{BOARD} X;{scores}\n"))
        .expect("a file");
    folder
}

const BOARD: &str = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-";

#[test]
fn solve_agrees_with_right_scores_and_contradicts_wrong_ones() {
    let folder = with_problem(" h5:+6;");
    evalsmith(&folder)
        .args(["solve", "problems.obf", "--threads", "2", "--hash", "1", "--all-moves"])
        .assert()
        .success()
        .stdout(predicate::str::contains(
            "1 of 1 positions solved, 2 scores checked, 0 contradicted",
        ));
    evalsmith(&folder)
        .args(["solve", "problems.obf", "--verdict", "--format", "csv"])
        .assert()
        .success()
        .stdout(predicate::str::contains("won"));

    let folder = with_problem(" h5:+8;");
    let run = evalsmith(&folder)
        .args(["solve", "problems.obf", "--format", "json", "--all-moves"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("2 scores of the files are contradicted"));
    let text = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["positions"][0]["lower"], 6);
    assert_eq!(report["positions"][0]["best"], "h5");
    assert_eq!(report["total"]["contradictions"], 2);

    let folder = with_problem(" h5:+6; a1:+8;");
    evalsmith(&folder)
        .args(["solve", "problems.obf"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("a1:+8 is no legal move"))
        .stdout(predicate::str::contains("1 scores checked, 1 contradicted"));
}

#[test]
fn solve_compares_with_a_peer() {
    let folder = with_problem("");
    let peer = folder.path().join("peer.csv");
    fs::write(&peer, "position,nodes,seconds\n1,1000000,10\n").expect("a file");
    evalsmith(&folder)
        .args(["solve", "problems.obf", "--peer", "peer.csv"])
        .assert()
        .success()
        .stdout(predicate::str::contains("of the peer's nodes"));
    for (text, named) in [
        ("1,5,2\n2,2", "peer.csv: line 2"),
        ("2,5,0.5", "position 2 of 1"),
        ("some,other,table\n1,5,2", "peer.csv: line 1"),
        ("1,5,inf", "column seconds; give a number"),
        ("position,nodes,seconds\n", "no figures"),
    ] {
        fs::write(&peer, text).expect("a file");
        evalsmith(&folder)
            .args(["solve", "problems.obf", "--peer", "peer.csv"])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
}

#[test]
fn moves_are_scored_once_and_what_the_engine_loses_is_told() {
    let folder = with_problem(" h5:+6;");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("two.obf"), format!("{BOARD} X;\n{BOARD} O;\n")).expect("a file");
    let order = ["solve", "two.obf", "--score-moves", "scored.obf"];
    evalsmith(&folder).args(order).assert().success();
    let scored = fs::read_to_string(at("scored.obf")).expect("the file");
    assert!(scored.starts_with(&format!("{BOARD} X; ")) && scored.contains(" h5:+6;"), "{scored}");
    assert_eq!(scored.lines().count(), 2);

    // What was written is kept, a line that was not finished is made anew.
    let second = scored.find('\n').expect("two lines") + 1;
    fs::write(at("scored.obf"), &scored[..second + 70]).expect("a file");
    evalsmith(&folder)
        .args(order)
        .assert()
        .success()
        .stdout(predicate::str::contains("1 of 1 positions solved"));
    assert_eq!(fs::read_to_string(at("scored.obf")).expect("the file"), scored);
    for (there, what) in [
        (scored.as_str(), "other positions"),
        ("{\"no\": \"end of line\"}", "a file of somebody else's"),
        (&format!("{BOARD} X; h5:+6;\n"), "not all moves"),
    ] {
        fs::write(at("other.obf"), there).expect("a file");
        evalsmith(&folder)
            .args(["solve", "problems.obf", "--score-moves", "other.obf"])
            .assert()
            .code(2)
            .stderr(predicate::str::contains("other.obf").and(predicate::str::contains("name")));
        assert_eq!(fs::read_to_string(at("other.obf")).expect("the file"), there, "{what}");
    }
    // What contradicts the file still does when it is all there already.
    fs::write(at("wrong.obf"), scored.replace("h5:+6", "h5:+64")).expect("a file");
    for _ in 0..2 {
        evalsmith(&folder)
            .args(["solve", "wrong.obf", "--score-moves", "rescored.obf"])
            .assert()
            .code(1)
            .stdout(predicate::str::contains("2 contradicted"));
    }

    let moves = |file: &str| -> serde_json::Value {
        let order = ["bench", "moves", file, "--move-time", "0.01,0.02", "--format", "json"];
        let run = evalsmith(&folder).args(order).assert().success();
        serde_json::from_slice(&run.get_output().stdout).expect("JSON")
    };
    let right = moves("scored.obf");
    assert_eq!(right["rows"][1]["move_time"], 0.02);
    // White has one move, and so no choice.
    assert_eq!(right["rows"][0]["positions"], 1);
    assert_eq!(right["rows"][0]["faultless"], 1);
    assert_eq!(right["rows"][0]["points_lost"]["mean"], 0.0);
    assert_eq!(right["moves"][0]["chosen"], "h5");
    // Scores turned round: the best move loses what it had won.
    let turned = scored.replace(":+", ":?").replace(":-", ":+").replace(":?", ":-");
    fs::write(at("turned.obf"), turned).expect("a file");
    let wrong = moves("turned.obf");
    assert!(wrong["rows"][0]["discs_lost"]["mean"].as_f64() > Some(2.0), "{wrong}");
    assert!(wrong["rows"][0]["points_lost"]["mean"].as_f64() > Some(0.4), "{wrong}");

    for (file, scores, named) in [
        ("problems.obf", "", "has no score; have all moves scored by"),
        ("illegal.obf", " a1:+2;", "position 1: a1 is no legal move"),
        ("twice.obf", " h5:+2; h5:+4;", "h5 has more than one score"),
    ] {
        if !scores.is_empty() {
            fs::write(at(file), format!("{BOARD} X;{scores}\n")).expect("a file");
        }
        evalsmith(&folder)
            .args(["bench", "moves", file])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
}

#[test]
fn techniques_are_turned_off_one_by_one() {
    let folder = with_problem(" h5:+6;");
    let order = ["bench", "techniques", "problems.obf", "--pairs", "1", "--move-time", "0.001"];
    let run = evalsmith(&folder).args(order).args(["--format", "json"]).assert().success();
    let rows: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows[0]["without"], "nothing");
    assert!(rows[0]["playing"].is_null() && rows[0]["solving"]["nodes"].as_u64() > Some(0));
    for row in &rows[1..] {
        let playing = &row["playing"];
        if row["without"] == "preparation" {
            assert!(playing.is_null());
            continue;
        }
        let games = ["wins", "draws", "losses"].map(|kind| playing[kind].as_u64().unwrap());
        assert_eq!(games.iter().sum::<u64>(), 2, "{row}");
    }
    assert_eq!(rows.iter().filter(|row| row["solving"].is_object()).count(), 6);
    // What was played is not played again.
    evalsmith(&folder)
        .args(order)
        .assert()
        .success()
        .stdout(predicate::str::contains("corner-quiescence"));

    let folder = with_problem(" h5:+8;");
    evalsmith(&folder)
        .args(["bench", "techniques", "problems.obf", "--pairs", "0"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("position 1 is +6, its file says +8"));
    evalsmith(&folder)
        .args(["bench", "techniques", "--pairs", "0"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("name a file of endgames to solve"));
    evalsmith(&folder)
        .args(["solve", "problems.obf", "--without", "table,magic"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("\"magic\" is no technique"));
}

#[test]
fn a_line_is_checked_for_as_long_as_it_was_thought_about() {
    let folder = with_problem("");
    // 26 empty squares: proofs of all its positions would take minutes. How far it gets
    // depends on the machine, but it ends.
    let far = "--OX-O----XXOO--OOOOOXX-OOOOOX--OOOXOXX-OOOOXX-----OOX----X-O--- X; E1:+16;";
    evalsmith(&folder)
        .args(["analyze", "othello", far, "--time", "0.2", "--check-line", "--threads", "1"])
        .assert()
        .success()
        .stdout(predicate::str::contains("\nthe line "));
    let near = format!("{BOARD} X");
    evalsmith(&folder)
        .args(["analyze", "othello", &near, "--check-line", "--function", "hand"])
        .assert()
        .success()
        .stdout(predicate::str::contains("the line holds for all its"));
}

#[test]
fn files_are_text() {
    let folder = with_problem("");
    let file = folder.path().join("problems.obf");
    fs::write(&file, format!("\u{feff}{BOARD} X; h5:+6;\n")).expect("a file");
    evalsmith(&folder).args(["solve", "problems.obf"]).assert().success();
    fs::write(&file, b"% one\n\xff\n").expect("a file");
    evalsmith(&folder)
        .args(["solve", "problems.obf"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("problems.obf: line 2: this is no text in UTF-8"));
}

#[test]
fn bad_boards_are_named_by_line_and_column() {
    let folder = with_problem("");
    let file = folder.path().join("bad.obf");
    for (text, named) in [
        (format!("{BOARD}X X"), "line 1, column 65"),
        (format!("{BOARD} X\n\n{}? X", &BOARD[..20]), "line 3, column 21"),
        ("-".repeat(64) + " X", "line 1, column 28"),
        (format!("{START} X\nO{} X", &START[1..]), "line 2, column 1: \"O\" where an empty square"),
        (String::new(), "no position"),
    ] {
        fs::write(&file, text).expect("a file");
        evalsmith(&folder)
            .args(["solve", "bad.obf"])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
    evalsmith(&folder).args(["solve", "absent.obf"]).assert().code(1);
    for (board, named) in [
        (format!("{BOARD}X X"), "side to move"),
        ("-".repeat(64) + " X", "middle"),
        ("X".repeat(64) + " O", "won by Black, 64 discs ahead"),
        ("f5f5".to_owned(), "f5 at ply 2 is not legal"),
    ] {
        evalsmith(&folder)
            .args(["analyze", "othello", "--depth", "2", "--", &board])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
}

#[test]
fn analyze_ranks_every_move_and_explains_the_estimate() {
    let folder = with_problem("");
    evalsmith(&folder)
        .args(["analyze", "othello", "f5d6c3", "--depth", "6", "--threads", "1"])
        .assert()
        .success()
        .stdout(predicate::str::contains("White to move"))
        .stdout(predicate::str::contains("judged, 95%"))
        .stdout(predicate::str::contains("corner 3x3"))
        .stderr(predicate::str::contains("depth 6 (judged, 95%)"));
    let run = evalsmith(&folder)
        .args(["analyze", "othello", "--depth", "60", "--format", "json", "--"])
        .arg(format!("{BOARD} X"))
        .assert()
        .success();
    let text = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let best = &report["moves"][0];
    assert_eq!((&best["move"], &best["certainty"]), (&"h5".into(), &"exact".into()));
    assert_eq!(best["value"], 6.0);
    let terms = report["terms"].as_array().expect("terms");
    let sum: f64 = terms.iter().filter_map(|term| term["discs"].as_f64()).sum();
    assert!((sum - report["estimate"].as_f64().expect("a number")).abs() < 1e-9);
}

/// What the engine says to these lines before the input ends.
fn dialogue(arguments: &[&str], lines: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = evalsmith(&folder)
        .args(["engine", "othello", "--hash", "2"])
        .args(arguments)
        .write_stdin(lines)
        .timeout(std::time::Duration::from_mins(5))
        .assert()
        .success();
    String::from_utf8(run.get_output().stdout.clone()).expect("text")
}

#[test]
fn gtp_is_spoken_and_mistakes_are_answered() {
    let said = dialogue(
        &["--depth", "4"],
        "1 genmove b\n2 undo\n3 time_settings 0 0 0\n4 genmove b\n5 fly\n6 play b a1\n\
         7 showboard\n8 final_score\n9 genmove b\n10 boardsize 10\n11 play w\n12 quit\n",
    );
    for start in [
        "=1 ",
        "=2\n",
        "=3\n",
        "=4 ",
        "?5 unknown command",
        "?6 ",
        "=7",
        "?8 the game is not over",
        "?9 it is white's turn",
        "?10 unacceptable size",
        "?11 write a colour",
        "=12\n",
    ] {
        assert!(said.lines().any(|line| format!("{line}\n").starts_with(start)), "{start}: {said}");
    }
}

#[test]
fn the_end_of_the_input_ends_a_search_with_a_move() {
    let said =
        dialogue(&["--move-time", "3600", "--threads", "2", "--book", "none"], "7 genmove b\n");
    assert!(["D3", "C4", "F5", "E6"].iter().any(|m| said == format!("=7 {m}\n\n")), "{said}");
}

/// What the engine says over NBoard to these lines, of which one is a `go`: only when
/// that is answered a ping follows, which would cut the search short.
fn over_nboard(lines: &str) -> String {
    let mut engine = std::process::Command::new(env!("CARGO_BIN_EXE_evalsmith"))
        .args(["engine", "othello", "--protocol", "nboard", "--hash", "2", "--book", "none"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program is built");
    let mut input = engine.stdin.take().expect("a pipe");
    write!(input, "{lines}").expect("it listens");
    let output = BufReader::new(engine.stdout.take().expect("a pipe"));
    let mut said = String::new();
    for line in output.lines() {
        let line = line.expect("text");
        said += &line;
        said.push('\n');
        if line.starts_with("===") {
            writeln!(input, "ping 7").expect("it listens");
        }
        if said.ends_with("pong 7\n") {
            break;
        }
    }
    drop(input);
    assert!(engine.wait().expect("it ends").success(), "{said}");
    said
}

#[test]
fn nboard_is_spoken_and_impossible_boards_are_refused() {
    let game =
        |board: &str| format!("set game (;GM[Othello]BO[8 {} *];)\n", board.replace('X', "*"));
    let proven =
        over_nboard(&format!("nboard 2\nset depth 20\nset contempt 5\n{}go\n", game(BOARD)));
    assert!(proven.contains("=== H5/6.00/") && proven.contains("nodestats "), "{proven}");

    let over = game(&format!("OX{}", "O".repeat(62)));
    let passed = over_nboard(&format!("{over}go\nmove PA\nfly\n"));
    assert!(passed.contains("===\n"), "the game is over: {passed}");

    for (board, named) in [
        (format!("{}-{}", &START[..27], &START[28..]), "d4 is empty"),
        (format!("X{}", &START[1..]), "no game places a disc on a1"),
        (format!("{START}-"), "malformed Othello board"),
    ] {
        let said = over_nboard(&format!("{}go\n", game(&board)));
        assert!(said.contains(named) && said.contains("==="), "{board}: {said}");
        assert!(said.contains("===\npong 7\n"), "no move is made up: {said}");
        let wiped = said.lines().any(|line| line == "status");
        assert!(!wiped, "the reason stays on the status line: {said}");
    }
}

const START: &str = "---------------------------OX------XO---------------------------";

#[test]
fn wrong_calls_of_the_engine_name_the_remedy() {
    let folder = with_problem("");
    let bad = folder.path().join("bad.txt");
    fs::write(&bad, "middle 1 2\n").expect("a file");
    for (arguments, named) in [
        (&["othello", "--function", "hand", "--selectivity", "95"][..], "fit-probcut"),
        (&["othello", "--selectivity", "bold"], "daring (73)"),
        (&["othello", "--probcut", "bad.txt"], "bad.txt: \"middle 1 2\""),
        (&["chess", "--selectivity", "full"], "the Othello engine's alone"),
        (&["othello", "--protocol", "uci"], "gtp, nboard"),
        (&["fit-probcut", "chess", "--out", "x"], "othello"),
        (&["fit-probcut", "othello"], "--out"),
    ] {
        evalsmith(&folder)
            .arg("engine")
            .args(arguments)
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
    evalsmith(&folder)
        .args(["engine", "fit-probcut", "othello", "--positions", "3", "--out", "x"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("raise --positions"));
    evalsmith(&folder)
        .args(["engine", "fit-probcut", "othello", "--out", "bad.txt"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("--force"));
    evalsmith(&folder)
        .args(["engine", "fit-probcut", "othello", "--out", "absent/x"])
        .assert()
        .code(1)
        .stderr(
            predicate::str::contains("there is no folder absent")
                .and(predicate::str::contains("positions").not()),
        );
    evalsmith(&folder).args(["analyze", "othello", "f5", "--hash", "0"]).assert().code(2);
}

#[test]
fn errors_are_fitted_drawn_and_used() {
    let folder = with_problem("");
    evalsmith(&folder)
        .args(["engine", "fit-probcut", "othello", "--positions", "600", "--depth", "5"])
        .args(["--out", "errors.txt", "--report", "errors.html"])
        .assert()
        .success()
        .stdout(predicate::str::contains("residual"))
        .stdout(predicate::str::contains("ln sigma (middle) = "));
    let page = fs::read_to_string(folder.path().join("errors.html")).expect("a page");
    assert!(page.contains("depth 5, check 3") && page.contains("Residuals of the surfaces"));
    evalsmith(&folder)
        .args(["analyze", "othello", "f5d6c3", "--depth", "5", "--threads", "1"])
        .args(["--selectivity", "brisk", "--probcut", "errors.txt"])
        .assert()
        .success()
        .stdout(predicate::str::contains("judged, 87%"));
}
