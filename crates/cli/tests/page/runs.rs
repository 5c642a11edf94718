//! Runs in the browser: started, watched, stopped, resumed, found again.

use super::browser::Browser;
use super::{PROGRAM, Server, page, page_with, program};
use serde_json::json;
use std::process::{Command, Stdio};

#[test]
fn a_run_is_started_stopped_and_resumed() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut server, mut browser)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/run", server.url));
    browser.set("#f-kind", "match");
    for (name, value) in
        [("name", "duel"), ("a", "hand"), ("b", "trivial"), ("depth", "4"), ("pairs", "20000")]
    {
        browser.set(&format!("#f-{name}"), value);
    }
    browser.click("#start");
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    browser.wait("document.querySelector('#result')");
    browser.click("#stop");
    browser.wait("document.querySelector('#state').textContent === 'stopped'");
    browser.click("#resume");
    browser.wait("document.querySelector('#state').textContent === 'running'");
    // The server's end is the run's end, too; a new one finds it stopped, not running.
    // The page loses its server.
    browser.excuse("net::ERR_");
    server.stop();
    let before = std::fs::metadata(temp.path().join("duel.jsonl")).unwrap().len();
    let server = Server::start(temp.path(), &[]);
    browser.open(&format!("{}#/run/duel.jsonl", server.url));
    browser.wait("document.querySelector('#state')?.textContent === 'stopped'");
    assert_eq!(std::fs::metadata(temp.path().join("duel.jsonl")).unwrap().len(), before);
    let told = program(temp.path(), &["match", "report", "duel.jsonl"], "");
    assert_eq!(browser.text("#result"), told);
    browser.wait("document.querySelector('iframe')");
}

/// Fills the form of a run and starts it.
fn start_run(browser: &mut Browser, server: &Server, kind: &str, fields: &[(&str, &str)]) {
    browser.open(&format!("{}#/run?kind={kind}", server.url));
    browser.wait(&format!("document.querySelector('#f-kind')?.value === '{kind}'"));
    for (name, value) in fields {
        browser.set(&format!("#f-{name}"), value);
    }
    browser.click("#start");
}

#[test]
fn a_tournament_and_a_fit_are_started_and_say_what_the_command_line_says() {
    let temp = tempfile::tempdir().unwrap();
    let words = "data generate othello --out games --games 150 --depth 1 --seed 3";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let Some((server, mut browser)) = page(temp.path()) else { return };
    start_run(&mut browser, &server, "fit", &[("name", "mine"), ("learner", "logistic")]);
    browser.wait("document.querySelector('#state')?.textContent === 'finished'");
    assert!(temp.path().join("mine.safetensors").is_file());

    browser.open(&format!("{}#/run?kind=tournament", server.url));
    browser.wait("document.querySelector('input[value=\"mine.safetensors\"]')");
    for (name, value) in [("name", "cup"), ("depth", "1"), ("pairs", "3")] {
        browser.set(&format!("#f-{name}"), value);
    }
    for player in ["shipped", "mine.safetensors", "trivial"] {
        browser.click(&format!("input[type=checkbox][value=\"{player}\"]"));
    }
    browser.click("#start");
    browser.wait("document.querySelector('#state')?.textContent === 'finished'");
    let told = program(temp.path(), &["match", "report", "cup"], "");
    for name in ["hand", "trivial", "mine"] {
        assert!(told.contains(name), "{told}");
    }
    assert!(!told.contains("shipped"), "its tick was taken away: {told}");
    browser.wait("document.querySelector('iframe')");
    assert_eq!(browser.text("#result"), told);
}

#[test]
fn learning_is_watched_stopped_and_resumed() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    // More rounds than any machine ends while this looks at them.
    let fields = [
        ("game", "malawi"),
        ("name", "boot"),
        ("rounds", "20000"),
        ("games", "60"),
        ("depth", "1"),
        ("pairs", "2"),
        ("patience", "0"),
    ];
    start_run(&mut browser, &server, "bootstrap", &fields);
    // The learning curve grows before there is a report.
    browser.wait("document.querySelectorAll('.detail .chart svg').length >= 2 && document.querySelector('#result')");
    assert_eq!(browser.text("#state"), "running");
    browser.eval("document.querySelector('#stop').focus()");
    let rows = "document.querySelector('#result').textContent.split('\\n').length";
    let before = browser.eval(rows);
    browser.wait(&format!("{rows} > {before}"));
    assert_eq!(browser.eval("document.activeElement.id"), json!("stop"), "news take no focus away");
    browser.click("#stop");
    browser.wait("document.querySelector('#state').textContent === 'stopped'");
    browser.click("#resume");
    browser.wait("document.querySelector('#state').textContent === 'running'");

    let fields = [("name", "small"), ("games", "150"), ("depth", "1"), ("pairs", "2")];
    start_run(&mut browser, &server, "learn", &fields);
    browser.wait("document.querySelector('#state')?.textContent === 'finished' && document.querySelector('iframe')");
    let command = browser.text(".detail code");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let told = program(temp.path(), &words, "");
    // The match with the trivial function, in tables of other widths.
    let row = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("trivial ")).map(str::to_owned);
        line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let shown = browser.text("#result");
    assert!(row(&told).is_some_and(|row| row.contains("equal depth")), "{told}");
    assert_eq!(row(&shown), row(&told), "{shown}\n{told}");
}

#[test]
fn a_run_of_a_terminal_is_seen_and_is_not_the_pages_to_stop() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    let mut run = Command::new(PROGRAM)
        .args(["learn", "othello", "--out", "mine", "--games", "100000", "--depth", "3"])
        .current_dir(temp.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !temp.path().join("mine/run.json").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    browser.open(&format!("{}#/run", server.url));
    browser.wait("document.querySelector('[data-run=mine] .state.running')");
    browser.click("[data-run=mine]");
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    let words = browser.text(".detail .buttons");
    assert!(words.contains("elsewhere"), "{words}");
    run.kill().unwrap();
    run.wait().unwrap();
    browser.wait("document.querySelector('#state').textContent === 'stopped'");
    assert_eq!(browser.eval("!!document.querySelector('#resume')"), json!(false));
}

#[test]
fn a_kept_run_outlives_the_server_and_is_found_again() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut server, mut browser)) = page_with(temp.path(), &["--keep-runs"]) else { return };
    browser.open(&format!("{}#/run", server.url));
    browser.set("#f-kind", "match");
    for (name, value) in
        [("name", "long"), ("a", "hand"), ("b", "trivial"), ("depth", "4"), ("pairs", "20000")]
    {
        browser.set(&format!("#f-{name}"), value);
    }
    browser.click("#start");
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    // The page loses its server.
    browser.excuse("net::ERR_");
    server.stop();
    let server = Server::start(temp.path(), &["--keep-runs"]);
    browser.open(&format!("{}#/run/long.jsonl", server.url));
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    browser.click("#stop");
    browser.wait("document.querySelector('#state').textContent === 'stopped'");
}
