//! Seven to eleven empty squares: moves ordered by the replies they leave, and a
//! small table of the thread's own.

use crate::bounds::{Bounds, Known};
use crate::last::{Leaves, NOTHING};
use crate::local::Local;
use crate::order::{self, Candidates};
use crate::shallow::{SHALLOW, may_be_bounded};
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel, Move};

/// With at most so many empty squares a position is searched here.
pub(crate) const NEAR: u32 = 11;

compiled_twice! {
    with shallow;

    /// The value with at most [`NEAR`] empty squares, for the null window above
    /// `alpha`.
    pub(crate) fn near<K: Kernel>(
        leaves: &mut Leaves,
        local: &mut Local,
        board: Board<K>,
        alpha: i32,
    ) -> i32 {
        let empties = board.empty().count_ones();
        if empties <= SHALLOW {
            return shallow::shallow(leaves, board, alpha);
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
                _ => -near(leaves, local, board.passed(), !alpha),
            };
        }
        let place = Local::place(&board);
        let mut first = Move::PASS;
        if let Some(known) = local.get(place, &board) {
            if let Some(answer) = known.bounds.answer(alpha) {
                return answer;
            }
            first = known.best;
        }
        let mut candidates = Candidates::<16>::new(&board, moves);
        order::by_mobility(&mut candidates, &board, first);
        let (mut best, mut best_move) = (NOTHING, Move::PASS);
        for candidate in candidates {
            let child = board.placed(candidate.square, candidate.flips);
            let value = if empties == SHALLOW + 1 {
                -shallow::shallow(leaves, child, !alpha)
            } else {
                -near(leaves, local, child, !alpha)
            };
            if value > best {
                (best, best_move) = (value, candidate.mv());
                if value > alpha {
                    break;
                }
            }
        }
        local.put(place, &board, Known { bounds: Bounds::of(best, alpha), best: best_move });
        best
    }
}
