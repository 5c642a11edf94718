//! A value found by null windows: "is the position worth more than `alpha`?", until the
//! answers meet (MTD(f), Plaat et al. 1996).

use crate::deep::Many;
use crate::effort::Effort;
use crate::judge::Judge;
use crate::memory::Recalled;
use crate::twice::compiled_twice;
use crate::value::{MOST, PER_DISC, UNKNOWN};
use crate::worker::Worker;
use evalsmith_othello::{Board, Kernel, Move};

/// Scores at the end of the game are even.
const EVEN: i32 = 2 * PER_DISC;

/// What is to be found out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) effort: Effort,
    /// Where the windows begin.
    pub(crate) guess: i32,
    /// The move to try first.
    pub(crate) first: Move,
    /// Moves to choose from; those that are not legal are ignored.
    pub(crate) among: u64,
    /// The finest difference asked for. Where the search reaches the end of the game it
    /// is two discs.
    pub(crate) grain: i32,
    /// Values at or beyond these bounds, even numbers of discs, are not told apart.
    pub(crate) within: (i32, i32),
}

impl Wanted {
    /// The value of every move, told apart by eighths of a disc.
    pub(crate) const fn new(effort: Effort, guess: i32, first: Move) -> Self {
        Self { effort, guess, first, among: u64::MAX, grain: 1, within: (-MOST, MOST) }
    }
}

compiled_twice! {
    with midgame;

    /// The value at some effort and the best move; none when the worker was halted
    /// before anything was learnt.
    ///
    /// Bounds move towards each other with longer steps the longer they move the same
    /// way. Only values that are multiples of the grain are asked for; the value told
    /// lies in the middle of what is then left open.
    pub(crate) fn search<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        wanted: Wanted,
    ) -> Option<(i32, Move)> {
        let to_end = wanted.effort.depth >= board.empty().count_ones();
        let grain = if to_end { EVEN } else { wanted.grain };
        let middle = |lower: i32| {
            let open = if to_end || lower.abs() >= MOST { 0 } else { grain / 2 };
            lower + open
        };
        let (mut lower, mut upper) = wanted.within;
        let mut best = wanted.first;
        let mut proven = false;
        let mut test = wanted.guess;
        let mut stride = 0;
        while lower < upper {
            test = (test.div_euclid(grain) * grain).clamp(lower + grain, upper);
            let alpha = test - 1;
            let (value, reply) = root(worker, board, &wanted, alpha, best);
            if worker.halted() && value <= alpha {
                // A move proven better than the guess is worth telling.
                return proven.then_some((middle(lower), best));
            }
            let rising = value > alpha;
            stride = match stride {
                s if rising && s > 0 => (2 * s).min(64),
                s if !rising && s < 0 => (2 * s).max(-64),
                _ if rising => grain,
                _ => -grain,
            };
            if rising {
                // An even score above an odd bound is the next one; an estimate is not.
                let least = if to_end { value + grain - 1 } else { value };
                lower = (least.div_euclid(grain) * grain).min(MOST);
                upper = upper.max(lower);
                (best, proven) = (reply, true);
                test = lower + stride;
            } else {
                upper = (value.div_euclid(grain) * grain).max(-MOST);
                lower = lower.min(upper);
                if !proven {
                    best = reply;
                }
                test = upper + grain + stride;
            }
            // Between two known bounds the middle is the best guess.
            if lower > wanted.within.0 && upper < wanted.within.1 {
                test = i32::midpoint(lower, upper) + grain;
            }
        }
        Some((middle(lower), best))
    }

    /// The root's value for the null window above `alpha` and its best move, among
    /// some of its moves or the only pass.
    fn root<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        &Wanted { effort, among, .. }: &Wanted,
        alpha: i32,
        first: Move,
    ) -> (i32, Move) {
        let moves = board.mobility();
        if moves == 0 || effort.depth == 0 {
            let value = midgame::midgame(worker, board, moves, effort, alpha);
            return (if worker.halted() { UNKNOWN } else { value }, first);
        }
        let mut candidates = Many::new(board, moves & among, first);
        midgame::order(worker, &mut candidates, board, effort);
        let (value, best) = midgame::best_of(worker, board, effort, alpha, &mut candidates, false);
        if !worker.halted() && moves & among == moves {
            worker.job.memory.put(board, Recalled::of(value, alpha, best), effort);
        }
        (value, best)
    }
}
