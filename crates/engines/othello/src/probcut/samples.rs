//! Samples for the fit: the engine's own searches of positions from its own games.
//!
//! Games begin at random and go on by the engine at two plies, with a random move
//! now and then. Each position is searched to every depth, without selectivity unless
//! some is asked for, and to the end where that is near. Invariant: a sample depends on
//! the seed, the judge and its index, never on the number of threads.

use super::ProbCutSample;
use crate::effort::Selectivity;
use crate::engine::{Certainty, Engine, Limits};
use crate::judge::Judge;
use crate::probcut::{LEAST_CHECKED, ProbCut};
use crate::worker::Watch;
use evalsmith_core::{Game, Position, Progress, rng};
use evalsmith_othello::{Board, Othello, Portable};
use rand::RngExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// MiB of the tables of one thread.
const TABLE_MIB: usize = 8;
/// With more empty squares than this moves are random.
const OPENING: u32 = 50;
/// One move in ten is random later on, so that games differ.
const CHANCE: f64 = 0.1;
/// Plies of the moves that are not.
const PLAYED_AT: u32 = 2;

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleParams {
    /// Games to take a position from.
    pub positions: u64,
    /// The deepest search that ends before the game.
    pub depth: u32,
    /// How much those searches leave out: with some selectivity they get as deep as those
    /// of play.
    pub selectivity: Selectivity,
    /// With at most so many empty squares a position is also searched to the end.
    pub to_end: u32,
    /// Of the random moves.
    pub seed: u64,
    /// Threads, each at its own positions.
    pub threads: usize,
}

impl Default for SampleParams {
    fn default() -> Self {
        let selectivity = Selectivity::Full;
        Self { positions: 1500, depth: 8, selectivity, to_end: 18, seed: 5, threads: 1 }
    }
}

/// The values of positions by all pairs of searches of the same parity, which leave lines
/// out by what is known of the judge's errors; none when `progress` was stopped.
pub fn probcut_samples<J: Judge>(
    params: &SampleParams,
    (judge, errors): (&J, &ProbCut),
    progress: &dyn Progress,
) -> Option<Vec<ProbCutSample>> {
    progress.begin("search", params.positions, "positions");
    let (next, found) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..params.threads.max(1) {
            scope.spawn(|| {
                let mut engine = Engine::with_judge(TABLE_MIB, 1, judge, errors.clone());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= params.positions || progress.stopped() {
                        break;
                    }
                    if let Some(board) = position(&mut engine, params.seed, index) {
                        let samples = pairs(&board, &values(&mut engine, &board, params));
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        found.push((index, samples));
                    }
                    progress.advance(1);
                }
            });
        }
    });
    progress.end();
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|&(index, _)| index);
    (!progress.stopped()).then(|| found.into_iter().flat_map(|(_, samples)| samples).collect())
}

/// A position as it comes up when a weak player plays itself from a random opening;
/// none where the game ended first.
fn position<J: Judge>(engine: &mut Engine<J>, seed: u64, index: u64) -> Option<Board<Portable>> {
    engine.forget();
    let mut random = rng::stream(seed, "probcut positions", index);
    let mut board = Othello::new().start();
    let empties = random.random_range(11..=54);
    let full = Limits { selectivity: Selectivity::Full, ..Limits::depth(PLAYED_AT) };
    while board.empty().count_ones() > empties {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            return None;
        }
        let at_random = board.empty().count_ones() > OPENING || random.random_bool(CHANCE);
        let m = if at_random {
            moves[random.random_range(0..moves.len())]
        } else {
            engine.think(&board, full, &Watch::new(), |_| {}).best?
        };
        board = board.play(m);
    }
    board.outcome().is_none().then_some(board)
}

/// The values by depth; the last is the score where it was searched for.
fn values<J: Judge>(
    engine: &mut Engine<J>,
    board: &Board<Portable>,
    params: &SampleParams,
) -> Vec<(u32, f64)> {
    engine.forget();
    let empties = board.empty().count_ones();
    let mut values = Vec::new();
    // Not quite to the end, else depths are leapt over.
    let limits = Limits {
        selectivity: params.selectivity,
        ..Limits::depth(params.depth.min(empties.saturating_sub(1)))
    };
    engine.think(board, limits, &Watch::new(), |t| values.push((t.depth, t.value.discs())));
    if empties <= params.to_end {
        let thought = engine.think(board, Limits::depth(empties), &Watch::new(), |_| {});
        if thought.certainty == Certainty::Exact {
            values.push((empties, thought.value.discs()));
        }
    }
    values
}

fn pairs(board: &Board<Portable>, values: &[(u32, f64)]) -> Vec<ProbCutSample> {
    let empties = board.empty().count_ones();
    let mut samples = Vec::new();
    for &(depth, deep) in values.iter().filter(|(depth, _)| *depth >= LEAST_CHECKED) {
        for &(check, shallow) in values {
            if check < depth && check % 2 == depth % 2 {
                samples.push(ProbCutSample { empties, depth, check, deep, shallow });
            }
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::SmallPatterns;
    use evalsmith_core::Quiet;

    #[test]
    fn samples_do_not_depend_on_threads_and_are_what_a_fit_takes() {
        let params =
            SampleParams { positions: 12, depth: 5, to_end: 14, ..SampleParams::default() };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        let one = probcut_samples(&params, judge, &Quiet).unwrap();
        let three = SampleParams { threads: 3, ..params };
        assert_eq!(Some(&one), probcut_samples(&three, judge, &Quiet).as_ref());
        assert!(one.iter().any(|s| s.depth == 5 && s.check == 3));
        assert!(one.iter().all(|s| s.check < s.depth && s.depth <= s.empties));
        for other in [
            SampleParams { seed: 6, ..params },
            SampleParams { selectivity: Selectivity::Daring, ..params },
        ] {
            assert_ne!(Some(&one), probcut_samples(&other, judge, &Quiet).as_ref());
        }
    }
}
