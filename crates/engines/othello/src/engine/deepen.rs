//! Iterations: deeper, then surer, then proven.

use super::{Certainty, Limits, Ranked, Thought};
use crate::bounds::Bounds;
use crate::deep::Many;
use crate::effort::{Effort, Selectivity};
use crate::judge::Judge;
use crate::memory::{Memory, Recalled};
use crate::solver::{Question, window};
use crate::twice::compiled_twice;
use crate::value::{MOST, PER_DISC, UNKNOWN, Value};
use crate::worker::{Job, Worker};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};

/// With so few empty squares beyond the depth, the search goes on to the end.
const LEAP: u32 = 10;
/// With at most so many empty squares the score is proven at once: a proof takes a few
/// milliseconds. Beyond that it may be stopped, and then a probable score is a better
/// answer than one of a few plies.
const PROVEN_AT_ONCE: u32 = 15;
/// With at most so many, one search to the end comes before the proof.
const PROVEN_SOON: u32 = 20;
/// Plies looked ahead before such a proof, so that there is a move when it is stopped.
const SPARE: u32 = 6;
/// How sure the searches to the end are that come before a proof.
const BEFORE_PROOF: [Selectivity; 2] = [Selectivity::Daring, Selectivity::Careful];
/// Scores at the end of the game are even.
const EVEN: i32 = 2 * PER_DISC;

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Search(Effort),
    Prove,
}

/// The iterations that a position with so many empty squares is worth.
fn steps(empties: u32, limits: &Limits) -> Vec<Step> {
    let most = limits.depth.unwrap_or(u32::MAX).min(empties);
    let to_end = most == empties;
    let before = match empties {
        ..=PROVEN_AT_ONCE if to_end => empties.saturating_sub(LEAP).min(SPARE),
        _ if to_end => empties.saturating_sub(LEAP),
        _ => most,
    };
    let search = |depth, selectivity| Step::Search(Effort { depth, selectivity });
    let mut steps: Vec<_> = (1..=before).map(|d| search(d, limits.selectivity)).collect();
    if to_end {
        let probable = if empties > PROVEN_SOON {
            &BEFORE_PROOF[..]
        } else if empties > PROVEN_AT_ONCE {
            &BEFORE_PROOF[..1]
        } else {
            &[]
        };
        steps.extend(probable.iter().map(|&level| search(empties, level)));
        steps.push(Step::Prove);
    }
    steps
}

/// The remembered play after `first`, as far as the table knows it.
fn line<K: Kernel>(memory: &Memory, board: &Board<K>, first: Move, effort: Effort) -> Vec<Move> {
    let mut line = vec![first];
    let mut board = board.play(first);
    let mut depth = effort.depth - u32::from(first != Move::PASS);
    while depth > 0 && board.outcome().is_none() {
        let next = match board.mobility() {
            0 => Move::PASS,
            moves => match memory.get(&board, effort.at(depth)) {
                Some(known) if known.best.bit() & moves != 0 => known.best,
                _ => break,
            },
        };
        line.push(next);
        board = board.play(next);
        depth -= u32::from(next != Move::PASS);
    }
    line
}

fn certainty(effort: Effort, empties: u32) -> Certainty {
    match effort.selectivity {
        level if effort.depth < empties => Certainty::Judged(level),
        level => Certainty::Probable(level),
    }
}

/// The thought about a finished game, or about nothing yet.
fn blank<K: Kernel>(board: &Board<K>, among: u64) -> Thought {
    let best = board.moves().find(|&m| m == Move::PASS || m.bit() & among != 0);
    let (value, certainty) = match board.outcome() {
        Some(_) => (Value::of_discs(board.final_margin()), Certainty::Exact),
        None => (Value::default(), Certainty::Judged(Selectivity::Daring)),
    };
    Thought { best, value, certainty, depth: 0, line: best.into_iter().collect(), nodes: 0 }
}

compiled_twice! {
    with midgame, solver, split;

    pub(crate) fn think<K: Kernel, J: Judge>(
        job: &Job<'_, K, J>,
        threads: usize,
        board: &Board<K>,
        among: u64,
        limits: &Limits,
        on_iteration: &mut dyn FnMut(&Thought),
    ) -> Thought {
        let mut thought = split::with_helpers(job, threads, |worker| {
            deepen(worker, board, among, limits, on_iteration)
        });
        thought.nodes = job.watch.nodes() - job.begun_at;
        thought
    }

    pub(crate) fn rank<K: Kernel, J: Judge>(
        job: &Job<'_, K, J>,
        threads: usize,
        board: &Board<K>,
        limits: &Limits,
        on_iteration: &mut dyn FnMut(&[Ranked]),
    ) -> Vec<Ranked> {
        split::with_helpers(job, threads, |worker| deepen_all(worker, board, limits, on_iteration))
    }

    fn deepen<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        among: u64,
        limits: &Limits,
        on_iteration: &mut dyn FnMut(&Thought),
    ) -> Thought {
        let empties = board.empty().count_ones();
        let mut thought = blank(board, among);
        if thought.best.is_none() {
            return thought;
        }
        let mut guesses = [0; 2];
        for step in steps(empties, limits) {
            let better = match step {
                Step::Search(effort) => {
                    let parity = effort.depth as usize % 2;
                    // Odd and even depths differ; the last of this kind says more.
                    let guess = if effort.depth < 3 { thought.value.0 } else { guesses[parity] };
                    let first = thought.best.expect("the game goes on");
                    let grain = limits.grain();
                    let found = search(worker, board, among, effort, first, guess, grain);
                    found.map(|(value, best)| {
                        guesses[parity] = value;
                        if effort.depth == empties {
                            guesses = [value; 2];
                        }
                        thought.best = Some(best);
                        thought.value = Value(value);
                        thought.certainty = certainty(effort, empties);
                        thought.depth = effort.depth;
                        thought.line = line(worker.job.memory, board, best, effort);
                    })
                }
                Step::Prove => prove_among(worker, board, among, thought.best).map(|(score, proof)| {
                    thought.value = Value::of_discs(score);
                    thought.best = proof.first().copied();
                    thought.certainty = Certainty::Exact;
                    thought.depth = empties;
                    thought.line = proof;
                }),
            };
            if better.is_none() {
                break;
            }
            worker.report();
            thought.nodes = worker.job.watch.nodes() - worker.job.begun_at;
            on_iteration(&thought);
            if worker.halted() {
                break;
            }
        }
        thought
    }

    fn deepen_all<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        limits: &Limits,
        on_iteration: &mut dyn FnMut(&[Ranked]),
    ) -> Vec<Ranked> {
        let empties = board.empty().count_ones();
        let unknown = Certainty::Judged(Selectivity::Daring);
        let mut ranked: Vec<_> = board
            .moves()
            .map(|mv| Ranked {
                mv,
                value: Value::default(),
                certainty: unknown,
                depth: 0,
                line: vec![mv],
            })
            .collect();
        if ranked.is_empty() {
            return ranked;
        }
        let grain = limits.grain();
        for step in steps(empties, limits) {
            let mut deeper = ranked.clone();
            for entry in &mut deeper {
                let child = board.play(entry.mv);
                let placed = u32::from(entry.mv != Move::PASS);
                match step {
                    Step::Search(effort) => {
                        let below = effort.at(effort.depth - placed);
                        let first = child.moves().next().unwrap_or(Move::PASS);
                        let Some((value, reply)) =
                            search(worker, &child, u64::MAX, below, first, -entry.value.0, grain)
                        else {
                            break;
                        };
                        entry.value = Value(-value);
                        entry.certainty = certainty(effort, empties);
                        entry.depth = effort.depth;
                        entry.line.truncate(1);
                        if below.depth > 0 && child.outcome().is_none() {
                            entry.line.extend(line(worker.job.memory, &child, reply, below));
                        }
                    }
                    Step::Prove => {
                        let Some((score, proof)) = prove(worker, &child) else { break };
                        entry.value = Value::of_discs(-score);
                        entry.certainty = Certainty::Exact;
                        entry.depth = empties;
                        entry.line.truncate(1);
                        entry.line.extend(proof);
                    }
                }
            }
            // Values of two iterations cannot be compared: one that was halted is dropped.
            if worker.halted() {
                break;
            }
            ranked = deeper;
            ranked.sort_by_key(|entry| std::cmp::Reverse(entry.value));
            worker.report();
            on_iteration(&ranked);
        }
        ranked
    }

    /// The proven score with its line; none when the worker was halted before.
    fn prove<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
    ) -> Option<(i32, Vec<Move>)> {
        let answer = solver::narrow(worker, board, window(Question::Score));
        let Bounds { lower, .. } = answer.bounds;
        answer.complete.then(|| (lower.into(), answer.line))
    }

    /// The same of the best among some of the moves, `first` tried first.
    fn prove_among<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        among: u64,
        first: Option<Move>,
    ) -> Option<(i32, Vec<Move>)> {
        let moves = board.mobility();
        if moves & among == moves {
            return prove(worker, board);
        }
        let mut best: Option<(i32, Vec<Move>)> = None;
        let rest = board.moves().filter(|&m| m.bit() & among != 0 && Some(m) != first);
        for m in first.into_iter().chain(rest) {
            // What is no better than the best so far need not be known exactly.
            let enough = best.as_ref().map_or(64, |(score, _)| -score);
            let answer = solver::narrow(worker, &board.play(m), (-64, enough));
            if !answer.complete {
                return None;
            }
            let score = -i32::from(answer.bounds.lower);
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                let line = std::iter::once(m).chain(answer.line).collect();
                best = Some((score, line));
            }
        }
        best
    }

    /// The value at some effort and the best move; none when the worker was halted
    /// before anything was learnt.
    ///
    /// Bounds move towards each other by null windows (MTD(f)), with longer steps
    /// the longer they move the same way. Only values that are multiples of `grain` are
    /// asked for, or where the search reaches the end of the game, even scores; the
    /// value told lies in the middle of what is then left open.
    fn search<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        among: u64,
        effort: Effort,
        first: Move,
        guess: i32,
        grain: i32,
    ) -> Option<(i32, Move)> {
        let to_end = effort.depth >= board.empty().count_ones();
        let grain = if to_end { EVEN } else { grain };
        let middle = |lower: i32| {
            let open = if to_end || lower.abs() >= MOST { 0 } else { grain / 2 };
            lower + open
        };
        let (mut lower, mut upper) = (-MOST, MOST);
        let mut best = first;
        let mut proven = false;
        let mut test = guess;
        let mut stride = 0;
        while lower < upper {
            test = (test.div_euclid(grain) * grain).clamp(lower + grain, upper);
            let alpha = test - 1;
            let (value, reply) = root(worker, board, among, effort, alpha, best);
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
            if lower > -MOST && upper < MOST {
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
        among: u64,
        effort: Effort,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_deeper_then_surer_and_end_with_a_proof() {
        let of = |empties, limits: &Limits| {
            let all = steps(empties, limits);
            let search = |step: &Step| match *step {
                Step::Search(effort) => Some((effort.depth, effort.selectivity)),
                Step::Prove => None,
            };
            assert!(all.iter().filter_map(search).is_sorted_by_key(|(depth, _)| depth));
            (all.len(), all.last().and_then(search))
        };
        let careful = Selectivity::Careful;
        assert_eq!(of(40, &Limits::depth(8)), (8, Some((8, careful))));
        assert_eq!(of(40, &Limits::default()), (30 + 2 + 1, None));
        assert_eq!(of(18, &Limits::depth(17)), (17, Some((17, careful))));
        assert_eq!(of(18, &Limits::depth(18)), (8 + 1 + 1, None));
        assert_eq!(of(15, &Limits::depth(15)), (5 + 1, None));
        assert_eq!(of(4, &Limits::default()), (1, None));
    }
}
