//! When a search has to stop.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a search may spend. Whatever is used up first ends it.
///
/// Depth and nodes are exact: the same search stops at the same position every
/// time. Time is looked at once in a thousand positions.
///
/// ```
/// use evalsmith_search::Limits;
/// assert_eq!(Limits::default(), Limits::depth(6));
/// assert_eq!(Limits::nodes(5_000).depth, u8::MAX);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Plies to search at most.
    pub depth: u8,
    /// Positions to visit at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Processor time of the searching thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Duration>,
    /// Time on the clock on the wall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Duration>,
}

impl Limits {
    const NONE: Self = Self { depth: u8::MAX, nodes: None, cpu: None, wall: None };

    /// Searches this many plies.
    pub const fn depth(depth: u8) -> Self {
        Self { depth, ..Self::NONE }
    }

    /// Visits at most this many positions.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::NONE }
    }

    /// Spends at most this much processor time.
    pub const fn cpu(time: Duration) -> Self {
        Self { cpu: Some(time), ..Self::NONE }
    }

    /// Answers after this time at the latest.
    pub const fn wall(time: Duration) -> Self {
        Self { wall: Some(time), ..Self::NONE }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::depth(6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_a_file_and_leave_out_what_is_not_limited() {
        let text = serde_json::to_string(&Limits::depth(4)).unwrap();
        assert_eq!(text, r#"{"depth":4}"#);
        for limits in [Limits::nodes(9), Limits::cpu(Duration::from_millis(1500))] {
            let text = serde_json::to_string(&limits).unwrap();
            assert_eq!(serde_json::from_str::<Limits>(&text).unwrap(), limits);
        }
        assert!(serde_json::from_str::<Limits>(r#"{"dept":4}"#).is_err());
    }
}
