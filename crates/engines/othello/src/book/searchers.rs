//! The searches of a book's round: many positions, some threads, a file to keep.
//!
//! Invariant: what a search finds depends on its position alone. Every thread has an
//! engine of its own, which forgets one position before it thinks about the next.

use super::Book;
use crate::effort::Selectivity;
use crate::engine::{Engine, Limits, Thought};
use crate::judge::Judge;
use crate::probcut::ProbCut;
use crate::worker::Watch;
use evalsmith_core::Progress;
use evalsmith_othello::{Board, Portable};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the book is saved, as far as there is news.
const SAVED_EVERY: Duration = Duration::from_secs(30);
/// How often a wish to stop is looked for.
const GLANCE: Duration = Duration::from_millis(50);

/// How positions are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Plies to look ahead.
    pub depth: u32,
    /// With at most so many empty squares positions are solved.
    pub solve_at: u32,
    /// How readily lines are given up.
    pub selectivity: Selectivity,
    /// Searches at the same time.
    pub threads: usize,
    /// Memory for the tables of each, in MiB.
    pub table_mib: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self {
            depth: 16,
            solve_at: 24,
            selectivity: Selectivity::default(),
            threads: 1,
            table_mib: 64,
        }
    }
}

/// A position to search, and the moves of it to think about.
pub(super) struct Task {
    pub(super) board: Board<Portable>,
    pub(super) among: u64,
}

/// Who searches, and who watches.
pub(super) struct Searchers<'g, J> {
    growth: &'g Growth,
    judge: &'g J,
    probcut: &'g ProbCut,
    pub(super) progress: &'g dyn Progress,
    begun: Instant,
    deadline: Option<Instant>,
    /// Whether seconds are counted, not positions.
    pub(super) by_time: bool,
    /// Seconds told so far.
    seconds: u64,
    saved: Instant,
}

impl<'g, J: Judge> Searchers<'g, J> {
    pub(super) fn new(
        growth: &'g Growth,
        (judge, probcut): (&'g J, &'g ProbCut),
        progress: &'g dyn Progress,
        time: Option<Duration>,
        by_time: bool,
    ) -> Self {
        let begun = Instant::now();
        let deadline = time.and_then(|time| begun.checked_add(time));
        let (seconds, saved) = (0, begun);
        Self { growth, judge, probcut, progress, begun, deadline, by_time, seconds, saved }
    }

    fn limits(&self, board: &Board<Portable>) -> Limits {
        let Growth { depth, solve_at, selectivity, .. } = *self.growth;
        let solved = board.empty().count_ones() <= solve_at;
        Limits { depth: (!solved).then_some(depth), selectivity, ..Limits::default() }
    }

    /// Seconds that have passed and were not told yet.
    fn tick(&self, told: &mut u64) {
        let now = self.begun.elapsed().as_secs();
        if self.by_time && now > *told {
            self.progress.advance(now - *told);
            *told = now;
        }
    }

    fn is_over(&self) -> bool {
        self.progress.stopped() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Searches with all threads and hands on what they find, in the order in which they
    /// find it; false when it was stopped before the last.
    pub(super) fn search_all<E>(
        &mut self,
        book: &mut Book,
        tasks: &[Task],
        save: &mut impl FnMut(&Book) -> Result<(), E>,
        mut take: impl FnMut(&mut Book, &Task, &Thought),
    ) -> Result<bool, E> {
        if tasks.is_empty() || self.is_over() {
            return Ok(tasks.is_empty());
        }
        let (next, watch) = (AtomicUsize::new(0), Watch::new());
        let mut left = tasks.len();
        let (mut saved, mut seconds) = (self.saved, self.seconds);
        let this = &*self;
        let result = std::thread::scope(|scope| {
            let (found, news) = mpsc::channel();
            for _ in 0..this.growth.threads.clamp(1, tasks.len()) {
                let (found, next, watch) = (found.clone(), &next, &watch);
                scope.spawn(move || this.search_some(tasks, next, watch, &found));
            }
            drop(found);
            loop {
                match news.recv_timeout(GLANCE) {
                    Ok((task, thought)) => {
                        let task: &Task = &tasks[task];
                        take(book, task, &thought);
                        left -= 1;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(left == 0),
                }
                this.tick(&mut seconds);
                if saved.elapsed() >= SAVED_EVERY {
                    saved = Instant::now();
                    if let Err(error) = save(book) {
                        watch.stop();
                        return Err(error);
                    }
                }
                if this.is_over() {
                    watch.stop();
                }
            }
        });
        (self.saved, self.seconds) = (saved, seconds);
        result
    }

    /// A thread's part: each task by an engine that has forgotten the one before.
    fn search_some(
        &self,
        tasks: &[Task],
        next: &AtomicUsize,
        watch: &Watch<'_>,
        found: &mpsc::Sender<(usize, Thought)>,
    ) {
        let (judge, probcut) = (self.judge, self.probcut.clone());
        let mut engine =
            Engine::with_judge(self.growth.table_mib, 1, judge, probcut).corner_quiescence(true);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(Task { board, among }) = tasks.get(at) else { return };
            engine.forget();
            let thought = engine.think_among(board, *among, self.limits(board), watch);
            if watch.stopped() || found.send((at, thought)).is_err() {
                return;
            }
        }
    }
}
