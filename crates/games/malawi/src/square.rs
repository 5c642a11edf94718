//! Squares and sets of squares, a byte to a row.
//!
//! Bit `8 * row + column` stands for a square; the two upper bits of each byte
//! and the two upper bytes are never set. They stop whatever is shifted over the
//! edge, and turning the board round is one byte swap.

use std::fmt;

/// A set of squares.
pub(crate) type Set = u64;

/// All squares.
pub(crate) const BOARD: Set = 0x3F3F_3F3F_3F3F;
/// The base line of the side to move.
pub(crate) const OWN_BASE: Set = 0x3F;
/// The base line of its opponent.
pub(crate) const ENEMY_BASE: Set = 0x3F << 40;

/// One of the 36 squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square in this row and column, both counted from 0; `None` beyond 5.
    pub fn new(row: u8, column: u8) -> Option<Self> {
        (row < 6 && column < 6).then(|| Self(8 * row + column))
    }

    /// The lowest square of a set that is not empty.
    #[inline]
    pub(crate) fn lowest(set: Set) -> Self {
        debug_assert!(set & !BOARD == 0 && set != 0);
        Self(set.trailing_zeros() as u8)
    }

    /// The highest square of a set that is not empty.
    #[inline]
    pub(crate) fn highest(set: Set) -> Self {
        debug_assert!(set & !BOARD == 0 && set != 0);
        Self(63 - set.leading_zeros() as u8)
    }

    /// The square's bit number.
    #[inline]
    pub(crate) fn bit(self) -> u8 {
        self.0
    }

    /// The set of this square alone.
    #[inline]
    pub(crate) fn set(self) -> Set {
        1 << self.0
    }

    /// The row, from 0 at the base line of the side whose view is taken.
    #[inline]
    pub fn row(self) -> u8 {
        self.0 >> 3
    }

    /// The column, from 0 at the left.
    #[inline]
    pub fn column(self) -> u8 {
        self.0 & 7
    }

    /// The same square seen from the other end of the board.
    #[must_use]
    pub(crate) fn flipped(self) -> Self {
        Self(40 - (self.0 & 0x38) + (self.0 & 7))
    }

    /// All squares, row by row.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..6).flat_map(|row| (0..6).map(move |column| Self(8 * row + column)))
    }
}

/// `a1` to `f6`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The squares of a set, lowest first.
pub(crate) fn squares(mut set: Set) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = Square::lowest(set);
            set &= set - 1;
            square
        })
    })
}

/// The set with the rows in reverse order: the opponent's view.
#[inline]
pub(crate) const fn flip(set: Set) -> Set {
    set.swap_bytes() >> 16
}

/// The set with the columns in reverse order.
#[inline]
pub(crate) const fn mirror(set: Set) -> Set {
    set.reverse_bits().swap_bytes() >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_and_mirrors_move_squares_as_said() {
        for square in Square::all() {
            let (row, column) = (square.row(), square.column());
            assert_eq!(flip(square.set()), square.flipped().set());
            assert_eq!(Square::new(5 - row, column), Some(square.flipped()));
            let across = Square::new(row, 5 - column).expect("a column of the board");
            assert_eq!(mirror(square.set()), across.set());
        }
        assert_eq!((flip(BOARD), mirror(BOARD)), (BOARD, BOARD));
        assert_eq!(flip(OWN_BASE), ENEMY_BASE);
        assert_eq!(Square::all().fold(0, |set, s| set | s.set()), BOARD);
        assert_eq!(squares(BOARD).collect::<Vec<_>>(), Square::all().collect::<Vec<_>>());
    }
}
