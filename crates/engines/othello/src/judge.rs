//! What a position seems worth: at the leaves of midgame searches, for ordering
//! moves, and for a first guess.

use evalsmith_othello::{Board, Kernel};

/// One disc on a judge's scale.
pub const DISC: i32 = 64;

/// Estimates final scores. No proof depends on it, only how soon it is there.
pub trait Judge: Send + Sync {
    /// The expected final margin of the side to move, in [`DISC`]s; `moves` is the
    /// mobility of the board.
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32;
}

impl<J: Judge> Judge for &J {
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        (**self).value(board, moves)
    }
}
