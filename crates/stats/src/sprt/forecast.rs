//! How long a test will last: a Brownian motion between two bounds.
//!
//! Between near equals the log-likelihood ratio moves, per observation with
//! variance `v`, by `(s - (s0 + s1)/2) (s1 - s0) / v` on average and with
//! variance `(s1 - s0)² / v` (Van den Bergh, *GSPRT approximation*). Wald's
//! identities then give the end and the time of it; what the last observation
//! oversteps a bound is neglected, so a real test lasts a little longer.

use serde::Serialize;

/// What is to be expected of a test from where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The further observations until a decision, on average.
    pub remaining: f64,
    /// The probability that H1 will be accepted.
    pub accepts: f64,
}

/// A motion with this drift and variance per step, from 0 to a bound below or
/// above it.
pub(super) fn first_passage(drift: f64, variance: f64, below: f64, above: f64) -> Forecast {
    if below >= 0.0 || above <= 0.0 {
        return Forecast { remaining: 0.0, accepts: if above <= 0.0 { 1.0 } else { 0.0 } };
    }
    // exp(tilt · motion) keeps its expectation.
    let tilt = -2.0 * drift / variance;
    if tilt.abs() * (above - below) < 1e-6 {
        return Forecast {
            remaining: -below * above / variance,
            accepts: -below / (above - below),
        };
    }
    // From the side where the exponentials are below one.
    let (near, far) = if tilt > 0.0 { (above, below) } else { (below, above) };
    let reaches_near = (tilt * (far - near)).exp_m1();
    let reaches_near = ((tilt * far).exp_m1() * (-tilt * near).exp()) / reaches_near;
    let accepts = if tilt > 0.0 { reaches_near } else { 1.0 - reaches_near };
    let end = accepts * above + (1.0 - accepts) * below;
    Forecast { remaining: end / drift, accepts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Wald's approximations at the hypotheses of a test with α = β = 0.05: the
    /// error rates themselves, and `((1-β) ln((1-β)/α) + β ln(β/(1-α))) / drift`.
    #[test]
    fn walds_lengths() {
        let bound = 19.0_f64.ln();
        let found = first_passage(0.5e-3, 1e-3, -bound, bound);
        assert!((found.accepts - 0.95).abs() < 1e-12, "{found:?}");
        assert!((found.remaining - 0.9 * bound / 0.5e-3).abs() < 1e-6, "{found:?}");
        let level = first_passage(0.0, 1e-3, -bound, bound);
        assert_eq!(level.accepts, 0.5);
        assert!((level.remaining - bound * bound / 1e-3).abs() < 1e-6, "{level:?}");
    }

    proptest! {
        #[test]
        fn sane_whatever_the_drift(
            drift in -1e3..1e3_f64, scale in -12..3_i32, variance in 1e-12..1e3_f64,
            below in -50.0..-1e-6_f64, above in 1e-6..50.0_f64,
        ) {
            let drift = drift * 10.0_f64.powi(scale);
            let found = first_passage(drift, variance, below, above);
            prop_assert!((0.0..=1.0).contains(&found.accepts), "{:?}", found);
            prop_assert!(found.remaining >= 0.0 && found.remaining.is_finite(), "{:?}", found);
            let mirror = first_passage(-drift, variance, -above, -below);
            prop_assert!((found.accepts + mirror.accepts - 1.0).abs() < 1e-9);
            prop_assert!((found.remaining / mirror.remaining - 1.0).abs() < 1e-6);
        }
    }
}
