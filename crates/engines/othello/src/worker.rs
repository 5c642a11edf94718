//! What one thread of a search carries along, and what all of them share.

use crate::brake::Brake;
use crate::last::Leaves;
use crate::local::Local;
use crate::memory::Memory;
use crate::probcut::ProbCut;
use crate::split::{Pool, Split};
use crate::stable::Stability;
use crate::table::Table;
use crate::technique::{Technique, Techniques};
use evalsmith_othello::Kernel;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Stops a search and counts its positions, from any thread.
#[derive(Debug, Default)]
pub struct Watch<'f> {
    stop: AtomicBool,
    /// Somebody else's wish to stop.
    also: Option<&'f AtomicBool>,
    nodes: AtomicU64,
}

impl<'f> Watch<'f> {
    /// A watch over nothing yet.
    pub const fn new() -> Self {
        Self { stop: AtomicBool::new(false), also: None, nodes: AtomicU64::new(0) }
    }

    /// The same, stopped as soon as the flag is set too.
    pub const fn heeding(flag: &'f AtomicBool) -> Self {
        Self { stop: AtomicBool::new(false), also: Some(flag), nodes: AtomicU64::new(0) }
    }

    /// Asks the search to end soon with what it knows.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked for that.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.also.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Positions visited so far by all searches under this watch, about
    /// a hundred thousand a thread behind the truth while one is running.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

/// Positions that a thread visits before it tells the watch.
const REPORTED_EVERY: u64 = 1 << 16;
/// The same where nodes or time are limited: some hundred microseconds.
const LIMITED_EVERY: u64 = 1 << 10;

/// A search, as its threads share it.
pub(crate) struct Job<'s, K: Kernel, J> {
    pub(crate) table: &'s Table,
    pub(crate) judge: &'s J,
    pub(crate) watch: &'s Watch<'s>,
    pub(crate) pool: Pool<K>,
    pub(crate) memory: &'s Memory,
    pub(crate) probcut: &'s ProbCut,
    pub(crate) brake: Brake,
    pub(crate) techniques: Techniques,
    /// Whether estimates wait until no corner can be taken.
    pub(crate) corners: bool,
    /// What the watch had counted before.
    pub(crate) begun_at: u64,
}

/// A thread's part in a search.
pub(crate) struct Worker<'s, K: Kernel, J> {
    pub(crate) leaves: Leaves,
    pub(crate) local: Local,
    pub(crate) job: &'s Job<'s, K, J>,
    /// Where this thread helps, if not in the root position.
    pub(crate) split: Option<Arc<Split<K>>>,
    reported: u64,
    every: u64,
}

impl<'s, K: Kernel, J> Worker<'s, K, J> {
    pub(crate) fn new(job: &'s Job<'s, K, J>) -> Self {
        let counted = job.techniques.has(Technique::Stability);
        let stability = if counted { Stability::new() } else { Stability::unused() };
        Self {
            leaves: Leaves { nodes: 0, stability },
            local: Local::default(),
            job,
            split: None,
            reported: 0,
            every: if job.brake.is_limited() { LIMITED_EVERY } else { REPORTED_EVERY },
        }
    }

    /// Whether what this thread does has become pointless.
    #[inline(always)]
    pub(crate) fn halted(&self) -> bool {
        self.job.watch.stopped()
            || self.job.brake.raised()
            || self.split.as_ref().is_some_and(|split| split.is_pointless())
    }

    /// Counts a position, and tells the watch from time to time.
    #[inline(always)]
    pub(crate) fn count(&mut self) {
        self.leaves.nodes += 1;
        if self.leaves.nodes - self.reported >= self.every {
            self.report();
        }
    }

    /// Tells the watch how many positions were visited.
    pub(crate) fn report(&mut self) {
        let news = self.leaves.nodes - self.reported;
        self.job.watch.nodes.fetch_add(news, Ordering::Relaxed);
        self.reported = self.leaves.nodes;
        if self.job.brake.is_limited() {
            self.job.brake.look(self.job.watch.nodes() - self.job.begun_at);
        }
    }
}

impl<K: Kernel, J> Drop for Worker<'_, K, J> {
    fn drop(&mut self) {
        self.report();
    }
}
