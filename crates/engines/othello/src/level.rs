//! How much of the tree is looked at.
//!
//! Before the exact search, narrow ones look only at the first few moves of every
//! position with many empty squares. They cost little, their score is a good guess
//! for the next level, and the moves they leave in the table put the right ones
//! first.

/// From the narrowest to the exact search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Narrow,
    Wide,
    Exact,
}

impl Level {
    /// All of them, each preparing the next.
    pub(crate) const ALL: [Self; 3] = [Self::Narrow, Self::Wide, Self::Exact];

    /// How many moves of a position are tried.
    #[inline(always)]
    pub(crate) const fn width(self) -> usize {
        match self {
            Self::Narrow => 2,
            Self::Wide => 4,
            Self::Exact => usize::MAX,
        }
    }

    /// Two bits for a table.
    #[inline(always)]
    pub(crate) const fn bits(self) -> u32 {
        self as u32
    }

    /// The level of two bits.
    #[inline(always)]
    pub(crate) const fn of_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Narrow,
            1 => Self::Wide,
            _ => Self::Exact,
        }
    }
}
