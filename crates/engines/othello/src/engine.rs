//! The engine: thinks about a position within limits, and ranks its moves.
//!
//! Depths grow one by one. When the end of the game comes near enough, the search
//! goes on to it at growing sureness (selective first), and last the solver proves
//! the score. What was learnt stays in the tables for the next move.
//!
//! Invariant: only the solver's proof is called exact. With one thread and no limit
//! on time, a thought depends only on the position, the limits and what the tables
//! held before.

mod checked;
mod deepen;

pub use checked::{CheckedLine, CheckedMove};

use crate::brake::Brake;
use crate::clock::{Clock, Deadline};
use crate::effort::Selectivity;
use crate::judge::Judge;
use crate::patterns::SmallPatterns;
use crate::probcut::ProbCut;
use crate::solver::Solver;
use crate::technique::{Technique, Techniques};
use crate::value::{PER_DISC, Value};
use crate::worker::{Job, Watch};
use crate::zeroed::mebibytes;
use evalsmith_othello::{Board, Kernel, Move, Portable, X86V3};
use std::time::Duration;

/// What thinking may spend. Whatever is used up first ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to look ahead at most; beyond the end of the game is the end.
    pub depth: Option<u32>,
    /// Positions to visit, give or take a thousand a thread.
    pub nodes: Option<u64>,
    /// Time, by the clock below.
    pub time: Option<Duration>,
    /// What measures it.
    pub clock: Clock,
    /// How readily lines are given up. The end of the game is proven at any level
    /// where nothing but time or nodes forbids it.
    pub selectivity: Selectivity,
    /// Tell estimates apart by whole discs, not by eighths: half the nodes, and enough
    /// to choose a move by, since they are off by more.
    pub whole_discs: bool,
}

impl Limits {
    /// Looks so many plies ahead.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Answers after this time.
    pub fn time(time: Duration) -> Self {
        Self { time: Some(time), ..Self::default() }
    }

    /// The finest difference asked for.
    fn grain(&self) -> i32 {
        if self.whole_discs { PER_DISC } else { 1 }
    }

    fn brake(&self) -> Brake {
        let deadline = self.time.and_then(|time| Deadline::after(time, self.clock));
        Brake::new(self.nodes, deadline)
    }
}

/// How far a value can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// A judge's estimate some plies ahead.
    Judged(Selectivity),
    /// The score at the end of the game, if every cut on the way was right. With
    /// [`Selectivity::Full`] never told: that is [`Exact`](Self::Exact).
    Probable(Selectivity),
    /// The proven score.
    Exact,
}

/// What the engine thinks of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The best move; none when, and only when, the game is over.
    pub best: Option<Move>,
    /// The expected final margin of the side to move.
    pub value: Value,
    /// How far that can be trusted.
    pub certainty: Certainty,
    /// Plies looked ahead; passes are not counted.
    pub depth: u32,
    /// Expected play, `best` first.
    pub line: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

/// A move with what the engine thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The move.
    pub mv: Move,
    /// The expected final margin of the side that plays it.
    pub value: Value,
    /// How far that can be trusted.
    pub certainty: Certainty,
    /// Plies looked ahead, the move itself among them.
    pub depth: u32,
    /// Expected play, the move first.
    pub line: Vec<Move>,
}

/// Thinks; make it once and keep it through a game.
#[derive(Debug)]
pub struct Engine<J: Judge = SmallPatterns> {
    solver: Solver<J>,
    corner_quiescence: bool,
}

impl Engine<SmallPatterns> {
    /// An engine with the small judge, which opens in no time; [`shipped`](Engine::shipped)
    /// is the engine as it plays. It has this many threads and tables of at most
    /// `table_mib` MiB together, smaller where the system refuses the memory.
    pub fn new(table_mib: usize, threads: usize) -> Self {
        Self::with_judge(table_mib, threads, SmallPatterns, ProbCut::of_small_patterns().clone())
    }
}

/// Calls a function of the twin that this machine runs fastest.
macro_rules! with_best_twin {
    ($board:expr, |$fast:ident, $twin:ident| $call:expr) => {{
        use deepen::portable as $twin;
        let (own, opp) = ($board.own(), $board.opp());
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = X86V3::detect() {
            use deepen::x86_v3 as $twin;
            let $fast = Board::new(own, opp, kernel).expect("a board's discs do not overlap");
            // SAFETY: the processor has every feature the function was compiled for.
            #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
            return unsafe { $call };
        }
        let $fast = Board::new(own, opp, Portable).expect("a board's discs do not overlap");
        $call
    }};
}

impl<J: Judge> Engine<J> {
    /// The same with another judge, and a model of how far its searches are off.
    pub fn with_judge(table_mib: usize, threads: usize, judge: J, probcut: ProbCut) -> Self {
        let solver = Solver::with_tables([mebibytes(table_mib) / 2; 2], threads, judge, probcut);
        Self { solver, corner_quiescence: false }
    }

    /// Whether an estimate waits until the side to move has no corner to take, or
    /// prefers not to (Buro 1995).
    #[must_use]
    pub fn corner_quiescence(mut self, wanted: bool) -> Self {
        self.corner_quiescence = wanted;
        self
    }

    /// The same with other techniques.
    #[must_use]
    pub fn with_techniques(mut self, techniques: Techniques) -> Self {
        self.solver.techniques = techniques;
        self
    }

    /// Forgets all earlier thoughts.
    pub fn forget(&mut self) {
        self.solver.forget();
    }

    /// Thinks until a limit is reached, the score is proven or `watch` is stopped;
    /// tells every thought that is deeper or surer than the one before.
    pub fn think<K: Kernel>(
        &mut self,
        board: &Board<K>,
        limits: Limits,
        watch: &Watch<'_>,
        mut on_iteration: impl FnMut(&Thought),
    ) -> Thought {
        let limits = self.possible(limits);
        self.grow_older();
        let threads = self.solver.threads;
        with_best_twin!(board, |board, twin| {
            let job = self.job(&limits, watch);
            twin::think(&job, threads, &board, u64::MAX, &limits, &mut on_iteration)
        })
    }

    /// Thinks about some of the moves only, as if the others were not legal. A pass is
    /// thought about whatever the set holds; a set without a legal move leads to a
    /// thought without one.
    pub fn think_among<K: Kernel>(
        &mut self,
        board: &Board<K>,
        among: u64,
        limits: Limits,
        watch: &Watch<'_>,
    ) -> Thought {
        let limits = self.possible(limits);
        self.grow_older();
        let threads = self.solver.threads;
        with_best_twin!(board, |board, twin| {
            let job = self.job(&limits, watch);
            twin::think(&job, threads, &board, among, &limits, &mut |_| {})
        })
    }

    /// The value of every move, best first, at growing depth, until a limit is
    /// reached, all scores are proven or `watch` is stopped; tells every list that
    /// is deeper or surer than the one before. All values are of one iteration; one
    /// that was ended before its last move is dropped.
    pub fn rank_moves<K: Kernel>(
        &mut self,
        board: &Board<K>,
        limits: Limits,
        watch: &Watch<'_>,
        mut on_iteration: impl FnMut(&[Ranked]),
    ) -> Vec<Ranked> {
        let limits = self.possible(limits);
        self.grow_older();
        let threads = self.solver.threads;
        with_best_twin!(board, |board, twin| {
            twin::rank(&self.job(&limits, watch), threads, &board, &limits, &mut on_iteration)
        })
    }

    fn grow_older(&self) {
        self.solver.table.grow_older();
        self.solver.memory.grow_older();
    }

    /// Without Multi-ProbCut nothing can be left out.
    fn possible(&self, limits: Limits) -> Limits {
        if self.solver.techniques.has(Technique::Probcut) {
            return limits;
        }
        Limits { selectivity: Selectivity::Full, ..limits }
    }

    fn job<'s, K: Kernel>(&'s self, limits: &Limits, watch: &'s Watch<'_>) -> Job<'s, K, J> {
        let corners = self.corner_quiescence;
        Job { corners, ..self.solver.job(watch, limits.brake()) }
    }
}
