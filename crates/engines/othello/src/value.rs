//! What a midgame search compares: eighths of a disc.
//!
//! Eighths are what the pattern weights are made of; finer steps only make the
//! null windows of a search more numerous. A finished game is worth its margin.

use crate::judge::DISC;
use std::fmt;

/// Eighths in a disc.
pub(crate) const PER_DISC: i32 = 8;
/// All discs.
pub(crate) const MOST: i32 = 64 * PER_DISC;
/// Worse than every value.
pub(crate) const UNKNOWN: i32 = -100 * PER_DISC;

/// A judge's value in eighths of a disc; no estimate is beyond all discs.
#[inline(always)]
pub(crate) const fn eighths(judged: i32) -> i32 {
    let value = (judged + DISC / PER_DISC / 2) >> 3;
    if value > MOST {
        MOST
    } else if value < -MOST {
        -MOST
    } else {
        value
    }
}

const _: () = assert!(DISC / PER_DISC == 1 << 3);

/// An expected final margin for the side to move.
///
/// ```
/// use evalsmith_engine_othello::Value;
/// assert_eq!(Value::of_discs(-3).to_string(), "-3.00");
/// assert_eq!(Value::of_discs(2).discs(), 2.0);
/// assert_eq!(Value::nearest(0.3).discs(), 0.25);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub(crate) i32);

impl Value {
    /// A whole number of discs.
    pub const fn of_discs(discs: i32) -> Self {
        Self(discs * PER_DISC)
    }

    /// The eighth that is nearest to so many discs, at most all of them.
    pub fn nearest(discs: f64) -> Self {
        let most = f64::from(MOST);
        Self((discs * f64::from(PER_DISC)).round().clamp(-most, most) as i32)
    }

    /// In discs.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / f64::from(PER_DISC)
    }
}

impl std::ops::Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+.2}", self.discs()))
    }
}
