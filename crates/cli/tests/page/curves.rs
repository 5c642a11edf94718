//! Curves in the browser, beside those of the command line.

use super::{page, program};
use serde_json::{Value, json};

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
    let Some((server, mut browser)) = page(temp.path()) else { return };
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
    let counted: u64 = curve["total"]["bins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["count"].as_u64().unwrap())
        .sum();
    let Some((server, mut browser)) = page(temp.path()) else { return };
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
    browser.excuse("400");
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
}
