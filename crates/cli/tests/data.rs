//! `evalsmith data` as a user meets it: records in, taken apart, put together, out.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PGN: &str = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2700\"]\n[Result \"1-0\"]\n\n\
    1. e4 {[%eval 0.3]} e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n\
    [WhiteElo \"1500\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n";

fn evalsmith(folder: &TempDir, words: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("evalsmith")
        .expect("the program is built")
        .current_dir(folder.path())
        .args(words)
        .assert()
}

fn run(folder: &TempDir, words: &[&str]) -> String {
    let output = evalsmith(folder, words).success().get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

fn refused(folder: &TempDir, words: &[&str], code: i32, says: &str) {
    evalsmith(folder, words).code(code).stderr(predicate::str::contains(says));
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("games.pgn"), PGN).expect("a writable folder");
    folder
}

fn digest(folder: &TempDir, data: &str) -> String {
    let json = run(folder, &["data", "info", data, "--format", "json"]);
    let info: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    info["digest"].as_str().expect("a digest").to_owned()
}

#[test]
fn records_go_in_and_what_was_skipped_is_told() {
    let folder = folder();
    let import = ["data", "import", "chess", "games.pgn", "--out", "all"];
    let told = evalsmith(&folder, &import)
        .success()
        .stderr(predicate::str::contains("games.pgn, line 15, record 3"));
    let told = String::from_utf8(told.get_output().stdout.clone()).expect("text");
    assert!(told.contains("1 records skipped: illegal"), "{told}");
    assert!(told.contains("11 positions of 2 games in all"), "{told}");

    let info = run(&folder, &["data", "info", "all"]);
    for word in ["skipped, illegal", "eval and result", "evalsmith data import chess games.pgn"] {
        assert!(info.contains(word), "{info}");
    }
    refused(
        &folder,
        &["data", "import", "chess", "games.pgn", "--out", "b", "--strict"],
        1,
        "line 15",
    );
    let strong = ["data", "import", "chess", "games.pgn", "--out", "c", "--min-rating", "2000"];
    assert!(run(&folder, &strong).contains("7 positions of 1 games in c"));
    let weak = ["data", "import", "chess", "games.pgn", "--out", "d", "--max-rating", "1999"];
    assert!(run(&folder, &weak).contains("4 positions of 1 games in d"));

    let mut piped = Command::cargo_bin("evalsmith").expect("the program is built");
    let words = ["data", "import", "chess", "-", "--format", "pgn", "--out", "piped"];
    piped.current_dir(folder.path()).args(words).write_stdin(PGN).assert().success();
    assert_eq!(digest(&folder, "piped"), digest(&folder, "all"));
}

#[test]
fn datasets_are_taken_apart_and_put_together() {
    let folder = folder();
    run(&folder, &["data", "import", "chess", "games.pgn", "--out", "all"]);
    for shard in ["1/2", "2/2"] {
        let out = shard.replace('/', "-of-");
        run(&folder, &["data", "import", "chess", "games.pgn", "--out", &out, "--shard", shard]);
    }
    run(&folder, &["data", "merge", "1-of-2", "2-of-2", "--out", "merged"]);
    assert_eq!(digest(&folder, "merged"), digest(&folder, "all"));
    run(&folder, &["data", "split", "all", "train=0.5", "test=0.5", "--seed", "2"]);
    run(&folder, &["data", "merge", "train", "test", "--out", "again"]);
    assert_eq!(digest(&folder, "again"), digest(&folder, "all"));
    let sampled = run(&folder, &["data", "sample", "all", "--positions", "5", "--out", "five"]);
    assert!(sampled.starts_with("5 positions"), "{sampled}");
    let once = run(&folder, &["data", "dedupe", "all", "--out", "once"]);
    assert!(once.contains("1 repeated positions left out"), "{once}");
    let info = run(&folder, &["data", "info", "merged"]);
    assert_eq!(info.matches("made by").count(), 3, "{info}");
}

#[test]
fn self_play_by_shards_is_self_play() {
    let folder = folder();
    let generate = |out: &str, shard: &str| {
        let words = ["data", "generate", "othello", "--games", "40", "--depth", "1"];
        run(&folder, &[&words[..], &["--out", out, "--shard", shard]].concat());
    };
    generate("whole", "1/1");
    generate("a", "1/2");
    generate("b", "2/2");
    run(&folder, &["data", "merge", "b", "a", "--out", "merged"]);
    assert_eq!(digest(&folder, "merged"), digest(&folder, "whole"));
}

#[test]
fn the_engine_labels_as_the_solver_does_near_the_end_whatever_the_threads() {
    let folder = folder();
    let words = ["data", "generate", "othello", "--games", "6", "--depth", "1", "--solve-at", "0"];
    run(&folder, &[&words[..], &["--out", "games"]].concat());
    run(
        &folder,
        &["data", "label", "games", "--by", "exact", "--moves-left", "9", "--out", "solved"],
    );
    let label = |out: &str, threads: &str| {
        let words = ["--threads", threads, "data", "label", "solved", "--by", "engine"];
        let how = ["--depth", "3", "--moves-left", "9", "--compare", "exact", "--out", out];
        run(&folder, &[&words[..], &how].concat())
    };
    let told = label("one", "1");
    assert!(told.contains("engine names its winner in"), "{told}");
    label("two", "2");
    assert_eq!(digest(&folder, "one"), digest(&folder, "two"));
    run(&folder, &["data", "export", "one", "-o", "one.csv"]);
    let csv = fs::read_to_string(folder.path().join("one.csv")).expect("text");
    let mut proven = 0;
    for line in csv.lines().skip(1) {
        let cells: Vec<_> = line.split(',').collect();
        let [.., exact, engine] = cells[..] else { panic!("{line}") };
        assert!(engine.parse::<f32>().is_ok_and(|margin| margin.abs() <= 64.0), "{line}");
        if !exact.is_empty() {
            assert_eq!(exact, engine, "{line}");
            proven += 1;
        }
    }
    assert!(proven > 40, "{proven}");
    run(&folder, &["data", "import", "chess", "games.pgn", "--out", "chess"]);
    let chess = ["data", "label", "chess", "--by", "engine", "--out", "x"];
    refused(&folder, &chess, 2, "chess has no engine of its own");
}

#[test]
fn datasets_go_out_and_come_in_again() {
    let folder = folder();
    run(&folder, &["data", "import", "chess", "games.pgn", "--out", "all"]);
    for name in ["out.pgn", "out.txt", "out.epd", "out.csv", "out.tsv", "out.parquet"] {
        run(&folder, &["data", "export", "all", "-o", name]);
        assert!(fs::metadata(folder.path().join(name)).is_ok_and(|file| file.len() > 50), "{name}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("text");
    assert_eq!(read("out.csv").lines().count(), 12);
    assert!(
        read("out.csv").starts_with("game,ply,stage,side,position,move,result,score,label.eval\n")
    );
    assert!(read("out.pgn").contains("4. Qxf7# 1-0"), "{}", read("out.pgn"));
    let again = run(&folder, &["data", "import", "chess", "out.pgn", "--out", "again"]);
    assert!(again.contains("11 positions of 2 games"), "{again}");
    let list = run(&folder, &["data", "import", "chess", "out.epd", "--out", "list"]);
    assert!(list.contains("11 positions of 11 games"), "{list}");
    refused(&folder, &["data", "export", "all", "-o", "out.pgn"], 1, "--force");
    refused(&folder, &["data", "export", "all", "-o", "out.obf"], 2, "not written so");
    refused(&folder, &["data", "export", "all", "-o", "out"], 2, "--format");
    let part = "all/part-00000.parquet";
    let before = fs::read(folder.path().join(part)).expect("a part");
    refused(&folder, &["data", "export", "all", "-o", part, "--force"], 2, "which is read");
    assert_eq!(fs::read(folder.path().join(part)).expect("a part"), before);
    run(&folder, &["data", "generate", "othello", "--games", "2", "--depth", "1", "--out", "own"]);
    // SGF has no words for a game of Othello that does not begin at the start.
    refused(&folder, &["data", "export", "own", "-o", "own.sgf"], 1, "nothing was written");
    let sgf = folder.path().join("own.sgf");
    assert!(!sgf.exists());
    fs::write(&sgf, "(;older games)").expect("a writable folder");
    refused(&folder, &["data", "export", "own", "-o", "own.sgf", "--force"], 1, "nothing was");
    assert_eq!(fs::read_to_string(&sgf).expect("the older file"), "(;older games)");
}

#[test]
fn wrong_calls_are_refused() {
    let folder = folder();
    let name = |path: &str| fs::write(folder.path().join(path), "x").expect("a writable folder");
    name("games.what");
    for (words, code, says) in [
        (&["data", "import", "chess", "games.what", "--out", "a"][..], 2, "--format"),
        (&["data", "import", "chess", "games.pgn", "--format", "wthor", "--out", "a"], 2, "wthor"),
        (
            &["data", "import", "chess", "games.pgn", "--format", "doc", "--out", "a"],
            2,
            "write one of",
        ),
        (&["data", "import", "chess", "absent.pgn", "--out", "a"], 1, "absent.pgn"),
        (
            &["data", "import", "chess", "games.what", "--format", "pgn", "--out", "a"],
            1,
            "none of 1",
        ),
        (&["data", "import", "chess", "games.pgn", "--out", "a", "--shard", "3/2"], 2, "shard"),
        (&["data", "merge", "absent", "--out", "a"], 1, "absent"),
        (&["data", "split", "absent", "train"], 2, "train=0.9"),
        (&["data", "sample", "absent", "--out", "a"], 2, "--share"),
    ] {
        refused(&folder, words, code, says);
    }
    assert!(!Path::new(&folder.path().join("a/part-00000.parquet")).exists());
}
