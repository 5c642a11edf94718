//! Searches that end at a judge's estimate, or at the end of the game if it comes
//! first.
//!
//! As in the solver all searches are null windows, so a position has one question:
//! is it worth more than `alpha`? In order: the table; a shallow check (Multi-ProbCut)
//! where the effort allows it; what the table knows of the children; then the moves,
//! the remembered one first, the others by the judge and the replies they leave. The
//! driver is the engine's own and not the one of `search`: it is monomorphised over
//! board and judge, hands the mobility of a child down to it, and shares the solver's
//! threads.
//!
//! Invariant: without selectivity the answer is that of plain negamax over the judge.

use crate::deep::Many;
use crate::effort::Effort;
use crate::judge::{Judge, OfChildren};
use crate::memory::Recalled;
use crate::near::NEAR;
use crate::probcut::{LEAST_CHECKED, check_depth};
use crate::quadrants::CORNERS;
use crate::split::Task;
use crate::technique::Technique;
use crate::twice::compiled_twice;
use crate::value::{MOST, PER_DISC, UNKNOWN, eighths};
use crate::worker::Worker;
use evalsmith_othello::{Board, Kernel, Move};

/// From this depth on the children are looked up before they are searched.
const LOOKED_AHEAD: u32 = 4;
/// From this depth on the judge orders the moves.
const JUDGED: u32 = 3;
/// From this depth on moves are shared with other threads.
const SHARED: u32 = 6;

/// Corners, the inside, the edges, and last what stands next to a corner.
const LIKELY_FIRST: [u64; 4] = {
    const BY_CORNERS: u64 = 0x42C3_0000_0000_C342;
    const EDGES: u64 = 0x3C00_8181_8181_003C;
    [CORNERS, !(CORNERS | EDGES | BY_CORNERS), EDGES, BY_CORNERS]
};

compiled_twice! {
    with near, split;

    /// The value in eighths of a disc for the null window above `alpha`; `moves` is
    /// the mobility of the board. Means nothing when the worker has halted.
    pub(crate) fn midgame<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
    ) -> i32 {
        if moves == 0 {
            return match board.opponent_mobility() {
                0 => {
                    worker.leaves.nodes += 1;
                    PER_DISC * board.final_margin()
                }
                theirs => -midgame(worker, &board.passed(), theirs, effort, !alpha),
            };
        }
        let empties = board.empty().count_ones();
        if effort.depth >= empties {
            return to_the_end(worker, board, moves, effort.at(empties), alpha);
        }
        match effort.depth {
            0 => {
                let estimate = eighths(worker.job.judge.value(board, moves));
                at_rest(worker, board, moves, effort, alpha, estimate)
            }
            1 => {
                let children = worker.job.judge.of_children(board);
                last_ply(worker, board, moves, effort, alpha, &children)
            }
            _ => inner(worker, board, moves, effort, alpha),
        }
    }

    /// The judge's estimate; where corners are waited for, or what taking one leads
    /// to, if that is better. A corner once taken stays, so that ends soon.
    #[inline]
    fn at_rest<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
        estimate: i32,
    ) -> i32 {
        worker.leaves.nodes += 1;
        let mut best = estimate;
        if worker.job.corners {
            let mut corners = moves & CORNERS;
            while corners != 0 && best <= alpha {
                let square = corners.trailing_zeros() as u8;
                corners &= corners - 1;
                let flips = board.kernel().flips(board.own(), board.opp(), square);
                let child = board.placed(square, flips);
                let replies = child.mobility();
                best = best.max(-midgame(worker, &child, replies, effort, !alpha));
            }
        }
        best
    }

    /// The value where the depth reaches the end of the game.
    fn to_the_end<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
    ) -> i32 {
        // Scores are whole discs: above `alpha` and above its floor are the same.
        let floor = alpha.div_euclid(PER_DISC);
        if effort.depth <= NEAR {
            let value = near::near(&mut worker.leaves, &mut worker.local, *board, floor);
            return PER_DISC * value;
        }
        if worker.leaves.stability.may_bound(effort.depth, floor) {
            let bound = worker.leaves.stability.bound(board);
            if bound <= floor {
                return PER_DISC * bound;
            }
        }
        inner(worker, board, moves, effort, alpha)
    }

    /// One ply: too little to be worth a place in the table, or any order but that of
    /// squares.
    fn last_ply<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
        children: &impl OfChildren<K>,
    ) -> i32 {
        worker.count();
        let leaf = effort.at(0);
        let mut best = UNKNOWN;
        for likely in LIKELY_FIRST {
            let mut some = moves & likely;
            while some != 0 && best <= alpha {
                let square = some.trailing_zeros() as u8;
                some &= some - 1;
                let flips = board.kernel().flips(board.own(), board.opp(), square);
                let child = board.placed(square, flips);
                let replies = child.mobility();
                let value = if replies == 0 {
                    midgame(worker, &child, replies, leaf, !alpha)
                } else {
                    let estimate = eighths(children.value(square, flips, &child, replies));
                    at_rest(worker, &child, replies, leaf, !alpha, estimate)
                };
                best = best.max(-value);
            }
        }
        best
    }

    fn inner<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
    ) -> i32 {
        worker.count();
        if worker.halted() {
            return UNKNOWN;
        }
        let mut first = Move::PASS;
        if let Some(known) = worker.job.memory.get(board, effort) {
            if let Some(answer) = known.answer(alpha) {
                return answer;
            }
            first = known.best;
        }
        if effort.depth >= LEAST_CHECKED
            && let Some(value) = check(worker, board, moves, effort, alpha)
        {
            return value;
        }
        let mut candidates = Many::new(board, moves, first);
        if effort.depth >= LOOKED_AHEAD
            && worker.job.techniques.has(Technique::Children)
            && let Some(value) = known_refutation(worker, &candidates, board, effort, alpha)
        {
            return value;
        }
        // The remembered move often makes an order needless.
        let remembered = first.bit() & moves != 0;
        if !remembered {
            order(worker, &mut candidates, board, effort);
        }
        let (best, best_move) = best_of(worker, board, effort, alpha, &mut candidates, remembered);
        if !worker.halted() && worker.job.techniques.has(Technique::Table) {
            worker.job.memory.put(board, Recalled::of(best, alpha, best_move), effort);
        }
        best
    }

    /// What a shallow search makes so probable that the deep one is left out.
    fn check<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        moves: u64,
        effort: Effort,
        alpha: i32,
    ) -> Option<i32> {
        let empties = board.empty().count_ones();
        let margin = worker.job.probcut.margin(empties, effort)?;
        let shallow = effort.at(check_depth(effort.depth));
        worker.leaves.nodes += 1;
        // The estimate tells which of the two checks may succeed.
        if eighths(worker.job.judge.value(board, moves)) > alpha {
            let high = alpha + margin;
            if high < MOST && midgame(worker, board, moves, shallow, high) > high {
                return Some(alpha + 1);
            }
        } else {
            let low = alpha - margin;
            if low >= -MOST && midgame(worker, board, moves, shallow, low) <= low {
                return Some(alpha);
            }
        }
        None
    }

    /// The best of the moves, or one that is better than `alpha`; the moves behind the
    /// first may have to be ordered yet.
    pub(crate) fn best_of<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        effort: Effort,
        alpha: i32,
        candidates: &mut Many,
        mut unordered: bool,
    ) -> (i32, Move) {
        let (mut best, mut best_move) = (UNKNOWN, Move::PASS);
        let below = effort.at(effort.depth - 1);
        let job = worker.job;
        let children = (effort.depth == 2).then(|| job.judge.of_children(board));
        while let Some(candidate) = candidates.next() {
            let (square, flips, replies) = (candidate.square, candidate.flips, candidate.replies);
            let child = board.placed(square, flips);
            let value = match &children {
                Some(children) if replies != 0 => {
                    let children = children.after(square, flips);
                    -last_ply(worker, &child, replies, below, !alpha, &children)
                }
                _ => -midgame(worker, &child, replies, below, !alpha),
            };
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
                order(worker, candidates, board, effort);
                unordered = false;
            }
            // The eldest brother is known: the others may be searched at once.
            if effort.depth >= SHARED
                && candidates.rest() > 0
                && worker.job.pool.someone_is_idle()
            {
                let rest = candidates.collect();
                let task = Task::Think(below);
                return split::share(worker, board, alpha, rest, (best, best_move), task);
            }
        }
        (best, best_move)
    }

    /// A value above `alpha` that the table gives one of the children (enhanced
    /// transposition cut-off).
    fn known_refutation<K: Kernel, J: Judge>(
        worker: &Worker<'_, K, J>,
        candidates: &Many,
        board: &Board<K>,
        effort: Effort,
        alpha: i32,
    ) -> Option<i32> {
        let memory = worker.job.memory;
        let below = effort.at(effort.depth - 1);
        let children = || candidates.all().map(|c| board.placed(c.square, c.flips));
        // Memory brings all of them at once, not one after the other.
        for child in children() {
            memory.fetch(&child);
        }
        children()
            .filter_map(|child| memory.get(&child, below))
            .map(|known| -known.upper)
            .find(|&value| value > alpha)
    }

    /// Orders the moves by what the judge thinks of them.
    pub(crate) fn order<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        candidates: &mut Many,
        board: &Board<K>,
        effort: Effort,
    ) {
        let judged = worker.job.techniques.has(Technique::Ordering);
        if judged && candidates.rest() > 1 && effort.depth >= JUDGED {
            candidates.judge(worker.job.judge, board, 16, &mut worker.leaves.nodes);
        }
    }
}
