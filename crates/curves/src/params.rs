//! How a curve is drawn.

use crate::CurveError;
use serde::{Deserialize, Serialize};

/// What becomes of drawn games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draws {
    /// Their positions are left out, as in takeuchi07.
    #[default]
    LeftOut,
    /// They count as half a win.
    Half,
}

/// The settings of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CurveParams {
    /// The width of a bin in the unit of the values; bins are centred on its
    /// multiples and hold their lower edge.
    pub bin_width: f64,
    /// Bins that rest on fewer positions are left out of the curve (they stay in
    /// the histogram).
    pub min_count: u64,
    /// What becomes of drawn games.
    pub draws: Draws,
}

impl Default for CurveParams {
    /// Bins of half a log-odd, at least the paper's 1,000 positions in each.
    fn default() -> Self {
        Self { bin_width: 0.5, min_count: 1000, draws: Draws::LeftOut }
    }
}

impl CurveParams {
    /// The least positions of a bin where nobody asks for another number: a hundredth
    /// of all, never more than the paper's 1,000.
    pub fn usual_min_count(positions: u64) -> u64 {
        (positions / 100).clamp(20, 1000)
    }

    /// The bins an automatic width aims at.
    const BINS: f64 = 40.0;

    /// The default with a round width (1, 2 or 5 times a power of ten) that
    /// gives about forty bins from `min` to `max`. A few extreme values would
    /// make all bins too wide: limits that hold nearly all values serve best.
    ///
    /// ```
    /// use evalsmith_curves::CurveParams;
    /// assert_eq!(CurveParams::auto(-10.0, 10.0)?.bin_width, 0.5);
    /// assert_eq!(CurveParams::auto(-870.0, 940.0)?.bin_width, 50.0);
    /// # Ok::<(), evalsmith_curves::CurveError>(())
    /// ```
    ///
    /// # Errors
    /// When the limits are not finite or the wrong way round.
    pub fn auto(min: f64, max: f64) -> Result<Self, CurveError> {
        let span = max - min;
        if !span.is_finite() || span < 0.0 {
            return Err(CurveError::Range { min, max });
        }
        let width = round_width(span / Self::BINS);
        // A constant function has one bin, whatever its width.
        let bin_width = if width > 0.0 { width } else { Self::default().bin_width };
        Ok(Self { bin_width, ..Self::default() })
    }

    /// Checks what no type can.
    ///
    /// # Errors
    /// When the bin width is not a positive number.
    pub fn check(&self) -> Result<(), CurveError> {
        if self.bin_width.is_finite() && self.bin_width > 0.0 {
            Ok(())
        } else {
            Err(CurveError::BinWidth(self.bin_width))
        }
    }
}

/// The number among 1, 2 and 5 times powers of ten with the nearest logarithm;
/// zero for widths beyond the range of such numbers.
fn round_width(width: f64) -> f64 {
    let power = width.log10().floor();
    if !(-300.0..300.0).contains(&power) {
        return 0.0;
    }
    let mantissa = width / 10_f64.powf(power);
    let digit = match mantissa {
        m if m < 2_f64.sqrt() => "1",
        m if m < 10_f64.sqrt() => "2",
        m if m < 50_f64.sqrt() => "5",
        _ => "10",
    };
    format!("{digit}e{power}").parse().expect("a digit and an exponent are a number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn widths_that_are_none_are_refused() {
        for bin_width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(CurveParams { bin_width, ..CurveParams::default() }.check().is_err());
        }
        assert_eq!(CurveParams::default().check(), Ok(()));
        assert!(CurveParams::auto(1.0, 0.0).is_err());
        assert!(CurveParams::auto(f64::NEG_INFINITY, 0.0).is_err());
        assert_eq!(CurveParams::auto(3.0, 3.0), Ok(CurveParams::default()));
    }

    proptest! {
        #[test]
        fn automatic_widths_give_about_forty_bins(min in -1e6..1e6, span in 1e-6..1e6) {
            let params = CurveParams::auto(min, min + span).expect("a range");
            let bins = span / params.bin_width;
            prop_assert!((25.0..=64.0).contains(&bins), "{bins} bins of {params:?}");
        }
    }
}
