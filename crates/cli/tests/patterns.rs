//! Pattern models as a user meets them: fitted, shown, exported, played, and the
//! sentences for what cannot be.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use tempfile::TempDir;

const SMALL: &str = "[[pattern]]\nname = \"corner\"\nboard = \"##\\n##\"\n\
                     [[pattern]]\nname = \"edge\"\nboard = \"########\"\n\
                     [[count]]\nfeature = \"moves\"\nlow = -9\nhigh = 9\n";

struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("small.toml"), SMALL).expect("written");
        Self(folder)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    fn run(&self, line: &str) -> String {
        let output = self.command(line).assert().success().get_output().clone();
        String::from_utf8(output.stdout).expect("text")
    }

    fn refuses(&self, line: &str, reason: &str) {
        self.command(line).assert().code(2).stderr(predicate::str::contains(reason));
    }
}

/// In discs, of which five are a logit.
fn largest_weight(exported: &serde_json::Value) -> f64 {
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().filter_map(serde_json::Value::as_f64).collect()
    };
    let groups = exported["steps"].as_array().expect("groups of stages");
    let largest =
        |group| numbers(group).into_iter().fold(0.0, |most, step: f64| step.abs().max(most));
    let scales = numbers(&exported["log_odds_a_step"]);
    let weights = groups.iter().zip(scales).map(|(group, scale)| 5.0 * scale * largest(group));
    weights.fold(0.0, f64::max)
}

#[test]
fn patterns_are_fitted_shown_exported_and_played() {
    let bench = Bench::new();
    bench.run("data generate othello --games 120 --depth 1 --out games");
    let fit = "model fit games --learner patterns --patterns small.toml";
    let report = bench.run(&format!("{fit} -o m --seed 3"));
    assert!(report.contains("16 bits") && report.contains("weights from"), "{report}");
    bench.command(&format!("{fit} -o n --seed 3 --start-from m")).assert().success().stderr(
        predicate::str::contains("MiB of memory").and(predicate::str::contains("held out (")),
    );
    bench.run(&format!("{fit} -o g --seed 3 --momentum 0.5 --most-weight 2"));
    bench.run("model export g --format json -o g.json");
    let exported = fs::read_to_string(bench.0.path().join("g.json")).expect("text");
    let exported: serde_json::Value = serde_json::from_str(&exported).expect("JSON");
    assert!(largest_weight(&exported) <= 2.001, "{}", largest_weight(&exported));
    bench.run(&format!("{fit} -o f --seed 3 --start-from g --fix corner,edge"));
    let shown = bench.run("model show m");
    assert!(shown.contains("patterns model of othello") && shown.contains("moves"), "{shown}");
    let boards = bench.run("model show m --stage 50 --pattern corner");
    assert!(boards.contains("best for X") && boards.contains(". . . . . ."), "{boards}");
    bench.run("model export m --format c -o m.h");
    assert!(bench.run("model export m --format json -o m.json").contains("weights in m.json"));
    let table = bench.run("match run othello m hand --depth 1 --pairs 4 --log l.jsonl");
    assert!(table.contains('8'), "{table}");
    bench.run("data label games --by search --depth 2 --function m --out labelled");
    bench.run(&format!("{} -o s --label searched", fit.replace("games", "labelled")));
    let answer = bench
        .command("engine othello --function m")
        .write_stdin("genmove black\nquit\n")
        .assert()
        .success();
    answer.stdout(predicate::str::is_match("= [a-hA-H][1-8]").expect("a pattern"));
}

#[test]
fn faults_name_the_thing_and_the_remedy() {
    let bench = Bench::new();
    bench.run("data generate othello --games 20 --depth 1 --out games");
    bench.run("data generate malawi --games 2 --depth 1 --out malawi");
    let fit = "model fit games -o m --learner patterns";
    bench.refuses(fit, "--patterns: buro98, edax");
    bench.refuses("model fit games -o m --patterns buro98", "--patterns goes with --learner");
    bench.refuses("model fit games -o m --learner pattern", "tree, patterns");
    let small = format!("{fit} --patterns small.toml");
    bench.refuses(&format!("{small} --label perfect"), "no label \"perfect\"");
    bench.refuses(&format!("{small} --raw"), "--raw has no meaning");
    bench.refuses(&format!("{small} --momentum 1"), "a momentum lies from 0 to below 1");
    bench.refuses(&format!("{small} --most-weight 0"), "the largest weight is above 0");
    bench.refuses(&format!("{small} --fix middle"), "there are corner, edge");
    bench.refuses(&format!("{small} --holdout 0.999999"), "games to fit; take less");
    bench.refuses(&small.replace("games", "malawi"), "which is no atom");
    let missing = format!("{fit} --patterns none.toml");
    bench.command(&missing).assert().code(1).stderr(predicate::str::contains("none.toml"));
    fs::write(bench.0.path().join("bad.toml"), "[[pattern]]\nname = \"x\"\natoms = [\"a9\"]")
        .expect("written");
    bench.refuses(&format!("{fit} --patterns bad.toml"), "\"a9\", which is no atom");
    bench.run(&format!("{small} --groups 2"));
    bench.refuses("model show m --pattern rows", "it has corner, edge");
    bench.refuses("model show m --stage 65", "0 to 64");
    bench.refuses("model show m --draw x.svg", "see --pattern");
    let truncated = fs::read(bench.0.path().join("m")).expect("a model");
    fs::write(bench.0.path().join("cut"), &truncated[..truncated.len() - 9]).expect("written");
    bench.command("model export cut --format c -o c.h").assert().code(1);
}

#[test]
fn configurations_of_any_game_are_found_fitted_shown_and_played() {
    let bench = Bench::new();
    let games =
        [("malawi", "", "=0"), ("chess", "--max-length 1 --terms pawns,queens", "times pawns")];
    for (game, terms, told) in games {
        bench.run(&format!("data generate {game} --games 40 --depth 1 --out {game}"));
        let fit = format!("model fit {game} --learner configurations --min-count 400 {terms}");
        let report = bench.run(&format!("{fit} --groups 2 -o {game}.m"));
        assert!(report.contains("valid configurations"), "{report}");
        let shown = bench.run(&format!("model show {game}.m"));
        assert!(shown.contains(told) && shown.contains("positions"), "{shown}");
        bench.run(&format!("match run {game} {game}.m hand --depth 1 --pairs 2 --log {game}.l"));
        let judged = bench.run(&format!("model judge {game}.m {game}"));
        assert!(judged.contains("log-loss"), "{judged}");
        bench.refuses(&format!("{fit} --most 3 -o x"), "--max-length");
        bench.refuses(&format!("{fit} --patterns edax -o x"), "goes with --learner patterns");
    }
    bench.refuses("model fit chess --max-length 2 -o x", "goes with --learner configurations");
    bench.refuses("model show chess.m --pattern x", "listed, not drawn");
}

#[test]
fn large_patterns_are_fitted_compared_judged_and_extended() {
    let bench = Bench::new();
    bench.run("data generate othello --games 100 --depth 1 --out games");
    let large = "[[pattern]]\nname = \"edge\"\nboard = \"########\"\n\
                 [[pattern]]\nname = \"rows\"\nsparse = true\nboard = \"########\\n########\"\n";
    fs::write(bench.0.path().join("large.toml"), large).expect("written");
    let fit = "model fit games --learner patterns --patterns large.toml --min-count 9 -o m";
    let report = bench.run(&format!("{fit} --types best --groups 3"));
    assert!(report.contains("rows: ") && report.contains("valid states"), "{report}");
    assert!(report.contains("smoothed"), "{report}");
    let boards = bench.run("model show m --stage 50 --pattern rows");
    assert!(boards.contains("positions behind a weight"), "{boards}");
    assert!(bench.run("model judge m games").contains("log-loss"));
    bench.run("curve draw games --function m --min-count 50 -o c.svg");
    bench.run("match run othello m hand --depth 1 --pairs 2 --log l.jsonl");
    let found = bench.run("model discover m games --max-length 2 --positions 2000");
    assert!(found.contains("[[pattern]]") && found.contains("ns a copy"), "{found}");
    bench.refuses("model discover m games --max-length 1", "two atoms");
    bench
        .command("model export m --format c -o m.h")
        .assert()
        .code(1)
        .stderr(predicate::str::contains("sparse patterns"));
    bench.refuses(&format!("{} --force", fit.replace(" 9 ", " 99999 ")), "up to 65535");
}

#[test]
fn the_model_in_the_repository_opens() {
    let bench = Bench::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/othello-patterns.safetensors");
    let shown = bench.run(&format!("model show {model}"));
    assert!(shown.contains("corner angle") && shown.contains("29889"), "{shown}");
}
