//! A few threads that many analyses share fairly.
//!
//! Work advances in slices; whoever has used the least processor time goes next, as in
//! the scheduler of an operating system. A newcomer begins level with the one who has
//! used least, so that it neither waits for old work nor holds it up.
//!
//! Invariant: there are as many threads as cores at most, they sleep while there is
//! nothing to do, and work whose listener went away is dropped before its next slice.
//! They stand behind the threads that answer requests, and behind a browser on the same
//! machine: what somebody waits for is not held up by what somebody looks at. Replies to
//! moves have a limit of their own and go first: however many analyses are open, one can
//! play.

use evalsmith_lab::prelude::{News, Stepwise};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What one turn takes, about.
const SLICE: Duration = Duration::from_millis(20);
/// Work of each [`Hurry`] that may be under way at once.
const MOST: usize = 64;
/// Processor time for one piece of work.
const LONGEST: Duration = Duration::from_mins(3);

/// How far background work stands behind requests, in the system's own measure.
const BEHIND: i32 = 10;

/// Lets the calling thread, and what it starts, stand behind requests.
pub(crate) fn step_back() {
    // Where the system refuses, all stand in one row.
    let _ = rustix::process::nice(BEHIND);
}

/// How soon work is wanted; what is wanted sooner goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hurry {
    /// Somebody waits for the one answer it gives.
    Urgent,
    /// It goes on while somebody looks.
    Patient,
}

struct Job {
    work: Box<dyn Stepwise>,
    hurry: Hurry,
    tell: watch::Sender<Option<News>>,
    used: Duration,
    begun: Duration,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Job>,
    /// What those that are at work had used when they began.
    working: Vec<(Hurry, Duration)>,
    closed: bool,
}

impl Queue {
    /// What each piece of work of a kind has used.
    fn used(&self, hurry: Hurry) -> impl Iterator<Item = Duration> {
        let waiting = self.waiting.iter().map(|job| (job.hurry, job.used));
        let all = waiting.chain(self.working.iter().copied());
        all.filter(move |&(kind, _)| kind == hurry).map(|(_, used)| used)
    }

    fn next(&mut self) -> Option<Job> {
        let order = |&at: &usize| (self.waiting[at].hurry, self.waiting[at].used);
        let at = (0..self.waiting.len()).min_by_key(order)?;
        // The order among equals is that of their coming.
        Some(self.waiting.remove(at))
    }
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads and what waits for them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

impl Pool {
    /// A pool of as many threads as there are cores.
    pub(crate) fn new() -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_threads(cores)
    }

    fn with_threads(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::new(Queue::default()), wake: Condvar::new() });
        for i in 0..threads {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("analysis {i}")).spawn(move || {
                step_back();
                work(&shared);
            })?;
        }
        Ok(Self { shared })
    }

    /// Begins work and returns where its news can be heard; `None` when there is too
    /// much of it already. Dropping the receiver ends the work.
    pub(crate) fn begin(
        &self,
        work: Box<dyn Stepwise>,
        hurry: Hurry,
    ) -> Option<watch::Receiver<Option<News>>> {
        let (tell, hear) = watch::channel(None);
        let mut queue = self.shared.lock();
        queue.waiting.retain(|job| !job.tell.is_closed());
        if queue.used(hurry).count() >= MOST {
            return None;
        }
        let used = queue.used(hurry).min().unwrap_or_default();
        queue.waiting.push(Job { work, hurry, tell, used, begun: used });
        drop(queue);
        self.shared.wake.notify_one();
        Some(hear)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.waiting.clear();
        drop(queue);
        self.shared.wake.notify_all();
    }
}

fn work(shared: &Shared) {
    let mut queue = shared.lock();
    loop {
        if queue.closed {
            return;
        }
        let Some(mut job) = queue.next() else {
            queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        if job.tell.is_closed() {
            continue;
        }
        let before = (job.hurry, job.used);
        queue.working.push(before);
        drop(queue);
        let begun = Instant::now();
        let step = job.work.step(SLICE);
        job.used += begun.elapsed();
        if let Some(news) = step.news {
            job.tell.send_replace(Some(news));
        }
        queue = shared.lock();
        if let Some(at) = queue.working.iter().position(|&at_work| at_work == before) {
            queue.working.swap_remove(at);
        }
        if !step.done && job.used.saturating_sub(job.begun) < LONGEST {
            queue.waiting.push(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{Reply, Step};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Counts its steps, each a busy millisecond times `weight`.
    struct Busy {
        steps: Arc<AtomicU64>,
        weight: u64,
        until: u64,
    }

    impl Stepwise for Busy {
        fn step(&mut self, _time: Duration) -> Step {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(self.weight) {
                std::hint::spin_loop();
            }
            let done = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
            let reply = Reply { mv: None, verdict: String::new(), depth: 0, nodes: done };
            Step { news: Some(News::Reply(reply)), done: done >= self.until }
        }
    }

    fn busy(weight: u64, until: u64) -> (Box<dyn Stepwise>, Arc<AtomicU64>) {
        let steps = Arc::new(AtomicU64::new(0));
        (Box::new(Busy { steps: Arc::clone(&steps), weight, until }), steps)
    }

    #[test]
    fn time_is_shared_whatever_a_step_takes() {
        let pool = Pool::with_threads(1).unwrap();
        let (quick, quick_steps) = busy(1, u64::MAX);
        let (slow, slow_steps) = busy(8, 40);
        let _hear = pool.begin(quick, Hurry::Patient).unwrap();
        let mut slow = pool.begin(slow, Hurry::Patient).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { while slow.changed().await.is_ok() {} });
        let (quick, slow) =
            (quick_steps.load(Ordering::SeqCst), 8 * slow_steps.load(Ordering::SeqCst));
        assert_eq!(slow, 320);
        assert!(quick >= slow / 4, "the quick one had {quick} ms, the slow one {slow}");
    }

    #[test]
    fn analyses_stand_behind_and_nobody_else_does() {
        struct Told(std::sync::mpsc::Sender<i32>);
        impl Stepwise for Told {
            fn step(&mut self, _time: Duration) -> Step {
                self.0.send(rustix::process::getpriority_process(None).unwrap()).unwrap();
                Step { news: None, done: true }
            }
        }
        let own = rustix::process::getpriority_process(None).unwrap();
        let pool = Pool::with_threads(1).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let _hear = pool.begin(Box::new(Told(send)), Hurry::Patient).unwrap();
        assert_eq!(receive.recv().unwrap(), (own + BEHIND).min(19));
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), own);
    }

    #[test]
    fn work_ends_with_its_listener_and_by_itself() {
        let pool = Pool::with_threads(2).unwrap();
        let (endless, steps) = busy(1, u64::MAX);
        let hear = pool.begin(endless, Hurry::Patient).unwrap();
        while steps.load(Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        drop(hear);
        while !pool.shared.lock().waiting.is_empty() || !pool.shared.lock().working.is_empty() {
            std::thread::yield_now();
        }
        let after = steps.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(steps.load(Ordering::SeqCst), after, "nobody listens any more");
    }

    #[test]
    fn too_much_work_is_refused() {
        let pool = Pool::with_threads(1).unwrap();
        let hearing: Vec<_> =
            (0..MOST).map(|_| pool.begin(busy(1, u64::MAX).0, Hurry::Patient).unwrap()).collect();
        assert!(pool.begin(busy(1, 1).0, Hurry::Patient).is_none());
        drop(hearing);
        assert!(pool.begin(busy(1, 1).0, Hurry::Patient).is_some(), "room again");
    }

    #[test]
    fn one_can_play_while_all_analyses_are_taken() {
        let pool = Pool::with_threads(1).unwrap();
        let open = || pool.begin(busy(1, u64::MAX).0, Hurry::Patient);
        let hearing: Vec<_> = std::iter::from_fn(open).collect();
        assert_eq!(hearing.len(), MOST);
        let (reply, steps) = busy(1, 3);
        let mut reply = pool.begin(reply, Hurry::Urgent).expect("a reply has room of its own");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { while reply.changed().await.is_ok() {} });
        assert_eq!(steps.load(Ordering::SeqCst), 3);
        // Replies are bounded, too.
        let reply = || pool.begin(busy(1, u64::MAX).0, Hurry::Urgent);
        let replies: Vec<_> = std::iter::from_fn(reply).collect();
        assert_eq!(replies.len(), MOST);
    }
}
