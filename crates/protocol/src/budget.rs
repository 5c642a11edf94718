//! How long to think: the same words at the client's end and the engine's.

use evalsmith_core::Side;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The limits of one search. All that are given hold; without any, an engine
/// thinks as it likes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clocks of both sides.
    pub clocks: Option<Clocks>,
    /// Think until told to stop.
    pub infinite: bool,
}

impl Budget {
    /// A search of so many plies.
    pub fn depth(plies: u32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// A search of so many positions.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search of this time.
    pub fn move_time(time: Duration) -> Self {
        Self { move_time: Some(time), ..Self::default() }
    }

    /// A search by the clock.
    pub fn clocks(clocks: Clocks) -> Self {
        Self { clocks: Some(clocks), ..Self::default() }
    }

    /// A search until it is stopped.
    pub fn infinite() -> Self {
        Self { infinite: true, ..Self::default() }
    }

    /// These limits with an engine's `own` beside them, in each the tighter. Where
    /// nobody limits anything a move takes `unasked`; a search until it is stopped
    /// heeds no clock, which waits for the end of its own move.
    ///
    /// ```
    /// use evalsmith_protocol::Budget;
    /// use std::time::Duration;
    /// let (own, second) = (Budget::nodes(500), Duration::from_secs(1));
    /// let both = Budget { nodes: Some(500), ..Budget::depth(3) };
    /// assert_eq!(Budget::depth(3).beside(&own, second), both);
    /// assert_eq!(Budget::nodes(90).beside(&own, second), Budget::nodes(90));
    /// let free = Budget::default();
    /// assert_eq!(free.beside(&free, second), Budget::move_time(second));
    /// assert_eq!(Budget::infinite().beside(&free, second), Budget::infinite());
    /// ```
    #[must_use]
    pub fn beside(&self, own: &Self, unasked: Duration) -> Self {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let mut budget = Self {
            depth: tighter(own.depth, self.depth),
            nodes: tighter(own.nodes, self.nodes),
            move_time: tighter(own.move_time, self.move_time),
            clocks: self.clocks.clone().filter(|_| !self.infinite),
            infinite: self.infinite,
        };
        if budget == Self::default() {
            budget.move_time = Some(unasked);
        }
        budget
    }

    /// The most time `side` may use, where time is limited.
    ///
    /// ```
    /// use evalsmith_core::Side;
    /// use evalsmith_protocol::{Budget, Clocks};
    /// use std::time::Duration;
    /// let seconds = Duration::from_secs;
    /// let clocks = Clocks { remaining: [seconds(9), seconds(2)], ..Clocks::default() };
    /// let budget = Budget { move_time: Some(seconds(5)), ..Budget::clocks(clocks) };
    /// assert_eq!(budget.most_time(Side::First), Some(seconds(5)));
    /// assert_eq!(budget.most_time(Side::Second), Some(seconds(2)));
    /// assert_eq!(Budget::depth(3).most_time(Side::First), None);
    /// ```
    pub fn most_time(&self, side: Side) -> Option<Duration> {
        let by_clock =
            self.clocks.as_ref().map(|c| c.remaining[side.index()].saturating_add(c.byoyomi));
        match (self.move_time, by_clock) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// The clocks of both sides, indexed by [`Side`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clocks {
    /// Time left.
    pub remaining: [Duration; 2],
    /// Time added after each move.
    pub increment: [Duration; 2],
    /// Moves until more time is added; none for the whole game.
    pub moves_to_go: Option<u32>,
    /// Time for each move once the clock is empty.
    pub byoyomi: Duration,
}

/// Milliseconds as the protocols write them.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Time as the protocols write it, negative when a flag has fallen; nothing that
/// a line can hold overflows.
pub(crate) fn from_milliseconds(text: &str) -> Option<Duration> {
    let ms = text.parse::<i64>().ok()?;
    Some(Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
}

/// Seconds with a fraction; none where the text is no time.
pub(crate) fn from_seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_times_are_no_times() {
        assert_eq!(from_milliseconds("-5"), Some(Duration::ZERO));
        assert_eq!(from_milliseconds("99999999999999999999"), None);
        assert_eq!(from_milliseconds("1.5"), None);
        assert_eq!(from_seconds("1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(from_seconds("-1"), Some(Duration::ZERO));
        for text in ["inf", "1e300", "x", ""] {
            assert_eq!(from_seconds(text), None, "{text}");
        }
        assert_eq!(from_seconds("NaN"), Some(Duration::ZERO));
    }
}
