//! Six to eleven empty squares: moves ordered by the replies they leave, and a
//! small table of the thread's own.
//!
//! Ordering computes the mobility of every child, so a position is handed down
//! together with its mobility, which is never computed twice.

use crate::bounds::{Bounds, Known};
use crate::last::{Leaves, NOTHING};
use crate::local::Local;
use crate::order::Candidates;
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel, Move};

/// With at most so many empty squares a position is searched here.
pub(crate) const NEAR: u32 = 11;

/// With at least so many it is remembered what was found.
const FEWEST: u32 = 6;

compiled_twice! {
    with five, last;

    /// The value with at most [`NEAR`] empty squares, for the null window above
    /// `alpha`.
    pub(crate) fn near<K: Kernel>(
        leaves: &mut Leaves,
        local: &mut Local,
        board: Board<K>,
        alpha: i32,
    ) -> i32 {
        match board.empty().count_ones() {
            0..=4 => last::few(leaves, board, alpha),
            5 => five::five(leaves, board, board.mobility(), alpha),
            empties => more(leaves, local, board, board.mobility(), empties, alpha),
        }
    }

    /// The value with at least five empty squares.
    #[inline]
    fn below<K: Kernel>(
        leaves: &mut Leaves,
        local: &mut Local,
        board: Board<K>,
        moves: u64,
        empties: u32,
        alpha: i32,
    ) -> i32 {
        if empties == 5 {
            five::five(leaves, board, moves, alpha)
        } else {
            more(leaves, local, board, moves, empties, alpha)
        }
    }

    /// The value with at least six empty squares.
    fn more<K: Kernel>(
        leaves: &mut Leaves,
        local: &mut Local,
        board: Board<K>,
        moves: u64,
        empties: u32,
        alpha: i32,
    ) -> i32 {
        leaves.nodes += 1;
        if leaves.stability.may_bound(empties, alpha) {
            let bound = leaves.stability.bound(&board);
            if bound <= alpha {
                return bound;
            }
        }
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => board.final_margin(),
                replies => -more(leaves, local, board.passed(), replies, empties, !alpha),
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
        let (mut best, mut best_move) = (NOTHING, Move::PASS);
        let mut others = moves;
        // What is remembered often settles it, and then the others are never looked at.
        if first != Move::PASS {
            let flips = board.kernel().flips(board.own(), board.opp(), first.0);
            let child = board.placed(first.0, flips);
            best = -below(leaves, local, child, child.mobility(), empties - 1, !alpha);
            best_move = first;
            others &= !first.bit();
        }
        if best <= alpha {
            // Memory brings what is known of all of them while they are ordered.
            let fetch = |child: &Board<K>| {
                if empties > FEWEST {
                    local.fetch(child);
                }
            };
            for candidate in Candidates::<16>::shown(&board, others, Move::PASS, fetch) {
                let child = board.placed(candidate.square, candidate.flips);
                let value = -below(leaves, local, child, candidate.replies, empties - 1, !alpha);
                if value > best {
                    (best, best_move) = (value, candidate.mv());
                    if value > alpha {
                        break;
                    }
                }
            }
        }
        local.put(place, &board, Known { bounds: Bounds::of(best, alpha), best: best_move });
        best
    }
}
