//! What midgame searches remember of whole boards: bounds in eighths of a disc,
//! the effort that found them, and the best move.
//!
//! A bucket is one cache line with two boards, under a version at which nobody
//! waits. Unlike the solver's bounds these are true only of their effort, so a
//! bound answers nothing that asks for more; its move is worth trying first
//! whatever found it.

use crate::effort::{Effort, Selectivity};
use crate::value::MOST;
use crate::version::Version;
use crate::zeroed::{Zeroable, zeroes};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

const WAYS: usize = 2;
const AGES: u8 = 64;

/// 64 bytes.
#[derive(Debug)]
#[repr(C, align(64))]
struct Bucket {
    boards: [[AtomicU64; 2]; WAYS],
    data: [AtomicU64; WAYS],
    version: Version,
}

// SAFETY: all of it are atomic integers.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
unsafe impl Zeroable for Bucket {}

/// What is known of a value at some effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recalled {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
    /// The move to try first; a pass where none is known.
    pub(crate) best: Move,
}

impl Recalled {
    /// What a null window search above `alpha` tells by its value.
    #[inline(always)]
    pub(crate) const fn of(value: i32, alpha: i32, best: Move) -> Self {
        if value > alpha {
            Self { lower: value, upper: MOST, best }
        } else {
            Self { lower: -MOST, upper: value, best }
        }
    }

    /// The answer to the null window above `alpha`, if it is known.
    #[inline(always)]
    pub(crate) const fn answer(self, alpha: i32) -> Option<i32> {
        if self.lower > alpha {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }
}

/// 64 bits: lower and upper bound, depth, selectivity, move, age, and one that is
/// set.
#[derive(Clone, Copy)]
struct Packed(u64);

impl Packed {
    fn new(known: Recalled, effort: Effort, age: u8) -> Self {
        let [lower, upper] = [known.lower, known.upper].map(|b| u64::from(b as i16 as u16));
        let best = u64::from(known.best.0 & 127);
        Self(
            lower
                | upper << 16
                | u64::from(effort.depth) << 32
                | effort.selectivity.bits() << 40
                | best << 48
                | u64::from(age) << 56
                | 1 << 63,
        )
    }

    fn known(self) -> Recalled {
        let bound = |bits: u64| i32::from(bits as i16);
        let best = Move((self.0 >> 48 & 127) as u8);
        Recalled { lower: bound(self.0), upper: bound(self.0 >> 16), best }
    }

    fn effort(self) -> Effort {
        let selectivity = Selectivity::of_bits(self.0 >> 40 & 7);
        Effort { depth: (self.0 >> 32) as u32 & 255, selectivity }
    }

    fn is_of(self, age: u8) -> bool {
        (self.0 >> 56) as u8 & (AGES - 1) == age
    }

    /// How much would be lost: what earlier searches left goes first.
    fn worth(self, age: u8) -> u32 {
        self.effort().depth + if self.is_of(age) { 64 } else { 0 }
    }
}

/// Bounds and best moves by board.
#[derive(Debug)]
pub(crate) struct Memory {
    buckets: Box<[Bucket]>,
    age: AtomicU8,
}

impl Memory {
    /// A table of at most so many bytes; smaller where the system refuses the memory.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { buckets: zeroes(bytes), age: AtomicU8::new(1) }
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
        &self.buckets[board.key() as usize & (self.buckets.len() - 1)]
    }

    /// Asks memory for the bucket of a board that will be looked up soon.
    #[inline(always)]
    pub(crate) fn fetch<K: Kernel>(&self, board: &Board<K>) {
        board.kernel().fetch(self.bucket(board));
    }

    /// What is known at this effort or a greater one; of a lesser one only the move
    /// is told.
    #[inline(always)]
    pub(crate) fn get<K: Kernel>(&self, board: &Board<K>, effort: Effort) -> Option<Recalled> {
        let bucket = self.bucket(board);
        let data = bucket.version.read(|| bucket.find(board).map(|(_, data)| data))?;
        Some(match data.known() {
            known if data.effort().covers(effort) => known,
            Recalled { best, .. } => Recalled { lower: -MOST, upper: MOST, best },
        })
    }

    /// The move to try first, whatever found it.
    #[inline(always)]
    pub(crate) fn best<K: Kernel>(&self, board: &Board<K>) -> Option<Move> {
        let bucket = self.bucket(board);
        bucket.version.read(|| bucket.find(board).map(|(_, data)| data.known().best))
    }

    /// Remembers what was found about `board`; what a greater effort found stays.
    #[inline(always)]
    pub(crate) fn put<K: Kernel>(&self, board: &Board<K>, found: Recalled, effort: Effort) {
        let bucket = self.bucket(board);
        let age = self.age.load(Ordering::Relaxed);
        bucket.version.write(|| bucket.put(board, found, effort, age));
    }
}

impl Bucket {
    #[inline(always)]
    fn find<K: Kernel>(&self, board: &Board<K>) -> Option<(usize, Packed)> {
        let way = self.boards.iter().position(|[own, opp]| {
            own.load(Ordering::Relaxed) == board.own() && opp.load(Ordering::Relaxed) == board.opp()
        })?;
        let data = self.data[way].load(Ordering::Relaxed);
        (data != 0).then_some((way, Packed(data)))
    }

    #[inline(always)]
    fn put<K: Kernel>(&self, board: &Board<K>, mut found: Recalled, effort: Effort, age: u8) {
        let way = if let Some((way, data)) = self.find(board) {
            let known = data.known();
            if data.effort() == effort {
                // Selective searches contradict each other now and then: the later
                // one is believed.
                if known.lower <= found.upper && found.lower <= known.upper {
                    found.lower = found.lower.max(known.lower);
                    found.upper = found.upper.min(known.upper);
                }
            } else if data.effort().covers(effort) {
                return;
            }
            way
        } else {
            let worth = |way: usize| Packed(self.data[way].load(Ordering::Relaxed)).worth(age);
            usize::from(worth(1) < worth(0))
        };
        self.boards[way][0].store(board.own(), Ordering::Relaxed);
        self.boards[way][1].store(board.opp(), Ordering::Relaxed);
        self.data[way].store(Packed::new(found, effort, age).0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_othello::Portable;

    fn board(n: u64) -> Board<Portable> {
        Board::new(n, !n & 0xFFFF_FFFF, Portable).expect("disjoint")
    }

    const fn effort(depth: u32, selectivity: Selectivity) -> Effort {
        Effort { depth, selectivity }
    }

    #[test]
    fn a_bound_answers_for_no_greater_effort() {
        let memory = Memory::new(1 << 20);
        let careful = effort(6, Selectivity::Careful);
        assert_eq!(memory.get(&board(1), careful), None);
        memory.put(&board(1), Recalled::of(-77, -90, Move(5)), careful);
        memory.put(&board(1), Recalled::of(13, 13, Move(6)), careful);
        let known = Some(Recalled { lower: -77, upper: 13, best: Move(6) });
        let only_move = Some(Recalled { lower: -MOST, upper: MOST, best: Move(6) });
        for (depth, selectivity, expected) in [
            (6, Selectivity::Careful, known),
            (3, Selectivity::Daring, known),
            (7, Selectivity::Daring, only_move),
            (3, Selectivity::Wary, only_move),
        ] {
            assert_eq!(memory.get(&board(1), effort(depth, selectivity)), expected);
        }
        memory.put(&board(1), Recalled::of(0, 10, Move(7)), effort(4, Selectivity::Daring));
        assert_eq!(memory.get(&board(1), careful), known);
    }

    #[test]
    fn the_shallow_and_the_old_are_replaced_first() {
        let mut memory = Memory::new(0);
        assert_eq!(memory.buckets.len(), 1);
        let put = |memory: &Memory, n, depth| {
            let effort = effort(depth, Selectivity::Full);
            memory.put(&board(n), Recalled::of(0, 0, Move(1)), effort);
        };
        let there = |memory: &Memory, n| memory.get(&board(n), effort(0, Selectivity::Full));
        for (n, depth) in [(1, 9), (2, 3), (3, 5)] {
            put(&memory, n, depth);
        }
        assert_eq!([1, 2, 3].map(|n| there(&memory, n).is_some()), [true, false, true]);
        memory.grow_older();
        put(&memory, 4, 1);
        put(&memory, 5, 1);
        assert_eq!([1, 3, 4, 5].map(|n| there(&memory, n).is_some()), [false, false, true, true]);
        memory.clear();
        assert_eq!(there(&memory, 4), None);
    }

    #[test]
    fn threads_never_read_what_was_not_put() {
        let memory = Memory::new(0);
        let truth = |n: u64| Recalled { lower: n as i32, upper: n as i32 + 2, best: Move(n as u8) };
        let full = effort(3, Selectivity::Full);
        std::thread::scope(|scope| {
            for start in 0..4 {
                let memory = &memory;
                scope.spawn(move || {
                    for n in (start..40_000).map(|n| n * 7 % 9) {
                        if let Some(found) = memory.get(&board(n), full) {
                            assert_eq!(found, truth(n));
                        }
                        memory.put(&board(n), truth(n), full);
                    }
                });
            }
        });
    }
}
