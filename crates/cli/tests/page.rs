//! The page in a real browser, and what it shows beside what the command line says.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "page/browser.rs"]
mod browser;

use browser::Browser;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_evalsmith");

/// A server of the program, ended with the test.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(workspace: &Path, more: &[&str]) -> Self {
        let mut process = Command::new(PROGRAM)
            .args(["serve", "--port", "0", "--workspace"])
            .arg(workspace)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim().to_owned() }
    }

    fn stop(&mut self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A browser and a server over a folder; `None`, said aloud, without a browser.
fn page(workspace: &Path) -> Option<(Browser, Server)> {
    let Some(browser) = Browser::start() else {
        println!("skipped: no chromium is installed");
        return None;
    };
    Some((browser, Server::start(workspace, &[])))
}

/// What the program says to these words, with lines typed into it.
fn program(folder: &Path, words: &[&str], typed: &str) -> String {
    let mut child = Command::new(PROGRAM)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

fn quiet(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "the page complains: {:#?}", browser.complaints);
}

#[test]
fn a_game_is_played_to_its_end_by_clicking() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/othello", server.url));
    browser.set("#strength", "beginner");
    let mine = "(() => { const s = document.querySelector('#status')?.textContent ?? '';
        if (s.includes('over')) return 'over';
        return s.startsWith('black to') && document.querySelector('.square.legal, .other .move') ? 'turn' : ''; })()";
    for _ in 0..70 {
        if browser.wait(mine) == json!("over") {
            break;
        }
        let before = browser.eval("document.querySelectorAll('.moves li').length");
        let legal = browser.eval("!!document.querySelector('.square.legal')");
        browser.click(if legal == json!(true) { ".square.legal" } else { ".other .move" });
        browser.wait(&format!("document.querySelectorAll('.moves li').length > {before}"));
    }
    let status = browser.text("#status");
    let hash = browser.eval("decodeURIComponent(location.hash)");
    let moves = hash.as_str().unwrap().rsplit('/').next().unwrap().replace(',', "\n");
    let told =
        program(temp.path(), &["play", "othello", "--side", "both"], &format!("{moves}\nquit\n"));
    let ending = status.strip_prefix("The game is over: ").expect("the game is over");
    assert!(told.contains(&format!("The game is over: {ending}")), "{status}\n{told}");
    quiet(&browser);

    browser.click("#back");
    browser.wait("!document.querySelector('#status').textContent.includes('over')");
    browser.click(".moves li:nth-child(3) button");
    browser.wait("location.hash.includes('ply=3')");
    quiet(&browser);
}

#[test]
fn positions_are_set_up_and_games_pasted() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/chess", server.url));
    browser.click("#setup");
    browser.click("#clear");
    let put = |browser: &mut Browser, brush: &str, square: &str| {
        let script = format!(
            "[...document.querySelectorAll('.palette button')].find((b) => b.textContent === {brush:?}).click()"
        );
        browser.eval(&script);
        browser.click(&format!(".editor [data-square={square}]"));
    };
    for (brush, square) in [("white K", "g6"), ("white R", "a1"), ("black K", "g8")] {
        put(&mut browser, brush, square);
    }
    browser.click("#use");
    let mate = browser.wait("document.querySelector('.ranking th')?.textContent === 'Ra8#' && document.querySelector('.ranking .verdict').textContent");
    assert_eq!(mate, json!("wins"));
    let hash = browser.eval("decodeURIComponent(location.hash)");
    assert!(hash.as_str().unwrap().contains("@6k1/8/6K1/8/8/8/8/R7 w - - 0 1"), "{hash}");
    browser.click("[data-square=a1]");
    browser.click("[data-square=a8]");
    browser.wait("document.querySelector('#status').textContent.includes('white wins')");

    browser.open(&format!("{}#/play/othello", server.url));
    browser.click("#setup");
    browser.set("#paste", "f5d6c3d3c4");
    browser.click("#take");
    browser.wait("document.querySelectorAll('.moves li').length === 5");
    browser.click("#setup");
    browser.set("#paste", "f5 a1");
    browser.click("#take");
    browser.wait("document.querySelector('#said.wrong')?.textContent.includes('a1')");
    browser.complaints.retain(|c| !c.contains("400"));
    quiet(&browser);
}

#[test]
fn analysis_deepens_and_says_what_the_command_line_says() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/othello/f5,d6,c3,d3", server.url));
    browser.set("#side", "both");
    let state = "(() => { const d = document.querySelector('#depth'); return d && { depth: Number(d.dataset.depth),
        rows: [...document.querySelectorAll('.ranking tr')].map((r) => [r.dataset.move, r.querySelector('.verdict').textContent]) }; })()";
    let first = browser.wait(state);
    let depth = first["depth"].as_u64().unwrap().max(3);
    let deeper = browser
        .wait(&format!("(() => {{ const s = {state}; return s && s.depth > {depth} && s; }})()"));
    let depth = deeper["depth"].to_string();
    let words = ["play", "othello", "--side", "both", "--seconds", "600", "--depth", &depth];
    let told = program(temp.path(), &words, "f5\nd6\nc3\nd3\nhint\nquit\n");
    let hints: Vec<(String, String)> = told
        .lines()
        .filter_map(|line| line.split_once(" % to win"))
        .filter_map(|(line, _)| {
            let mut words = line.trim_start_matches("black> ").split_whitespace();
            Some((words.next()?.to_owned(), format!("{} %", words.next()?)))
        })
        .collect();
    assert!(!hints.is_empty(), "{told}");
    let mut shown: Vec<(String, String)> = serde_json::from_value(deeper["rows"].clone()).unwrap();
    let mut hints = hints;
    shown.sort();
    hints.sort();
    assert_eq!(shown, hints, "at depth {depth}");
    // The same position, inside: the value is the one that `why` tells.
    browser.eval("document.querySelector('nav a[data-view=inside]').click()");
    let total = browser
        .wait("document.querySelector('#total')?.dataset.total")
        .as_str()
        .unwrap()
        .to_owned();
    let total: f64 = total.parse().unwrap();
    let told =
        program(temp.path(), &["play", "othello", "--side", "both"], "f5\nd6\nc3\nd3\nwhy\nquit\n");
    assert!(told.contains(&format!("log-odds {total:+.3}")), "{total} {told}");
    browser.wait("document.querySelectorAll('.board .heat').length > 5");
    quiet(&browser);
}

#[test]
fn every_game_is_drawn_and_moves_by_clicks() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    let clicks: [(&str, &[&str]); 5] = [
        ("othello", &["f5"]),
        ("malawi", &["a1", "a3"]),
        ("chess", &["e2", "e4"]),
        ("shogi", &["7g", "7f"]),
        ("go", &["E5"]),
    ];
    for (game, squares) in clicks {
        browser.open(&format!("{}#/play/{game}", server.url));
        browser.set("#side", "both");
        // What is told of the moves comes after all else was drawn anew.
        browser.wait("document.querySelectorAll('.ranking tr').length > 0");
        for square in squares {
            browser.click(&format!(".board.live [data-square='{square}']"));
        }
        browser.wait("document.querySelectorAll('.moves li').length === 1");
        browser.wait("document.querySelectorAll('.ranking tr').length > 0");
    }
    quiet(&browser);
}

#[test]
fn a_curve_is_that_of_the_command_line_and_shows_its_positions() {
    let temp = tempfile::tempdir().unwrap();
    let words = "data generate othello --out games --games 400 --depth 2 --seed 3";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let words = "curve draw games --function hand --min-count 200 -o curve.json";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let curve: Value =
        serde_json::from_slice(&std::fs::read(temp.path().join("curve.json")).unwrap()).unwrap();
    let counted: u64 =
        curve["bins"].as_array().unwrap().iter().map(|b| b["count"].as_u64().unwrap()).sum();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/curve/games?function=hand&where=stage%20%3C%2030", server.url));
    browser.wait("document.querySelector('.chart svg .line, .chart svg .dot') && document.querySelectorAll('.card').length === 2");
    let positions =
        browser.text(".card[data-condition=''] dd").replace(|c: char| !c.is_ascii_digit(), "");
    assert_eq!(positions, counted.to_string());
    let words = browser.text(".card[data-condition='stage < 30']");
    assert!(words.contains("missed log-odds") && words.contains('p'), "{words}");
    let place = browser.eval(
        "(() => { const c = document.querySelector('.chart svg'); c.scrollIntoView(); const r = c.getBoundingClientRect(); return [r.x + r.width * 0.45, r.y + r.height * 0.5]; })()",
    );
    let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    browser.drag((x, y), (x + 40.0, y));
    browser.wait("document.querySelectorAll('.boards .board').length > 0");
    browser.click("#search");
    browser.wait("document.querySelector('.found')");
    quiet(&browser);
}

#[test]
fn a_run_is_started_stopped_and_resumed() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, mut server)) = page(temp.path()) else { return };
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
    server.stop();
    let before = std::fs::metadata(temp.path().join("duel.jsonl")).unwrap().len();
    let server = Server::start(temp.path(), &[]);
    browser.open(&format!("{}#/run/duel.jsonl", server.url));
    browser.wait("document.querySelector('#state')?.textContent === 'stopped'");
    assert_eq!(std::fs::metadata(temp.path().join("duel.jsonl")).unwrap().len(), before);
    let told = program(temp.path(), &["match", "report", "duel.jsonl"], "");
    let shown = browser.text("#result");
    assert!(told.starts_with(shown.trim_end()), "{shown}\n{told}");
    browser.wait("document.querySelector('iframe')");
}

#[test]
fn a_kept_run_outlives_the_server_and_is_found_again() {
    let temp = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start() else {
        println!("skipped: no chromium is installed");
        return;
    };
    let mut server = Server::start(temp.path(), &["--keep-runs"]);
    browser.open(&format!("{}#/run", server.url));
    browser.set("#f-kind", "match");
    for (name, value) in
        [("name", "long"), ("a", "hand"), ("b", "trivial"), ("depth", "4"), ("pairs", "20000")]
    {
        browser.set(&format!("#f-{name}"), value);
    }
    browser.click("#start");
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    server.stop();
    let server = Server::start(temp.path(), &["--keep-runs"]);
    browser.open(&format!("{}#/run/long.jsonl", server.url));
    browser.wait("document.querySelector('#state')?.textContent === 'running'");
    browser.click("#stop");
    browser.wait("document.querySelector('#state').textContent === 'stopped'");
}

/// Pictures for the book: `cargo test -p evalsmith --test page -- --ignored screenshots`.
#[test]
#[ignore = "writes the pictures of the book"]
fn screenshots() {
    let temp = tempfile::tempdir().unwrap();
    let words = "data generate othello --out games --games 400 --depth 2 --seed 3";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let words = "match run othello shipped hand --log duel.jsonl --pairs 60 --depth 2";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/page");
    let Some((mut browser, server)) = page(temp.path()) else { return };
    let game = "f5,d6,c3,d3,c4,f4,f6,f3,e6,e7,d7,g6,d8,c5,c6,c7";
    let views = [
        (
            "play",
            format!("#/play/othello/{game}"),
            "Number(document.querySelector('#depth')?.dataset.depth) >= 5 && document.querySelector('.course svg')",
        ),
        (
            "inside",
            format!("#/inside/othello/{game}"),
            "document.querySelectorAll('.accounts tr').length > 3",
        ),
        (
            "curves",
            "#/curve/games?function=shipped&where=stage%20%3C%2030".to_owned(),
            "document.querySelectorAll('.card').length === 2",
        ),
        ("runs", "#/run/duel.jsonl".to_owned(), "document.querySelector('#result')"),
        ("chess", "#/play/chess/e4,e5,Nf3,Nc6".to_owned(), "document.querySelector('.ranking')"),
        (
            "shogi",
            "#/play/shogi/7g7f,3c3d,8h2b%2B,3a2b".to_owned(),
            "document.querySelector('.ranking')",
        ),
        ("go", "#/play/go/E5,E3".to_owned(), "document.querySelector('.ranking')"),
        ("malawi", "#/play/malawi".to_owned(), "document.querySelector('.ranking')"),
    ];
    for (name, hash, ready) in views {
        for (suffix, width, height, dark) in
            [("", 1280, 860, false), ("-dark", 1280, 860, true), ("-phone", 390, 844, false)]
        {
            browser.size(width, height);
            browser.dark(dark);
            browser.open(&format!("{}{hash}", server.url));
            if hash.contains("/play/") {
                browser.set("#side", "both");
            }
            browser.wait(ready);
            std::thread::sleep(std::time::Duration::from_millis(700));
            // The book shows the four views; the others are for the eye of who changes them.
            let shown = ["play", "inside", "curves", "runs"].contains(&name) && suffix.is_empty();
            let folder =
                if shown { book.clone() } else { std::env::temp_dir().join("evalsmith-page") };
            std::fs::create_dir_all(&folder).unwrap();
            browser.screenshot(&folder.join(format!("{name}{suffix}.png")));
        }
    }
    quiet(&browser);
}
