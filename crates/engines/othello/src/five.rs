//! Five empty squares: parity orders the moves, nothing is remembered.

use crate::last::{Leaves, NOTHING};
use crate::quadrants;
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel};

compiled_twice! {
    with last;

    /// The value with five empty squares, for the null window above `alpha`;
    /// `moves` is the mobility of the board.
    pub(crate) fn five<K: Kernel>(
        leaves: &mut Leaves,
        board: Board<K>,
        moves: u64,
        alpha: i32,
    ) -> i32 {
        leaves.nodes += 1;
        if leaves.stability.may_bound(5, alpha) {
            let bound = leaves.stability.bound(&board);
            if bound <= alpha {
                return bound;
            }
        }
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => board.final_margin(),
                replies => -five(leaves, board.passed(), replies, !alpha),
            };
        }
        let odd = quadrants::odd(board.empty());
        let mut best = NOTHING;
        for mut squares in [moves & odd, moves & !odd] {
            while squares != 0 {
                let square = squares.trailing_zeros() as u8;
                squares &= squares - 1;
                let flips = board.kernel().flips(board.own(), board.opp(), square);
                best = best.max(-last::four(leaves, board.placed(square, flips), !alpha));
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }
}
