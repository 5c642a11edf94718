//! Whose time a search is given.
//!
//! An arena that charges processor time leaves a search on a busy machine as long as
//! on an idle one; everybody else looks at the wall. Invariant: processor time is
//! that of the whole process, so that two threads spend it twice as fast.

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// What measures the time of a thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The clock on the wall.
    #[default]
    Wall,
    /// Processor time, of all threads together.
    Cpu,
}

/// A moment on a clock, for one thought.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    Wall(Instant),
    Cpu(ProcessTime, Duration),
}

impl Deadline {
    /// So long from now; none where that lies beyond the calendar.
    pub(crate) fn after(time: Duration, clock: Clock) -> Option<Self> {
        match clock {
            Clock::Wall => Instant::now().checked_add(time).map(Self::Wall),
            Clock::Cpu => Some(Self::Cpu(ProcessTime::now(), time)),
        }
    }

    pub(crate) fn passed(self) -> bool {
        match self {
            Self::Wall(at) => Instant::now() >= at,
            Self::Cpu(begun, time) => begun.elapsed() >= time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_passes_on_the_wall_and_costs_no_processor_time() {
        let of = |clock, time| Deadline::after(time, clock).unwrap();
        for clock in [Clock::Wall, Clock::Cpu] {
            assert!(of(clock, Duration::ZERO).passed());
            assert!(!of(clock, Duration::from_hours(1)).passed());
        }
        let wall = of(Clock::Wall, Duration::from_millis(5));
        std::thread::sleep(Duration::from_millis(10));
        assert!(wall.passed());
        assert!(Deadline::after(Duration::MAX, Clock::Wall).is_none());
    }
}
