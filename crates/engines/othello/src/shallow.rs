//! Five and six empty squares: parity orders the moves, nothing is remembered.

use crate::last::Leaves;
use crate::quadrants;
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel};

/// With at most so many empty squares a position is searched here.
pub(crate) const SHALLOW: u32 = 6;

/// Whether counting stable discs is worth while: the more squares are empty, the
/// more must be asked for.
#[inline(always)]
pub(crate) const fn may_be_bounded(empties: u32, alpha: i32) -> bool {
    alpha >= 2 * empties as i32 - 2
}

compiled_twice! {
    with last;

    /// The value with at most [`SHALLOW`] empty squares, for the null window
    /// above `alpha`.
    pub(crate) fn shallow<K: Kernel>(leaves: &mut Leaves, board: Board<K>, alpha: i32) -> i32 {
        let empty = board.empty();
        let empties = empty.count_ones();
        if empties <= 4 {
            return last::few(leaves, board, alpha);
        }
        leaves.nodes += 1;
        if may_be_bounded(empties, alpha) {
            let bound = leaves.stability.bound(&board);
            if bound <= alpha {
                return bound;
            }
        }
        let moves = board.mobility();
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => board.final_margin(),
                _ => -shallow(leaves, board.passed(), !alpha),
            };
        }
        let odd = quadrants::odd(empty);
        let mut best = -100;
        for mut squares in [moves & odd, moves & !odd] {
            while squares != 0 {
                let square = squares.trailing_zeros() as u8;
                squares &= squares - 1;
                let flips = board.kernel().flips(board.own(), board.opp(), square);
                let child = board.placed(square, flips);
                let value = if empties == 5 {
                    -last::four(leaves, child, !alpha)
                } else {
                    -shallow(leaves, child, !alpha)
                };
                if value > best {
                    best = value;
                    if value > alpha {
                        return best;
                    }
                }
            }
        }
        best
    }
}
