//! `book` as a user meets it: built, taken up again, shown, exported, imported, played.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use tempfile::TempDir;

fn evalsmith(folder: &TempDir, words: &str) -> Command {
    let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
    command.current_dir(folder.path()).args(words.split_whitespace());
    command
}

fn stdout(folder: &TempDir, words: &str) -> String {
    let run = evalsmith(folder, words).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).expect("text")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

const QUICK: &str = "--depth 1 --solve-at 4 --hash 1";

#[test]
fn a_book_is_built_and_taken_up_again_by_any_number_of_threads() {
    let folder = folder();
    let build = |out: &str, positions: u32, threads: u32| {
        format!(
            "book build othello --out {out} --positions {positions} --threads {threads} {QUICK}"
        )
    };
    evalsmith(&folder, &build("one", 60, 1))
        .assert()
        .success()
        .stdout(
            predicate::str::contains("positions, start ").and(predicate::str::contains("in one")),
        )
        .stderr(predicate::str::contains("book: "));
    evalsmith(&folder, &build("two", 20, 2)).assert().success();
    evalsmith(&folder, &build("two", 60, 2)).assert().success();
    let obf = |book: &str| stdout(&folder, &format!("book export {book} --format obf"));
    assert_eq!(obf("one"), obf("two"));

    let info = json(&stdout(&folder, "book info two --format json"));
    let positions = info["positions"].as_u64().expect("a number");
    assert!((60..76).contains(&positions), "{positions}");
    assert_eq!((&info["asked_for"], &info["exact"]), (&0.into(), &0.into()));
    assert_eq!(info["made"].as_array().map(Vec::len), Some(2));
    assert_eq!(obf("two").lines().count() as u64, positions);

    // A run that has nothing to add changes nothing but the list of commands.
    evalsmith(&folder, &build("one", 5, 1)).assert().success();
    assert_eq!(obf("one"), obf("two"));
}

#[test]
fn a_book_is_shown_with_moves_values_counts_and_deviations() {
    let folder = folder();
    let build = format!("book build othello --out b --positions 40 {QUICK}");
    evalsmith(&folder, &build).assert().success();
    evalsmith(&folder, "book show b f5")
        .assert()
        .success()
        .stdout(predicate::str::contains("White to move"))
        .stdout(predicate::str::contains("the search said"))
        .stdout(predicate::str::contains("positions"));
    let shown = json(&stdout(&folder, "book show b --format json"));
    let moves = shown["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 4, "all first moves are one");
    let behind = json(&stdout(&folder, "book info b --format json"))["positions"].as_u64();
    assert!(moves.iter().all(|m| m["positions"].as_u64() == behind.map(|all| all - 1)));
    assert_eq!(shown["value"], moves[0]["value"]);
    let shown = json(&stdout(&folder, "book show b f5 --format json"));
    let moves = shown["moves"].as_array().expect("moves");
    let out: Vec<_> = moves.iter().filter(|m| m["deviates"] == true).collect();
    assert!(out.len() <= 1 && out.iter().all(|m| m["positions"] == 0));
    evalsmith(&folder, "book show b f5f4d3d6f7g8")
        .assert()
        .code(2)
        .stderr(predicate::str::contains("is not legal"));
    evalsmith(&folder, "book info shipped").assert().success();
}

#[test]
fn what_is_exported_can_be_imported_and_games_become_positions() {
    let folder = folder();
    let build = format!("book build othello --out b --positions 40 {QUICK}");
    evalsmith(&folder, &build).assert().success();
    for format in ["obf", "transcripts"] {
        let export = format!("book export b --format {format} --out text");
        evalsmith(&folder, &format!("{export} --force")).assert().success();
        evalsmith(&folder, &export).assert().code(1).stderr(predicate::str::contains("--force"));
        let import = format!("book import othello text --out from-{format} {QUICK}");
        evalsmith(&folder, &import).assert().success();
        let squares = |book: &str| {
            let text = stdout(&folder, &format!("book export {book} --format obf"));
            text.lines().map(|line| line[..66].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(squares("b"), squares(&format!("from-{format}")));
    }
    let write = |text: &str| fs::write(folder.path().join("games"), text).expect("a file");
    write("# two\n\nf5d6c3d3c4\nF5 D6 C3 D3 C4 F4 F6\n");
    evalsmith(&folder, &format!("book import othello games --out g --plies 6 {QUICK}"))
        .assert()
        .success()
        .stdout(predicate::str::contains("7 positions, start "))
        .stderr(predicate::str::contains("games: 13 positions, 7 of them new"));
    for (text, named) in [
        ("f5d6\nf5f5\n", "games: line 2: "),
        ("X-O\n", "games: line 1, column 4"),
        ("# nothing\n", "holds neither"),
    ] {
        write(text);
        evalsmith(&folder, "book import othello games --out h")
            .assert()
            .code(2)
            .stderr(predicate::str::contains(named));
    }
    assert!(!folder.path().join("h").exists());
}

#[test]
fn what_is_no_book_is_refused_and_kept() {
    let folder = folder();
    let write = |bytes: &[u8]| fs::write(folder.path().join("b"), bytes).expect("a file");
    write(b"a letter to a friend");
    for words in ["book build othello --out b --positions 9", "book info b", "book show b f5"] {
        evalsmith(&folder, words)
            .assert()
            .code(1)
            .stderr(predicate::str::contains("b: this is no opening book; name a file"));
    }
    assert_eq!(fs::read(folder.path().join("b")).expect("a file"), b"a letter to a friend");
    fs::remove_file(folder.path().join("b")).expect("a file");
    let build = format!("book build othello --out b --positions 9 {QUICK}");
    evalsmith(&folder, &build).assert().success();
    let mut bytes = fs::read(folder.path().join("b")).expect("a book");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    write(&bytes);
    evalsmith(&folder, &build).assert().code(1).stderr(predicate::str::contains("checksum"));
    write(&bytes[..middle]);
    evalsmith(&folder, "book export b --format obf")
        .assert()
        .code(1)
        .stderr(predicate::str::contains("bytes where its head promises"));
    for (words, named) in [
        ("book build othello --positions 9", "--out"),
        ("book build othello --out c", "--positions"),
        ("book build chess --out c --positions 9", "othello"),
        ("book build othello --out c --positions 9 --depth 0", "--depth"),
        (
            "book build othello --out c --positions 9 --function hand --selectivity 95",
            "fit-probcut",
        ),
        ("book export b", "--format"),
        ("engine othello --book none --variety 1", "name one by --book"),
        ("engine othello --variety 65", "0 to 64"),
        ("engine chess --book none", "the Othello engine's alone"),
    ] {
        evalsmith(&folder, words).assert().code(2).stderr(predicate::str::contains(named));
    }
    evalsmith(&folder, "engine othello --book absent").assert().code(1);
    evalsmith(&folder, "book build othello --out absent/c --positions 9")
        .assert()
        .code(1)
        .stderr(predicate::str::contains("there is no folder absent"));
}

#[test]
fn the_engine_plays_by_the_book_and_says_so() {
    let folder = folder();
    let build = format!("book build othello --out b --positions 60 {QUICK}");
    evalsmith(&folder, &build).assert().success();
    let said = |words: &str, lines: &str| {
        let run = evalsmith(&folder, &format!("engine othello --hash 2 {words}"))
            .write_stdin(lines.to_owned())
            .assert()
            .success();
        String::from_utf8(run.get_output().stdout.clone()).expect("text")
    };
    let lines = "1 genmove b\n2 nodestats\n3 quit\n";
    let by_book = said("--book b", lines);
    assert!(by_book.contains("=2 0 0.000 book\n"), "{by_book}");
    let alone = said("--book none --depth 2", lines);
    assert!(!alone.contains("book"), "{alone}");
    let drawn = |seed: u32| said(&format!("--book b --variety 64 --seed {seed}"), lines);
    assert_eq!(drawn(1), drawn(1));
    assert!((2..12).any(|seed| drawn(seed) != drawn(1)), "the seed chooses");
    let nboard = said("--book b --protocol nboard", "nboard 2\nset depth 2\nhint 2\n");
    assert!(nboard.contains("\nbook ") && nboard.contains(" 0 1\n"), "{nboard}");
    let nboard = said("--book b --protocol nboard", "nboard 2\nset depth 2\ngo\n");
    assert!(nboard.contains("status From the book\n=== "), "{nboard}");
}

#[test]
fn analyze_shows_the_book_and_checks_the_line() {
    let folder = folder();
    let build = format!("book build othello --out b --positions 20 {QUICK}");
    evalsmith(&folder, &build).assert().success();
    let shown = "analyze othello f5 --depth 3 --threads 1 --hash 2 --check-line";
    evalsmith(&folder, &format!("{shown} --book b"))
        .assert()
        .success()
        .stdout(predicate::str::contains(" book "))
        .stdout(predicate::str::contains("left for"))
        .stdout(predicate::str::contains("the line "));
    let report = json(&stdout(&folder, &format!("{shown} --book none --format json")));
    let checked = report["checked"].as_array().expect("a line");
    assert_eq!(checked.len(), 3, "as long as the search is deep");
    assert_eq!(checked[0]["move"], report["moves"][0]["move"]);
    let depths: Vec<_> = checked.iter().map(|c| c["depth"].as_u64()).collect();
    assert_eq!(depths, [Some(3), Some(2), Some(1)]);
    let moves = report["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|m| m["depth"] == 3 && m.get("book").is_none()));
}

/// A link to a book is the book: it shares its lock, and stays a link.
#[cfg(unix)]
#[test]
fn a_link_to_a_book_stays_a_link() {
    use evalsmith_lab::prelude::files::Lock;
    let folder = folder();
    let (book, link) = (folder.path().join("real.book"), folder.path().join("link.book"));
    std::os::unix::fs::symlink("real.book", &link).expect("a link");
    let build = |positions: u32| {
        format!("book build othello --out link.book --positions {positions} {QUICK}")
    };
    let size = || fs::metadata(&book).expect("a book").len();
    evalsmith(&folder, &build(10)).assert().success();
    let before = size();
    fs::write(folder.path().join("lines"), "f5d6c3\n").expect("written");
    let import = format!("book import othello lines --out link.book {QUICK}");
    let held = Lock::beside(&book).expect("nobody holds it");
    for command in [&build(40), &import] {
        evalsmith(&folder, command)
            .assert()
            .code(1)
            .stderr(predicate::str::contains("link.book is in use by process"));
    }
    drop(held);
    evalsmith(&folder, &build(40)).assert().success();
    evalsmith(&folder, &import).assert().success();
    assert!(link.is_symlink() && !book.is_symlink() && size() > before);
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 3, "the book, the link and the games");
}
