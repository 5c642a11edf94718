//! Planted truth is found, and shuffled labels give nothing.

use super::*;
use crate::{CurveParams, Draws};
use evalsmith_core::LogOdds;
use evalsmith_core::rng;
use proptest::prelude::*;
use rand::RngExt;

/// Games of eight positions with twelve properties; `missed` is what the value
/// leaves out of the log-odds of a game, by its properties.
fn table(games: u64, seed: u64, missed: impl Fn(&[f64]) -> f64) -> SearchTable {
    let names = (0..12).map(|i| format!("p{i}")).collect();
    let mut table = SearchTable::new(names);
    let mut random = rng::stream(seed, "search", 0);
    for game in 0..games {
        let level: f64 = random.random_range(-2.0..2.0);
        let own: Vec<f64> = (0..12).map(|_| random.random_range(-10.0..10.0)).collect();
        let chance = LogOdds(level + missed(&own)).win_prob().0;
        let half = if random.random::<f64>() < chance { 2 } else { 0 };
        for _ in 0..8 {
            let value = level + random.random_range(-0.3..0.3);
            let row: Vec<f64> =
                own.iter().map(|x| (x + random.random_range(-2.0..2.0)).round()).collect();
            table.push(value, half, game, Draws::LeftOut, row.into_iter());
        }
    }
    table
}

#[test]
fn a_missing_property_is_named_first() {
    let table = table(2500, 1, |x| if x[7] > 4.0 { 0.8 } else { 0.0 });
    let found = search(&table, &SearchParams::default()).expect("a search");
    assert_eq!((found.positions, found.games), (20_000, 2500));
    let first = &found.found[0];
    assert_eq!(first.properties, ["p7"], "{found:?}");
    let (_, threshold) = first.condition.text().split_once(" >= ").expect("at least");
    let threshold: f64 = threshold.parse().expect("a number");
    assert!((2.0..=6.0).contains(&threshold), "{first:?}");
    assert!((0.4..1.0).contains(&first.log_odds) && first.z > 5.0, "{first:?}");
}

#[test]
fn a_pair_that_its_halves_do_not_show_is_found() {
    let missed = |x: &[f64]| if (x[2] > 0.0) == (x[9] > 0.0) { 0.7 } else { -0.7 };
    let params = SearchParams { pairs: true, ..SearchParams::default() };
    let found = search(&table(2500, 2, missed), &params).expect("a search");
    assert_eq!(found.found[0].properties, ["p2", "p9"], "{found:?}");
    let singles = search(&table(2500, 2, missed), &SearchParams::default()).expect("a search");
    assert!(singles.found.is_empty(), "{singles:?}");
}

#[test]
fn nothing_is_found_where_nothing_is_missing() {
    let params = SearchParams { pairs: true, ..SearchParams::default() };
    let reported: usize = (10..20)
        .map(|seed| search(&table(700, seed, |_| 0.0), &params).expect("a search").found.len())
        .sum();
    assert_eq!(reported, 0);
}

/// The one-pass sums of a threshold against the definition, row by row.
#[test]
fn scores_and_their_variance_are_those_of_the_definition() {
    let table = table(60, 5, |x| 0.1 * x[0]);
    let base =
        Base::of(&table.counted_values(), table.points(), table.numbered_games()).expect("a curve");
    let ranked = Ranked::of(table.property(0));
    let params = SearchParams { min_count: 30, min_games: 5, ..SearchParams::default() };
    let tested = single::scan(&base, &ranked, 0, &params);
    assert!(tested.len() > 5);
    let z = |row: usize, hat: usize| {
        let place = base.places[row];
        if hat == place.left {
            1.0 - place.right
        } else if hat == place.left + 1 {
            place.right
        } else {
            0.0
        }
    };
    for found in tested {
        let (_, cut, by) = found.parts[0];
        let above = by == By::AtLeast;
        let c = |row: usize| f64::from(u8::from((ranked.ranks[row] >= cut) == above));
        let rows = 0..table.len();
        let sum = |of: &dyn Fn(usize) -> f64| rows.clone().map(of).sum::<f64>();
        let weighted: Vec<f64> = (0..base.hats)
            .map(|hat| sum(&|row| base.weights[row] * z(row, hat) * c(row)))
            .collect();
        let pi = base.factor.solve(&weighted);
        let free = |row: usize| c(row) - (0..base.hats).map(|h| pi[h] * z(row, h)).sum::<f64>();
        let score = sum(&|row| free(row) * base.residuals[row]);
        let information = sum(&|row| base.weights[row] * free(row) * free(row));
        let games = base.games.iter();
        let squares: f64 = games
            .map(|game| {
                game.clone().map(|row| free(row) * base.residuals[row]).sum::<f64>().powi(2)
            })
            .sum();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
        assert!(close(found.gain, score * score / (2.0 * information)), "{found:?}");
        assert!(close(found.log_odds, score / information), "{found:?}");
        assert!(close(found.z, score / (squares * 60.0 / 59.0).sqrt()), "{found:?}");
        assert_eq!(found.positions as f64, sum(&c));
    }
}

/// Games of six positions with ten atoms of three values; `missed` is what the value
/// leaves out, by the atoms of the game.
fn atoms(games: u64, seed: u64, missed: impl Fn(&[u8]) -> f64) -> SearchTable {
    let mut table = SearchTable::new((0..10).map(|i| format!("{i}a")).collect());
    let mut random = rng::stream(seed, "atoms", 0);
    for game in 0..games {
        let level: f64 = random.random_range(-2.0..2.0);
        let own: Vec<u8> = (0..10).map(|_| random.random_range(0..3)).collect();
        let chance = LogOdds(level + missed(&own)).win_prob().0;
        let half = if random.random::<f64>() < chance { 2 } else { 0 };
        for _ in 0..6 {
            let value = level + random.random_range(-0.3..0.3);
            let changed = random.random_range(0..10);
            let mut row: Vec<f64> = own.iter().map(|&x| f64::from(x)).collect();
            row[changed] = f64::from(random.random_range(0..3_u8));
            table.push(value, half, game, Draws::LeftOut, row.into_iter());
        }
    }
    table
}

fn configured(configurations: usize) -> SearchParams {
    SearchParams { configurations, min_count: 200, ..SearchParams::default() }
}

#[test]
fn a_missing_configuration_is_named_first() {
    let corner = |x: &[u8]| if x[2] == 1 && x[7] == 0 { 1.5 } else { 0.0 };
    let found = search(&atoms(3000, 1, corner), &configured(2)).expect("a search").found;
    let joint = found.iter().find(|f| f.properties.len() == 2).expect("a pair of relations");
    assert_eq!(joint.condition.text(), "`2a` = 1 and `7a` = 0", "{found:?}");
    assert!(joint.log_odds > 0.5 && joint.z > 5.0, "{joint:?}");

    let middle = |x: &[u8]| if x[4] == 1 { 1.0 } else { -0.5 };
    let found = search(&atoms(3000, 2, middle), &configured(1)).expect("a search").found;
    assert_eq!(found[0].condition.text(), "`4a` = 1", "no threshold parts the middle value");

    let three = |x: &[u8]| if x[0] == 2 && x[3] == 2 && x[5] == 1 { 3.0 } else { 0.0 };
    let found = search(&atoms(6000, 3, three), &configured(3)).expect("a search").found;
    let joint = found.iter().find(|f| f.properties.len() == 3).expect("three relations");
    assert_eq!(joint.condition.text(), "`0a` = 2 and `3a` = 2 and `5a` = 1", "{found:?}");
}

#[test]
fn no_configuration_is_found_where_nothing_is_missing() {
    for seed in 10..15 {
        let searched = search(&atoms(800, seed, |_| 0.0), &configured(2)).expect("a search");
        assert!(searched.tests > 300 && searched.found.is_empty(), "{searched:?}");
    }
}

/// Log-odds that decide a game long before its end: beyond 6 nobody loses.
fn decided(games: u64, missed: f64) -> SearchTable {
    let mut table = SearchTable::new(vec!["p".into(), "noise".into()]);
    let mut random = rng::stream(games, "decided", 0);
    for game in 0..games {
        let p = f64::from(random.random_range(0..2_u8));
        let level: f64 = random.random_range(-3.0..3.0);
        let won = random.random::<f64>() < LogOdds(level + missed * p).win_prob().0;
        let to = if won { 14.0 } else { -14.0 };
        for ply in 0..20 {
            let way = f64::from(ply) / 19.0;
            let value = (1.0 - way) * level + way * to + random.random_range(-0.5..0.5);
            let noise = random.random_range(-5.0..5.0);
            let half = if won { 2 } else { 0 };
            table.push(value, half, game, Draws::LeftOut, [p, noise].into_iter());
        }
    }
    table
}

#[test]
fn games_that_values_decide_are_searched() {
    let params = SearchParams { min_count: 100, min_games: 10, ..SearchParams::default() };
    for games in [60, 300, 3000] {
        let searched = search(&decided(games, 2.0), &params).expect("a result");
        assert!(searched.separated && searched.tests > 10, "{searched:?}");
        let found: Vec<_> = searched.found.iter().map(|f| f.properties.concat()).collect();
        assert!(games < 300 || found == ["p"], "{searched:?}");
        let none = search(&decided(games, 0.0), &params).expect("a result");
        assert!(none.found.is_empty(), "{none:?}");
    }
    let pairs = SearchParams { pairs: true, ..params };
    assert!(search(&decided(60, 2.0), &pairs).is_ok());
}

fn cells() -> impl Strategy<Value = f64> {
    let third = (1..9_i32, 1..9_i32).prop_map(|(a, b)| f64::from(a) / f64::from(b));
    let near = (0..4_u8).prop_map(|i| 0.1 + f64::from(i) * 1e-12);
    let odd = prop::sample::select(vec![f64::NAN, f64::INFINITY, -0.0, 0.0, 1e300, -1e-300]);
    prop_oneof![4 => third, 4 => near, 1 => odd, 2 => -9.0..9.0]
}

proptest! {
    /// What is drawn is what was tested: the condition, read from its text or not, holds
    /// in as many rows as the search counted.
    #[test]
    fn a_condition_holds_where_it_was_tested(
        rows in prop::collection::vec((-3.0..3.0_f64, any::<bool>(), cells(), cells()), 40..120),
    ) {
        let mut table = SearchTable::new(vec!["a".into(), "odd name".into()]);
        for (game, &(value, won, a, b)) in (0..).zip(&rows) {
            table.push(value, 2 * u8::from(won), game, Draws::LeftOut, [a, b].into_iter());
        }
        let params = SearchParams {
            min_count: 4, min_games: 4, false_discovery_rate: 2.0, pairs: true, configurations: 0,
        };
        let a: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let b: Vec<f64> = rows.iter().map(|row| row.3).collect();
        let Ok(searched) = search(&table, &params) else { return Ok(()) };
        for found in &searched.found {
            let text = found.condition.text();
            let read = Expression::condition(text).unwrap_or_else(|e| panic!("{e}"));
            for condition in [&found.condition, &read] {
                let columns: Vec<&[f64]> =
                    condition.names().iter().map(|n| if n == "a" { &a[..] } else { &b }).collect();
                let mut holds = vec![false; rows.len()];
                condition.holds(&columns, &mut holds);
                let held = holds.iter().filter(|hold| **hold).count() as u64;
                prop_assert_eq!(held, found.positions, "{}", text);
            }
        }
        let params = CurveParams { min_count: 1, ..CurveParams::default() };
        let conditions: Vec<_> = searched.found.iter().map(|f| f.condition.clone()).collect();
        let counted = table.curves(&params, &conditions).expect("curves");
        for (drawn, found) in counted.conditioned.iter().zip(&searched.found) {
            prop_assert_eq!(drawn.curve.positions, found.positions);
        }
    }
}
