//! Counting distinct things in bounded memory, by adaptive sampling (Flajolet 1990).
//!
//! Hashes are kept in a set. When it is full, only hashes that end in one more
//! zero bit are kept, and each stands for twice as many. Until then the count is
//! exact (up to collisions of 64-bit hashes).

use crate::Digest;
use std::collections::HashSet;

/// About 80 MiB of hashes; beyond it the count is within about 0.1 %.
const CAPACITY: usize = 1 << 22;

#[derive(Debug)]
pub(crate) struct Distinct {
    kept: HashSet<u64>,
    zeros: u32,
    capacity: usize,
}

impl Distinct {
    pub(crate) fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    fn with_capacity(capacity: usize) -> Self {
        Self { kept: HashSet::new(), zeros: 0, capacity }
    }

    pub(crate) fn insert(&mut self, Digest(hash): Digest) {
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        self.kept.insert(hash);
        while self.kept.len() > self.capacity {
            self.zeros += 1;
            let zeros = self.zeros;
            self.kept.retain(|hash| hash.trailing_zeros() >= zeros);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        (self.kept.len() as u64) << self.zeros
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.zeros == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(values: impl Iterator<Item = u64>, capacity: usize) -> Distinct {
        let mut distinct = Distinct::with_capacity(capacity);
        values.for_each(|v| distinct.insert(Digest::of(&v.to_le_bytes())));
        distinct
    }

    #[test]
    fn exact_while_there_is_room() {
        let distinct = count((0..3000).map(|i| i % 1000), 1000);
        assert_eq!((distinct.count(), distinct.is_exact()), (1000, true));
    }

    #[test]
    fn near_beyond_that_and_never_larger_than_allowed() {
        let distinct = count((0..300_000).map(|i| i % 100_000), 4096);
        assert!(!distinct.is_exact());
        assert!(distinct.kept.len() <= 4096);
        // The standard error is about 1.2 / sqrt(4096), or 2 %.
        assert!((92_000..108_000).contains(&distinct.count()), "{}", distinct.count());
    }
}
