//! `evalsmith model` as a user meets it: a table of their own, four learners,
//! and the sentences for what cannot be.

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

/// Games of eight rows; the first feature tells the winner three times of four,
/// the third is a copy of it and the fourth a constant.
fn table(folder: &TempDir, name: &str, edit: impl Fn(usize, String) -> String) {
    let mut text = String::from("game,move,x,noise,copy,seven,score,result\n");
    for row in 0..1600_i32 {
        let (game, step) = (row / 8, row % 8);
        let won = game % 2 == 0;
        let x =
            if (won && step != 3) || (!won && step == 3) { 1 + step % 3 } else { -1 - step % 3 };
        let noise = (row * 7919) % 101;
        let score = if won { 10 + step } else { -10 - step };
        let line = format!("g{game},{},{x},{noise},{x},7,{score},{}", step % 2, u8::from(won));
        writeln!(text, "{}", edit(row as usize, line)).expect("a string takes anything");
    }
    fs::write(folder.path().join(name), text).expect("written");
}

/// What becomes of a line of the table.
type Edit = fn(usize, String) -> String;

const COLUMNS: [&str; 8] =
    ["--label", "result", "--game-id", "game", "--stage-column", "move", "--score", "score"];

#[test]
fn every_learner_fits_a_table_of_ones_own() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, "mine.csv", |_, line| line);
    for learner in ["logistic", "fisher", "quadratic", "least-squares"] {
        let model = format!("{learner}.model");
        evalsmith(&folder)
            .args(["model", "fit", "mine.csv", "-o", &model, "--learner", learner])
            .args(COLUMNS)
            .assert()
            .success()
            .stdout(predicate::str::contains(format!("{learner}: 2 stages fitted")))
            .stdout(predicate::str::contains("copy, seven"))
            .stdout(predicate::str::contains("Quadratic terms are"))
            .stdout(predicate::str::contains("Calibration on games held out"))
            .stdout(predicate::str::contains("Warning: at some stage"));
        evalsmith(&folder)
            .args(["model", "show", &model, "--stage", "1"])
            .assert()
            .success()
            .stdout(predicate::str::contains("noise"));
    }
    evalsmith(&folder)
        .args(["model", "show", "logistic.model", "--draw", "weights.svg"])
        .assert()
        .success();
    let svg = fs::read_to_string(folder.path().join("weights.svg")).expect("a drawing");
    assert!(svg.starts_with("<svg") && svg.contains("noise"));
    evalsmith(&folder)
        .args(["model", "show", "quadratic.model", "--draw", "q.svg"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("no weighted sum"));
}

#[test]
fn faults_of_a_table_name_file_line_and_remedy() {
    let folder = TempDir::new().expect("a temporary folder");
    let faults: [(Edit, i32, &str); 5] = [
        (
            |_, line| line.rsplit_once(',').map_or(String::new(), |(l, _)| format!("{l},1")),
            1,
            "need",
        ),
        (
            |row, line| if row == 4 { line.replace(",7,", ",NaN,") } else { line },
            1,
            "line 6: column \"seven\" holds \"NaN\"",
        ),
        (|row, line| if row == 4 { line.replace(",7,", ",inf,") } else { line }, 1, "line 6"),
        (|row, line| if row == 2 { format!("{line}1") } else { line }, 1, "results are 1 (win)"),
        (|row, line| if row > 3 { String::new() } else { line }, 1, "no stage has enough examples"),
    ];
    for (edit, code, sentence) in faults {
        table(&folder, "bad.csv", edit);
        evalsmith(&folder)
            .args(["model", "fit", "bad.csv", "-o", "x.model"])
            .args(COLUMNS)
            .assert()
            .code(code)
            .stderr(predicate::str::contains(sentence));
        assert!(!folder.path().join("x.model").exists(), "{sentence}: a model was written");
    }
    table(&folder, "mine.csv", |_, line| line);
    let wrong: [(&[&str], i32, &str); 4] = [
        (&[], 2, "--label"),
        (&["--label", "outcome"], 1, "there is no column \"outcome\"; the columns are game, move"),
        (&["--label", "result", "--learner", "least-squares"], 2, "--score"),
        (&["--label", "result", "--learner", "magic"], 2, "known are logistic, fisher"),
    ];
    for (flags, code, sentence) in wrong {
        evalsmith(&folder)
            .args(["model", "fit", "mine.csv", "-o", "x.model"])
            .args(flags)
            .assert()
            .code(code)
            .stderr(predicate::str::contains(sentence));
    }
}

#[test]
fn features_are_made_fewer_before_a_fit_and_the_model_still_knows_them() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, "mine.csv", |_, line| line);
    for (learner, reduce) in [("quadratic", "pca=2"), ("logistic", "pca=2"), ("logistic", "fisher")]
    {
        let model = format!("{learner}-{reduce}.model");
        evalsmith(&folder)
            .args(["model", "fit", "mine.csv", "-o", &model, "--learner", learner])
            .args(["--reduce", reduce])
            .args(COLUMNS)
            .assert()
            .success()
            .stdout(predicate::str::contains(format!("{learner} after the reduction {reduce}")));
        evalsmith(&folder)
            .args(["model", "show", &model, "--stage", "1"])
            .assert()
            .success()
            .stdout(predicate::str::contains("noise"))
            .stdout(predicate::str::contains("copy"));
    }
    evalsmith(&folder)
        .args(["model", "fit", "mine.csv", "-o", "x.model", "--reduce", "pca=0"])
        .args(COLUMNS)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("write pca=N for N principal components"));
}

#[test]
fn a_bounded_sum_tells_its_own_rows_as_the_unbounded_one_does() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, "mine.csv", |_, line| line);
    let judged = |flags: &[&str]| {
        let fit = ["model", "fit", "mine.csv", "-o", "m.model", "--force", "--features", "x,noise"];
        evalsmith(&folder).args(fit).args(flags).args(COLUMNS).assert().success();
        let judge = ["model", "judge", "m.model", "mine.csv", "--format", "json"];
        let told = evalsmith(&folder).args(judge).args(COLUMNS).assert().success();
        String::from_utf8(told.get_output().stdout.clone()).expect("text")
    };
    assert_eq!(judged(&["--holdout", "0", "--bounded"]), judged(&["--holdout", "0"]));
    evalsmith(&folder)
        .args(["model", "fit", "mine.csv", "-o", "q.model", "--learner", "quadratic", "--bounded"])
        .args(COLUMNS)
        .assert()
        .failure()
        .stderr(predicate::str::contains("leave out --bounded"));
}

#[test]
fn a_model_is_judged_on_a_table_with_its_columns() {
    let folder = TempDir::new().expect("a temporary folder");
    table(&folder, "mine.csv", |_, line| line);
    evalsmith(&folder)
        .args(["model", "fit", "mine.csv", "-o", "m.model", "--features", "x,noise"])
        .args(COLUMNS)
        .assert()
        .success();
    let judge = |data: &str, flags: &[&str]| {
        let mut command = evalsmith(&folder);
        command.args(["model", "judge", "m.model", data]).args(flags);
        command.assert()
    };
    let named = ["--label", "result", "--game-id", "game", "--stage-column", "move"];
    judge("mine.csv", &named)
        .success()
        .stdout(predicate::str::contains("Brier score"))
        .stdout(predicate::str::contains("Calibration; mean error"))
        .stdout(predicate::str::contains("the model knows more than that"))
        .stderr(predicate::str::contains("not used: copy, seven, score"));
    judge("mine.csv", &[&named[..], &["--format", "json"]].concat())
        .success()
        .stdout(predicate::str::contains("\"log_loss\""));

    let text = fs::read_to_string(folder.path().join("mine.csv")).expect("a table");
    let other = text.replacen("x,noise", "mobility,loudness", 1);
    fs::write(folder.path().join("other.csv"), other).expect("written");
    judge("other.csv", &named)
        .code(1)
        .stderr(predicate::str::contains("m.model needs the columns x, noise"))
        .stderr(predicate::str::contains("there are no columns \"x\", \"noise\""))
        .stderr(predicate::str::contains("the columns are game, move, mobility, loudness"));
    let late = text.replacen("g0,1,", "g0,2,", 1);
    fs::write(folder.path().join("late.csv"), late).expect("written");
    judge("late.csv", &named)
        .code(2)
        .stderr(predicate::str::contains("row 2 has stage 2, but the model has stages 0 to 1"));
    judge("mine.csv", &named[..4])
        .code(2)
        .stderr(predicate::str::contains("m.model has 2 stages: name the column of the stage"));
    judge("mine.csv", &[]).code(2).stderr(predicate::str::contains("--label"));
    judge("games", &["--label", "result"])
        .code(2)
        .stderr(predicate::str::contains("does not end in"));
}

#[test]
fn learners_are_compared_on_one_dataset_and_features_are_chosen_by_name() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let output = evalsmith(&folder).args(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).expect("text")
    };
    run(&["data", "generate", "othello", "--games", "120", "--depth", "1", "--out", "games"]);
    let features = "mobility,corners,parity,copy of corners,row2/*";
    run(&["model", "fit", "games", "-o", "m.model", "--features", features]);
    assert!(run(&["model", "show", "m.model"]).contains("tabled model of othello"));
    assert!(run(&["model", "judge", "m.model", "games"]).contains("Calibration; mean error"));
    let reduced = ["model", "fit", "games", "-o", "r.model", "--learner", "quadratic"];
    run(&[&reduced[..], &["--reduce", "pca=3"]].concat());
    let players = ["match", "run", "othello", "r.model@depth=1", "hand@depth=1"];
    run(&[&players[..], &["--pairs", "1", "--log", "one.jsonl"]].concat());
    let compare = [
        "model",
        "compare",
        "games",
        "--learners",
        "logistic,quadratic",
        "--pairs",
        "2",
        "--depth",
        "1",
    ];
    let table = run(&compare);
    assert!(table.contains("quadratic") && table.contains("Elo at 1 plies"), "{table}");
    assert_eq!(run(&compare), table, "the second run reads what the first one found");
    for (method, source) in [
        ("polynomial", &["--game", "othello", "--games", "6", "--depth", "1"][..]),
        ("signature", &["games"]),
        ("book-linear", &["games"]),
    ] {
        let file = format!("{method}.model");
        run(&[&["model", "samuel", method, "-o", &file], source].concat());
        assert!(run(&["model", "show", &file]).contains("model of othello"));
    }
    run(&["model", "samuel", "griffith", "games", "-o", "griffith.json"]);
    let griffith = ["match", "run", "othello", "griffith.json", "trivial", "--depth", "1"];
    assert!(run(&[&griffith[..], &["--pairs", "8", "--log", "g.jsonl"]].concat()).contains("16"));
    evalsmith(&folder)
        .args(["engine", "othello", "--function", "griffith.json"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("values moves, not positions"));
    evalsmith(&folder)
        .args(["model", "samuel", "signature", "--game", "othello", "-o", "x.model"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("book moves come from a dataset"));
    evalsmith(&folder)
        .args(["model", "fit", "games", "-o", "x.model", "--features", "mobility,nonsense"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("othello has no feature \"nonsense\""));
}
