//! The chi-square distribution's upper tail.

use statrs::function::gamma::checked_gamma_ur;

/// The probability of a value of at least `x` with so many degrees of freedom.
///
/// ```
/// use evalsmith_stats::chi_square;
/// assert!((chi_square::upper(3.841_458_820_694_124, 1.0) - 0.05).abs() < 1e-10);
/// assert_eq!(chi_square::upper(0.0, 3.0), 1.0);
/// assert!(chi_square::upper(1e6, 3.0) < 1e-300);
/// ```
pub fn upper(x: f64, freedom: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    checked_gamma_ur(freedom / 2.0, x / 2.0).unwrap_or(f64::NAN)
}
