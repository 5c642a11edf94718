//! What ends a search before it is done, besides its watch: spent nodes, spent
//! time, or a thread that failed.

use crate::clock::Deadline;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised once, by whichever thread notices first.
#[derive(Debug, Default)]
pub(crate) struct Brake {
    over: AtomicBool,
    /// Positions that all threads together may visit.
    nodes: Option<u64>,
    deadline: Option<Deadline>,
}

impl Brake {
    pub(crate) fn new(nodes: Option<u64>, deadline: Option<Deadline>) -> Self {
        Self { over: AtomicBool::new(false), nodes, deadline }
    }

    #[inline(always)]
    pub(crate) fn raised(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(crate) fn raise(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether somebody must look at it often.
    pub(crate) fn is_limited(&self) -> bool {
        self.nodes.is_some() || self.deadline.is_some()
    }

    /// Raises itself when the limits are reached.
    pub(crate) fn look(&self, visited: u64) {
        if self.nodes.is_some_and(|most| visited >= most)
            || self.deadline.is_some_and(Deadline::passed)
        {
            self.raise();
        }
    }
}
