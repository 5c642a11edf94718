//! Numbers as people read them.
//!
//! Invariant: a number that is not finite reads "n/a" in every form, and nothing
//! ever reads "-0". Minus signs are ASCII, so that tables can be parsed again.

/// What stands where there is no number.
pub const MISSING: &str = "n/a";

/// A fixed number of decimals.
///
/// ```
/// use evalsmith_report::number::fixed;
/// assert_eq!(fixed(2.0 / 3.0, 3), "0.667");
/// assert_eq!(fixed(-0.0001, 2), "0.00");
/// ```
pub fn fixed(x: f64, decimals: usize) -> String {
    if !x.is_finite() {
        return MISSING.to_owned();
    }
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|b| b == b'0' || b == b'.') => digits.to_owned(),
        _ => text,
    }
}

/// At least `digits` significant digits, never an exponent below a million
/// million: large numbers keep all digits before the point.
///
/// ```
/// use evalsmith_report::number::significant;
/// assert_eq!(significant(0.001_234_56, 3), "0.00123");
/// assert_eq!(significant(12_345.6, 3), "12346");
/// assert_eq!(significant(9.9996, 4), "10.00");
/// assert_eq!(significant(1.5e-9, 3), "1.50e-9");
/// ```
pub fn significant(x: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if !x.is_finite() {
        return MISSING.to_owned();
    }
    if x == 0.0 {
        return fixed(0.0, digits - 1);
    }
    let scientific = format!("{x:.*e}", digits - 1);
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .expect("a scientific number has an exponent");
    if !(-6..12).contains(&exponent) {
        return scientific;
    }
    fixed(x, (digits as i32 - 1 - exponent).max(0) as usize)
}

/// A count with thousands parted by commas.
///
/// ```
/// use evalsmith_report::number::thousands;
/// assert_eq!(thousands(1_480_401), "1,480,401");
/// assert_eq!(thousands(999), "999");
/// ```
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent.
///
/// ```
/// use evalsmith_report::number::percent;
/// assert_eq!(percent(0.558, 1), "55.8 %");
/// ```
pub fn percent(share: f64, decimals: usize) -> String {
    if share.is_finite() { format!("{} %", fixed(share * 100.0, decimals)) } else { MISSING.into() }
}

/// A probability of error: three decimals, and only a bound below a thousandth.
///
/// ```
/// use evalsmith_report::number::p_value;
/// assert_eq!(p_value(0.0312), "0.031");
/// assert_eq!(p_value(0.000_2), "<0.001");
/// ```
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { fixed(p, 3) }
}

/// A value with its error, both to the error's second significant digit.
///
/// ```
/// use evalsmith_report::number::with_error;
/// assert_eq!(with_error(1.023_41, 0.014_1), "1.023 ± 0.014");
/// assert_eq!(with_error(431.7, 17.2), "432 ± 17");
/// ```
pub fn with_error(value: f64, error: f64) -> String {
    if !error.is_finite() || error <= 0.0 {
        return significant(value, 4);
    }
    let error_text = significant(error, 2);
    if error_text.contains('e') {
        return format!("{} ± {error_text}", significant(value, 4));
    }
    let decimals = error_text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{} ± {error_text}", fixed(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_number_says_so() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(fixed(x, 2), MISSING);
            assert_eq!(significant(x, 2), MISSING);
            assert_eq!(percent(x, 1), MISSING);
        }
        assert_eq!(p_value(f64::NAN), MISSING);
        assert_eq!(with_error(1.5, f64::NAN), "1.500");
        assert_eq!(with_error(1.5, 0.0), "1.500");
        assert_eq!(p_value(0.0), "<0.001");
    }

    proptest! {
        #[test]
        fn significant_digits_are_enough(x in -1e15..1e15, small in -12_i32..0) {
            for x in [x, x * 10_f64.powi(small)] {
                let read: f64 = significant(x, 4).parse().expect("a number");
                prop_assert!((read - x).abs() <= 0.000_5 * x.abs() + f64::MIN_POSITIVE);
            }
        }

        #[test]
        fn thousands_read_back(count in any::<u64>()) {
            let text = thousands(count);
            prop_assert_eq!(text.replace(',', "").parse(), Ok(count));
            prop_assert!(text.split(',').skip(1).all(|group| group.len() == 3));
        }
    }
}
