//! What is known about a score, and the move that showed it.

use crate::last::NOTHING;
use evalsmith_othello::Move;

/// The worst and the best that a score can still be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At least this.
    pub lower: i8,
    /// At most this.
    pub upper: i8,
}

impl Bounds {
    /// Nothing is known.
    pub const ALL: Self = Self { lower: -64, upper: 64 };

    /// The score, where it is known.
    pub const fn exact(self) -> Option<i8> {
        if self.lower == self.upper { Some(self.lower) } else { None }
    }

    /// What a null window search above `alpha` tells by its value.
    #[inline(always)]
    pub(crate) const fn of(value: i32, alpha: i32) -> Self {
        debug_assert!(value > NOTHING);
        if value > alpha {
            Self { lower: value as i8, upper: 64 }
        } else {
            Self { lower: -64, upper: value as i8 }
        }
    }

    /// Both pieces of knowledge together.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            lower: if self.lower > other.lower { self.lower } else { other.lower },
            upper: if self.upper < other.upper { self.upper } else { other.upper },
        }
    }

    /// The answer to the null window above `alpha`, if it is known.
    #[inline(always)]
    pub(crate) const fn answer(self, alpha: i32) -> Option<i32> {
        if self.lower as i32 > alpha {
            Some(self.lower as i32)
        } else if self.upper as i32 <= alpha {
            Some(self.upper as i32)
        } else {
            None
        }
    }
}

/// What a table remembers of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) bounds: Bounds,
    /// The move to try first; a pass where none is known.
    pub(crate) best: Move,
}
