//! Work that blocks a thread: files and computation, away from the threads that answer.
//!
//! Each kind of work has a lane of its own with a few turns, so that one kind never holds
//! up another. A request waits for its turn, and for the work, only so long.
//!
//! Invariant: work that never returns (a file on a disk that does not answer) keeps the
//! turn it has and nothing else. Its request is answered, and so are those of other lanes.

use crate::refusal::Refusal;
use axum::http::StatusCode;
use evalsmith_lab::prelude::Progress;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a request waits for its turn.
const WAIT: Duration = Duration::from_secs(20);

/// Turns for one kind of work.
pub(crate) struct Lane {
    turns: Arc<Semaphore>,
    wait: Duration,
    limit: Duration,
    /// What is said where no turn comes.
    crowded: &'static str,
}

impl Lane {
    /// A lane of so many turns, for work that takes at most `limit`.
    pub(crate) fn new(turns: usize, limit: Duration, crowded: &'static str) -> Self {
        Self { turns: Arc::new(Semaphore::new(turns)), wait: WAIT, limit, crowded }
    }

    /// Does blocking work in its turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = timeout(self.wait, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.ok().and_then(Result::ok).ok_or_else(|| Refusal::busy(self.crowded))?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        let Ok(done) = timeout(self.limit, done).await else {
            let reason = format!(
                "this took longer than {} seconds and was given up; try less at once",
                self.limit.as_secs()
            );
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, reason));
        };
        done.unwrap_or_else(|e| Err(Refusal::bad(format!("it could not be done: {e}"))))
    }

    /// Progress that stops a job when the request for it is given up.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline(Instant::now() + self.limit)
    }
}

/// Stops a job at a moment.
pub(crate) struct Deadline(Instant);

impl Progress for Deadline {
    fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
    fn advance(&self, _amount: u64) {}
    fn note(&self, _message: &str) {}
    fn end(&self) {}
    fn stopped(&self) -> bool {
        Instant::now() >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn lane(turns: usize, limit: Duration) -> Lane {
        let wait = Duration::from_millis(50);
        Lane { wait, ..Lane::new(turns, limit, "all turns are taken") }
    }

    #[test]
    fn work_that_never_ends_keeps_its_turn_and_nothing_else() {
        // One thread answers: were it blocked, nothing would be answered any more.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (stuck, other) = (lane(1, Duration::from_millis(50)), lane(1, WAIT));
        let (release, wait) = mpsc::channel::<()>();
        runtime.block_on(async {
            let never = stuck.run(move || Ok(wait.recv().is_ok())).await.unwrap_err();
            assert!(never.status == 422 && never.reason.contains("given up"), "{never:?}");
            let next = stuck.run(|| Ok(1)).await.unwrap_err();
            assert!(next.status == 429 && next.reason.contains("turns"), "{next:?}");
            assert_eq!(other.run(|| Ok(2)).await.unwrap(), 2);
            // Once it has ended after all, its turn is free.
            release.send(()).unwrap();
            while stuck.turns.available_permits() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(stuck.run(|| Ok(3)).await.unwrap(), 3);
        });
    }

    #[test]
    fn work_that_fails_is_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let lane = lane(1, WAIT);
            let broken = lane.run::<()>(|| panic!("as a broken model would")).await.unwrap_err();
            assert_eq!(broken.status, 400);
            assert_eq!(lane.run(|| Ok(1)).await.unwrap(), 1);
        });
    }

    #[test]
    fn a_deadline_stops_a_job() {
        assert!(!lane(1, WAIT).deadline().stopped());
        assert!(lane(1, Duration::ZERO).deadline().stopped());
    }
}
