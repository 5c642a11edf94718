use super::*;
use crate::elo::{Pentanomial, Trinomial};
use proptest::prelude::*;

fn logistic(h0: f64, h1: f64) -> Sprt {
    Sprt::logistic([Elo(h0), Elo(h1)], 0.05, 0.05).unwrap()
}

fn normalised(h0: f64, h1: f64) -> Sprt {
    Sprt::normalised([NormalisedElo(h0), NormalisedElo(h1)], 0.05, 0.05).unwrap()
}

fn near(found: f64, wanted: f64, relative: f64) {
    assert!((found / wanted - 1.0).abs() < relative, "{found} is not {wanted}");
}

/// Computed by fishtest's own `LLRcalc.py` (`LLR_logistic`, `LLR_normalized`); the
/// first three samples are those of the tests at the foot of its `stat_util.py`.
#[test]
fn agrees_with_fishtest() {
    let five = [
        (logistic(-3.0, 1.0), [10_789, 19_328, 33_806, 19_402, 10_543], 2.131_067_811_794_080_7),
        (logistic(0.2, 0.9), [39, 2226, 31_451, 2412, 40], 2.162_542_580_048_359_3),
        (normalised(0.764, 3.439), [39, 2226, 31_451, 2412, 40], 2.162_940_869_584_568),
        (logistic(0.0, 5.0), [0, 0, 3, 0, 0], -0.039_170_199_288_332_465),
        (logistic(0.0, 5.0), [0, 0, 0, 0, 1], 0.014_315_849_412_829_656),
        (logistic(0.0, 5.0), [0, 0, 0, 0, 100], 1.428_789_137_645_042_3),
        (logistic(0.0, 10.0), [1, 0, 0, 0, 0], -0.029_255_446_370_397_95),
        (logistic(50.0, 100.0), [5, 10, 40, 60, 55], 13.877_883_733_381_74),
        (normalised(0.0, 10.0), [12, 30, 70, 41, 19], 0.812_462_376_166_387_1),
        (normalised(-20.0, 20.0), [12, 30, 70, 41, 19], 3.815_470_787_871_842_4),
        (normalised(0.0, 50.0), [5, 10, 40, 60, 55], 18.285_730_901_317_08),
        (normalised(0.0, 2.0), [365, 16_618, 36_229, 16_974, 390], 2.250_367_703_548_933),
    ];
    for (sprt, counts, llr) in five {
        near(sprt.llr(&Pentanomial(counts)), llr, 1e-7);
    }
    let games = Trinomial::new(90, 80, 60);
    near(logistic(0.0, 10.0).llr(&games), 1.179_586_453_217_001_3, 1e-7);
    near(normalised(0.0, 10.0).llr(&games), 0.974_199_980_931_403_4, 1e-7);
}

/// The expected numbers of fastchess's `app/tests/sprt_test.cpp`, which hold to one
/// per cent there. Its samples of nothing but wins are among them.
#[test]
fn agrees_with_fastchess() {
    let five = [
        (normalised(-1.75, 0.25), [127, 4883, 10_311 + 401, 5150, 104], 3.01),
        (normalised(0.0, 5.0), [0, 0, 0, 0, 5550], 111.82),
        (logistic(0.5, 2.5), [223, 9863, 20_279 + 1000, 10_037, 246], -3.07),
        (logistic(0.0, 2.0), [871, 26_175, 55_003 + 980, 26_678, 821], -4.98),
    ];
    for (sprt, counts, llr) in five {
        near(sprt.llr(&Pentanomial(counts)), llr, 0.01);
    }
    let three = [
        (normalised(0.0, 2.0), Trinomial::new(36_433, 68_692, 36_027), 0.92),
        (normalised(-1.75, 0.25), Trinomial::new(10_871, 20_431, 10_650), 2.30),
        (normalised(0.0, 10.0), Trinomial::new(4250, 0, 0), 120.56),
        (logistic(0.5, 2.5), Trinomial::new(21_404, 40_708, 21_184), -1.57),
        (logistic(0.0, 2.0), Trinomial::new(57_433, 106_593, 57_030), -2.59),
    ];
    for (sprt, games, llr) in three {
        near(sprt.llr(&games), llr, 0.01);
    }
}

#[test]
fn bounds_are_walds() {
    let sprt = Sprt::logistic([Elo(0.0), Elo(5.0)], 0.05, 0.1).unwrap();
    near(sprt.bounds().low, (0.1_f64 / 0.95).ln(), 1e-15);
    near(sprt.bounds().high, 18.0_f64.ln(), 1e-15);
    assert_eq!(sprt.verdict_at(2.88), Verdict::Continue);
    assert_eq!(sprt.verdict_at(2.90), Verdict::AcceptH1);
    assert_eq!(sprt.verdict_at(-2.26), Verdict::AcceptH0);
    assert_eq!(sprt.verdict(&Pentanomial::default()), Verdict::Continue);
}

#[test]
fn senseless_tests_are_refused() {
    let elo = |h0, h1, alpha, beta| Sprt::logistic([Elo(h0), Elo(h1)], alpha, beta);
    for (h0, h1) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (0.0, 2001.0)] {
        assert!(matches!(elo(h0, h1, 0.05, 0.05), Err(StatsError::Hypotheses { .. })), "{h0} {h1}");
    }
    for (alpha, beta) in [(0.0, 0.05), (0.05, 0.0), (0.5, 0.5), (f64::NAN, 0.05), (-0.1, 0.2)] {
        let refused = elo(0.0, 1.0, alpha, beta);
        assert!(matches!(refused, Err(StatsError::ErrorRates { .. })), "{alpha} {beta}");
    }
    assert!(Sprt::normalised([NormalisedElo(0.0), NormalisedElo(151.0)], 0.05, 0.05).is_err());
}

#[test]
fn a_test_is_checked_when_read() {
    let text = serde_json::to_string(&normalised(0.0, 2.0)).unwrap();
    assert_eq!(serde_json::from_str::<Sprt>(&text).unwrap(), normalised(0.0, 2.0));
    let turned = text.replace("0.05", "0.7");
    assert!(serde_json::from_str::<Sprt>(&turned).unwrap_err().to_string().contains("alpha 0.7"));
    let mixed = text.replacen("normalised", "logistic", 1);
    assert!(serde_json::from_str::<Sprt>(&mixed).unwrap_err().to_string().contains("one scale"));
}

/// Of a match that lies half-way no end is likelier; of one at H1 the rates hold.
#[test]
fn forecasts_follow_the_truth() {
    let sprt = logistic(0.0, 5.0);
    let so_far = Pentanomial([100, 200, 400, 200, 100]);
    let fresh = |elo| sprt.forecast(&Pentanomial::default(), Strength::Logistic(Elo(elo))).unwrap();
    assert!((fresh(2.5).accepts - 0.5).abs() < 1e-3 && (fresh(5.0).accepts - 0.95).abs() < 1e-3);
    assert!(fresh(2.5).remaining > fresh(5.0).remaining);
    assert!(fresh(f64::INFINITY).accepts > 0.999);
    // Behind already: less likely, and longer.
    let behind = sprt.forecast(&so_far, Strength::Logistic(Elo(5.0))).unwrap();
    assert!(sprt.llr(&so_far) < 0.0 && behind.accepts < 0.95);
    let decided = Pentanomial([1000, 2000, 4000, 3500, 2000]);
    let done = sprt.forecast(&decided, Strength::Logistic(Elo(0.0))).unwrap();
    assert_eq!((done.remaining, done.accepts), (0.0, 1.0));
    assert!(sprt.forecast(&so_far, Strength::Logistic(Elo(f64::NAN))).is_err());
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(0), 5 => 0..20_u64, 2 => 0..10_000_000_u64, 1 => Just(u64::MAX)]
}

fn sprt() -> impl Strategy<Value = Sprt> {
    prop_oneof![
        (-300.0..300.0_f64, 0.01..200.0_f64).prop_map(|(h0, gap)| logistic(h0, h0 + gap)),
        (-75.0..75.0_f64, 0.01..75.0_f64).prop_map(|(h0, gap)| normalised(h0, h0 + gap)),
    ]
}

fn turned(sprt: &Sprt) -> Sprt {
    let minus = |strength| match strength {
        Strength::Logistic(Elo(elo)) => Strength::Logistic(Elo(-elo)),
        Strength::Normalised(elo) => Strength::Normalised(NormalisedElo(-elo.0)),
    };
    Sprt { null: minus(sprt.alternative), alternative: minus(sprt.null), ..*sprt }
}

proptest! {
    #[test]
    fn always_a_number_and_the_other_player_sees_the_opposite(
        sprt in sprt(), five in [count(), count(), count(), count(), count()],
    ) {
        let pairs = Pentanomial(five);
        let llr = sprt.llr(&pairs);
        prop_assert!(llr.is_finite());
        let other = turned(&sprt).llr(&pairs.mirrored());
        // Rounding grows with the number of observations.
        let rounding = 1e-7 * (1.0 + llr.abs()) + 1e-13 * pairs.pairs() as f64;
        prop_assert!((llr + other).abs() < rounding, "{} {}", llr, other);
        let [losses, draws, wins, ..] = five;
        prop_assert!(sprt.llr(&Trinomial::new(wins, draws, losses)).is_finite());
        let forecast = sprt.forecast(&pairs, sprt.null).unwrap();
        prop_assert!(forecast.remaining >= 0.0 && (0.0..=1.0).contains(&forecast.accepts));
    }

    /// A lost pair turned into a won one speaks for H1.
    #[test]
    fn wins_instead_of_losses_speak_for_h1(
        five in [1..400_u64, 0..400_u64, 0..400_u64, 0..400_u64, 0..400_u64], elo in 0.5..40.0_f64,
    ) {
        let mut better = five;
        better[0] -= 1;
        better[4] += 1;
        for sprt in [logistic(-elo, elo), normalised(-elo, elo)] {
            let (before, after) = (sprt.llr(&Pentanomial(five)), sprt.llr(&Pentanomial(better)));
            prop_assert!(after > before, "{} {}", before, after);
        }
    }

    /// Where every outcome was seen, ten times the results are ten times the evidence.
    #[test]
    fn evidence_adds_up(
        sprt in sprt(), five in [1..99_u64, 1..99_u64, 1..99_u64, 1..99_u64, 1..99_u64],
    ) {
        let (one, ten) = (sprt.llr(&Pentanomial(five)), sprt.llr(&Pentanomial(five.map(|n| 10 * n))));
        prop_assert!((ten - 10.0 * one).abs() < 1e-7 * (1.0 + ten.abs()), "{} {}", one, ten);
    }
}
