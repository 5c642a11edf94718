//! The mean of independent whole numbers, with Student's interval.

use crate::Interval;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean itself.
    pub mean: f64,
    /// Its 95 % interval; none unless two values differ.
    pub interval: Option<Interval<f64>>,
}

/// Sums of whole numbers, exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Sums {
    /// One value more.
    pub fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// How many values there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The mean of values that count units of a size; none without a value.
    ///
    /// ```
    /// use evalsmith_stats::mean::Sums;
    /// let mut halves = Sums::default();
    /// for value in [1, 2, 0] {
    ///     halves.add(value);
    /// }
    /// assert_eq!(halves.mean(0.5).map(|found| found.mean), Some(0.5));
    /// ```
    pub fn mean(&self, unit: f64) -> Option<Mean> {
        if self.count == 0 {
            return None;
        }
        let n = self.count as f64;
        let mean = unit * self.sum as f64 / n;
        // n² times the variance.
        let spread = i128::from(self.count) * self.squares - self.sum * self.sum;
        let interval = (spread > 0).then(|| {
            let error = unit * (spread as f64 / (n - 1.0)).sqrt() / n;
            let half = student_quantile(n - 1.0) * error;
            Interval { low: mean - half, high: mean + half }
        });
        Some(Mean { mean, interval })
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

    fn halves(values: &[i64]) -> Option<Mean> {
        let mut sums = Sums::default();
        for &value in values {
            sums.add(value);
        }
        sums.mean(0.5)
    }

    /// 4, 1, -2, 5: mean 2, variance 10, standard error √2.5, and Student's quantile for
    /// three degrees of freedom 3.18245.
    #[test]
    fn by_hand() {
        let found = halves(&[8, 2, -4, 10]).expect("four values");
        assert_eq!(found.mean, 2.0);
        let interval = found.interval.expect("the values differ");
        assert!((interval.high - 2.0 - 3.182_446 * 2.5_f64.sqrt()).abs() < 1e-5, "{interval:?}");
        assert!((interval.low + interval.high - 4.0).abs() < 1e-12);
    }

    #[test]
    fn without_spread_there_is_no_interval() {
        assert_eq!(halves(&[]), None);
        assert_eq!(halves(&[4]), Some(Mean { mean: 2.0, interval: None }));
        assert_eq!(halves(&[4, 4]), Some(Mean { mean: 2.0, interval: None }));
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
