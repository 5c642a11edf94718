//! Units as types: search scores, log-odds, win probabilities, windows.

use crate::Outcome;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Neg};

/// What a search compares: thousandths of a log-odd for ordinary values, and a
/// band beyond ±[`Score::WIN`] for finished games.
///
/// ```
/// use evalsmith_core::{LogOdds, Outcome, Score};
/// assert_eq!(Score::from(LogOdds(0.25)), Score(250));
/// assert!(Score::of_outcome(Outcome::by(-2)) > Score::of_outcome(Outcome::by(-10)));
/// assert!(Score::of_outcome(Outcome::WIN).is_decisive());
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Score(pub i32);

impl Score {
    /// Larger than every value and every outcome; its negative is the smallest.
    pub const INFINITE: Self = Self(2_000_000);
    /// The first score that means "the game is won".
    pub const WIN: Self = Self(1_000_000);
    /// Score units in one unit of log-odds.
    pub const PER_LOGIT: f64 = 1000.0;

    /// A finished game on the common scale: beyond ±[`Score::WIN`], larger
    /// margins further out, a draw at zero.
    pub const fn of_outcome(outcome: Outcome) -> Self {
        let margin = outcome.margin() as i32;
        Self(margin + Self::WIN.0 * margin.signum())
    }

    /// Whether the score says that the game is decided.
    pub const fn is_decisive(self) -> bool {
        self.0 >= Self::WIN.0 || self.0 <= -Self::WIN.0
    }

    /// The log-odds this score stands for; decided games are clamped to ±1000.
    pub fn log_odds(self) -> LogOdds {
        LogOdds(f64::from(self.0.clamp(-Self::WIN.0, Self::WIN.0)) / Self::PER_LOGIT)
    }
}

impl Neg for Score {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;
    #[inline]
    fn add(self, units: i32) -> Self {
        Self(self.0 + units)
    }
}

impl From<LogOdds> for Score {
    /// Rounds to the nearest thousandth and stays inside the undecided band.
    /// A value that is not a number becomes zero.
    #[inline]
    fn from(value: LogOdds) -> Self {
        let limit = f64::from(Self::WIN.0 - 1);
        Self((value.0 * Self::PER_LOGIT).round().clamp(-limit, limit) as i32)
    }
}

/// The logarithm of the odds of winning.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogOdds(pub f64);

impl LogOdds {
    /// ```
    /// use evalsmith_core::LogOdds;
    /// assert!((LogOdds(0.0).win_prob().0 - 0.5).abs() < 1e-12);
    /// assert!((LogOdds(3.0_f64.ln()).win_prob().0 - 0.75).abs() < 1e-12);
    /// ```
    pub fn win_prob(self) -> WinProb {
        WinProb(1.0 / (1.0 + (-self.0).exp()))
    }
}

/// A probability of winning, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WinProb(pub f64);

impl WinProb {
    /// ```
    /// use evalsmith_core::{LogOdds, WinProb};
    /// assert!((WinProb(0.9).log_odds().win_prob().0 - 0.9).abs() < 1e-12);
    /// assert_eq!(WinProb(1.0).log_odds(), LogOdds(f64::INFINITY));
    /// ```
    pub fn log_odds(self) -> LogOdds {
        LogOdds((self.0 / (1.0 - self.0)).ln())
    }
}

/// The open interval of scores a search still cares about.
///
/// ```
/// use evalsmith_core::{Score, Window};
/// let w = Window::new(Score(-5), Score(7));
/// assert_eq!(w.clamp(Score(9)), Score(7));
/// assert_eq!(-w, Window::new(Score(-7), Score(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Values at or below this are all alike.
    pub alpha: Score,
    /// Values at or above this are all alike.
    pub beta: Score,
}

impl Window {
    /// Nothing is out of sight.
    pub const FULL: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The window from `alpha` to `beta`.
    #[inline]
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// Asks only whether a value exceeds `alpha`.
    #[inline]
    pub const fn zero(alpha: Score) -> Self {
        Self { alpha, beta: Score(alpha.0 + 1) }
    }

    /// The value, pulled into the window's ends.
    #[inline]
    pub fn clamp(self, value: Score) -> Score {
        value.max(self.alpha).min(self.beta)
    }
}

impl Neg for Window {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_never_reach_the_decided_band() {
        for x in [f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::NAN] {
            assert!(!Score::from(LogOdds(x)).is_decisive(), "{x}");
        }
    }

    #[test]
    fn outcomes_are_ordered_by_margin_and_symmetric() {
        let scores: Vec<_> = (-64..=64).map(|m| Score::of_outcome(Outcome::by(m))).collect();
        assert!(scores.windows(2).all(|w| w[0] < w[1]));
        assert!(scores.iter().zip(scores.iter().rev()).all(|(a, b)| *a == -*b));
        assert!(Score::of_outcome(Outcome::by(i16::MAX)) < Score::INFINITE);
    }
}
