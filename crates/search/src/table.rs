//! The transposition table: what is known of positions already searched.
//!
//! Entries of 16 bytes, four to a cache line. An entry states a bound on the
//! minimax value of a position at *one* depth, so a cut-off asks for the same
//! depth. The exception: where every line below ended with the game, the bound
//! holds at every greater depth too. Entries of other depths order moves only.
//!
//! Invariant: after [`clear`](Table::clear) the table behaves as if new, at no
//! cost: entries carry the generation they were written in, and those older than
//! the last clearing count as empty.

use evalsmith_core::{Score, Window};

/// A table that suits a search of some seconds.
pub const DEFAULT_TABLE_BYTES: usize = 16 << 20;

/// No table is made larger than this, whatever is asked for.
pub const MAX_TABLE_BYTES: usize = 2 << 30;

/// Generations between two clearings; after so many, searches are no longer told apart.
const GENERATIONS: u16 = 1 << 14;
const LOCK: u64 = !0xFFFF;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The value is at most this.
    Upper = 0,
    /// The value is at least this.
    Lower = 1,
    /// The value is this.
    Exact = 2,
}

const COMPLETE: u8 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The key's upper 48 bits (the lower ones chose the bucket), then the generation.
    lock: u64,
    value: Score,
    pub(crate) slot: u16,
    depth: u8,
    flags: u8,
}

impl Entry {
    const EMPTY: Self = Self { lock: 0, value: Score(0), slot: 0, depth: 0, flags: 0 };

    #[inline]
    fn generation(&self) -> u16 {
        self.lock as u16
    }

    /// Whether no line below met the horizon.
    #[inline]
    pub(crate) fn complete(&self) -> bool {
        self.flags & COMPLETE != 0
    }

    /// The value, where it decides a search of this depth in this window.
    #[inline]
    pub(crate) fn decides(&self, depth: u8, window: Window) -> Option<Score> {
        let valid = self.depth == depth || (self.depth < depth && self.complete());
        let bound = self.flags & 3;
        let lower = bound != Bound::Upper as u8 && self.value >= window.beta;
        let upper = bound != Bound::Lower as u8 && self.value <= window.alpha;
        (valid && (lower || upper || bound == Bound::Exact as u8)).then_some(self.value)
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([Entry; 4]);

pub(crate) struct Table {
    /// A power of two of them, or none.
    buckets: Vec<Bucket>,
    /// Entries older than this are empty.
    oldest: u16,
    /// What is written now.
    newest: u16,
}

/// The most buckets that fit, as a power of two; none fit into less than one.
fn bucket_count(bytes: usize) -> usize {
    match bytes.min(MAX_TABLE_BYTES) / size_of::<Bucket>() {
        0 => 0,
        fit => 1 << fit.ilog2(),
    }
}

impl Table {
    /// A table of at most `bytes`, rounded down to a power of two and to
    /// [`MAX_TABLE_BYTES`]; halved further while the system refuses the memory.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut count = bucket_count(bytes);
        let mut buckets = Vec::new();
        while count > 0 && buckets.try_reserve_exact(count).is_err() {
            count /= 2;
        }
        buckets.resize(count, Bucket([Entry::EMPTY; 4]));
        Self { buckets, oldest: 1, newest: 1 }
    }

    #[inline]
    pub(crate) fn exists(&self) -> bool {
        !self.buckets.is_empty()
    }

    /// Empties the table.
    pub(crate) fn clear(&mut self) {
        if self.newest > GENERATIONS {
            self.buckets.fill(Bucket([Entry::EMPTY; 4]));
            self.newest = 0;
        }
        self.newest += 1;
        self.oldest = self.newest;
    }

    /// Begins a search: what earlier ones wrote is now overwritten first.
    pub(crate) fn next_generation(&mut self) {
        if self.newest - self.oldest < GENERATIONS {
            self.newest += 1;
        }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// What is known of a position. The table must exist.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let bucket = &self.buckets[self.index(key)];
        bucket
            .0
            .iter()
            .find(|e| (e.lock ^ key) & LOCK == 0 && e.generation() >= self.oldest)
            .copied()
    }

    /// Remembers a position. The table must exist.
    #[inline]
    pub(crate) fn store(
        &mut self,
        key: u64,
        value: Score,
        depth: u8,
        bound: Bound,
        complete: bool,
        slot: u16,
    ) {
        let (oldest, newest) = (self.oldest, self.newest);
        let index = self.index(key);
        let bucket = &mut self.buckets[index].0;
        let worth = |e: &Entry| {
            if e.generation() < oldest {
                return 0;
            }
            if (e.lock ^ key) & LOCK == 0 {
                return -1;
            }
            1 + i32::from(e.depth) + 256 * i32::from(e.generation() == newest)
        };
        let mut target = 0;
        let mut least = worth(&bucket[0]);
        for (i, entry) in bucket.iter().enumerate().skip(1) {
            let w = worth(entry);
            if w < least {
                (target, least) = (i, w);
            }
        }
        bucket[target] = Entry {
            lock: (key & LOCK) | u64::from(newest),
            value,
            slot,
            depth,
            flags: bound as u8 | if complete { COMPLETE } else { 0 },
        };
    }
}
