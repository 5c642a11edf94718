//! Twelve and more empty squares: the shared table, moves that selective searches found
//! good, then those ordered by the judge, cut-offs by what the table knows of the
//! children, work for other threads.
//!
//! All searches are null windows (see `solver`), so a position has one question:
//! is it worth more than `alpha`? Values are fail-soft.

use crate::bounds::{Bounds, Known};
use crate::judge::Judge;
use crate::last::NOTHING;
use crate::near::NEAR;
use crate::order::Candidates;
use crate::split::{SPLIT, Task};
use crate::technique::Technique;
use crate::twice::compiled_twice;
use crate::worker::Worker;
use evalsmith_othello::{Board, Kernel, Move};

/// With at least so many empty squares the judge orders the moves.
const JUDGED: u32 = 13;
/// How much of what it thinks counts beside the replies left, in sixteenths.
const SIXTEENTHS: i32 = 5;

/// With at least so many empty squares, the move that selective searches found best is
/// tried first.
const HINTED: u32 = 14;

/// The moves of a position with many empty squares.
pub(crate) type Many = Candidates<64>;

compiled_twice! {
    with near, split;

    /// The value of a position for the null window above `alpha`; means nothing
    /// when the worker has halted.
    pub(crate) fn deep<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: Board<K>,
        alpha: i32,
    ) -> i32 {
        let empties = board.empty().count_ones();
        if empties <= NEAR {
            return near::near(&mut worker.leaves, &mut worker.local, board, alpha);
        }
        worker.count();
        if worker.halted() {
            return NOTHING;
        }
        if worker.leaves.stability.may_bound(empties, alpha) {
            let bound = worker.leaves.stability.bound(&board);
            if bound <= alpha {
                return bound;
            }
        }
        worker.job.table.fetch(&board);
        let moves = board.mobility();
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => board.final_margin(),
                _ => -deep(worker, board.passed(), !alpha),
            };
        }
        let mut first = Move::PASS;
        if let Some(known) = worker.job.table.get(&board) {
            if let Some(answer) = known.bounds.answer(alpha) {
                return answer;
            }
            first = known.best;
        } else if empties >= HINTED
            && let Some(best) = worker.job.memory.best(&board)
        {
            first = best;
        }
        let before = worker.leaves.nodes;
        let mut candidates = Many::new(&board, moves, first);
        if empties > NEAR + 1
            && worker.job.techniques.has(Technique::Children)
            && let Some(value) = known_refutation(worker, &candidates, &board, alpha)
        {
            return value;
        }
        // The remembered move often makes an order needless.
        let remembered = first.bit() & moves != 0;
        if !remembered {
            order(worker, &mut candidates, &board);
        }
        let (best, best_move) = best_of(worker, &board, alpha, &mut candidates, remembered);
        if !worker.halted() && worker.job.techniques.has(Technique::Table) {
            let found = Known { bounds: Bounds::of(best, alpha), best: best_move };
            let nodes = worker.leaves.nodes - before;
            worker.job.table.put(&board, found, nodes);
        }
        best
    }

    /// The best of the moves, or one that is better than `alpha`; the moves behind the
    /// first may have to be ordered yet.
    pub(crate) fn best_of<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        alpha: i32,
        candidates: &mut Many,
        mut unordered: bool,
    ) -> (i32, Move) {
        let (mut best, mut best_move) = (NOTHING, Move::PASS);
        let shareable = board.empty().count_ones() >= SPLIT;
        while let Some(candidate) = candidates.next() {
            let value = -deep(worker, board.placed(candidate.square, candidate.flips), !alpha);
            if worker.halted() {
                break;
            }
            if value > best {
                (best, best_move) = (value, candidate.mv());
                if value > alpha {
                    break;
                }
            }
            if unordered {
                order(worker, candidates, board);
                unordered = false;
            }
            // The eldest brother is known: the others may be searched at once.
            if shareable && candidates.rest() > 0 && worker.job.pool.someone_is_idle() {
                let rest = candidates.collect();
                return split::share(worker, board, alpha, rest, (best, best_move), Task::Solve);
            }
        }
        (best, best_move)
    }

    /// A value above `alpha` that the table proves by one of the children
    /// (enhanced transposition cut-off).
    fn known_refutation<K: Kernel, J: Judge>(
        worker: &Worker<'_, K, J>,
        candidates: &Many,
        board: &Board<K>,
        alpha: i32,
    ) -> Option<i32> {
        let children = || candidates.all().map(|c| board.placed(c.square, c.flips));
        // Memory brings all of them at once, not one after the other.
        for child in children() {
            worker.job.table.fetch(&child);
        }
        children()
            .filter_map(|child| worker.job.table.get(&child))
            .map(|known| -i32::from(known.bounds.upper))
            .find(|&value| value > alpha)
    }

    /// Orders the moves by what the judge thinks of them.
    pub(crate) fn order<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        candidates: &mut Many,
        board: &Board<K>,
    ) {
        let judged = worker.job.techniques.has(Technique::Ordering);
        if judged && candidates.rest() > 1 && board.empty().count_ones() >= JUDGED {
            candidates.judge(worker.job.judge, board, SIXTEENTHS, &mut worker.leaves.nodes);
        }
    }
}
