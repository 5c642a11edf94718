//! Pairs of games by the points they brought: five counts, and what follows.
//!
//! Elo and likelihood of superiority are those of fishtest and fastchess: the
//! mean and variance of the five-valued pair score. Their interval, mean ± 1.96
//! standard errors, fails where it matters most: after a clean sweep or a row
//! of draws it has no width. Here it is Wilson's (1927): the share `s` is
//! compatible with the observed mean `m` of `n` pairs when
//! `(m - s)² <= z² k s (1 - s) / n`. The factor `k` is the pairs' variance as a
//! part of `m (1 - m)`, the largest a variable between 0 and 1 can have; one
//! further pair with that largest variance is counted in, so `k` is never zero.

use super::SignTest;
use crate::Interval;
use crate::normal;
use serde::{Deserialize, Serialize};

/// How many pairs brought 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The share of the points, from 0 to 1; none without a pair.
    pub fn share(&self) -> Option<f64> {
        let pairs = self.pairs();
        let quarters: u64 = (0..).zip(self.0).map(|(points, count)| points * count).sum();
        (pairs > 0).then(|| quarters as f64 / (4 * pairs) as f64)
    }

    /// The squared deviations of the pairs' shares from `share`, summed.
    fn deviation(&self, share: f64) -> f64 {
        let square = |points: usize| (points as f64 / 4.0 - share).powi(2);
        self.0.iter().enumerate().map(|(points, &count)| count as f64 * square(points)).sum()
    }

    /// The standard error of the share; none with fewer than two pairs.
    pub fn standard_error(&self) -> Option<f64> {
        let n = self.pairs() as f64;
        let share = self.share()?;
        (n > 1.5).then(|| (self.deviation(share) / (n - 1.0) / n).sqrt())
    }

    /// The variance between pairs as a part of the largest possible one, with
    /// one pair of the largest variance counted in; 1 when nothing is known.
    fn variance_factor(&self, share: f64) -> f64 {
        let largest = share * (1.0 - share);
        if largest == 0.0 {
            return 1.0;
        }
        ((self.deviation(share) / largest + 1.0) / self.pairs() as f64).min(1.0)
    }

    /// The 95 % interval of the share; everything from 0 to 1 without a pair.
    pub fn share_interval(&self) -> Interval<f64> {
        let Some(share) = self.share() else { return Interval::UNKNOWN };
        let spread = normal::Z95.powi(2) * self.variance_factor(share) / self.pairs() as f64;
        let centre = (share + spread / 2.0) / (1.0 + spread);
        let half = (spread * (share * (1.0 - share) + spread / 4.0)).sqrt() / (1.0 + spread);
        // Rounding must not part the ends from a share of exactly 0 or 1.
        Interval { low: (centre - half).clamp(0.0, share), high: (centre + half).clamp(share, 1.0) }
    }

    /// The likelihood of superiority, `Φ((share - ½) / error)`, where the error is
    /// that of two equal players with the interval's variance: it exceeds 97.5 %
    /// exactly where the 95 % interval lies above one half.
    pub fn superiority(&self) -> f64 {
        let Some(share) = self.share() else { return 0.5 };
        let error = (0.25 * self.variance_factor(share) / self.pairs() as f64).sqrt();
        normal::cdf((share - 0.5) / error)
    }

    /// The exact sign test on the pairs that one of the players won.
    pub fn sign_test(&self) -> SignTest {
        let [lost, behind, _, ahead, won] = self.0;
        SignTest::new(won + ahead, lost + behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::Elo;

    fn elo_interval(counts: Pentanomial) -> (f64, f64) {
        let Interval { low, high } = counts.share_interval();
        (Elo::of_share(low).0, Elo::of_share(high).0)
    }

    /// The expected numbers of fastchess's own tests (`app/tests/elo_test.cpp`),
    /// which hold to one per cent there.
    #[test]
    fn agrees_with_fastchess() {
        let cases = [
            ([34, 54, 31 + 32, 64, 75], 55.58, 27.65, 100.00, 0.579),
            ([332, 433, 457 + 41, 333, 334], -8.64, 10.33, 5.05, 0.488),
            ([7895, 8757, 5485 + 200, 568, 9999], -21.04, 2.95, 0.00, 0.470),
        ];
        for (counts, elo, error, superiority, score) in cases {
            let counts = Pentanomial(counts);
            let share = counts.share().expect("pairs were played");
            assert!((share - score).abs() < 0.01 * score, "{share}");
            assert!((Elo::of_share(share).0 / elo - 1.0_f64).abs() < 0.01, "{elo}");
            let (low, high) = elo_interval(counts);
            assert!(((high - low) / 2.0 / error - 1.0_f64).abs() < 0.01, "{low} {high}");
            // Within a tenth of a per cent: the interval's extra pair is counted in.
            assert!((100.0 * counts.superiority() - superiority).abs() < 0.1, "{superiority}");
        }
    }

    #[test]
    fn superiority_and_interval_agree() {
        for ahead in 0..12 {
            for even in 0..12 {
                let counts = Pentanomial([1, 2, even, ahead, ahead / 2]);
                let sure = counts.superiority() > 0.975;
                assert_eq!(sure, counts.share_interval().low > 0.5, "{counts:?}");
            }
        }
    }

    /// Worked by hand: shares 0, ¼, ½, ¾, 1 once each.
    #[test]
    fn standard_error_by_hand() {
        let counts = Pentanomial([1; 5]);
        assert_eq!(counts.share(), Some(0.5));
        // Σ(x-½)² = 2(¼ + 1/16) = 0.625; / 4 / 5 = 0.03125.
        assert!((counts.standard_error().expect("five pairs") - 0.03125_f64.sqrt()).abs() < 1e-15);
    }

    /// After a clean sweep the interval is Wilson's for `n` successes of `n`.
    #[test]
    fn a_clean_sweep_has_wilsons_interval() {
        let Interval { low, high } = Pentanomial([0, 0, 0, 0, 10]).share_interval();
        assert_eq!(high, 1.0);
        assert!((low - 10.0 / (10.0 + normal::Z95.powi(2))).abs() < 1e-12, "{low}");
    }

    #[test]
    fn intervals_cover_the_truth_in_about_95_of_100_matches() {
        let truths = [
            [0.05, 0.20, 0.50, 0.20, 0.05],
            [0.02, 0.08, 0.40, 0.30, 0.20],
            [0.00, 0.02, 0.90, 0.06, 0.02],
            [0.45, 0.05, 0.00, 0.05, 0.45],
            [0.00, 0.00, 0.10, 0.20, 0.70],
        ];
        let mut state = 20_u64;
        for truth in truths {
            let share: f64 = (0..).zip(truth).map(|(i, p)| f64::from(i) / 4.0 * p).sum();
            for pairs in [5, 20, 100, 1000] {
                let matches = 2000;
                let covered = (0..matches)
                    .filter(|_| {
                        let mut counts = Pentanomial::default();
                        for _ in 0..pairs {
                            counts.0[draw(&truth, &mut state)] += 1;
                        }
                        counts.share_interval().contains(&share)
                    })
                    .count();
                let rate = covered as f64 / f64::from(matches);
                // Three standard errors of the simulation are 0.015.
                let lowest = if pairs < 20 { 0.91 } else { 0.93 };
                assert!(rate >= lowest, "{truth:?}, {pairs} pairs: {rate}");
                assert!(pairs < 100 || rate <= 0.985, "{truth:?}, {pairs} pairs: {rate}");
            }
        }
    }

    fn draw(truth: &[f64; 5], state: &mut u64) -> usize {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mut rest = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        for (points, &p) in truth.iter().enumerate() {
            rest -= p;
            if rest < 0.0 {
                return points;
            }
        }
        truth.iter().rposition(|&p| p > 0.0).expect("the probabilities sum to one")
    }
}
