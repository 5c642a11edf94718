//! Closed intervals.

use serde::{Deserialize, Serialize};

/// From `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval<T> {
    /// The lower end.
    pub low: T,
    /// The upper end.
    pub high: T,
}

impl<T: PartialOrd> Interval<T> {
    /// Whether the value lies inside, ends included.
    pub fn contains(&self, value: &T) -> bool {
        self.low <= *value && *value <= self.high
    }
}

impl Interval<f64> {
    /// A probability of which nothing is known.
    pub const UNKNOWN: Self = Self { low: 0.0, high: 1.0 };
}
