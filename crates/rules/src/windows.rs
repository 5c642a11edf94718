//! What an alpha-beta-evaluation function saves in real searches (heinz93 section 3).
//!
//! The same searches run with the function and with its plain twin, which computes
//! every value in full and clamps it. Values and nodes are the same; features asked
//! for and time are not.

use crate::Record;
use crate::follow::Follower;
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, GameRecord, Outcome, Position, Score, Window,
};
use evalsmith_learn::{DenseModel, Function, LearnError, Tree};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Searcher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often each search is timed; the quickest counts.
const TIMES: usize = 3;

/// The plain twin of a function: in full, then clamped.
pub struct Plain<'a, E>(pub &'a E);

impl<P: Position, E: Evaluate<P>> Evaluate<P> for Plain<'_, E> {
    type State = E::State;
    #[inline]
    fn start(&self, position: &P) -> E::State {
        self.0.start(position)
    }
    #[inline]
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &E::State) -> E::State {
        self.0.advance(before, m, after, state)
    }
    #[inline]
    fn value(&self, position: &P, state: &E::State, window: Window) -> Score {
        window.clamp(self.0.value(position, state, Window::FULL))
    }
    #[inline]
    fn outcome(&self, outcome: Outcome) -> Score {
        self.0.outcome(outcome)
    }
    fn explain(&self, position: &P) -> Explanation {
        self.0.explain(position)
    }
}

/// What windows save.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowReport {
    /// Positions visited, the same with windows and without.
    pub nodes: u64,
    /// Values asked for.
    pub calls: u64,
    /// Features a call, with the window and in full.
    pub asked: [f64; 2],
    /// Decisions a call, with the window and in full.
    pub levels: [f64; 2],
    /// The share of calls that end before a leaf.
    pub cut: f64,
    /// Processor time of the searches, with windows and in full.
    pub cpu: [Duration; 2],
}

/// Why the windows of a tree cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The tree is of other features or stages than the game's.
    #[error(transparent)]
    Unfit(#[from] LearnError),
    /// The tree breaks the contract of [`Evaluate`].
    #[error(
        "a search visits {windowed} positions with windows and {plain} in full; the function \
         breaks its contract, so fit it again"
    )]
    Disagreement {
        /// Positions visited with windows.
        windowed: u64,
        /// Positions visited in full.
        plain: u64,
    },
}

/// Searches every record to a depth, with a tree as it is and in full.
pub(crate) fn window_report<G: Game>(
    game: &G,
    tree: &Tree,
    records: &[Record],
    depth: u8,
) -> Result<WindowReport, WindowError> {
    let typed = |record: &Record| Follower::new().follow(record).clone();
    let records: Vec<GameRecord<G::Position>> = records.iter().map(typed).collect();
    let features = game.features();
    let function = Function::of_model(tree.clone().into(), game)?;
    let counting = Counting { tree, features: &features, counts: Default::default() };
    let (nodes, _) = searched(&counting, &records, depth);
    let counts = counting.counts.map(|count| count.load(Ordering::Relaxed));
    let [calls, asked, asked_full, levels, levels_full, cut] = counts;
    let mut cpu = [Duration::MAX; 2];
    for _ in 0..TIMES {
        let (windowed, time) = searched(&function, &records, depth);
        let (plain, plain_time) = searched(&Plain(&function), &records, depth);
        if windowed != nodes || plain != nodes {
            return Err(WindowError::Disagreement { windowed, plain });
        }
        cpu = [cpu[0].min(time), cpu[1].min(plain_time)];
    }
    let a_call = |count: u64| count as f64 / calls.max(1) as f64;
    Ok(WindowReport {
        nodes,
        calls,
        asked: [a_call(asked), a_call(asked_full)],
        levels: [a_call(levels), a_call(levels_full)],
        cut: a_call(cut),
        cpu,
    })
}

/// Nodes and processor time of a search of every record.
fn searched<P: Position, E: Evaluate<P>>(
    function: &E,
    records: &[GameRecord<P>],
    depth: u8,
) -> (u64, Duration) {
    let mut searcher = Searcher::new(function, DEFAULT_TABLE_BYTES);
    let mut total = (0, Duration::ZERO);
    for record in records {
        searcher.clear();
        let found = searcher.fixed_depth(record, depth);
        total = (total.0 + found.nodes, total.1 + found.cpu);
    }
    total
}

/// A tree that counts: calls, features and levels with the window and in full, and
/// calls that ended before a leaf.
struct Counting<'a, F> {
    tree: &'a Tree,
    features: &'a F,
    counts: [AtomicU64; 6],
}

impl<P: Position, F: Features<P>> Evaluate<P> for Counting<'_, F> {
    type State = ();
    fn start(&self, _position: &P) {}
    fn advance(&self, _before: &P, _m: P::Move, _after: &P, _state: &()) {}
    fn value(&self, position: &P, _state: &(), window: Window) -> Score {
        let stage = position.stage();
        let mut scratch = F::Scratch::default();
        let mut asked = 0;
        let value = self.tree.value(stage, window, |i| {
            asked += 1;
            self.features.get(position, i, &mut scratch)
        });
        let mut get = |i| self.features.get(position, i, &mut scratch);
        let asked_full = self.tree.asked(stage, &mut get) as u64;
        let (levels, leaf) = self.tree.levels(stage, window, &mut get);
        let (levels_full, _) = self.tree.levels(stage, Window::FULL, &mut get);
        let told = [1, asked, asked_full, levels as u64, levels_full as u64, u64::from(!leaf)];
        for (count, more) in self.counts.iter().zip(told) {
            count.fetch_add(more, Ordering::Relaxed);
        }
        value
    }
    fn explain(&self, position: &P) -> Explanation {
        let mut scratch = F::Scratch::default();
        self.tree.explain(position.stage(), |i| self.features.get(position, i, &mut scratch))
    }
}
