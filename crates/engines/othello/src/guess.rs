//! Shallow searches with a judge at their leaves: estimates for ordering moves,
//! and for where the first question about a position should begin.

use crate::judge::{DISC, Judge, OfChildren};
use crate::order::Candidates;
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel, Move};

/// Beyond every value of a judge.
pub(crate) const BEYOND: i32 = 1000 * DISC;
/// The most plies for which moves are tried: nothing stops a guess, and a deeper one
/// would outlast a deadline.
pub(crate) const DEEPEST: u32 = 4;

compiled_twice! {
    with ;

    /// The value `depth` plies deep for the side to move, exact between `alpha`
    /// and `beta`; `moves` is the mobility of the board.
    pub(crate) fn guess<K: Kernel, J: Judge>(
        nodes: &mut u64,
        judge: &J,
        board: &Board<K>,
        moves: u64,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        *nodes += 1;
        if depth == 0 {
            return judge.value(board, moves);
        }
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => DISC * board.final_margin(),
                theirs => -guess(nodes, judge, &board.passed(), theirs, depth, -beta, -alpha),
            };
        }
        if depth == 1 {
            return one_ply(nodes, judge, board, moves, beta);
        }
        let mut best = -BEYOND;
        let mut candidates = Candidates::<64>::new(board, moves, Move::PASS);
        for candidate in candidates.by_ref() {
            let child = board.placed(candidate.square, candidate.flips);
            let replies = candidate.replies;
            let value = -guess(nodes, judge, &child, replies, depth - 1, -beta, -alpha);
            if value > best {
                best = value;
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The value one ply deep, exact below `beta`, the moves as they come.
    fn one_ply<K: Kernel, J: Judge>(
        nodes: &mut u64,
        judge: &J,
        board: &Board<K>,
        mut moves: u64,
        beta: i32,
    ) -> i32 {
        let children = judge.of_children(board);
        let mut best = -BEYOND;
        while moves != 0 && best < beta {
            let square = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            *nodes += 1;
            let flips = board.kernel().flips(board.own(), board.opp(), square);
            let child = board.placed(square, flips);
            best = best.max(-children.value(square, flips, &child, child.mobility()));
        }
        best
    }
}
