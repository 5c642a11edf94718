//! Fits against statsmodels' GLM on the same rows (reference/make.py).

use evalsmith_core::{Columns, Quiet, Stage};
use evalsmith_learn::{Examples, LogisticParams, StageFit, fit_logistic};
use serde_json::Value;

struct Table {
    features: Columns,
    stages: Vec<Stage>,
    points: Vec<f32>,
    games: Vec<u32>,
}

fn table() -> Table {
    let mut lines = include_str!("reference/games.csv").lines();
    let header = lines.next().expect("a header").split(',');
    let features = Columns::new(header.skip(3).map(String::from).collect());
    let mut table = Table { features, stages: vec![], points: vec![], games: vec![] };
    for line in lines {
        let row: Vec<f32> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        table.games.push(row[0] as u32);
        table.stages.push(Stage(row[1] as u8));
        table.points.push(row[2]);
        table.features.push(&row[3..]);
    }
    table
}

fn fit(radius: u8, stage: u8) -> StageFit {
    let Table { features, stages, points, games } = &table();
    let mut params = LogisticParams::default();
    params.stages.radius = radius;
    let examples = Examples { features, stages, points, games };
    let fit = fit_logistic(&params, 5, &examples, &Quiet).expect("a fit");
    let found = fit.at(Stage(stage)).clone();
    assert_eq!(found.stage, Stage(stage));
    assert_eq!(fit.model.weights(Stage(stage))[0], found.estimates[1].weight);
    found
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn close(what: &str, found: f64, expected: f64) {
    let scale = expected.abs().max(1e-300);
    assert!((found - expected).abs() <= 1e-6 * scale, "{what}: {found} instead of {expected}");
}

fn agree(fit: &StageFit, expected: &Value) {
    assert_eq!(fit.rows as u64, expected["rows"], "rows");
    assert_eq!(fit.games as u64, expected["games"], "games");
    assert!(!fit.separated);
    close("log-likelihood", fit.log_likelihood, expected["log_likelihood"].as_f64().expect("one"));
    close("deviance", fit.deviance, expected["deviance"].as_f64().expect("one"));
    close("null deviance", fit.null_deviance, expected["null_deviance"].as_f64().expect("one"));
    close("aic", fit.aic, 2.0 * fit.estimates.len() as f64 - 2.0 * fit.log_likelihood);
    for (i, estimate) in fit.estimates.iter().enumerate() {
        let pairs = [
            ("weight", estimate.weight),
            ("standard_error", estimate.standard_error),
            ("clustered_error", estimate.clustered_error),
            ("z", estimate.z),
            ("p", estimate.p),
            ("low", estimate.low),
            ("high", estimate.high),
        ];
        for (what, found) in pairs {
            let expected = numbers(&expected[what])[i];
            close(&format!("{what} of {}", estimate.name), found, expected);
        }
        let covariance = numbers(&expected["covariance"][i]);
        for (found, expected) in fit.covariance[i].iter().zip(covariance) {
            close("covariance", *found, expected);
        }
    }
}

#[test]
fn a_fit_on_all_rows_agrees_with_statsmodels() {
    let expected: Value =
        serde_json::from_str(include_str!("reference/statsmodels.json")).expect("JSON");
    for stage in 0..5 {
        agree(&fit(4, stage), &expected["all"]);
    }
}

#[test]
fn a_fit_on_pooled_stages_agrees_with_statsmodels() {
    let expected: Value =
        serde_json::from_str(include_str!("reference/statsmodels.json")).expect("JSON");
    let found = fit(1, 2);
    assert_eq!(found.pooled, (Stage(1), Stage(3)));
    agree(&found, &expected["middle"]);
}
