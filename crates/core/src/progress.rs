//! How long jobs tell the outside how far they are, and learn that they must stop.

/// Watches a job. Libraries report here and print nothing themselves.
pub trait Progress: Sync {
    /// A task of `total` units begins ("games", "positions").
    fn begin(&self, task: &str, total: u64, unit: &'static str);
    /// Some units are done. May be called from any thread.
    fn advance(&self, amount: u64);
    /// Some units were done by an earlier run; they say nothing about speed.
    fn resume(&self, amount: u64) {
        self.advance(amount);
    }
    /// How the task stands, in a few words; each replaces the last.
    fn status(&self, _words: &str) {}
    /// Something worth a line of its own happened.
    fn note(&self, message: &str);
    /// The task is over.
    fn end(&self);
    /// Whether somebody asked the job to stop at the next safe point.
    fn stopped(&self) -> bool {
        false
    }
}

/// Watches nothing and never stops a job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
    fn advance(&self, _amount: u64) {}
    fn note(&self, _message: &str) {}
    fn end(&self) {}
}
