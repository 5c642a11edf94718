//! The standard normal distribution.
//!
//! Everything rests on `libm`'s complementary error function, which is right to
//! the last place or so; both tails therefore keep their relative precision.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};
use std::f64::consts::SQRT_2;

/// The two-sided 95 % quantile, 1.959964.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability of a value at or below `z`.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::cdf(normal::Z95) - 0.975).abs() < 1e-15);
/// ```
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The density at `z`.
pub fn density(z: f64) -> f64 {
    Normal::standard().pdf(z)
}

/// The value with the probability `p` at or below it; infinite at 0 and 1.
///
/// # Panics
/// When `p` is not between 0 and 1.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::quantile(0.975) - normal::Z95).abs() < 1e-14);
/// ```
pub fn quantile(p: f64) -> f64 {
    let rough = Normal::standard().inverse_cdf(p);
    if !rough.is_finite() || rough == 0.0 {
        return rough;
    }
    // One step of Newton's method, in the tail where the probability is small
    // and its difference from the wanted one is not lost to rounding.
    let (z, tail) = if p < 0.5 { (rough, p) } else { (-rough, 1.0 - p) };
    let polished = z - (cdf(z) - tail) / density(z);
    if p < 0.5 { polished } else { -polished }
}

/// The probability of a value at least as far from zero as `z`; small values
/// keep their relative precision.
///
/// ```
/// use evalsmith_stats::normal;
/// assert!((normal::two_sided(normal::Z95) - 0.05).abs() < 1e-15);
/// let far = normal::two_sided(10.0);
/// assert!((far / 1.523_970_604_832_105e-23 - 1.0).abs() < 1e-12);
/// ```
pub fn two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By 40-digit arithmetic (mpmath's `ncdf`).
    const REFERENCE: [(f64, f64); 5] = [
        (-8.0, 6.220_960_574_271_784e-16),
        (-3.0, 1.349_898_031_630_094_5e-3),
        (-1.0, 0.158_655_253_931_457_05),
        (0.5, 0.691_462_461_274_013_1),
        (2.0, 0.977_249_868_051_820_8),
    ];

    #[test]
    fn cdf_agrees_with_the_reference_in_relative_terms() {
        for (z, p) in REFERENCE {
            assert!((cdf(z) / p - 1.0).abs() < 1e-14, "{z}: {:e}", cdf(z));
            assert!((quantile(p) - z).abs() < 1e-13 * z.abs().max(1.0) + 1e-15 / density(z), "{p}");
        }
    }

    proptest! {
        #[test]
        fn quantile_undoes_cdf(z in -30.0..6.0_f64) {
            let lost_to_rounding = f64::EPSILON * cdf(z) / density(z);
            prop_assert!((quantile(cdf(z)) - z).abs() < 1e-12 + 4.0 * lost_to_rounding);
        }

        #[test]
        fn two_sided_is_both_tails(z in -35.0..35.0_f64) {
            prop_assert!((two_sided(z) / (2.0 * cdf(-z.abs())) - 1.0).abs() < 1e-14);
        }
    }
}
