//! How a game ends, and for whom.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Neg;

/// One of the two players, by the order in which they move in the start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first from the start position (Black in Othello and Go, White in Chess).
    First,
    /// Moves second.
    Second,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The side to move `plies` half-moves after `self` was to move.
    #[must_use]
    pub const fn after(self, plies: usize) -> Self {
        if plies.is_multiple_of(2) { self } else { self.other() }
    }

    /// 0 for the first player, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// Win, draw or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The side asked about lost.
    Loss,
    /// Nobody won.
    Draw,
    /// The side asked about won.
    Win,
}

/// The end of a game, seen by the side to move in the final position.
///
/// The margin is in the game's own units (discs in Othello, half points in Go)
/// and is ±1 where a game knows only win and loss. Its sign is the verdict.
///
/// ```
/// use evalsmith_core::{Outcome, Verdict};
/// let lost_by_six = Outcome::by(-6);
/// assert_eq!(lost_by_six.verdict(), Verdict::Loss);
/// assert_eq!((-lost_by_six).margin(), 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Outcome(i16);

impl Outcome {
    /// A win in a game without margins.
    pub const WIN: Self = Self(1);
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// A loss in a game without margins.
    pub const LOSS: Self = Self(-1);

    /// An outcome with a margin: positive wins, negative loses, zero draws.
    pub const fn by(margin: i16) -> Self {
        Self(margin)
    }

    /// The margin, positive for a win.
    pub const fn margin(self) -> i16 {
        self.0
    }

    /// Win, draw or loss.
    pub const fn verdict(self) -> Verdict {
        match self.0 {
            1.. => Verdict::Win,
            0 => Verdict::Draw,
            _ => Verdict::Loss,
        }
    }

    /// The share of the point: 1, ½ or 0.
    pub const fn points(self) -> f64 {
        match self.verdict() {
            Verdict::Win => 1.0,
            Verdict::Draw => 0.5,
            Verdict::Loss => 0.0,
        }
    }

    /// The same end seen by `viewer`, when it was told by `teller`.
    #[must_use]
    pub fn seen_by(self, teller: Side, viewer: Side) -> Self {
        if teller == viewer { self } else { -self }
    }
}

impl Neg for Outcome {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
