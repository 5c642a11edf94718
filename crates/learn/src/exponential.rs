//! The exponential of numbers that are not positive, in arithmetic that a
//! compiler can run in parallel lanes, and the same on every machine.

use std::f64::consts::LOG2_E;

/// Adding this to a small number leaves its nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first with trailing zeros, so that its product with an
/// exponent is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below this the exponential has no full precision; it is taken for this.
const SMALLEST: f64 = -708.0;
/// 1/13!, 1/12!, ..., 1/2!, 1, 1: the remainder is below half a unit in the last
/// place for |r| up to half of ln 2.
const TAYLOR: [f64; 14] = {
    let mut series = [1.0; 14];
    let mut factorial = 1.0;
    let mut n = 1;
    while n < 14 {
        factorial *= n as f64;
        series[13 - n] = 1.0 / factorial;
        n += 1;
    }
    series
};

/// `exp(x)` for `x <= 0`, to a unit or two in the last place.
#[expect(clippy::inline_always, reason = "compiled for the registers of its caller")]
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    let x = x.max(SMALLEST);
    let shifted = x * LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let series = TAYLOR.iter().fold(0.0, |sum, c| sum * r + c);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    series * power
}

#[cfg(test)]
mod tests {
    use super::exp_of_negative;
    use proptest::prelude::*;

    #[test]
    fn ends_are_exact() {
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-0.0), 1.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), exp_of_negative(-708.0));
        assert!(exp_of_negative(-1e300) > 0.0);
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(x in -708.0..0.0_f64) {
            let expected = x.exp();
            prop_assert!((exp_of_negative(x) / expected - 1.0).abs() < 5e-16, "{x}");
        }

        #[test]
        fn agrees_near_zero(x in -1.0..0.0_f64) {
            prop_assert!((exp_of_negative(x) / x.exp() - 1.0).abs() < 5e-16, "{x}");
        }
    }
}
