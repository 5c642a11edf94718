//! The standard normal distribution.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// The two-sided 95 % quantile, 1.959964.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability of a value at or below `z`.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::cdf(normal::Z95) - 0.975).abs() < 1e-12);
/// ```
pub fn cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// The density at `z`.
pub fn density(z: f64) -> f64 {
    Normal::standard().pdf(z)
}

/// The value with the probability `p` at or below it.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::quantile(0.975) - normal::Z95).abs() < 1e-9);
/// ```
pub fn quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// The probability of a value at least as far from zero as `z`; small values
/// keep their relative precision.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::two_sided(normal::Z95) - 0.05).abs() < 1e-12);
/// let far = normal::two_sided(10.0);
/// assert!((far / 1.523_970_6e-23 - 1.0).abs() < 1e-6);
/// ```
pub fn two_sided(z: f64) -> f64 {
    statrs::function::erf::erfc(z.abs() / std::f64::consts::SQRT_2)
}
