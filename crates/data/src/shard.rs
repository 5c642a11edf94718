//! A run's share of a job that several runs do together.
//!
//! Invariant: the shards of a job are disjoint and together the whole, whatever
//! runs them, in whatever order.

use evalsmith_core::Malformed;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Shard `number` of `count`, written `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    count: u32,
}

impl Shard {
    /// The only shard.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// Shard `number`, from 1, of `count`; none where there is no such shard.
    ///
    /// ```
    /// use evalsmith_data::Shard;
    /// let thirds: Vec<_> = (1..=3).filter_map(|i| Shard::new(i, 3)).collect();
    /// assert_eq!(thirds.iter().map(|s| s.range(10)).collect::<Vec<_>>(), [0..3, 3..6, 6..10]);
    /// assert_eq!(thirds.iter().filter(|s| s.holds(10)).count(), 1);
    /// ```
    pub const fn new(number: u32, count: u32) -> Option<Self> {
        if 1 <= number && number <= count { Some(Self { number, count }) } else { None }
    }

    /// Whether it is the only one.
    pub const fn is_whole(&self) -> bool {
        self.count == 1
    }

    /// Its items of a job with this many: consecutive ones.
    pub fn range(self, items: u32) -> Range<u32> {
        let bound = |n: u32| (u64::from(items) * u64::from(n) / u64::from(self.count)) as u32;
        bound(self.number - 1)..bound(self.number)
    }

    /// Whether item `index` is its own, where nobody knows how many there are:
    /// every `count`-th is.
    pub const fn holds(self, index: u64) -> bool {
        index % self.count as u64 == self.number as u64 - 1
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let read = || {
            let (number, count) = text.split_once('/')?;
            Self::new(number.trim().parse().ok()?, count.trim().parse().ok()?)
        };
        let remedy = "write which shard of how many, from 1/8 to 8/8";
        read().ok_or_else(|| Malformed::new("shard", text, remedy))
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = Malformed;
    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_are_read_as_they_are_written() {
        for text in ["1/1", "3/8", "4000000000/4000000000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/2", "1/4294967296"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn shards_are_disjoint_and_whole(count in 1_u32..50, items: u32, index: u64) {
            let shards: Vec<_> = (1..=count).map(|i| Shard::new(i, count).unwrap()).collect();
            let mut next = 0;
            for shard in &shards {
                let range = shard.range(items);
                prop_assert_eq!(range.start, next);
                next = range.end;
            }
            prop_assert_eq!(next, items);
            prop_assert_eq!(shards.iter().filter(|shard| shard.holds(index)).count(), 1);
        }
    }
}
