//! What a position seems worth, for ordering moves and for a first guess.

use crate::quadrants::CORNERS;
use evalsmith_othello::{Board, Kernel};

/// One disc on a judge's scale.
pub const DISC: i32 = 64;

/// Estimates final scores. No result depends on it, only how soon it is there.
pub trait Judge: Send + Sync {
    /// The expected final margin of the side to move, in [`DISC`]s.
    fn value<K: Kernel>(&self, board: &Board<K>) -> i32;
}

/// Mobility, frontier and corners, weighed by hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByHand;

impl Judge for ByHand {
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>) -> i32 {
        let side = |moves: u64, own: u64, opp: u64| {
            let empty = board.empty();
            let potential = crate::order::neighbours(opp) & empty;
            let corners = own & CORNERS;
            let bad = crate::order::neighbours(empty & CORNERS) & own;
            96 * moves.count_ones() as i32
                + 32 * potential.count_ones() as i32
                + 400 * corners.count_ones() as i32
                - 128 * bad.count_ones() as i32
                + 200 * (moves & CORNERS).count_ones() as i32
        };
        side(board.mobility(), board.own(), board.opp())
            - side(board.opponent_mobility(), board.opp(), board.own())
    }
}
