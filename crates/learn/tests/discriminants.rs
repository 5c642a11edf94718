//! The discriminants and least squares: against scikit-learn and statsmodels on
//! stored rows (reference/discriminants.py), against the formulas as the papers
//! write them, and with features that are no use.

use evalsmith_core::{Columns, Quiet, Stage};
use evalsmith_learn::{
    DenseModel, Examples, LearnError, Learner, LogisticParams, Moments, StagePooling, fit,
    fit_fisher, fit_least_squares, fit_quadratic, moments, quality,
};
use proptest::{collection::vec, prelude::*};
use rand::RngExt;
use serde_json::Value;

struct Table {
    features: Columns,
    stages: Vec<Stage>,
    points: Vec<f32>,
    games: Vec<u32>,
}

impl Table {
    fn new(names: &[&str]) -> Self {
        let features = Columns::new(names.iter().map(|&n| n.into()).collect());
        Self { features, stages: vec![], points: vec![], games: vec![] }
    }

    fn push(&mut self, points: f32, game: u32, row: &[f32]) {
        self.features.push(row);
        self.stages.push(Stage(0));
        self.points.push(points);
        self.games.push(game);
    }

    fn examples(&self) -> Examples<'_> {
        let Self { features, stages, points, games } = self;
        Examples { features, stages, points, games }
    }
}

fn reference() -> (Table, Value) {
    let mut lines = include_str!("reference/games.csv").lines();
    let names: Vec<_> = lines.next().expect("a header").split(',').skip(3).collect();
    let mut table = Table::new(&names);
    for line in lines {
        let row: Vec<f32> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        table.push(row[2], row[0] as u32, &row[3..]);
    }
    let expected = include_str!("reference/scikit-learn.json");
    (table, serde_json::from_str(expected).expect("JSON"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn close(what: &str, found: f64, expected: f64, relative: f64) {
    let far = (found - expected).abs() > relative * expected.abs().max(1e-6);
    assert!(!far, "{what}: {found} instead of {expected}");
}

#[test]
fn means_and_covariances_agree_with_scikit_learn() {
    let (table, expected) = reference();
    let found = moments(Stage(0), 0, 1, &table.examples()).expect("both classes");
    for (class, name) in [(&found.win, "win"), (&found.loss, "loss")] {
        for (i, mean) in numbers(&expected["mean"][name]).into_iter().enumerate() {
            close("mean", class.mean[i], mean, 1e-8);
            let row = numbers(&expected["covariance"][name][i]);
            for (found, expected) in class.covariance[i].iter().zip(row) {
                close("covariance", *found, expected, 1e-8);
            }
        }
    }
}

#[test]
fn discriminants_agree_with_scikit_learn() {
    let (table, expected) = reference();
    let fisher = fit_fisher(&StagePooling::default(), 1, &table.examples(), &Quiet).expect("a fit");
    let weights = numbers(&expected["fisher"]["weight"]);
    for (estimate, expected) in fisher.stages[0].estimates.iter().zip(weights) {
        close(&estimate.name, estimate.weight, expected, 1e-6);
    }
    let model = fit_quadratic(&StagePooling::default(), 1, &table.examples(), &Quiet);
    let model = model.expect("a fit").model;
    for (row, expected) in numbers(&expected["quadratic"]["log_odds"]).into_iter().enumerate() {
        let found = model.log_odds(Stage(0), |i| table.features.column(i)[row]).0;
        close("log-odds", found, expected, 1e-6);
    }
}

#[test]
fn least_squares_agrees_with_statsmodels() {
    let (table, expected) = reference();
    let mut fewer = Table::new(&["mobility", "edge", "material"]);
    let mut scores = Vec::new();
    for row in 0..table.points.len() {
        let x = |i: usize| table.features.column(i)[row];
        fewer.push(table.points[row], table.games[row], &[x(0), x(1), x(2)]);
        scores.push(20.0 * table.points[row] - 10.0 + x(3));
    }
    let pooling = StagePooling::default();
    let found = fit_least_squares(&pooling, 1, &fewer.examples(), &scores, &Quiet).expect("a fit");
    let expected = &expected["least_squares"];
    for (i, estimate) in found.fit.stages[0].estimates.iter().enumerate() {
        let pairs = [
            ("weight", estimate.weight),
            ("standard_error", estimate.standard_error),
            ("clustered_error", estimate.clustered_error),
        ];
        for (what, value) in pairs {
            close(what, value / found.per_point, numbers(&expected[what])[i], 1e-6);
        }
    }
}

/// The formula of the quadratic discriminant, by Gauss-Jordan elimination.
fn by_formula(m: &Moments, x: &[f64]) -> f64 {
    let part = |mean: &[f64], covariance: &[Vec<f64>]| {
        let n = mean.len();
        let mut a: Vec<Vec<f64>> = covariance.to_vec();
        let mut d: Vec<f64> = x.iter().zip(mean).map(|(x, m)| x - m).collect();
        let distance = d.clone();
        let mut log_determinant = 0.0;
        for i in 0..n {
            let pivot = a[i][i];
            log_determinant += pivot.ln();
            a[i].iter_mut().for_each(|v| *v /= pivot);
            d[i] /= pivot;
            let (row, value) = (a[i].clone(), d[i]);
            for k in (0..n).filter(|&k| k != i) {
                let factor = a[k][i];
                a[k].iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
                d[k] -= factor * value;
            }
        }
        let length: f64 = distance.iter().zip(&d).map(|(a, b)| a * b).sum();
        -0.5 * length - 0.5 * log_determinant
    };
    part(&m.win.mean, &m.win.covariance) - part(&m.loss.mean, &m.loss.covariance)
}

/// Two overlapping classes of different shapes, with draws between.
fn overlapping(rows: u32, seed: u64) -> Table {
    let mut random = evalsmith_core::rng::stream(seed, "overlapping", 0);
    let mut table = Table::new(&["a", "b"]);
    for row in 0..rows {
        let points = [0.0, 0.5, 1.0][random.random_range(0..3)];
        let mut noise = || (0..4).map(|_| random.random::<f32>() - 0.5).sum::<f32>();
        let a = noise() * (1.0 + points) + points;
        table.push(points, row / 4, &[100.0 + a, noise() + a * points]);
    }
    table
}

proptest! {
    #[test]
    fn the_quadratic_model_is_the_papers_formula(seed in 0_u64..1000, x in vec(-3.0..3.0_f32, 2)) {
        let table = overlapping(400, seed);
        let m = moments(Stage(0), 0, 1, &table.examples()).expect("both classes");
        let pooling = StagePooling::default();
        let model = fit_quadratic(&pooling, 1, &table.examples(), &Quiet).expect("a fit").model;
        let x = [100.0 + x[0], x[1]];
        let found = model.log_odds(Stage(0), |i| x[i]).0;
        let slow = by_formula(&m, &x.map(f64::from));
        prop_assert!((found - slow).abs() < 1e-6 * (1.0 + slow.abs()), "{found} {slow}");
    }

    #[test]
    fn classes_of_one_shape_have_no_quadratic_terms(seed in 0_u64..1000) {
        // Each position also stands in its mirror image with the other result:
        // both classes then have the same covariance.
        let half = overlapping(300, seed);
        let mut table = Table::new(&["a", "b"]);
        for row in 0..half.points.len() {
            let x = [half.features.column(0)[row] - 100.0, half.features.column(1)[row]];
            table.push(half.points[row], half.games[row], &x);
            table.push(1.0 - half.points[row], half.games[row], &[-x[0], -x[1]]);
        }
        let pooling = StagePooling::default();
        let quadratic = fit_quadratic(&pooling, 1, &table.examples(), &Quiet).expect("a fit");
        let fisher = fit_fisher(&pooling, 1, &table.examples(), &Quiet).expect("a fit");
        for x in [[0.5_f32, -1.0], [2.0, 0.25]] {
            let q = quadratic.model.log_odds(Stage(0), |i| x[i]).0;
            let f = fisher.model.log_odds(Stage(0), |i| x[i]).0;
            prop_assert!((q - f).abs() < 1e-6 * (1.0 + f.abs()), "{q} {f}");
        }
    }
}

/// A copy, a constant and a sum change nothing, whichever the learner.
#[test]
fn features_without_news_are_left_out_and_nothing_else_changes() {
    let plain = overlapping(800, 5);
    let mut wide = Table::new(&["a", "b", "copy", "seven", "sum"]);
    for row in 0..plain.points.len() {
        let (a, b) = (plain.features.column(0)[row], plain.features.column(1)[row]);
        wide.push(plain.points[row], plain.games[row], &[a, b, a, 7.0, 2.0 * a - 200.0]);
    }
    let scores: Vec<f32> = plain.points.iter().map(|y| 12.0 * y - 6.0).collect();
    for learner in Learner::BY_STAGE {
        let fit = |t: &Table| {
            let params = LogisticParams::default();
            fit(learner, &params, 1, &t.examples(), &scores, &Quiet).expect("a fit")
        };
        let (few, many) = (fit(&plain), fit(&wide));
        assert_eq!(many.stages[0].aliased, ["copy", "seven", "sum"], "{learner}");
        let value = |f: &evalsmith_learn::Fit, t: &Table, row: usize| {
            f.model.log_odds(Stage(0), |i| t.features.column(i)[row]).0
        };
        let both = (0..800).map(|row| (value(&few, &plain, row), value(&many, &wide, row)));
        for (a, b) in both.clone() {
            assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "{learner}: {a} {b}");
        }
        let (before, after): (Vec<f64>, Vec<f64>) = both.unzip();
        let loss =
            |z: &[f64]| quality(&plain.points, z, &plain.games).expect("rows").log_loss.value;
        assert!((loss(&before) - loss(&after)).abs() < 1e-9);
        let told = many.model.explain(Stage(0), |i| wide.features.column(i)[3]);
        assert!((told.total - after[3]).abs() < 1e-9, "{learner}: terms do not add up");
    }
}

#[test]
fn a_feature_that_is_constant_in_one_class_is_left_out_of_the_quadratic_model() {
    let mut table = Table::new(&["a", "only when won"]);
    let plain = overlapping(600, 9);
    for row in 0..600 {
        let won = plain.points[row] == 1.0;
        let bonus = if won { (row % 5) as f32 } else { 0.0 };
        table.push(
            plain.points[row].round(),
            plain.games[row],
            &[plain.features.column(0)[row], bonus],
        );
    }
    let pooling = StagePooling::default();
    let found = fit_quadratic(&pooling, 1, &table.examples(), &Quiet).expect("a fit");
    assert_eq!(found.stages[0].aliased, ["only when won"]);
}

#[test]
fn bad_tables_are_refused_by_every_learner() {
    let good = overlapping(400, 2);
    let scores: Vec<f32> = good.points.iter().map(|y| 2.0 * y - 1.0).collect();
    for learner in Learner::BY_STAGE {
        let fit = |table: &Table, scores: &[f32]| {
            fit(learner, &LogisticParams::default(), 1, &table.examples(), scores, &Quiet)
        };
        let mut won = overlapping(400, 2);
        won.points.fill(1.0);
        assert!(matches!(fit(&won, &scores), Err(LearnError::OneClass { .. })), "{learner}");
        let few = overlapping(3, 2);
        assert!(matches!(fit(&few, &scores[..3]), Err(LearnError::TooFew { .. })), "{learner}");
        let mut nan = Table::new(&["a"]);
        nan.push(1.0, 0, &[f32::NAN]);
        assert!(matches!(fit(&nan, &scores[..1]), Err(LearnError::NotFinite { .. })), "{learner}");
        let mut label = overlapping(400, 2);
        label.points[7] = 3.0;
        let refused = fit(&label, &scores);
        assert!(matches!(refused, Err(LearnError::Points { row: 7, .. })), "{learner}");
        let mut stage = overlapping(400, 2);
        stage.stages[9] = Stage(4);
        let refused = fit(&stage, &scores);
        assert!(matches!(refused, Err(LearnError::StageRange { row: 9, .. })), "{learner}");
    }
}
