//! The page in a real browser, and what it shows beside what the command line says.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "page/browser.rs"]
mod browser;
#[path = "page/curves.rs"]
mod curves;
#[path = "page/empty.rs"]
mod empty;
#[path = "page/pictures.rs"]
mod pictures;
#[path = "page/runs.rs"]
mod runs;

use browser::Browser;
use serde_json::json;
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

/// A server over a folder and a browser, which a test lets go first: a page that loses its
/// server complains. `None`, said aloud, without a browser.
fn page(workspace: &Path) -> Option<(Server, Browser)> {
    page_with(workspace, &[])
}

fn page_with(workspace: &Path, more: &[&str]) -> Option<(Server, Browser)> {
    let Some(browser) = Browser::start() else {
        println!("skipped: no chromium is installed");
        return None;
    };
    Some((Server::start(workspace, more), browser))
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

#[test]
fn a_game_is_played_to_its_end_by_clicking() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
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

    browser.click("#back");
    browser.wait("!document.querySelector('#status').textContent.includes('over')");
    browser.click(".moves li:nth-child(3) button");
    browser.wait("location.hash.includes('ply=3')");
}

#[test]
fn positions_are_set_up_and_games_pasted() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
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
    browser.open(&format!("{}#/play/chess", server.url));
    browser.click("#setup");
    browser.set("#paste", "[Event \"x\"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 Nc6 1-0");
    browser.click("#take");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    // A piece in hand is set up, too, and put on the board.
    browser.open(&format!("{}#/play/shogi", server.url));
    browser.click("#setup");
    browser.set("[data-held='first G']", "1");
    browser.eval("[...document.querySelectorAll('.palette button')].find((b) => b.textContent === 'nothing').click()");
    browser.click(".editor [data-square='6i']");
    browser.click("#use");
    browser.click(".hand.first button:enabled");
    browser.click(".board.live [data-square='5e']");
    browser.wait("document.querySelector('.moves li')?.textContent === 'G*5e'");

    browser.open(&format!("{}#/play/othello/f5", server.url));
    browser.click("#setup");
    browser.excuse("400");
    browser.set("#paste", "f5 a1");
    browser.click("#take");
    browser.wait("document.querySelector('#said.wrong')?.textContent.includes('a1')");
}

#[test]
fn analysis_deepens_and_says_what_the_command_line_says() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
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
            let (mv, value) = line.trim_start_matches("black> ").trim().split_once(' ')?;
            Some((mv.to_owned(), format!("{} %", value.trim())))
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
}

#[test]
fn every_game_is_drawn_and_moves_by_clicks() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
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
}

#[test]
fn every_kind_of_model_is_looked_into() {
    let temp = tempfile::tempdir().unwrap();
    let run = |words: &str| program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    run("data generate othello --out games --games 60 --depth 1 --seed 3");
    for learner in ["logistic", "quadratic", "tree"] {
        run(&format!("model fit games --learner {learner} -o {learner}.safetensors"));
    }
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/othello-patterns.safetensors");
    std::fs::copy(shipped, temp.path().join("patterns.safetensors")).unwrap();
    run("model fit games --learner configurations --min-count 100 -o configurations.safetensors");
    let Some((server, mut browser)) = page(temp.path()) else { return };
    let game = "f5,d6,c3,d3,c4,f4,f6,f3,e6,e7,d7,g6,d8,c5,c6,c7";
    let kinds = [
        ("logistic", "linear"),
        ("quadratic", "quadratic"),
        ("tree", "tree"),
        ("patterns", "patterns"),
        ("configurations", "configurations"),
    ];
    for (name, kind) in kinds {
        browser.open(&format!("{}#/inside/othello/{game}?function={name}.safetensors", server.url));
        browser.wait("document.querySelectorAll('.accounts tbody tr').length > 0");
        // It is among those to choose from, by its own name for itself.
        let option = format!(
            "[...document.querySelectorAll('#function option')].map((o) => o.textContent).includes('{name}.safetensors ({kind})')"
        );
        assert_eq!(browser.eval(&option), json!(true), "{name}");
        let total: f64 = browser
            .eval("document.querySelector('#total').dataset.total")
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let typed = format!("{}\nwhy\nquit\n", game.replace(',', "\n"));
        let model = format!("{name}.safetensors");
        let told = program(
            temp.path(),
            &["play", "othello", "--side", "both", "--function", &model],
            &typed,
        );
        assert!(told.contains(&format!("log-odds {total:+.3}")), "{name} {total} {told}");
        browser.click("[data-square=b6]");
        browser.wait("document.querySelector('#total').textContent.includes('after b6')");
        if kind == "tree" {
            browser
                .wait("document.querySelector('.terms').textContent.includes('Never needed here')");
        }
        if matches!(kind, "patterns" | "configurations") {
            browser.eval("document.querySelector('.accounts tbody tr[tabindex]').focus()");
            browser.wait("document.querySelectorAll('.board .glow').length > 1");
        }
    }
}

#[test]
fn all_can_be_done_by_keys_and_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/othello", server.url));
    browser.set("#side", "both");
    browser.wait("document.querySelectorAll('.ranking tr').length > 0");
    for _ in 0..12 {
        browser.key("Tab");
        if browser.eval("document.activeElement.matches('.square')") == json!(true) {
            break;
        }
    }
    let at = browser.eval("document.activeElement.dataset.square");
    browser.key("Enter");
    browser.wait("document.querySelectorAll('.moves li').length === 1");
    assert_eq!(browser.eval("document.activeElement.dataset.square"), at, "the focus stays");
    // The cursor walks, and values that deepen under it do not take it away.
    browser.wait("Number(document.querySelector('#depth')?.dataset.depth) > 2");
    browser.key("ArrowDown");
    assert_eq!(browser.eval("document.activeElement.matches('.square')"), json!(true));
    assert_ne!(browser.eval("document.activeElement.dataset.square"), at);
    browser.key("u");
    browser.wait("document.querySelectorAll('.moves li').length === 0");
    for view in ["play/othello/f5", "inside/othello/f5", "curve", "run"] {
        browser.open(&format!("{}#/{view}", server.url));
        browser.wait("document.querySelector('#view h2, #view .square')");
        let unnamed: Vec<String> = browser
            .names()
            .into_iter()
            .filter(|(role, name)| name.is_empty() && CONTROLS.contains(&role.as_str()))
            .map(|(role, _)| role)
            .collect();
        assert!(unnamed.is_empty(), "{view}: controls without a name: {unnamed:?}");
        assert_eq!(
            browser.eval("document.querySelectorAll('[role=status]').length > 0"),
            json!(true)
        );
    }
}

/// Roles that nobody can use without a name.
const CONTROLS: [&str; 9] =
    ["button", "checkbox", "combobox", "textbox", "spinbutton", "link", "grid", "gridcell", "img"];

#[test]
fn moves_are_pointed_at_and_clicked_once() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/chess", server.url));
    browser.set("#side", "both");
    browser.wait("document.querySelectorAll('.ranking tr').length > 0");
    browser.point("[data-square=e2]");
    browser.wait("document.querySelector('.ahead strong')?.textContent.startsWith('e') && document.querySelector('.preview svg')");
    // The picture of the expected play goes, and moves nothing under the pointer.
    browser.click("[data-square=g1]");
    browser.wait("document.querySelector('[data-square=g1].chosen')");
    browser.point("[data-square=f3]");
    browser.wait("document.querySelector('.ahead strong')?.textContent === 'Nf3'");
    browser.click("[data-square=f3]");
    browser.wait("document.querySelectorAll('.moves li').length === 1");
    // A promotion is asked for, and goes on being asked for while values deepen.
    browser.open(&format!(
        "{}#/play/chess/@8%2FP6k%2F8%2F8%2F8%2F8%2F8%2FK7%20w%20-%20-%200%201",
        server.url
    ));
    browser.set("#side", "both");
    browser.click("[data-square=a7]");
    browser.click("[data-square=a8]");
    browser.wait("document.querySelectorAll('.other .move').length === 4 && Number(document.querySelector('#depth')?.dataset.depth) > 3");
    assert_eq!(browser.eval("document.querySelectorAll('.other .move').length"), json!(4));
    browser.click(".other .move:nth-of-type(2)");
    browser.wait("document.querySelectorAll('.moves li').length === 1");
    // Two clicks before the first is answered are one move.
    browser.open(&format!("{}#/play/othello", server.url));
    browser.set("#side", "both");
    browser.wait("document.querySelector('[data-square=f5].legal')");
    browser.eval("for (const e of [1, 2]) document.querySelector('[data-square=f5] .field').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    browser.wait("document.querySelectorAll('.moves li').length === 1 && document.querySelectorAll('.ranking tr').length > 0");
}

#[test]
fn a_stranger_needs_the_token() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page_with(temp.path(), &["--token", "a-token-of-mine"])
    else {
        return;
    };
    browser.excuse("401");
    let (bare, _) = server.url.split_once("?token=").unwrap();
    browser.open(bare);
    browser.wait("document.body?.textContent.includes('a token is needed')");
    browser.open(&server.url);
    browser.wait("document.querySelector('.square.legal')");
    assert_eq!(browser.eval("location.search"), json!(""), "the address may be sent to others");
    browser.open(&server.url);
    browser.wait("document.querySelector('.square.legal') && location.search === ''");
}
