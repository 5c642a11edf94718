//! A game's own search that may leave lines out (Multi-ProbCut in Othello), as far as
//! curves ask of it: the value of a position for a depth and a sureness.
//!
//! Invariant: an answer depends on its question alone, never on earlier ones.

use evalsmith_core::{LogOdds, Position};

/// What a selective search says of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looked {
    /// The value for the side to move.
    pub value: LogOdds,
    /// Positions visited.
    pub nodes: u64,
}

/// A search whose depth, and sureness of what it leaves out, can be chosen.
pub trait SelectiveSearch<P: Position>: Send {
    /// How sure its cuts can be, in percent, from the boldest up. At 100 nothing is
    /// left out.
    fn levels(&self) -> Vec<u8>;

    /// The value of an unfinished position so many plies ahead, at one of the levels.
    ///
    /// # Errors
    /// When the search does not take the position, in words.
    fn look(&mut self, position: &P, plies: u8, percent: u8) -> Result<Looked, String>;
}

/// Makes such a search; every thread has its own.
pub type MakeSelective<P> = fn() -> Box<dyn SelectiveSearch<P>>;
