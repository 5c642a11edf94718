//! Moves, and the legal ones of a position as an iterator over a word.

use std::fmt;

/// A square 0..64 to play on, or [`Move::PASS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u8);

impl Move {
    /// The only move of a side that cannot play while the other can.
    pub const PASS: Self = Self(64);

    /// `f5`, or `pass`; none for what is no move.
    pub(crate) fn name(self) -> Option<&'static str> {
        let at = usize::from(self.0);
        match at {
            0..64 => Some(NAMES[at]),
            64 => Some("pass"),
            _ => None,
        }
    }

    /// The move's square as a set of one; empty for a pass.
    #[inline]
    pub const fn bit(self) -> u64 {
        if self.0 < 64 { 1 << self.0 } else { 0 }
    }
}

/// The squares' names, from a1 to h8 row by row.
static NAMES: [&str; 64] = {
    let mut names = [""; 64];
    let mut square = 0;
    while square < 64 {
        names[square] = match std::str::from_utf8(&LETTERS[square]) {
            Ok(name) => name,
            Err(_) => panic!("a letter and a digit are text"),
        };
        square += 1;
    }
    names
};

const LETTERS: [[u8; 2]; 64] = {
    let mut names = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        names[square] = [b'a' + (square % 8) as u8, b'1' + (square / 8) as u8];
        square += 1;
    }
    names
};

impl fmt::Display for Move {
    /// Writes `f5`, or `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "square {}", self.0),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The legal moves from a1 towards h8, or the pass.
#[derive(Clone, Debug)]
pub struct Moves {
    squares: u64,
    pass: bool,
}

impl Moves {
    #[inline]
    pub(crate) const fn new(squares: u64, pass: bool) -> Self {
        Self { squares, pass }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.squares != 0 {
            let square = self.squares.trailing_zeros() as u8;
            self.squares &= self.squares - 1;
            Some(Move(square))
        } else if self.pass {
            self.pass = false;
            Some(Move::PASS)
        } else {
            None
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.squares.count_ones() as usize + usize::from(self.pass);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}
