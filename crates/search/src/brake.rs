//! Counts positions and stops the search when its limits are reached.
//!
//! Invariant: the limit on nodes is met exactly; the clocks and the flag are
//! looked at once in [`INTERVAL`] positions, and before the first.

use crate::Limits;
use cpu_time::ThreadTime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const INTERVAL: u64 = 1024;

/// Both clocks, started together.
struct Clocks {
    cpu: ThreadTime,
    wall: Instant,
}

pub(crate) struct Brake<'a> {
    /// None where nobody asks for the time.
    clocks: Option<Clocks>,
    nodes: u64,
    look_at: u64,
    max_nodes: u64,
    max_cpu: Option<Duration>,
    max_wall: Option<Duration>,
    stop: &'a AtomicBool,
    stopped: bool,
}

impl<'a> Brake<'a> {
    pub(crate) fn new(limits: &Limits, stop: &'a AtomicBool) -> Self {
        let clocks = Some(Clocks { cpu: ThreadTime::now(), wall: Instant::now() });
        Self { clocks, ..Self::unclocked(limits, stop) }
    }

    /// The same, but with clocks only where the limits need them.
    pub(crate) fn untimed(limits: &Limits, stop: &'a AtomicBool) -> Self {
        if limits.cpu.is_some() || limits.wall.is_some() {
            Self::new(limits, stop)
        } else {
            Self::unclocked(limits, stop)
        }
    }

    fn unclocked(limits: &Limits, stop: &'a AtomicBool) -> Self {
        Self {
            clocks: None,
            nodes: 0,
            look_at: 0,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            max_cpu: limits.cpu,
            max_wall: limits.wall,
            stop,
            stopped: false,
        }
    }

    /// Counts a position, or answers that the search must stop before it.
    #[inline]
    pub(crate) fn enter(&mut self) -> bool {
        if self.nodes >= self.look_at && self.look() {
            return true;
        }
        self.nodes += 1;
        false
    }

    #[cold]
    fn look(&mut self) -> bool {
        self.stopped = self.stopped
            || self.nodes >= self.max_nodes
            || self.stop.load(Ordering::Relaxed)
            || self.max_wall.is_some_and(|limit| self.wall() >= limit)
            || self.max_cpu.is_some_and(|limit| self.cpu() >= limit);
        if !self.stopped {
            self.look_at = self.max_nodes.min(self.nodes + INTERVAL);
        }
        self.stopped
    }

    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Processor time since the start; zero without clocks.
    pub(crate) fn cpu(&self) -> Duration {
        self.clocks.as_ref().map_or(Duration::ZERO, |clocks| clocks.cpu.elapsed())
    }

    /// Time on the wall since the start; zero without clocks.
    pub(crate) fn wall(&self) -> Duration {
        self.clocks.as_ref().map_or(Duration::ZERO, |clocks| clocks.wall.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(limits: &Limits, stop: &AtomicBool) -> u64 {
        let [timed, untimed] =
            [Brake::new(limits, stop), Brake::untimed(limits, stop)].map(|mut brake| {
                while brake.nodes() < 10_000 && !brake.enter() {}
                brake.nodes()
            });
        assert_eq!(timed, untimed);
        timed
    }

    #[test]
    fn node_limits_are_exact() {
        for n in [0, 1, 2, 1023, 1024, 1025, 5000] {
            assert_eq!(run(&Limits::nodes(n), &AtomicBool::new(false)), n);
        }
        assert_eq!(run(&Limits::depth(3), &AtomicBool::new(false)), 10_000);
    }

    #[test]
    fn a_raised_flag_and_spent_time_stop_before_the_first_position() {
        assert_eq!(run(&Limits::depth(3), &AtomicBool::new(true)), 0);
        assert_eq!(run(&Limits::wall(Duration::ZERO), &AtomicBool::new(false)), 0);
        assert_eq!(run(&Limits::cpu(Duration::ZERO), &AtomicBool::new(false)), 0);
    }

    #[test]
    fn a_flag_raised_later_is_seen_within_the_interval() {
        let stop = AtomicBool::new(false);
        let mut brake = Brake::new(&Limits::depth(1), &stop);
        for _ in 0..10 {
            assert!(!brake.enter());
        }
        stop.store(true, Ordering::Relaxed);
        while !brake.enter() {}
        assert_eq!(brake.nodes(), INTERVAL);
        assert!(brake.stopped());
    }
}
