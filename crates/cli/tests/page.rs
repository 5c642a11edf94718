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
    let words = "data generate othello --out games --games 40 --depth 1 --seed 3";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let Some((mut browser, server)) = page(temp.path()) else { return };
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
    quiet(&browser);
}

#[test]
fn learning_is_watched_stopped_and_resumed() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    let fields = [
        ("game", "malawi"),
        ("name", "boot"),
        ("rounds", "40"),
        ("games", "20"),
        ("depth", "1"),
        ("pairs", "2"),
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
    let stopped = browser.eval(rows);
    browser.click("#resume");
    browser.wait(&format!(
        "document.querySelector('#state').textContent === 'running' && {rows} > {stopped}"
    ));

    let fields = [("name", "small"), ("games", "20"), ("depth", "1"), ("pairs", "2")];
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
    quiet(&browser);
}

#[test]
fn a_run_of_a_terminal_is_seen_and_is_not_the_pages_to_stop() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
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
    quiet(&browser);
}

#[test]
fn a_curve_of_a_table_is_that_of_the_command_line() {
    let temp = tempfile::tempdir().unwrap();
    let run = |words: &str| program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    run("data generate othello --out games --games 200 --depth 1 --seed 5");
    run("curve values games --function hand -o values.csv");
    run("curve draw values.csv --value value --min-count 50 -o curve.json");
    let curve: Value =
        serde_json::from_slice(&std::fs::read(temp.path().join("curve.json")).unwrap()).unwrap();
    let counted: u64 =
        curve["bins"].as_array().unwrap().iter().map(|b| b["count"].as_u64().unwrap()).sum();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/curve", server.url));
    browser.set("#data", "values.csv");
    browser.wait(
        "document.querySelector('#value') && document.querySelector('#result option[value=ply]')",
    );
    browser.set("#min", "50");
    browser.set("#value", "value");
    browser.wait("document.querySelector('.chart svg') && document.querySelector('.card')");
    let positions =
        browser.text(".card[data-condition=''] dd").replace(|c: char| !c.is_ascii_digit(), "");
    assert_eq!(positions, counted.to_string());
    browser.set("#condition", "stage < 30 and");
    browser.click("#add");
    browser.wait("document.querySelector('#said.wrong')?.textContent.includes('stage < 30 and')");
    browser.set("#condition", "stage < 30");
    browser.click("#add");
    browser.wait("document.querySelector(\".card[data-condition='stage < 30']\")");
    assert_eq!(browser.eval("document.querySelectorAll('.card').length"), json!(2));
    let hash = browser.eval("location.hash");
    let address = format!("{}{}", server.url, hash.as_str().unwrap());
    // The address leads to the same curves, and a condition is taken away again.
    browser.open(&address);
    browser.wait("document.querySelectorAll('.card').length === 2");
    browser.click(".card[data-condition='stage < 30'] button");
    browser.wait("document.querySelectorAll('.card').length === 1");
    browser.complaints.retain(|c| !c.contains("400"));
    quiet(&browser);
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
    let Some((mut browser, server)) = page(temp.path()) else { return };
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
    quiet(&browser);
}

#[test]
fn all_can_be_done_by_keys_and_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
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
    quiet(&browser);
}

/// Roles that nobody can use without a name.
const CONTROLS: [&str; 9] =
    ["button", "checkbox", "combobox", "textbox", "spinbutton", "link", "grid", "gridcell", "img"];

#[test]
fn moves_are_pointed_at_and_clicked_once() {
    let temp = tempfile::tempdir().unwrap();
    let Some((mut browser, server)) = page(temp.path()) else { return };
    browser.open(&format!("{}#/play/chess", server.url));
    browser.set("#side", "both");
    browser.wait("document.querySelectorAll('.ranking tr').length > 0");
    browser.point("[data-square=e2]");
    browser.wait("document.querySelector('.ahead strong')?.textContent.startsWith('e') && document.querySelector('.preview svg')");
    browser.click("[data-square=g1]");
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
    quiet(&browser);
}

#[test]
fn a_stranger_needs_the_token() {
    let temp = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start() else {
        println!("skipped: no chromium is installed");
        return;
    };
    let server = Server::start(temp.path(), &["--token", "a-token-of-mine"]);
    let (bare, _) = server.url.split_once("?token=").unwrap();
    browser.open(bare);
    browser.wait("document.body?.textContent.includes('a token is needed')");
    browser.open(&server.url);
    browser.wait("document.querySelector('.square.legal')");
    assert_eq!(browser.eval("location.search"), json!(""), "the address may be sent to others");
    browser.open(&server.url);
    browser.wait("document.querySelector('.square.legal') && location.search === ''");
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
