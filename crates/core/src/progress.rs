//! How long jobs tell the outside how far they are, and learn that they must stop.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

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

/// Does a job that cannot ask for itself whether it must stop: `stop` is called, once and
/// from another thread, when it must.
pub fn handing_on_stop<R>(
    progress: &dyn Progress,
    stop: impl FnOnce() + Send,
    job: impl FnOnce() -> R,
) -> R {
    const GLANCE: Duration = Duration::from_millis(50);
    let (done, over) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The sender goes when the job ends, even by a panic.
            while over.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                if progress.stopped() {
                    return stop();
                }
            }
        });
        let _done = done;
        job()
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Stopped;

    impl Progress for Stopped {
        fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
        fn advance(&self, _amount: u64) {}
        fn note(&self, _message: &str) {}
        fn end(&self) {}
        fn stopped(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_job_hears_of_a_stop_and_an_undisturbed_one_does_not() {
        let flag = AtomicBool::new(false);
        let raise = || flag.store(true, Ordering::Relaxed);
        assert_eq!(handing_on_stop(&Quiet, raise, || 7), 7);
        assert!(!flag.load(Ordering::Relaxed));
        handing_on_stop(&Stopped, raise, || {
            while !flag.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        });
    }
}
