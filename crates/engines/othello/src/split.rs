//! Young brothers wait (Feldmann 1993): once the first move of a position did not
//! settle it, threads without work take the others.
//!
//! A position whose moves are shared is a [`Split`]. Whoever opened it works on
//! it like the rest and waits for the last helper; while it waits it helps only
//! below itself (the helpful master), so that its own return is never late.
//!
//! Invariant: a value found by a worker that has halted is never used. Values are
//! taken before the worker asks whether it has halted, and flags are only raised,
//! so a value that passes was computed undisturbed. A thread that panics raises the
//! brake and leaves its split before the panic goes on, so nobody waits for it.

use crate::brake::Brake;
use crate::effort::Effort;
use crate::judge::Judge;
use crate::order::Candidate;
use crate::twice::compiled_twice;
use crate::worker::{Job, Worker};
use evalsmith_othello::{Board, Kernel, Move};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Moves are shared with at least so many empty squares.
pub(crate) const SPLIT: u32 = 14;

/// What is to be done with the moves of a split.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// Solved.
    Solve,
    /// Searched with a judge, each with this effort.
    Think(Effort),
}

/// A position whose moves several threads search.
#[derive(Debug)]
pub(crate) struct Split<K: Kernel> {
    board: Board<K>,
    alpha: i32,
    task: Task,
    moves: Vec<Candidate>,
    next: AtomicUsize,
    best: Mutex<(i32, Move)>,
    /// Raised when a move was good enough.
    settled: AtomicBool,
    /// Threads at work here besides the one that opened it; changed under the
    /// pool's lock.
    helpers: AtomicUsize,
    parent: Option<Arc<Self>>,
}

impl<K: Kernel> Split<K> {
    /// Whether this split or one it serves is settled.
    pub(crate) fn is_pointless(&self) -> bool {
        let mut at = Some(self);
        while let Some(split) = at {
            if split.settled.load(Ordering::Relaxed) {
                return true;
            }
            at = split.parent.as_deref();
        }
        false
    }

    fn has_work(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len() && !self.is_pointless()
    }

    fn serves(&self, master: &Self) -> bool {
        let mut at = self.parent.as_deref();
        while let Some(split) = at {
            if std::ptr::eq(split, master) {
                return true;
            }
            at = split.parent.as_deref();
        }
        false
    }
}

/// The splits with work to give, and who is looking for some.
#[derive(Debug)]
pub(crate) struct Pool<K: Kernel> {
    idle: AtomicUsize,
    open: Mutex<Vec<Arc<Split<K>>>>,
    news: Condvar,
    over: AtomicBool,
}

impl<K: Kernel> Pool<K> {
    pub(crate) fn new() -> Self {
        Self {
            idle: AtomicUsize::new(0),
            open: Mutex::new(Vec::new()),
            news: Condvar::new(),
            over: AtomicBool::new(false),
        }
    }

    #[inline(always)]
    pub(crate) fn someone_is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Sends the helpers home.
    pub(crate) fn close(&self) {
        let open = self.lock();
        self.over.store(true, Ordering::Relaxed);
        drop(open);
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Split<K>>>> {
        // A panic elsewhere leaves the list whole: it is only pushed to and cut.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, split: &Arc<Split<K>>) {
        self.lock().push(Arc::clone(split));
        self.news.notify_all();
    }

    fn withdraw(&self, split: &Arc<Split<K>>) {
        self.lock().retain(|open| !Arc::ptr_eq(open, split));
    }

    fn leave(&self, split: &Split<K>) {
        let open = self.lock();
        split.helpers.fetch_sub(1, Ordering::Relaxed);
        drop(open);
        self.news.notify_all();
    }

    /// Waits for a split to help at: below `master`, whose helpers' leaving ends
    /// the waiting, or any until the pool is closed.
    fn find(&self, master: Option<&Split<K>>) -> Option<Arc<Split<K>>> {
        let mut open = self.lock();
        loop {
            let over = match master {
                Some(master) => master.helpers.load(Ordering::Relaxed) == 0,
                None => self.over.load(Ordering::Relaxed),
            };
            if over {
                return None;
            }
            let fits = |split: &&Arc<Split<K>>| {
                split.has_work() && master.is_none_or(|master| split.serves(master))
            };
            if let Some(split) = open.iter().find(fits) {
                split.helpers.fetch_add(1, Ordering::Relaxed);
                return Some(Arc::clone(split));
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            open = self.news.wait(open).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A thread at work on a split, which it leaves however the work ends.
struct Helping<'p, K: Kernel> {
    pool: &'p Pool<K>,
    brake: &'p Brake,
    split: &'p Split<K>,
}

impl<K: Kernel> Drop for Helping<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.brake.raise();
        }
        self.pool.leave(self.split);
    }
}

/// Sends the helpers home, however the search ends.
struct Closing<'p, K: Kernel> {
    pool: &'p Pool<K>,
    brake: &'p Brake,
}

impl<K: Kernel> Drop for Closing<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.brake.raise();
        }
        self.pool.close();
    }
}

compiled_twice! {
    with deep, midgame;

    /// What `lead` finds with the help of other threads.
    pub(crate) fn with_helpers<K: Kernel, J: Judge, R>(
        job: &Job<'_, K, J>,
        threads: usize,
        lead: impl FnOnce(&mut Worker<'_, K, J>) -> R,
    ) -> R {
        std::thread::scope(|scope| {
            let _closing = Closing { pool: &job.pool, brake: &job.brake };
            for _ in 1..threads {
                scope.spawn(|| help(&mut Worker::new(job)));
            }
            lead(&mut Worker::new(job))
        })
    }

    /// Searches the moves left of a position together with idle threads.
    pub(crate) fn share<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        alpha: i32,
        moves: Vec<Candidate>,
        best: (i32, Move),
        task: Task,
    ) -> (i32, Move) {
        let job = worker.job;
        let split = Arc::new(Split {
            board: *board,
            alpha,
            moves,
            task,
            next: AtomicUsize::new(0),
            best: Mutex::new(best),
            settled: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            parent: worker.split.clone(),
        });
        job.pool.publish(&split);
        work(worker, &split);
        job.pool.withdraw(&split);
        while let Some(below) = job.pool.find(Some(&split)) {
            let _here = Helping { pool: &job.pool, brake: &job.brake, split: &below };
            work(worker, &below);
        }
        *split.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Helps wherever there is work until the pool is closed.
    fn help<K: Kernel, J: Judge>(worker: &mut Worker<'_, K, J>) {
        let Job { pool, brake, .. } = worker.job;
        while let Some(split) = pool.find(None) {
            let here = Helping { pool, brake, split: &split };
            work(worker, &split);
            drop(here);
            worker.report();
        }
    }

    /// Takes moves of a split until none is left.
    fn work<K: Kernel, J: Judge>(worker: &mut Worker<'_, K, J>, split: &Arc<Split<K>>) {
        let outer = worker.split.replace(Arc::clone(split));
        while !worker.halted()
            && let Some(candidate) = split.moves.get(split.next.fetch_add(1, Ordering::Relaxed))
        {
            let child = split.board.placed(candidate.square, candidate.flips);
            let value = match split.task {
                Task::Solve => -deep::deep(worker, child, !split.alpha),
                Task::Think(effort) => {
                    let replies = candidate.replies;
                    -midgame::midgame(worker, &child, replies, effort, !split.alpha)
                }
            };
            if worker.halted() {
                break;
            }
            let mut best = split.best.lock().unwrap_or_else(PoisonError::into_inner);
            if value > best.0 {
                *best = (value, candidate.mv());
            }
            if value > split.alpha {
                split.settled.store(true, Ordering::Relaxed);
            }
        }
        worker.split = outer;
    }
}
