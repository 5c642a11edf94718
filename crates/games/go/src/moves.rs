//! Moves, and the legal ones of a position as an iterator over a set.

use crate::point::{Point, Set};
use std::fmt;

/// A stone on a point, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(Option<Point>);

impl Move {
    /// No stone. Always legal while the game goes on.
    pub const PASS: Self = Self(None);

    /// A stone on this point.
    #[inline]
    pub const fn on(point: Point) -> Self {
        Self(Some(point))
    }

    /// Where the stone goes; `None` for a pass.
    #[inline]
    pub const fn point(self) -> Option<Point> {
        self.0
    }
}

/// A GTP vertex: `E5`, `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(point) => point.fmt(f),
            None => f.write_str("pass"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The legal moves from A1 towards J9, then the pass.
#[derive(Clone, Debug)]
pub struct Moves {
    points: Set,
    pass: bool,
}

impl Moves {
    /// Stones on these points, and the pass.
    #[inline]
    pub(crate) const fn with_pass(points: Set) -> Self {
        Self { points, pass: true }
    }

    /// None: the game is over.
    pub(crate) const fn none() -> Self {
        Self { points: 0, pass: false }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.points != 0 {
            let point = Point::lowest(self.points);
            self.points &= self.points - 1;
            Some(Move::on(point))
        } else if self.pass {
            self.pass = false;
            Some(Move::PASS)
        } else {
            None
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.points.count_ones() as usize + usize::from(self.pass);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}
