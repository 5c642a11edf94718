//! Pairs of games by the points they brought: five counts, and what follows.
//!
//! The two games of a pair share an opening, played once with each colour, so
//! the pair is the observation; everything in [`Sample`] then holds whatever the
//! opening's bias.

use super::Sample;
use super::sample::sealed::Sealed;
use serde::{Deserialize, Serialize};

/// How many pairs brought 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.total()
    }

    /// The same pairs as the other player sees them.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let [lost, behind, level, ahead, won] = self.0;
        Self([won, ahead, level, behind, lost])
    }

    /// Counts one more pair, by its two margins for the first player. A margin's
    /// sign says who won.
    ///
    /// ```
    /// use evalsmith_stats::elo::Pentanomial;
    /// let mut pairs = Pentanomial::default();
    /// pairs.add_pair([12, 0]);
    /// assert_eq!(pairs.0, [0, 0, 0, 1, 0]);
    /// ```
    pub fn add_pair(&mut self, margins: [i16; 2]) {
        let [one, two] = margins.map(i16::signum);
        self.0[(one + two + 2) as usize] += 1;
    }

    /// Adds the pairs of another count.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// The squared differences of the pairs' points from twice the expected
    /// share, summed: a cluster-robust variance of the points made. One further
    /// pair of the largest variance is counted in, as in [`Sample`], so that a
    /// row of draws is not taken for certainty.
    pub(crate) fn squared_residuals(&self, expected: f64) -> f64 {
        let square = |quarters: usize| (quarters as f64 / 2.0 - 2.0 * expected).powi(2);
        let seen = self.0.iter().enumerate().map(|(quarters, &n)| n as f64 * square(quarters));
        seen.sum::<f64>() + 4.0 * expected * (1.0 - expected)
    }
}

impl Sealed for Pentanomial {
    fn counts(&self) -> &[u64] {
        &self.0
    }
}

impl Sample for Pentanomial {
    const GAMES: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::Elo;
    use crate::simulation::PairOdds;
    use crate::{Interval, normal};

    fn elo_interval(counts: Pentanomial) -> (f64, f64) {
        let Interval { low, high } = counts.share_interval();
        (Elo::of_share(low).0, Elo::of_share(high).0)
    }

    /// The expected numbers of fastchess's own tests (`app/tests/elo_test.cpp`),
    /// which hold to one per cent there.
    #[test]
    fn agrees_with_fastchess() {
        let cases = [
            ([34, 54, 31 + 32, 64, 75], (55.58, 27.65), (57.94, 28.28), 100.00, 0.579),
            ([332, 433, 457 + 41, 333, 334], (-8.64, 10.33), (-9.17, 10.96), 5.05, 0.488),
            ([7895, 8757, 5485 + 200, 568, 9999], (-21.04, 2.95), (-19.01, 2.65), 0.00, 0.470),
        ];
        for (counts, (elo, error), (normalised, normalised_error), superiority, score) in cases {
            let counts = Pentanomial(counts);
            let share = counts.share().expect("pairs were played");
            assert!((share - score).abs() < 0.01 * score, "{share}");
            assert!((Elo::of_share(share).0 / elo - 1.0_f64).abs() < 0.01, "{elo}");
            let (low, high) = elo_interval(counts);
            assert!(((high - low) / 2.0 / error - 1.0_f64).abs() < 0.01, "{low} {high}");
            let found = counts.normalised_elo().expect("pairs were played").0;
            assert!((found / normalised - 1.0_f64).abs() < 1e-3, "{found}");
            // Wider by the variance's own uncertainty, which is held fixed there.
            let Interval { low, high } = counts.normalised_interval();
            let wider = (high.0 - low.0) / 2.0 / normalised_error;
            assert!((0.995..1.04).contains(&wider), "{wider}");
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
        for truth in truths {
            let odds = PairOdds::new(truth).expect("probabilities");
            for pairs in [5, 20, 100, 1000] {
                let matches = 2000;
                let held = |&index: &u64| {
                    odds.play(pairs, pairs, index).share_interval().contains(&odds.share())
                };
                let covered = (0..matches).filter(held).count();
                let rate = covered as f64 / matches as f64;
                // Three standard errors of the simulation are 0.015.
                let lowest = if pairs < 20 { 0.91 } else { 0.93 };
                assert!(rate >= lowest, "{truth:?}, {pairs} pairs: {rate}");
                assert!(pairs < 100 || rate <= 0.985, "{truth:?}, {pairs} pairs: {rate}");
            }
        }
    }
}
