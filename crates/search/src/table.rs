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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::hash;
    use proptest::prelude::*;

    type Store = (u64, i32, u8, u8, bool, u16);

    fn bound(n: u8) -> Bound {
        [Bound::Upper, Bound::Lower, Bound::Exact][usize::from(n % 3)]
    }

    fn store(table: &mut Table, &(key, value, depth, kind, complete, slot): &Store) {
        table.store(key, Score(value), depth, bound(kind), complete, slot);
    }

    fn stores(keys: u64) -> impl Strategy<Value = Vec<Store>> {
        let key = (0..keys).prop_map(|k| hash(1, &[k]));
        let one = (key, any::<i32>(), any::<u8>(), 0_u8..3, any::<bool>(), any::<u16>());
        prop::collection::vec(one, 0..200)
    }

    fn contents(table: &Table, keys: u64) -> Vec<Option<(Score, u16, u8, u8)>> {
        let all = (0..keys).map(|k| table.probe(hash(1, &[k])));
        all.map(|e| e.map(|e| (e.value, e.slot, e.depth, e.flags))).collect()
    }

    #[test]
    fn entries_are_sixteen_bytes_and_four_fill_a_cache_line() {
        assert_eq!(size_of::<Entry>(), 16);
        assert_eq!(size_of::<Bucket>(), 64);
        assert_eq!(align_of::<Bucket>(), 64);
    }

    #[test]
    fn absurd_sizes_are_brought_within_bounds() {
        for (bytes, buckets) in [(0, 0), (63, 0), (64, 1), (191, 2), (1 << 20, 1 << 14)] {
            assert_eq!(bucket_count(bytes), buckets, "{bytes}");
        }
        assert_eq!(bucket_count(usize::MAX) * size_of::<Bucket>(), MAX_TABLE_BYTES);
        assert!(!Table::new(0).exists());
    }

    proptest! {
        #[test]
        fn the_last_store_of_a_position_is_found(stores in stores(4)) {
            // Four positions fit into any bucket: nothing is ever pushed out.
            let mut table = Table::new(64);
            let mut model = std::collections::HashMap::new();
            for s in &stores {
                store(&mut table, s);
                model.insert(s.0, *s);
            }
            for k in 0..4 {
                let key = hash(1, &[k]);
                let found = table.probe(key).map(|e| (e.value.0, e.depth, e.flags & 3, e.complete(), e.slot));
                let expected = model.get(&key).map(|s| (s.1, s.2, bound(s.3) as u8, s.4, s.5));
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn a_cleared_table_behaves_as_a_new_one(
            before in stores(40), after in stores(40), clearings in 1_usize..4, searches in 0_usize..4,
        ) {
            let mut used = Table::new(256);
            for s in &before {
                store(&mut used, s);
                used.next_generation();
            }
            (0..clearings).for_each(|_| used.clear());
            let mut new = Table::new(256);
            prop_assert_eq!(contents(&used, 40), contents(&new, 40));
            for (i, s) in after.iter().enumerate() {
                if i % 50 < searches {
                    used.next_generation();
                    new.next_generation();
                }
                store(&mut used, s);
                store(&mut new, s);
                prop_assert_eq!(contents(&used, 40), contents(&new, 40));
            }
        }

        #[test]
        fn an_entry_speaks_only_where_it_knows(
            value in -9_i32..9, depth in 1_u8..5, kind in 0_u8..3, complete: bool,
            asked in 1_u8..5, alpha in -9_i32..9, truth in -9_i32..9,
        ) {
            let mut table = Table::new(64);
            table.store(7, Score(value), depth, bound(kind), complete, 3);
            let window = Window::zero(Score(alpha));
            let entry = table.probe(7);
            let answer = entry.and_then(|e| e.decides(asked, window));
            if asked < depth || (asked > depth && !complete) {
                prop_assert_eq!(answer, None);
            }
            let consistent = match bound(kind) {
                Bound::Upper => truth <= value,
                Bound::Lower => truth >= value,
                Bound::Exact => truth == value,
            };
            if let Some(answer) = answer && consistent {
                prop_assert_eq!(window.clamp(answer), window.clamp(Score(truth)));
            }
        }
    }

    #[test]
    fn generations_never_run_out() {
        let mut table = Table::new(64);
        for round in 0..3 * i32::from(GENERATIONS) {
            table.store(5, Score(round), 1, Bound::Exact, false, 0);
            assert_eq!(table.probe(5).map(|e| e.value), Some(Score(round)));
            table.clear();
            assert!(table.probe(5).is_none(), "round {round}");
        }
        for _ in 0..3 * u32::from(GENERATIONS) {
            table.store(5, Score(1), 1, Bound::Exact, false, 0);
            table.next_generation();
            assert!(table.probe(5).is_some());
        }
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let mut table = Table::new(64);
        let key = |k: u64| k << 16;
        table.store(key(1), Score(0), 9, Bound::Exact, false, 0);
        table.next_generation();
        for (k, depth) in [(2, 5), (3, 2), (4, 7)] {
            table.store(key(k), Score(0), depth, Bound::Exact, false, 0);
        }
        table.store(key(5), Score(0), 4, Bound::Exact, false, 0);
        assert!(table.probe(key(1)).is_none(), "deep, but of an earlier search");
        table.store(key(6), Score(0), 1, Bound::Exact, false, 0);
        assert!(table.probe(key(3)).is_none(), "the shallowest");
        assert!(table.probe(key(6)).is_some(), "a new entry always finds a place");
    }
}
