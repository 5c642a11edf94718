use super::*;
use crate::elo::Sample;
use crate::sprt::Sprt;
use proptest::prelude::*;

const SETTING: Setting = Setting { bias: Elo(80.0), draws: Elo(120.0), matches: 1500, seed: 5 };

/// Bounds of five standard errors of the simulation.
#[test]
fn intervals_hold_the_truth() {
    let table =
        CoverageTable::simulate(SETTING, &[Elo(0.0), Elo(60.0), Elo(-250.0)], &[30, 400]).unwrap();
    for row in &table.rows {
        let slack = 5.0 * (0.05 * 0.95 / SETTING.matches as f64).sqrt();
        let low = if row.pairs < 100 { 0.94 } else { 0.95 } - slack;
        assert!((low..0.95 + slack + 0.01).contains(&row.elo), "{row:?}");
        assert!((low..0.95 + slack + 0.01).contains(&row.normalised_elo), "{row:?}");
        if row.difference == Elo(0.0) {
            assert!(row.superior < 0.025 + 5.0 * (0.025 / SETTING.matches as f64).sqrt());
        }
    }
}

/// The promised error rates, with four standard errors of the simulation and one
/// per cent for what the last pair oversteps; and lengths near the forecast.
#[test]
fn sequential_tests_keep_their_promise() {
    let setting = Setting { matches: 600, ..SETTING };
    let sprt = Sprt::logistic([Elo(0.0), Elo(40.0)], 0.05, 0.1).unwrap();
    let table =
        SprtTable::simulate(setting, sprt, &[Elo(0.0), Elo(20.0), Elo(40.0)], 4, 100_000).unwrap();
    let [null, middle, alternative] = &table.rows[..] else { panic!("three rows") };
    let slack = |rate: f64| 4.0 * (rate * (1.0 - rate) / setting.matches as f64).sqrt() + 0.01;
    assert!(null.accepts < 0.05 + slack(0.05), "{null:?}");
    assert!(1.0 - alternative.accepts < 0.1 + slack(0.1), "{alternative:?}");
    assert!((0.2..0.8).contains(&middle.accepts), "{middle:?}");
    assert!(middle.mean_pairs > null.mean_pairs.max(alternative.mean_pairs));
    for row in &table.rows {
        assert_eq!(row.undecided, 0.0);
        assert!((0.9..1.35).contains(&(row.mean_pairs / row.forecast_pairs)), "{row:?}");
    }
}

#[test]
fn the_same_seed_is_the_same_match() {
    let odds = PairOdds::of_games(Elo(10.0), Elo(50.0), Elo(200.0)).unwrap();
    assert_eq!(odds.play(1000, 1, 2), odds.play(1000, 1, 2));
    assert_ne!(odds.play(1000, 1, 2), odds.play(1000, 1, 3));
    assert_ne!(odds.play(1000, 1, 2), odds.play(1000, 2, 2));
    let drawn = PairOdds::new([0.0, 0.0, 0.25, 0.75, 0.0]).unwrap().play(4000, 9, 0);
    assert_eq!([drawn.0[0], drawn.0[1], drawn.0[4]], [0, 0, 0]);
    // Three quarters within five standard errors.
    assert!(drawn.0[3].abs_diff(3000) < 137, "{drawn:?}");
}

#[test]
fn mistakes_are_named() {
    assert!(PairOdds::new([0.2; 5]).is_ok());
    for wrong in [[0.3; 5], [f64::NAN; 5], [-0.2, 0.4, 0.4, 0.2, 0.2]] {
        assert!(matches!(PairOdds::new(wrong), Err(StatsError::Probabilities(_))));
    }
    assert!(PairOdds::of_games(Elo(f64::INFINITY), Elo(0.0), Elo(0.0)).is_err());
    assert!(PairOdds::of_games(Elo(0.0), Elo(f64::NAN), Elo(0.0)).is_err());
    let error = PairOdds::of_games(Elo(0.0), Elo(0.0), Elo(-1.0)).unwrap_err();
    assert_eq!(error.to_string(), "the draw Elo is -1: it must lie between 0 and 2000");
    let none = Setting { matches: 0, ..SETTING };
    assert!(CoverageTable::simulate(none, &[Elo(0.0)], &[10]).is_err());
    let sprt = Sprt::logistic([Elo(0.0), Elo(40.0)], 0.05, 0.1).unwrap();
    assert!(SprtTable::simulate(SETTING, sprt, &[Elo(0.0)], 0, 10).is_err());
}

proptest! {
    #[test]
    fn odds_have_the_difference_asked_for(
        elo in -800.0..800.0_f64, bias in -300.0..300.0_f64, draws in 0.0..400.0_f64,
    ) {
        let odds = PairOdds::of_games(Elo(elo), Elo(bias), Elo(draws)).unwrap();
        prop_assert!((odds.share() - Elo(elo).share()).abs() < 1e-9);
        let other = PairOdds::of_games(Elo(-elo), Elo(-bias), Elo(draws)).unwrap();
        let near = |i: usize| (odds.probabilities()[i] - other.probabilities()[4 - i]).abs() < 1e-9;
        prop_assert!((0..5).all(near));
        // A great many pairs show them.
        let played = odds.play(20_000, 3, 0);
        let error = played.standard_error().unwrap();
        prop_assert!((played.share().unwrap() - odds.share()).abs() < 6.0 * error + 1e-3);
    }
}
