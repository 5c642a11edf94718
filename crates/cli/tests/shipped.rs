//! `shipped` means one function: every command that takes or ships it reports the same
//! digest of its weights.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

const LATE: &str = "-XXXXXXX-OXXXXXXOOOOXXXXOOOOOXXXOOOOOOXXOOOOOOOXOOOOOOOOO------- X";

fn program(folder: &Path, words: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_evalsmith"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It may end without reading anything.
    let _ = child.stdin.take().expect("its input").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{words:?}: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said
}

/// The digest behind `shipped@` in a text.
fn digest(what: &str, text: &str) -> String {
    let (_, rest) = text.split_once("shipped@").unwrap_or_else(|| panic!("{what}: {text}"));
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}

fn view(folder: &Path) -> String {
    let mut server = Command::new(env!("CARGO_BIN_EXE_evalsmith"))
        .args(["serve", "--port", "0"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut lines = BufReader::new(server.stdout.take().expect("its words")).lines();
    let line = lines.next().expect("a line").expect("text");
    let address = line.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "POST /api/v1/games/othello/view HTTP/1.1\r\nHost: {address}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    answer
}

#[test]
fn every_command_means_the_same_by_shipped() {
    let temp = tempfile::tempdir().expect("a folder");
    let folder = temp.path();
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    fs::write(folder.join("late.obf"), format!("{LATE};\n")).expect("written");
    let run = |words: &str| program(folder, &words.split_whitespace().collect::<Vec<_>>(), "");
    run("data generate othello --function shipped --games 40 --depth 1 --out games");
    run("data label games --by search --depth 1 --function shipped --out searched");
    run("data label games --by engine --depth 1 --moves-left 2 --out engine");
    run("match run othello shipped hand --log m.jsonl --pairs 1 --depth 1");
    let found = [
        ("data generate", read("games/dataset.json")),
        ("data label --by search", read("searched/dataset.json").replace("\"inputs\"", "")),
        ("data label --by engine", read("engine/dataset.json")),
        ("match run", read("m.jsonl")),
        ("curve draw", run("curve draw games --function shipped --min-count 5 -o c.svg")),
        ("curve values", run("curve values games --function shipped -o v.tsv")),
        ("play", program(folder, &["play", "othello"], "quit\n")),
        ("serve", view(folder)),
        ("engine", program(folder, &["engine", "othello"], "name\nquit\n")),
        ("analyze", run("analyze othello f5d6 --depth 2 --format json")),
        ("solve", run("solve late.obf --format json")),
    ];
    let expected = digest(found[0].0, &found[0].1);
    assert_eq!(expected.len(), 16, "{expected}");
    for (what, text) in &found {
        assert_eq!(digest(what, text), expected, "{what}");
    }
}

#[test]
fn values_are_in_the_same_unit_everywhere() {
    let temp = tempfile::tempdir().expect("a folder");
    // After f5 d6 c3 d3 the best of six moves leads by less than a disc.
    let words = ["play", "othello", "--side", "both", "--depth", "6", "--seconds", "60"];
    let told = program(temp.path(), &words, "f5\nd6\nc3\nd3\nhint\nquit\n");
    let hint = told.lines().find(|line| line.contains("discs")).expect("an estimate");
    let hinted: f64 = hint
        .split_whitespace()
        .find_map(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no number in {hint}"));
    let words = ["analyze", "othello", "f5d6c3d3", "--depth", "6", "--format", "json"];
    let text = program(temp.path(), &words, "");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let analyzed = report["moves"][0]["value"].as_f64().expect("a value");
    assert!((hinted - analyzed).abs() < 2.0, "{hint} for {analyzed}");
}
