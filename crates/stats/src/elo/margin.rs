//! The mean margin of a game, with the pair as the unit: the two games of an
//! opening are averaged first, and Student's interval is taken over the pairs.

use crate::Interval;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean margin of a game for the first player, in the game's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanMargin {
    /// The mean over all games.
    pub mean: f64,
    /// Its 95 % interval; none unless two pairs differ.
    pub interval: Option<Interval<f64>>,
}

/// Sums over pairs, exact in integers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pairs: u64,
    sum: i128,
    squares: i128,
}

impl Sums {
    pub(super) fn add(&mut self, pair: [i16; 2]) {
        let both = i128::from(pair[0]) + i128::from(pair[1]);
        self.pairs += 1;
        self.sum += both;
        self.squares += both * both;
    }

    pub(super) fn mean(&self) -> Option<MeanMargin> {
        if self.pairs == 0 {
            return None;
        }
        let n = self.pairs as f64;
        let mean = self.sum as f64 / (2.0 * n);
        // n² times the variance of the pairs' sums.
        let spread = i128::from(self.pairs) * self.squares - self.sum * self.sum;
        let interval = (spread > 0).then(|| {
            let error = (spread as f64 / (n - 1.0)).sqrt() / (2.0 * n);
            let half = student_quantile(n - 1.0) * error;
            Interval { low: mean - half, high: mean + half }
        });
        Some(MeanMargin { mean, interval })
    }
}

/// The two-sided 95 % quantile of Student's distribution.
fn student_quantile(freedom: f64) -> f64 {
    const SERIES_FROM: f64 = 200.0;
    if freedom >= SERIES_FROM {
        // Abramowitz and Stegun 26.7.5; the inverse beta function is slow and
        // inexact for large parameters.
        let z = crate::normal::Z95;
        return z
            + (z.powi(3) + z) / (4.0 * freedom)
            + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2));
    }
    StudentsT::new(0.0, 1.0, freedom)
        .expect("the degrees of freedom are positive")
        .inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(pairs: &[[i16; 2]]) -> Option<MeanMargin> {
        let mut sums = Sums::default();
        for &pair in pairs {
            sums.add(pair);
        }
        sums.mean()
    }

    /// Pair means 4, 1, -2, 5: mean 2, variance 10, standard error √2.5, and
    /// Student's quantile for three degrees of freedom 3.18245.
    #[test]
    fn by_hand() {
        let found = mean(&[[12, -4], [2, 0], [-2, -2], [10, 0]]).expect("four pairs");
        assert_eq!(found.mean, 2.0);
        let interval = found.interval.expect("the pairs differ");
        assert!((interval.high - 2.0 - 3.182_446 * 2.5_f64.sqrt()).abs() < 1e-5, "{interval:?}");
        assert!((interval.low + interval.high - 4.0).abs() < 1e-12);
    }

    #[test]
    fn without_spread_there_is_no_interval() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[[5, -1]]), Some(MeanMargin { mean: 2.0, interval: None }));
        assert_eq!(mean(&[[5, -1], [3, 1]]), Some(MeanMargin { mean: 2.0, interval: None }));
    }

    /// The printed tables of Student's distribution.
    #[test]
    fn student_quantiles_are_the_tables() {
        let table = [
            (1.0, 12.7062),
            (2.0, 4.3027),
            (10.0, 2.2281),
            (30.0, 2.0423),
            (100.0, 1.9840),
            (199.0, 1.9720),
            (200.0, 1.9719),
            (1000.0, 1.9623),
        ];
        for (freedom, quantile) in table {
            let found = student_quantile(freedom);
            assert!((found - quantile).abs() < 1e-4, "{freedom}: {found}");
        }
    }
}
