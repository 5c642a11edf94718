use super::*;
use crate::elo::Pentanomial;
use crate::simulation::PairOdds;
use proptest::prelude::*;

fn table(players: usize, matches: &[(usize, usize, [u64; 5])]) -> CrossTable {
    let mut table = CrossTable::new((0..players).map(|i| format!("p{i}"))).unwrap();
    for &(i, j, pairs) in matches {
        table.add(i, j, &Pentanomial(pairs)).unwrap();
    }
    table
}

const ROUND_ROBIN: [(usize, usize, [u64; 5]); 5] = [
    (0, 1, [3, 10, 25, 14, 8]),
    (1, 2, [5, 12, 20, 9, 4]),
    (2, 3, [1, 4, 18, 22, 15]),
    (0, 3, [0, 5, 12, 20, 23]),
    (1, 3, [2, 6, 11, 13, 8]),
];

/// Of the sweep below.
const SWEPT: f64 = 397.420_388_809_319_95;

/// Computed with scipy: `root` on the score equations, the sandwich by a loop over
/// single pairs and numpy's pseudo-inverse.
#[test]
fn agrees_with_scipy() {
    let ratings = Ratings::fit(&table(4, &ROUND_ROBIN), Anchor::Mean).unwrap();
    assert!(!ratings.with_prior());
    let elo = [
        66.792_956_032_809_8,
        9.321_847_553_207_832,
        30.350_894_780_123_312,
        -106.465_698_366_140_94,
    ];
    let error = [
        14.748_162_097_748_443,
        12.406_711_351_151_092,
        14.765_899_450_299_747,
        12.758_050_659_917_433,
    ];
    for i in 0..4 {
        let found = ratings.rating(i);
        assert!((found.elo.0 - elo[i]).abs() < 1e-7, "{found:?}");
        assert!((found.error - error[i]).abs() < 1e-7, "{found:?}");
    }
    let never_met = ratings.difference(0, 2);
    assert!((never_met.elo.0 - 36.442_061_252_686_486).abs() < 1e-7);
    assert!((never_met.error - 26.407_984_652_177_483).abs() < 1e-7);
    assert_eq!(ratings.ranking(), [0, 2, 1, 3]);
}

#[test]
fn groups_that_never_met_are_named() {
    let apart = table(5, &[(0, 3, [1, 1, 1, 1, 1]), (1, 2, [0, 0, 5, 0, 0])]);
    let error = Ratings::fit(&apart, Anchor::Mean).unwrap_err();
    let groups = [vec!["p0", "p3"], vec!["p1", "p2"], vec!["p4"]];
    let groups: Vec<Vec<String>> =
        groups.iter().map(|g| g.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(error, StatsError::Disconnected(groups));
    assert!(error.to_string().contains("{p0, p3}, {p1, p2}, {p4}"), "{error}");
}

/// Two players, all won: half a draw against the middle for each, so with `x` the
/// log-odds rating, 2n (1 - σ(2x)) = ½ (σ(x) - ½); for ten pairs by scipy's `brentq`.
#[test]
fn perfect_scores_are_finite_and_said() {
    let swept = table(2, &[(0, 1, [0, 0, 0, 0, 10])]);
    let ratings = Ratings::fit(&swept, Anchor::Mean).unwrap();
    assert!(ratings.with_prior());
    let found = ratings.rating(0);
    assert!((found.elo.0 - SWEPT).abs() < 1e-6, "{found:?}");
    assert!(found.interval.low.0.is_finite() && found.error > 50.0);
    // However many games, it stays a number.
    let swept = table(2, &[(0, 1, [0, 0, 0, 0, 1_000_000_000])]);
    assert!(Ratings::fit(&swept, Anchor::Mean).unwrap().rating(0).elo.0 > 1000.0);
    // The third never met the first.
    let chain = table(3, &[(0, 1, [0, 0, 0, 0, 4]), (1, 2, [0, 0, 0, 0, 4])]);
    let ratings = Ratings::fit(&chain, Anchor::Player("p2")).unwrap();
    assert_eq!(ratings.ranking(), [0, 1, 2]);
    assert_eq!((ratings.elo()[2], ratings.rating(2).error), (Elo(0.0), 0.0));
}

/// A gauntlet with a biased opening: the differences of all, met or not, lie in
/// their 95 % intervals; bounds of four standard errors of the simulation.
#[test]
fn intervals_hold_the_truth() {
    let truth = [0.0, 35.0, -120.0, 240.0];
    let meetings = [(0, 1), (0, 2), (0, 3), (1, 2)];
    let tournaments = 1000;
    let mut held = [0_u32; 3];
    for seed in 0..tournaments {
        let mut table = table(4, &[]);
        for (index, (i, j)) in (0..).zip(meetings) {
            let difference = Elo(truth[i] - truth[j]);
            let odds = PairOdds::of_games(difference, Elo(90.0), Elo(110.0)).unwrap();
            table.add(i, j, &odds.play(60, seed, index)).unwrap();
        }
        let ratings = Ratings::fit(&table, Anchor::Player("p0")).unwrap();
        for (held, (i, j)) in held.iter_mut().zip([(0, 1), (1, 3), (2, 3)]) {
            let interval = ratings.difference(i, j).interval;
            *held += u32::from(interval.contains(&Elo(truth[i] - truth[j])));
        }
    }
    let slack = 4.0 * (0.05 * 0.95 / tournaments as f64).sqrt();
    for held in held {
        let rate = f64::from(held) / tournaments as f64;
        assert!((rate - 0.955).abs() < slack, "{rate}");
    }
}

fn five() -> impl Strategy<Value = [u64; 5]> {
    [0..30_u64, 0..30_u64, 1..30_u64, 0..30_u64, 0..30_u64]
}

proptest! {
    /// With two players the rating is Elo's, and its error that of the pairs.
    #[test]
    fn two_players_are_a_match(pairs in five()) {
        let ratings = Ratings::fit(&table(2, &[(0, 1, pairs)]), Anchor::Player("p1")).unwrap();
        let pairs = Pentanomial(pairs);
        let share = pairs.share().unwrap();
        let found = ratings.rating(0);
        prop_assert!((found.elo.0 - Elo::of_share(share).0).abs() < 1e-6);
        let slope = 1.0 / (share * (1.0 - share) * PER_ELO);
        let error = slope * pairs.squared_residuals(share).sqrt() / (2.0 * pairs.pairs() as f64);
        prop_assert!((found.error / error - 1.0).abs() < 1e-8, "{} {}", found.error, error);
    }

    /// Every player made the points its rating expects; the anchor only shifts;
    /// with all results turned the order is.
    #[test]
    fn points_made_are_points_expected(
        a in five(), b in five(), c in five(), d in five(), many in 1..50_u64,
    ) {
        let matches = [(0, 1, a), (1, 2, b), (3, 2, c), (0, 3, d.map(|n| n * many))];
        let made = table(4, &matches);
        let mean = Ratings::fit(&made, Anchor::Mean).unwrap();
        prop_assert!(mean.elo().iter().map(|e| e.0).sum::<f64>().abs() < 1e-6);
        for i in 0..4 {
            let expected: f64 = (0..4)
                .map(|j| {
                    let n = made.between(i, j).pairs() as f64;
                    n * Elo(mean.elo()[i].0 - mean.elo()[j].0).share()
                })
                .sum();
            let total = made.total(i);
            let points = total.share().unwrap() * total.pairs() as f64;
            prop_assert!((points - expected).abs() < 1e-6 * (1.0 + points), "{} {}", points, expected);
        }
        let fixed = Ratings::fit(&made, Anchor::Player("p2")).unwrap();
        let turned = matches.map(|(i, j, pairs)| (j, i, pairs));
        let turned = Ratings::fit(&table(4, &turned), Anchor::Mean).unwrap();
        for (i, j) in [(0, 1), (0, 2), (3, 1)] {
            let (x, y, z) =
                (mean.difference(i, j), fixed.difference(i, j), turned.difference(i, j));
            prop_assert!((x.elo.0 - y.elo.0).abs() < 1e-6 && (x.elo.0 + z.elo.0).abs() < 1e-6);
            prop_assert!((x.error / y.error - 1.0).abs() < 1e-6);
            prop_assert!((x.error / z.error - 1.0).abs() < 1e-6);
        }
    }
}
