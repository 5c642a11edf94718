//! The table all threads share: whole boards, so that a collision cannot lie.
//!
//! A bucket is one cache line: three boards of two words, 32 bits of knowledge
//! for each, and a version at which nobody waits.
//!
//! Invariant: what `get` returns was put for exactly this board. Bounds of
//! earlier solves stay true, so ageing only decides what is replaced first.

use crate::bounds::{Bounds, Known};
use crate::version::Version;
use crate::zeroed::{Zeroable, zeroes};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const WAYS: usize = 3;
const AGES: u32 = 4;

/// 64 bytes.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Bucket {
    boards: [[AtomicU64; 2]; WAYS],
    data: [AtomicU32; WAYS],
    version: Version,
}

// SAFETY: all of it are atomic integers.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
unsafe impl Zeroable for Bucket {}

/// Bounds and best moves by board.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    /// Buckets in use less one; all of them unless [`suit`](Self::suit) says fewer.
    mask: usize,
    suited: bool,
    age: AtomicU32,
}

/// Bytes that serve a position of [`SUITED`] empty squares well; twice as many for
/// every two more. With 64 MiB the 484 M nodes of a position of 25 are 28 thousand
/// more than with 512, and take a tenth less time.
const SUITING: usize = 16 << 20;
const SUITED: u32 = 20;

/// 32 bits: lower and upper bound, a move, the logarithm of the nodes spent, age.
#[derive(Clone, Copy)]
struct Packed(u32);

impl Packed {
    fn new(known: Known, cost: u32, age: u32) -> Self {
        let [lower, upper] = [known.bounds.lower, known.bounds.upper].map(|b| u32::from(b as u8));
        let best = u32::from(known.best.0 & 127);
        Self(lower | upper << 8 | best << 16 | cost << 23 | age << 30)
    }

    fn known(self) -> Known {
        let bounds = Bounds { lower: self.0 as i8, upper: (self.0 >> 8) as i8 };
        Known { bounds, best: Move((self.0 >> 16 & 127) as u8) }
    }

    /// How much would be lost: what earlier solves left goes first.
    fn worth(self, age: u32) -> u32 {
        (self.0 >> 23 & 31) + if self.0 >> 30 == age { 32 } else { 0 }
    }
}

impl Table {
    /// A table of at most so many bytes; smaller where the system refuses the memory.
    pub(crate) fn new(bytes: usize) -> Self {
        let buckets = zeroes::<Bucket>(bytes);
        let mask = buckets.len() - 1;
        Self { buckets, mask, suited: false, age: AtomicU32::new(1) }
    }

    /// Uses as much of the table as positions with so many empty squares are worth,
    /// or as an earlier call said: in less memory a line is nearer.
    pub(crate) fn suit(&mut self, empties: u32) {
        let bytes = SUITING << (empties.saturating_sub(SUITED) / 2);
        let enough = (bytes / size_of::<Bucket>()).min(self.buckets.len()) - 1;
        self.mask = if self.suited { self.mask.max(enough) } else { enough };
        self.suited = true;
    }

    /// What is stored from now on is worth more than what is there.
    pub(crate) fn grow_older(&self) {
        // Nought is the age of what was never written.
        let next = self.age.load(Ordering::Relaxed) % (AGES - 1) + 1;
        self.age.store(next, Ordering::Relaxed);
    }

    pub(crate) fn clear(&mut self) {
        let bytes = size_of_val(&*self.buckets);
        // Fresh memory comes sooner than zeroes; the old must go first.
        self.buckets = Box::default();
        *self = Self::new(bytes);
    }

    #[inline(always)]
    fn bucket<K: Kernel>(&self, board: &Board<K>) -> &Bucket {
        // The second mask tells the compiler what the first cannot.
        &self.buckets[board.key() as usize & self.mask & (self.buckets.len() - 1)]
    }

    /// Asks memory for the bucket of a board that will be looked up soon.
    #[inline(always)]
    pub(crate) fn fetch<K: Kernel>(&self, board: &Board<K>) {
        board.kernel().fetch(self.bucket(board));
    }

    /// What is known of a board.
    #[inline(always)]
    pub(crate) fn get<K: Kernel>(&self, board: &Board<K>) -> Option<Known> {
        let bucket = self.bucket(board);
        let data = bucket.version.read(|| {
            let way = bucket.boards.iter().position(|[own, opp]| {
                own.load(Ordering::Relaxed) == board.own()
                    && opp.load(Ordering::Relaxed) == board.opp()
            })?;
            Some(Packed(bucket.data[way].load(Ordering::Relaxed)))
        })?;
        (data.0 != 0).then(|| data.known())
    }

    /// Remembers what `nodes` visited positions told about `board`.
    #[inline(always)]
    pub(crate) fn put<K: Kernel>(&self, board: &Board<K>, found: Known, nodes: u64) {
        let bucket = self.bucket(board);
        let age = self.age.load(Ordering::Relaxed);
        bucket.version.write(|| bucket.put(board, found, nodes, age));
    }
}

impl Bucket {
    #[inline(always)]
    fn put<K: Kernel>(&self, board: &Board<K>, found: Known, nodes: u64, age: u32) {
        let (mut victim, mut least) = (0, u32::MAX);
        let mut known = found;
        for (way, [own, opp]) in self.boards.iter().enumerate() {
            let data = Packed(self.data[way].load(Ordering::Relaxed));
            let same = own.load(Ordering::Relaxed) == board.own()
                && opp.load(Ordering::Relaxed) == board.opp();
            if same && data.0 != 0 {
                known.bounds = data.known().bounds.and(found.bounds);
                victim = way;
                break;
            }
            if data.worth(age) < least {
                (victim, least) = (way, data.worth(age));
            }
        }
        self.boards[victim][0].store(board.own(), Ordering::Relaxed);
        self.boards[victim][1].store(board.opp(), Ordering::Relaxed);
        let packed = Packed::new(known, (nodes | 1).ilog2().min(31), age);
        self.data[victim].store(packed.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_othello::Portable;

    fn board(n: u64) -> Board<Portable> {
        Board::new(n, !n & 0xFFFF_FFFF, Portable).expect("disjoint")
    }

    fn known(lower: i8, upper: i8, square: u8) -> Known {
        Known { bounds: Bounds { lower, upper }, best: Move(square) }
    }

    #[test]
    fn bounds_of_one_board_meet() {
        let table = Table::new(1 << 20);
        assert_eq!(table.get(&board(1)), None);
        table.put(&board(1), known(2, 64, 5), 10);
        assert_eq!(table.get(&board(1)), Some(known(2, 64, 5)));
        table.put(&board(1), known(-64, 8, 6), 10);
        assert_eq!(table.get(&board(1)), Some(known(2, 8, 6)));
        assert_eq!(table.get(&board(2)), None);
    }

    #[test]
    fn the_cheap_and_the_old_are_replaced_first() {
        let mut table = Table::new(0);
        assert_eq!(table.buckets.len(), 1);
        for (n, nodes) in [(1, 1000), (2, 10), (3, 1000), (4, 100)] {
            table.put(&board(n), known(0, 2, n as u8), nodes);
        }
        let there = |table: &Table, n| table.get(&board(n)).is_some();
        assert_eq!([1, 2, 3, 4].map(|n| there(&table, n)), [true, false, true, true]);
        table.grow_older();
        for n in [5, 6, 7] {
            table.put(&board(n), known(0, 2, 1), 1);
        }
        assert_eq!(
            [1, 3, 4, 5, 6, 7].map(|n| there(&table, n)),
            [false, false, false, true, true, true]
        );
        table.clear();
        assert!(!there(&table, 5));
    }

    #[test]
    fn a_part_of_the_table_serves_until_more_is_needed() {
        let mut table = Table::new(64 << 20);
        let all = table.mask;
        table.suit(18);
        let part = table.mask;
        assert_eq!(all, 4 * part + 3, "16 of 64 MiB");
        table.put(&board(1), known(2, 64, 5), 10);
        table.suit(12);
        assert_eq!((table.mask, table.get(&board(1))), (part, Some(known(2, 64, 5))));
        table.suit(22);
        assert_eq!(table.mask, 2 * part + 1);
        table.suit(60);
        assert_eq!(table.mask, all);
        table.clear();
        table.suit(3);
        assert_eq!(table.mask, part);
    }

    #[test]
    fn threads_never_read_what_was_not_put() {
        let table = Table::new(0);
        let truth = |n: u64| known((n % 60) as i8, (n % 60 + 2) as i8, (n % 64) as u8);
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (table, truth) = (&table, &truth);
                scope.spawn(move || {
                    for n in (start..40_000).map(|n| n * 7 % 9) {
                        if let Some(found) = table.get(&board(n)) {
                            assert_eq!(found, truth(n));
                        }
                        table.put(&board(n), truth(n), n);
                    }
                });
            }
        });
    }
}
