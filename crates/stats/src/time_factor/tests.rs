use super::*;
use crate::elo::Elo;
use crate::simulation::PairOdds;
use proptest::prelude::*;

fn batch(factor: f64, pairs: [u64; 5]) -> Batch {
    Batch { factor, pairs: Pentanomial(pairs) }
}

/// Computed with scipy: `root` on the score equations, the sandwich by numpy,
/// the ends of the interval by `brentq`.
#[test]
fn agrees_with_scipy() {
    let batches = [
        batch(2.0, [4, 12, 33, 19, 12]),
        batch(0.5, [14, 20, 30, 10, 6]),
        batch(3.0, [3, 10, 25, 22, 20]),
        batch(1.0, [9, 18, 31, 15, 7]),
    ];
    let fit = TimeFit::of(&batches).unwrap().unwrap();
    assert!(!fit.with_prior);
    let interval = fit.interval.unwrap();
    for (found, wanted) in [
        (fit.intercept, -0.024_355_419_941_273_75),
        (fit.slope, 0.352_229_257_446_770_5),
        (fit.factor.unwrap(), 1.049_095_852_874_849_5),
        (interval.low, 0.759_132_265_952_382_1),
        (interval.high, 1.346_082_903_050_469_3),
    ] {
        assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
    }
}

#[test]
fn extremes_have_answers() {
    assert_eq!(TimeFit::of(&[]), Ok(None));
    assert_eq!(TimeFit::of(&[batch(1.0, [1, 1, 1, 1, 1]), batch(2.0, [0; 5])]), Ok(None));
    assert_eq!(TimeFit::of(&[batch(-1.0, [1; 5])]), Err(StatsError::TimeFactor(-1.0)));
    // All lost with half the time, all won with twice: equal in the middle.
    let steep = [batch(0.5, [50, 0, 0, 0, 0]), batch(2.0, [0, 0, 0, 0, 50])];
    let fit = TimeFit::of(&steep).unwrap().unwrap();
    assert!(fit.with_prior && (fit.factor.unwrap() - 1.0).abs() < 1e-6, "{fit:?}");
    // A mixed batch at the very factor that parts the rest bounds no slope.
    let parted = [batch(1.0, [3, 4, 5, 4, 3]), batch(0.5, [9, 0, 0, 0, 0]), steep[1]];
    for some in [&parted[..], &parted[..2]] {
        let fit = TimeFit::of(some).unwrap().unwrap();
        assert!(fit.with_prior && fit.slope > 1.0, "{fit:?}");
    }
    // Time does not matter, or harms: there is no such factor.
    let flat = [batch(0.5, [5; 5]), batch(2.0, [5; 5])];
    assert_eq!(TimeFit::of(&flat).unwrap().unwrap().interval, None);
    let harm = [batch(0.5, [0, 0, 5, 5, 9]), batch(2.0, [9, 5, 5, 0, 0])];
    assert_eq!(TimeFit::of(&harm).unwrap().unwrap().factor, None);
    for sample in [[0, 0, 0, 0, 9], [9, 0, 0, 0, 0], [0, 0, 9, 0, 0], [0, 0, 0, 0, 1 << 50]] {
        assert!(TimeFit::of(&[batch(1.0, sample), batch(4.0, sample)]).unwrap().is_some());
    }
}

#[test]
fn the_design_stays_inside_its_range() {
    let design = Design::new(Interval { low: 0.25, high: 4.0 }, 1.1).unwrap();
    let won = [0, 0, 5, 10, 35];
    let lost = [35, 10, 5, 0, 0];
    assert_eq!(design.next(&[batch(0.5, won)]), Ok(Step::Play(0.25)));
    assert_eq!(design.next(&[batch(0.25, won)]), Ok(Step::Below));
    assert_eq!(design.next(&[batch(4.0, lost)]), Ok(Step::Above));
    assert_eq!(design.next(&[batch(4.0, [1, 0, 0, 0, 0])]), Ok(Step::Play(4.0)));
    let Ok(Step::Play(between)) = design.next(&[batch(0.5, lost), batch(2.0, won)]) else {
        panic!("the interval is not that narrow");
    };
    assert!((0.8..1.25).contains(&between) && between != 1.0, "{between}");
    for (low, high) in [(0.0, 1.0), (1.0, 1.0), (1.0, f64::INFINITY), (f64::NAN, 2.0)] {
        assert!(Design::new(Interval { low, high }, 1.1).is_err());
    }
    assert!(Design::new(Interval { low: 0.5, high: 2.0 }, 1.0).is_err());
}

/// Time factors and what a doubling is worth in Elo. The procedure must end, near
/// there, with intervals that hold the truth: of 300, fewer than 268 would happen to
/// a true 95 % once in a hundred thousand times.
#[test]
fn the_design_finds_the_factor() {
    let design = Design::new(Interval { low: 1.0 / 16.0, high: 16.0 }, 1.35).unwrap();
    let mut covered = 0;
    for (truth, worth) in [(1.7, 60.0), (0.2, 100.0), (6.0, 150.0)] {
        for seed in 0..100 {
            let mut batches: Vec<Batch> = Vec::new();
            let found = loop {
                match design.next(&batches).unwrap() {
                    Step::Play(factor) => {
                        let difference = Elo(worth * (factor / truth).log2());
                        let odds = PairOdds::of_games(difference, Elo(30.0), Elo(100.0)).unwrap();
                        let pairs = odds.play(100, seed, batches.len() as u64);
                        batches.push(Batch { factor, pairs });
                        assert!(batches.len() < 300, "{batches:?}");
                    }
                    Step::Found { interval, .. } => break interval,
                    other => panic!("{other:?} after {batches:?}"),
                }
            };
            covered += u32::from(found.contains(&truth));
        }
    }
    assert!(covered >= 268, "{covered} of 300");
}

proptest! {
    #[test]
    fn order_and_splitting_of_batches_do_not_matter(
        a in [0..20_u64, 0..20_u64, 1..20_u64, 0..20_u64, 0..20_u64],
        b in [0..20_u64, 0..20_u64, 1..20_u64, 0..20_u64, 0..20_u64],
        c in [0..20_u64, 0..20_u64, 1..20_u64, 0..20_u64, 0..20_u64],
    ) {
        let whole = [batch(0.7, a), batch(1.0, b), batch(1.0, c)];
        let mut both = b;
        both.iter_mut().zip(c).for_each(|(b, c)| *b += c);
        let merged = [batch(1.0, both), batch(0.7, a)];
        prop_assert_eq!(TimeFit::of(&whole).unwrap(), TimeFit::of(&merged).unwrap());
        let fit = TimeFit::of(&whole).unwrap().unwrap();
        if let (Some(factor), Some(interval)) = (fit.factor, fit.interval) {
            prop_assert!(interval.contains(&factor), "{:?}", fit);
            // Doubling the clock's unit doubles the factor.
            let doubled = whole.map(|b| Batch { factor: 2.0 * b.factor, ..b });
            let doubled = TimeFit::of(&doubled).unwrap().unwrap();
            prop_assert!((doubled.factor.unwrap() / factor - 2.0).abs() < 1e-6);
            prop_assert!((doubled.interval.unwrap().high / interval.high - 2.0).abs() < 1e-5);
        }
    }
}
