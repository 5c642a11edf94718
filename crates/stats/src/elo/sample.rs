//! What any sample of match results says about the first player's strength.
//!
//! A sample counts equally spaced outcomes from worst to best: five of a pair
//! of games ([`super::Pentanomial`]) or three of a game ([`super::Trinomial`]).
//! Its observations are taken to be independent, so where games were played in
//! pairs only the pairs may be counted.
//!
//! Elo and likelihood of superiority are those of fishtest and fastchess: the
//! mean and variance of the score. Their interval, mean ± 1.96 standard errors,
//! fails where it matters most: after a clean sweep or a row of draws it has no
//! width. Here it is Wilson's (1927): the share `s` is compatible with the
//! observed mean `m` of `n` observations when
//! `(m - s)² <= z² k s (1 - s) / n`. The factor `k` is the sample's variance as
//! a part of `m (1 - m)`, the largest a variable between 0 and 1 can have; one
//! further observation with that largest variance is counted in, so `k` is
//! never zero.

use super::{Elo, NormalisedElo, SignTest};
use crate::{Interval, normal};
use serde::{Deserialize, Serialize};

pub(super) mod sealed {
    /// Keeps the kinds of sample to those whose outcomes are equally spaced.
    pub trait Sealed {
        /// How often each outcome came, from worst to best.
        fn counts(&self) -> &[u64];
    }
}

/// Counts of equally spaced outcomes, from worst to best.
pub trait Sample: sealed::Sealed {
    /// Games in one observation.
    const GAMES: u32;

    /// The number of observations.
    fn total(&self) -> u64 {
        self.counts().iter().fold(0, |sum: u64, &count| sum.saturating_add(count))
    }

    /// The share of the points, from 0 to 1; none without an observation.
    fn share(&self) -> Option<f64> {
        let (points, most) = points(self.counts());
        (most > 0).then(|| points as f64 / most as f64)
    }

    /// The standard error of the share; none with fewer than two observations.
    fn standard_error(&self) -> Option<f64> {
        let n = self.total() as f64;
        let share = self.share()?;
        (n > 1.5).then(|| (deviation(self, share) / (n - 1.0) / n).sqrt())
    }

    /// The 95 % interval of the share; everything from 0 to 1 without an
    /// observation.
    fn share_interval(&self) -> Interval<f64> {
        let Some(share) = self.share() else { return Interval::UNKNOWN };
        let spread = normal::Z95.powi(2) * variance_factor(self, share) / self.total() as f64;
        let centre = (share + spread / 2.0) / (1.0 + spread);
        let half = (spread * (share * (1.0 - share) + spread / 4.0)).sqrt() / (1.0 + spread);
        // Rounding must not part the ends from a share of exactly 0 or 1.
        Interval { low: (centre - half).clamp(0.0, share), high: (centre + half).clamp(share, 1.0) }
    }

    /// The likelihood of superiority, `Φ((share - ½) / error)`, where the error is
    /// that of two equal players with the interval's variance: it exceeds 97.5 %
    /// exactly where the 95 % interval lies above one half.
    fn superiority(&self) -> f64 {
        let Some(share) = self.share() else { return 0.5 };
        let error = (0.25 * variance_factor(self, share) / self.total() as f64).sqrt();
        normal::cdf(lead(self.counts()) / error)
    }

    /// Normalised Elo; none without an observation, infinite without variance
    /// unless the players are level.
    fn normalised_elo(&self) -> Option<NormalisedElo> {
        let share = self.share()?;
        let variance = deviation(self, share) / self.total() as f64;
        Some(NormalisedElo::of_lead(
            lead(self.counts()),
            (f64::from(Self::GAMES) * variance).sqrt(),
        ))
    }

    /// The 95 % interval of normalised Elo.
    ///
    /// It is the share's interval, transformed with the variance `k s (1 - s)`
    /// that belongs to each of its ends, and at least as wide as ± 1.96 standard
    /// errors of `t`, whose variance is `(1 - t γ + t² (κ + 2) / 4) / n` with the
    /// sample's skewness `γ` and excess kurtosis `κ`. fastchess takes the observed
    /// variance for the true one, which is the same between near equals and too
    /// narrow far from level. There this one still needs some hundred pairs: at
    /// 500 Elo it holds the truth in 90 of 100 matches of 50 pairs.
    fn normalised_interval(&self) -> Interval<NormalisedElo> {
        let (Some(share), Some(estimate)) = (self.share(), self.normalised_elo()) else {
            let all = NormalisedElo(f64::INFINITY);
            return Interval { low: NormalisedElo(-all.0), high: all };
        };
        let factor = variance_factor(self, share);
        let end = |s: f64| {
            let variance = f64::from(Self::GAMES) * factor * s * (1.0 - s);
            NormalisedElo::of_lead(s - 0.5, variance.sqrt()).0
        };
        let Interval { low, high } = self.share_interval();
        let half = if estimate.0.is_finite() {
            let error = t_error(self.counts(), share);
            normal::Z95 * NormalisedElo::PER_T * error / f64::from(Self::GAMES).sqrt()
        } else {
            0.0
        };
        Interval {
            low: NormalisedElo(end(low).min(estimate.0 - half)),
            high: NormalisedElo(end(high).max(estimate.0 + half)),
        }
    }

    /// The share of level outcomes: drawn games, or pairs that were shared
    /// (fastchess's `DrawRatio`); none without an observation.
    fn draw_ratio(&self) -> Option<f64> {
        let counts = self.counts();
        let total = self.total();
        (total > 0).then(|| counts[counts.len() / 2] as f64 / total as f64)
    }

    /// Outcomes better than level for each one worse: won games to lost ones, or
    /// fastchess's `PairsRatio`; none when nothing was worse.
    fn win_ratio(&self) -> Option<f64> {
        let SignTest { better, worse, .. } = self.sign_test();
        (worse > 0).then(|| better as f64 / worse as f64)
    }

    /// The exact sign test on the observations that one of the players won.
    fn sign_test(&self) -> SignTest {
        let counts = self.counts();
        let sum = |part: &[u64]| part.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
        let level = counts.len() / 2;
        SignTest::new(sum(&counts[level + 1..]), sum(&counts[..level]))
    }
}

/// The points made, and those to be made.
fn points(counts: &[u64]) -> (i128, i128) {
    let made = (0..).zip(counts).map(|(points, &count)| points * i128::from(count)).sum();
    let all: i128 = counts.iter().map(|&count| i128::from(count)).sum();
    (made, all * (counts.len() - 1) as i128)
}

/// The share less one half, exact to the last place even between near equals, so
/// that the other player's is its opposite.
fn lead(counts: &[u64]) -> f64 {
    let (made, most) = points(counts);
    (2 * made - most) as f64 / (2 * most) as f64
}

/// The squared deviations of the outcomes' shares from `share`, summed.
fn deviation<S: Sample + ?Sized>(sample: &S, share: f64) -> f64 {
    let counts = sample.counts();
    let best = (counts.len() - 1) as f64;
    let square = |points: usize| (points as f64 / best - share).powi(2);
    counts.iter().enumerate().map(|(points, &count)| count as f64 * square(points)).sum()
}

/// The standard error of `t`, the lead in standard deviations of an observation;
/// zero without variance.
fn t_error(counts: &[u64], share: f64) -> f64 {
    let best = (counts.len() - 1) as f64;
    let total: f64 = counts.iter().map(|&count| count as f64).sum();
    let moment = |power: i32| {
        let values = (0..).zip(counts);
        let values = values.map(|(i, &n)| n as f64 * (f64::from(i) / best - share).powi(power));
        values.sum::<f64>() / total
    };
    let variance = moment(2);
    if variance == 0.0 {
        return 0.0;
    }
    let t = lead(counts) / variance.sqrt();
    let skewness = moment(3) / variance.powf(1.5);
    let kurtosis = moment(4) / variance.powi(2) - 3.0;
    let variance_of_t = 1.0 - t * skewness + 0.25 * t * t * (kurtosis + 2.0);
    (variance_of_t.max(0.0) / total).sqrt()
}

/// The variance as a part of the largest possible one, with one observation of
/// the largest variance counted in; 1 when nothing is known.
fn variance_factor<S: Sample + ?Sized>(sample: &S, share: f64) -> f64 {
    let largest = share * (1.0 - share);
    if largest == 0.0 {
        return 1.0;
    }
    ((deviation(sample, share) / largest + 1.0) / sample.total() as f64).min(1.0)
}

/// Everything a sample says about the first player's strength, in one value.
///
/// ```
/// use evalsmith_stats::elo::{Pentanomial, Summary, Trinomial};
/// let pairs = Summary::of(&Pentanomial([34, 54, 63, 64, 75]));
/// assert_eq!(format!("{:.2}", pairs.elo.unwrap().0), "55.58");
/// assert_eq!(format!("{:.2}", pairs.normalised_elo.unwrap().0), "57.94");
/// let games = Summary::of(&Trinomial::new(136, 111, 96));
/// assert_eq!(format!("{:.2}", games.elo.unwrap().0), "40.70");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Games played.
    pub games: u64,
    /// The share of the points; none without a game.
    pub share: Option<f64>,
    /// The share's standard error; none with fewer than two observations.
    pub share_error: Option<f64>,
    /// The 95 % interval of the share.
    pub share_interval: Interval<f64>,
    /// The Elo difference; none without a game.
    pub elo: Option<Elo>,
    /// The 95 % interval of the Elo difference: the share's, transformed.
    pub elo_interval: Interval<Elo>,
    /// The difference in normalised Elo; none without a game.
    pub normalised_elo: Option<NormalisedElo>,
    /// The 95 % interval of the difference in normalised Elo.
    pub normalised_interval: Interval<NormalisedElo>,
    /// The likelihood of superiority.
    pub superiority: f64,
    /// The share of level outcomes; none without a game.
    pub draw_ratio: Option<f64>,
    /// Outcomes better than level for each one worse; none when none was worse.
    pub win_ratio: Option<f64>,
    /// The exact sign test on the outcomes that were not level.
    pub sign_test: SignTest,
}

impl Summary {
    /// What the sample says.
    pub fn of<S: Sample>(sample: &S) -> Self {
        let share = sample.share();
        let share_interval = sample.share_interval();
        Self {
            games: sample.total().saturating_mul(u64::from(S::GAMES)),
            share,
            share_error: sample.standard_error(),
            share_interval,
            elo: share.map(Elo::of_share),
            elo_interval: Interval {
                low: Elo::of_share(share_interval.low),
                high: Elo::of_share(share_interval.high),
            },
            normalised_elo: sample.normalised_elo(),
            normalised_interval: sample.normalised_interval(),
            superiority: sample.superiority(),
            draw_ratio: sample.draw_ratio(),
            win_ratio: sample.win_ratio(),
            sign_test: sample.sign_test(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::{Pentanomial, Trinomial};
    use proptest::prelude::*;

    fn check<S: Sample>(sample: &S, mirror: &S) -> Result<(), TestCaseError> {
        let (one, other) = (Summary::of(sample), Summary::of(mirror));
        let Some(NormalisedElo(estimate)) = one.normalised_elo else { return Ok(()) };
        prop_assert!(!estimate.is_nan());
        let ends = one.normalised_interval;
        prop_assert!(ends.low.0 <= estimate && estimate <= ends.high.0, "{:?}", one);
        prop_assert!(one.share <= Some(0.5) || estimate > 0.0);
        let mirrored = other.normalised_elo.expect("as many games").0;
        let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        prop_assert!(near(estimate, -mirrored), "{} {}", estimate, mirrored);
        prop_assert!((one.superiority + other.superiority - 1.0).abs() < 1e-12);
        prop_assert_eq!(one.draw_ratio, other.draw_ratio);
        prop_assert!(near(one.share_interval.low, 1.0 - other.share_interval.high));
        // A value that is no number would not come back.
        let json = serde_json::to_string(&one).expect("plain fields");
        prop_assert_eq!(serde_json::from_str::<Summary>(&json).expect("as written"), one);
        Ok(())
    }

    fn count() -> impl Strategy<Value = u64> {
        prop_oneof![3 => Just(0), 5 => 0..20_u64, 2 => 0..10_000_000_u64, 1 => Just(u64::MAX)]
    }

    proptest! {
        #[test]
        fn no_count_is_too_odd(five in [count(), count(), count(), count(), count()]) {
            let mirror = [4, 3, 2, 1, 0].map(|i| five[i]);
            check(&Pentanomial(five), &Pentanomial(mirror))?;
            let [losses, draws, wins, ..] = five;
            check(&Trinomial::new(wins, draws, losses), &Trinomial::new(losses, draws, wins))?;
        }

        /// The same results a hundred times over: the same strength, a tenth of
        /// the error.
        #[test]
        fn errors_shrink_with_the_root_of_the_games(five in [1..40_u64, 1..40_u64, 1..40_u64, 1..40_u64, 1..40_u64]) {
            let (one, many) = (Pentanomial(five), Pentanomial(five.map(|count| 100 * count)));
            prop_assert!((one.share().unwrap() - many.share().unwrap()).abs() < 1e-12);
            let (a, b) = (one.normalised_elo().unwrap().0, many.normalised_elo().unwrap().0);
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()));
            let n = one.total() as f64;
            let ratio = one.standard_error().unwrap() / many.standard_error().unwrap();
            let exact = ((100.0 * n - 1.0) / (n - 1.0)).sqrt();
            prop_assert!((ratio / exact - 1.0).abs() < 1e-9, "{} {}", ratio, exact);
        }
    }

    #[test]
    fn ratios_by_hand() {
        let pairs = Pentanomial([1, 2, 10, 4, 3]);
        assert_eq!((pairs.draw_ratio(), pairs.win_ratio()), (Some(0.5), Some(7.0 / 3.0)));
        let games = Trinomial::new(5, 3, 0);
        assert_eq!((games.draw_ratio(), games.win_ratio()), (Some(0.375), None));
        assert_eq!(Trinomial::default().draw_ratio(), None);
    }
}
