//! Trees and the bootstrap as a user meets them, and the sentences for what cannot be.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fmt::Write;
use std::fs;
use tempfile::TempDir;

fn evalsmith(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
    command.current_dir(folder.path());
    command
}

/// Games of four rows; `a` and `b` decide together, `seven` is a constant.
fn table(folder: &TempDir, result: impl Fn(u32, u32) -> u8) {
    let mut text = String::from("game,a,b,seven,score,result\n");
    for row in 0..4000_u32 {
        let (a, b) = (row.wrapping_mul(2_654_435_761) >> 9 & 7, row.wrapping_mul(40_503) >> 3 & 7);
        let score = i64::from(a) + i64::from(b) - 7;
        let line = format!("g{},{a},{b},7,{score},{}", row / 4, result(a, b));
        writeln!(text, "{line}").expect("a string takes anything");
    }
    fs::write(folder.path().join("mine.csv"), text).expect("written");
}

const FIT: [&str; 9] =
    ["model", "fit", "mine.csv", "--label", "result", "--game-id", "game", "--score", "score"];

#[test]
fn a_tree_is_fitted_shown_and_drawn() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, |a, b| u8::from(a + b > 7));
    evalsmith(&folder)
        .args(FIT)
        .args(["-o", "tree.model", "--learner", "tree", "--price", "0.01", "--cost", "a=2,b=1"])
        .assert()
        .success()
        .stdout(predicate::str::contains("trees of its pruning sequence"))
        .stdout(predicate::str::contains("loss of impurity"));
    evalsmith(&folder)
        .args(["model", "show", "tree.model", "--levels", "2", "--draw", "tree.svg"])
        .assert()
        .success()
        .stdout(predicate::str::contains("├ yes: "))
        .stdout(predicate::str::contains("goes on"));
    let svg = fs::read_to_string(folder.path().join("tree.svg")).expect("a drawing");
    assert!(svg.starts_with("<svg") && svg.contains("a &lt;= "));
    evalsmith(&folder)
        .args(["model", "show", "tree.model", "--draw", "tree.html"])
        .assert()
        .success();
    let page = fs::read_to_string(folder.path().join("tree.html")).expect("a page");
    assert!(page.contains("The pruning sequence on the test set"));
    evalsmith(&folder)
        .args(FIT)
        .args(["-o", "scores.model", "--learner", "tree", "--of-scores"])
        .assert()
        .success();
}

#[test]
fn what_cannot_be_is_told() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, |_, _| 1);
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let mut command = evalsmith(&folder);
        command.args(FIT).args(["-o", "x.model"]).args(arguments);
        command.assert().code(code).stderr(predicate::str::contains(words));
    };
    refused(&["--learner", "tree"], 1, "examples have the result 1");
    refused(&["--min-size", "5"], 2, "--min-size is about trees: add --learner tree");
    refused(&["--of-scores"], 2, "--of-scores is about trees");
    refused(&["--learner", "tree", "--reduce", "pca=1"], 2, "--reduce is not for trees");
    refused(&["--learner", "tree", "--price", "1", "--cost", "q=1"], 2, "the features are a, b");
    refused(&["--learner", "tree", "--choose-by", "luck"], 2, "squared or penalty");
    let bad = |arguments: &[&str], words: &str| {
        let mut command = evalsmith(&folder);
        command.args(["learn", "malawi"]).args(arguments);
        command.assert().code(2).stderr(predicate::str::contains(words));
    };
    bad(&["--rounds", "3"], "--rounds is about the bootstrap: add --method bootstrap");
    bad(&["--method", "bootstrap", "--solve-at", "3"], "--solve-at has no use in a bootstrap");
    bad(
        &["--method", "bootstrap", "--learner", "logistic", "--expand"],
        "only trees can be expanded",
    );
}

#[test]
fn a_bootstrap_runs_goes_on_and_its_function_plays() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = || {
        let mut command = evalsmith(&folder);
        command.args([
            "learn",
            "malawi",
            "--method",
            "bootstrap",
            "--rounds",
            "2",
            "--games",
            "30",
        ]);
        command.args(["--depth", "1", "--match-every", "2", "--pairs", "4", "--expand"]);
        let done = command.assert().success();
        String::from_utf8(done.get_output().stdout.clone()).expect("text")
    };
    let text = run();
    assert!(text.contains("unseen labels told") && text.contains("2 rounds"), "{text}");
    let round = folder.path().join("bootstrap-malawi/round-002");
    fs::remove_file(round.join("round.json")).expect("the round's record");
    assert_eq!(run(), text, "a run that goes on ends as the first did");
    let model = round.join("model.safetensors");
    evalsmith(&folder)
        .args(["match", "run", "malawi"])
        .arg(&model)
        .args(["trivial", "--pairs", "2", "--depth", "1", "--log", "m.jsonl"])
        .assert()
        .success();
}
