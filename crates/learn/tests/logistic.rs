//! What a fit does with data that statistics textbooks warn of.

use evalsmith_core::{Columns, Progress, Quiet, Stage, rng};
use evalsmith_learn::{Examples, LearnError, LogisticFit, LogisticParams, fit_logistic};
use proptest::{collection::vec, prelude::*};
use rand::RngExt;
use std::sync::Mutex;

/// A table that owns its columns.
#[derive(Clone)]
struct Table {
    names: Vec<&'static str>,
    /// Stage, points, game, features.
    rows: Vec<(u8, f32, u32, Vec<f32>)>,
}

impl Table {
    fn with<T>(&self, use_it: impl FnOnce(Examples<'_>) -> T) -> T {
        let mut features = Columns::new(self.names.iter().map(|&n| n.into()).collect());
        self.rows.iter().for_each(|r| features.push(&r.3));
        let stages: Vec<_> = self.rows.iter().map(|r| Stage(r.0)).collect();
        let points: Vec<_> = self.rows.iter().map(|r| r.1).collect();
        let games: Vec<_> = self.rows.iter().map(|r| r.2).collect();
        use_it(Examples { features: &features, stages: &stages, points: &points, games: &games })
    }

    fn fit(&self, params: &LogisticParams, stages: usize) -> Result<LogisticFit, LearnError> {
        self.with(|examples| fit_logistic(params, stages, &examples, &Quiet))
    }
}

/// Games with three features, of which two matter; every eighth is drawn.
fn games(games: u32, stages: u8) -> Table {
    let mut rows = Vec::new();
    for game in 0..games {
        let mut random = rng::stream(11, "logistic", game.into());
        let mut normal = || (0..12).map(|_| random.random::<f32>()).sum::<f32>() - 6.0;
        let tilt = normal();
        let points = if game % 8 == 0 { 0.5 } else { f32::from(u8::from(tilt + normal() > 0.0)) };
        for ply in 0..10 {
            let x = vec![0.5 * tilt + normal(), 3.0 * normal() + 100.0, tilt - normal()];
            rows.push((ply % stages, points, game, x));
        }
    }
    Table { names: vec!["a", "b", "c"], rows }
}

fn at_once() -> LogisticParams {
    let mut params = LogisticParams::default();
    params.stages.radius = u8::MAX;
    params
}

#[test]
fn the_gradient_vanishes_at_the_fit_and_errors_cover_the_game() {
    let table = games(60, 1);
    let fit = table.fit(&at_once(), 1).expect("a fit");
    let weights: Vec<f64> = fit.stages[0].estimates.iter().map(|e| e.weight).collect();
    let mut gradient = [0.0; 4];
    let mut log_likelihood = 0.0;
    for (_, y, _, x) in &table.rows {
        let x: Vec<f64> = std::iter::once(1.0).chain(x.iter().map(|&v| v.into())).collect();
        let z: f64 = x.iter().zip(&weights).map(|(x, w)| x * w).sum();
        let (p, y) = (1.0 / (1.0 + (-z).exp()), f64::from(*y));
        gradient.iter_mut().zip(&x).for_each(|(g, x)| *g += x * (y - p));
        log_likelihood += y * p.ln() + (1.0 - y) * (1.0 - p).ln();
    }
    assert!(gradient.iter().all(|g| g.abs() < 1e-5), "{gradient:?}");
    assert!((log_likelihood - fit.stages[0].log_likelihood).abs() < 1e-8);
    let tilt = &fit.stages[0].estimates[3];
    assert!(tilt.clustered_error > 1.5 * tilt.standard_error, "{tilt:?}");
}

#[test]
fn counting_every_row_twice_changes_no_clustered_error() {
    let once = games(60, 1);
    let mut twice = once.clone();
    twice.rows.extend(once.rows.clone());
    let (once, twice) =
        (once.fit(&at_once(), 1).expect("one"), twice.fit(&at_once(), 1).expect("two"));
    // The factors (N - 1) / (N - K) of 600 and 1200 rows.
    let factor = (1199.0 / 1196.0_f64).sqrt() / (599.0 / 596.0_f64).sqrt();
    for (a, b) in once.stages[0].estimates.iter().zip(&twice.stages[0].estimates) {
        assert!((a.weight - b.weight).abs() < 1e-9);
        assert!((a.clustered_error * factor / b.clustered_error - 1.0).abs() < 1e-9);
        assert!((a.standard_error / b.standard_error - 2.0_f64.sqrt()).abs() < 1e-9);
    }
}

#[test]
fn redundant_columns_are_aliased_and_the_rest_unchanged() {
    let table = games(60, 1);
    let plain = table.fit(&at_once(), 1).expect("a fit");
    let mut wide = table.clone();
    wide.names = vec!["a", "constant", "b", "copy of a", "c", "a - 2 c"];
    for row in &mut wide.rows {
        let [a, b, c] = row.3[..] else { unreachable!("three features") };
        row.3 = vec![a, 7.0, b, a, c, a - 2.0 * c];
    }
    let wide = wide.fit(&at_once(), 1).expect("a fit");
    let fit = &wide.stages[0];
    let aliased: Vec<_> = fit.estimates.iter().filter(|e| e.aliased).map(|e| &e.name[..]).collect();
    assert_eq!(aliased, ["constant", "copy of a", "a - 2 c"]);
    assert!(fit.estimates.iter().filter(|e| e.aliased).all(|e| e.weight == 0.0 && e.p == 1.0));
    assert_eq!(fit.covariance[2], vec![0.0; 7]);
    assert!(!fit.separated);
    for expected in &plain.stages[0].estimates {
        let found = fit.estimates.iter().find(|e| e.name == expected.name).expect("the same");
        assert!((found.weight - expected.weight).abs() < 1e-9);
        assert!((found.clustered_error / expected.clustered_error - 1.0).abs() < 1e-9);
    }
    assert!((fit.aic - plain.stages[0].aic).abs() < 1e-7, "aliased columns cost nothing");
}

#[test]
fn only_constant_columns_leave_the_intercept() {
    let mut table = games(60, 1);
    table.rows.iter_mut().for_each(|row| row.3 = vec![1.0, 2.0, 0.0]);
    let fit = table.fit(&at_once(), 1).expect("a fit");
    let mean = table.rows.iter().map(|r| f64::from(r.1)).sum::<f64>() / table.rows.len() as f64;
    let estimates = &fit.stages[0].estimates;
    assert!((estimates[0].weight - (mean / (1.0 - mean)).ln()).abs() < 1e-9);
    assert!(estimates[1..].iter().all(|e| e.aliased));
    assert!((fit.stages[0].deviance - fit.stages[0].null_deviance).abs() < 1e-8);
}

#[test]
fn separation_is_said_and_held_by_a_ridge() {
    let mut complete = games(60, 1);
    for row in &mut complete.rows {
        row.1 = f32::from(u8::from(row.3[0] > 0.0));
    }
    // One column predicts some rows without error, the others not at all.
    let mut quasi = games(60, 1);
    for (i, row) in quasi.rows.iter_mut().enumerate() {
        row.3[1] = if i % 9 == 0 { 1.0 } else { 0.0 };
        row.1 = if i % 9 == 0 { 1.0 } else { row.1 };
    }
    for (table, guilty) in [(complete, 1), (quasi, 2)] {
        let fit = table.fit(&at_once(), 1).expect("a fit");
        let fit = &fit.stages[0];
        assert!(fit.separated && fit.ridge == 1.0, "{fit:?}");
        let guilty = &fit.estimates[guilty];
        assert!(guilty.weight > 1.0 && guilty.weight < 50.0, "{guilty:?}");
        assert!(
            fit.estimates.iter().all(|e| e.standard_error.is_finite() && e.standard_error > 0.0)
        );
    }
}

#[test]
fn strong_but_not_separating_features_need_no_ridge() {
    let mut table = games(300, 1);
    for (i, row) in table.rows.iter_mut().enumerate() {
        row.1 = f32::from(u8::from(row.3[0] > 0.0));
        // One mistake in 3000 rows makes the best weights finite.
        if i == 1234 {
            row.1 = 1.0 - row.1;
            row.3[0] = if row.3[0] > 0.0 { 2.0 } else { -2.0 };
        }
    }
    let fit = table.fit(&at_once(), 1).expect("a fit");
    assert!(!fit.stages[0].separated, "{:?}", fit.stages[0]);
    assert!(fit.stages[0].estimates[1].weight > 3.0);
}

#[test]
fn stages_without_data_copy_the_nearest() {
    let mut table = games(80, 4);
    // Stages 20 to 23 of 30, with 240, 240, 160 and 160 rows; 22 has no result but wins.
    table.rows.iter_mut().for_each(|row| row.0 += 20);
    let mut params = LogisticParams::default();
    params.stages.radius = 0;
    table.rows.retain(|row| row.0 != 21);
    table.rows.iter_mut().filter(|row| row.0 == 22).for_each(|row| row.1 = 1.0);
    params.stages.min_rows = 100;
    let fit = table.fit(&params, 30).expect("a fit");
    let fitted: Vec<_> = fit.stages.iter().map(|s| s.stage.0).collect();
    assert_eq!(fitted, [20, 23]);
    for (stage, source) in [(0, 20), (19, 20), (20, 20), (21, 20), (22, 23), (23, 23), (29, 23)] {
        assert_eq!(fit.at(Stage(stage)).stage, Stage(source), "stage {stage}");
        assert_eq!(fit.model.weights(Stage(stage)), fit.model.weights(Stage(source)));
        assert_eq!(fit.model.intercept(Stage(stage)), fit.model.intercept(Stage(source)));
    }
    params.stages.radius = 1;
    let pooled = table.fit(&params, 30).expect("a fit");
    let spans: Vec<_> =
        pooled.stages.iter().map(|s| (s.stage.0, s.pooled.0.0, s.pooled.1.0)).collect();
    assert_eq!(spans, [(20, 19, 21), (22, 21, 23), (23, 22, 24)]);
}

#[test]
fn faulty_examples_are_refused_with_a_remedy() {
    let good = games(30, 1);
    let refused = |change: &dyn Fn(&mut Table)| {
        let mut table = good.clone();
        change(&mut table);
        table.fit(&LogisticParams::default(), 1).expect_err("a fault").to_string()
    };
    let says = |message: String, expected: &str| assert!(message.contains(expected), "{message}");
    says(refused(&|t| t.rows.clear()), "there are no examples");
    says(refused(&|t| t.rows[7].3[1] = f32::NAN), "feature b is NaN in row 7");
    says(refused(&|t| t.rows[9].3[0] = f32::INFINITY), "feature a is inf in row 9");
    says(refused(&|t| t.rows[3].1 = 2.0), "row 3 has the result 2");
    says(refused(&|t| t.rows[3].1 = f32::NAN), "row 3 has the result NaN");
    says(refused(&|t| t.rows[5].0 = 4), "row 5 has stage 4, but the game has stages 0 to 0");
    says(
        refused(&|t| t.rows.iter_mut().for_each(|r| r.1 = 1.0)),
        "all 300 examples have the result 1",
    );
    says(refused(&|t| t.rows.truncate(3)), "the largest pool has 3 rows of 1 games");
    says(refused(&|t| t.rows.iter_mut().for_each(|r| r.2 = 5)), "300 rows of 1 games");
    good.with(|examples| {
        let fit = |examples| fit_logistic(&LogisticParams::default(), 1, &examples, &Quiet);
        let short = Examples { games: &examples.games[1..], ..examples };
        says(fit(short).expect_err("short").to_string(), "300 rows have 299 games");
        let short = Examples { stages: &examples.stages[..5], ..examples };
        says(fit(short).expect_err("short").to_string(), "300 rows have 5 stages");
        let short = Examples { points: &examples.points[..9], ..examples };
        assert!(fit(short).is_err());
    });
    let mut params = LogisticParams { tolerance: f64::NAN, ..LogisticParams::default() };
    says(good.fit(&params, 1).expect_err("NaN").to_string(), "tolerance is NaN");
    params = LogisticParams { max_iterations: 2, ..LogisticParams::default() };
    says(good.fit(&params, 1).expect_err("few").to_string(), "not converged after 2 iterations");
}

#[test]
fn only_draws_are_a_fit_of_zero() {
    let mut table = games(30, 1);
    table.rows.iter_mut().for_each(|r| r.1 = 0.5);
    let fit = table.fit(&LogisticParams::default(), 1).expect("a fit");
    assert!(fit.stages[0].estimates.iter().all(|e| e.weight == 0.0 && e.z == 0.0 && e.p == 1.0));
    assert!(!fit.stages[0].separated);
    serde_json::to_string(&fit.stages).expect("finite numbers");
}

#[test]
fn threads_do_not_change_a_bit() {
    let table = games(2500, 6);
    let params = LogisticParams::default();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| table.fit(&params, 6).expect("a fit"))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn a_stop_is_obeyed_and_stages_are_counted() {
    #[derive(Default)]
    struct Watch {
        stop: bool,
        log: Mutex<Vec<String>>,
    }
    impl Progress for Watch {
        fn begin(&self, task: &str, total: u64, unit: &'static str) {
            self.log.lock().expect("alone").push(format!("{task} {total} {unit}"));
        }
        fn advance(&self, amount: u64) {
            self.log.lock().expect("alone").push(amount.to_string());
        }
        fn note(&self, message: &str) {
            self.log.lock().expect("alone").push(message.into());
        }
        fn end(&self) {
            self.log.lock().expect("alone").push("end".into());
        }
        fn stopped(&self) -> bool {
            self.stop
        }
    }
    let table = games(60, 2);
    let run = |watch: &Watch| {
        table.with(|examples| fit_logistic(&LogisticParams::default(), 3, &examples, watch))
    };
    let watch = Watch::default();
    assert!(run(&watch).is_ok());
    let log = watch.log.into_inner().expect("alone");
    assert_eq!(log, ["logistic regression 3 stages", "1", "1", "1", "end"]);
    let watch = Watch { stop: true, ..Watch::default() };
    assert!(matches!(run(&watch), Err(LearnError::Stopped)));
    assert_eq!(watch.log.into_inner().expect("alone").last().map(String::as_str), Some("end"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the table, a fit is an error or finite numbers.
    #[test]
    fn no_table_breaks_a_fit(
        rows in vec((0_u8..3, 0_u8..3, 0_u32..9, vec(-2_i8..3, 3), -6_i32..7), 0..120),
    ) {
        let rows = rows.into_iter().map(|(stage, y, game, x, power)| {
            let x = x.into_iter().map(|x| f32::from(x) * 10_f32.powi(power)).collect();
            (stage, f32::from(y) / 2.0, game, x)
        });
        let table = Table { names: vec!["a", "b", "c"], rows: rows.collect() };
        let mut params = LogisticParams::default();
        params.stages.min_rows = 5;
        params.stages.min_games = 2;
        if let Ok(fit) = table.fit(&params, 3) {
            for stage in &fit.stages {
                for e in &stage.estimates {
                    let all = [e.weight, e.standard_error, e.clustered_error, e.z, e.p, e.low, e.high];
                    prop_assert!(all.iter().all(|x| x.is_finite()), "{e:?}");
                    prop_assert!(e.aliased || e.standard_error > 0.0, "{e:?}");
                }
                prop_assert!(stage.deviance >= -1e-6 && stage.log_likelihood <= 0.0);
                prop_assert!(stage.deviance <= stage.null_deviance + 1e-6);
            }
        }
    }
}
