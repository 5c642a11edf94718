//! Iterations: deeper, then surer, then proven.

use super::{Certainty, Limits, Ranked, Thought};
use crate::bounds::Bounds;
use crate::effort::{Effort, Selectivity};
use crate::judge::Judge;
use crate::memory::Memory;
use crate::solver::{Question, window};
use crate::twice::compiled_twice;
use crate::value::{PER_DISC, Value};
use crate::windows::Wanted;
use crate::worker::{Job, Worker};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};

/// With so few empty squares beyond the depth, the search goes on to the end.
const LEAP: u32 = 8;
/// With at most so many empty squares the score is proven at once: a proof takes a few
/// milliseconds. Beyond that it may be stopped, and then a probable score is a better
/// answer than one of a few plies.
const PROVEN_AT_ONCE: u32 = 15;
/// With at most so many, one search to the end comes before the proof.
const PROVEN_SOON: u32 = 17;
/// Plies looked ahead before such a proof, so that there is a move when it is stopped.
const SPARE: u32 = 6;
/// How sure the searches to the end are that come before a proof.
const BEFORE_PROOF: [Selectivity; 4] =
    [Selectivity::Daring, Selectivity::Brisk, Selectivity::Careful, Selectivity::Wary];

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
        let probable = if limits.selectivity == Selectivity::Full || empties <= PROVEN_AT_ONCE {
            &[]
        } else if empties <= PROVEN_SOON {
            &BEFORE_PROOF[..1]
        } else {
            &BEFORE_PROOF[..]
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

/// The score that selective searches to the end of the game have found.
fn probable(value: Value, certainty: Certainty) -> Option<i32> {
    matches!(certainty, Certainty::Probable(_)).then_some(value.0 / PER_DISC)
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
    with solver, split, windows;

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
                    let wanted = Wanted { among, grain, ..Wanted::new(effort, guess, first) };
                    windows::search(worker, board, wanted).map(|(value, best)| {
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
                Step::Prove => {
                    let probable = probable(thought.value, thought.certainty);
                    prove_among(worker, board, among, thought.best, probable).map(|(score, proof)| {
                        thought.value = Value::of_discs(score);
                        thought.best = proof.first().copied();
                        thought.certainty = Certainty::Exact;
                        thought.depth = empties;
                        thought.line = proof;
                    })
                }
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
                        let wanted = Wanted { grain, ..Wanted::new(below, -entry.value.0, first) };
                        let Some((value, reply)) = windows::search(worker, &child, wanted) else {
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
                        let probable = probable(-entry.value, entry.certainty);
                        let Some((score, proof)) = prove(worker, &child, probable) else { break };
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
        probable: Option<i32>,
    ) -> Option<(i32, Vec<Move>)> {
        let answer = solver::narrow(worker, board, window(Question::Score), probable);
        let Bounds { lower, .. } = answer.bounds;
        answer.complete.then(|| (lower.into(), answer.line))
    }

    /// The same of the best among some of the moves, `first` tried first.
    fn prove_among<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        among: u64,
        first: Option<Move>,
        probable: Option<i32>,
    ) -> Option<(i32, Vec<Move>)> {
        let moves = board.mobility();
        if moves & among == moves {
            return prove(worker, board, probable);
        }
        let mut best: Option<(i32, Vec<Move>)> = None;
        let rest = board.moves().filter(|&m| m.bit() & among != 0 && Some(m) != first);
        for m in first.into_iter().chain(rest) {
            // What is no better than the best so far need not be known exactly.
            let enough = best.as_ref().map_or(64, |(score, _)| -score);
            let answer = solver::narrow(worker, &board.play(m), (-64, enough), None);
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
        assert_eq!(of(40, &Limits::default()), (32 + 4 + 1, None));
        assert_eq!(of(18, &Limits::depth(17)), (17, Some((17, careful))));
        assert_eq!(of(18, &Limits::depth(18)), (10 + 4 + 1, None));
        assert_eq!(of(17, &Limits::depth(17)), (9 + 1 + 1, None));
        assert_eq!(of(15, &Limits::depth(15)), (6 + 1, None));
        assert_eq!(of(4, &Limits::default()), (1, None));
        let full = Limits { selectivity: Selectivity::Full, ..Limits::default() };
        assert_eq!(of(20, &full), (12 + 1, None), "nothing is left out on the way");
    }
}
