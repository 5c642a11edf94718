//! What a position seems worth: at the leaves of midgame searches, and for ordering
//! moves.

use evalsmith_othello::{Board, Kernel};

/// One disc on a judge's scale.
pub const DISC: i32 = 64;

/// Estimates final scores. No proof depends on it, only how soon it is there.
pub trait Judge: Send + Sync {
    /// The expected final margin of the side to move, in [`DISC`]s; `moves` is the
    /// mobility of the board.
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32;

    /// Judges the children of a position, by what it has in common with them where
    /// that is faster. To be `inline(always)`, as are the methods of what it returns.
    #[inline(always)]
    fn of_children<K: Kernel>(&self, _parent: &Board<K>) -> impl OfChildren<K> {
        OneByOne(self)
    }
}

/// A judge of the children of one position.
pub trait OfChildren<K: Kernel>: Sized {
    /// As [`Judge::value`] says of the child that a disc on `square` with these
    /// `flips` leads to.
    fn value(&self, square: u8, flips: u64, child: &Board<K>, moves: u64) -> i32;

    /// The judge of that child's own children.
    #[must_use]
    fn after(&self, square: u8, flips: u64) -> Self;
}

/// Judges each child by itself.
struct OneByOne<'j, J: ?Sized>(&'j J);

impl<K: Kernel, J: Judge + ?Sized> OfChildren<K> for OneByOne<'_, J> {
    #[inline(always)]
    fn value(&self, _square: u8, _flips: u64, child: &Board<K>, moves: u64) -> i32 {
        self.0.value(child, moves)
    }

    #[inline(always)]
    fn after(&self, _square: u8, _flips: u64) -> Self {
        Self(self.0)
    }
}

impl<J: Judge> Judge for &J {
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        (**self).value(board, moves)
    }

    #[inline(always)]
    fn of_children<K: Kernel>(&self, parent: &Board<K>) -> impl OfChildren<K> {
        (**self).of_children(parent)
    }
}

/// One part of an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The kind of pattern, or what is counted.
    pub name: String,
    /// The squares it looks at; none for a count.
    pub squares: u64,
    /// What it speaks for the side to move.
    pub discs: f64,
}
