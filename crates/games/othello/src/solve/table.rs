//! Bounds of whole boards, two words each, so that no two are ever confused.

use crate::{Board, Kernel, Move};
use evalsmith_core::Position;

const SLOTS: usize = 1 << 16;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) lower: i32,
    pub(super) upper: i32,
    pub(super) best: Move,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    own: u64,
    opp: u64,
    generation: u32,
    lower: i8,
    upper: i8,
    best: Move,
}

/// One entry a slot, the latest.
#[derive(Debug)]
pub(super) struct Table {
    entries: Box<[Entry]>,
    generation: u32,
}

impl Table {
    pub(super) fn new() -> Self {
        let empty = Entry { own: 0, opp: 0, generation: 0, lower: 0, upper: 0, best: Move::PASS };
        Self { entries: vec![empty; SLOTS].into_boxed_slice(), generation: 0 }
    }

    /// Believes nothing stored before this call.
    pub(super) fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            *self = Self { generation: 1, ..Self::new() };
        }
    }

    #[inline(always)]
    pub(super) fn get<K: Kernel>(&self, board: &Board<K>) -> Option<Known> {
        let entry = &self.entries[board.key() as usize % SLOTS];
        let same = entry.generation == self.generation
            && (entry.own, entry.opp) == (board.own(), board.opp());
        same.then(|| Known {
            lower: entry.lower.into(),
            upper: entry.upper.into(),
            best: entry.best,
        })
    }

    /// Stores the fail-soft `value` of a search with `window`.
    #[inline(always)]
    pub(super) fn put<K: Kernel>(
        &mut self,
        board: &Board<K>,
        value: i32,
        window: (i32, i32),
        best: Move,
    ) {
        self.entries[board.key() as usize % SLOTS] = Entry {
            own: board.own(),
            opp: board.opp(),
            generation: self.generation,
            lower: if value > window.0 { value as i8 } else { -64 },
            upper: if value < window.1 { value as i8 } else { 64 },
            best,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Portable;

    #[test]
    fn bounds_follow_from_the_window_and_last_one_generation() {
        let board = Board::start(Portable);
        let mut table = Table::new();
        table.forget();
        for (value, lower, upper) in [(-3, -64, -3), (0, 0, 0), (9, 9, 64)] {
            table.put(&board, value, (-2, 8), Move(19));
            let known = table.get(&board).expect("just stored");
            assert_eq!((known.lower, known.upper, known.best), (lower, upper, Move(19)));
        }
        assert!(table.get(&board.passed()).is_none());
        table.forget();
        assert!(table.get(&board).is_none());
    }

    #[test]
    fn generations_may_wrap() {
        let board = Board::start(Portable);
        let mut table = Table::new();
        table.generation = u32::MAX - 1;
        table.forget();
        table.put(&board, 1, (-64, 64), Move(19));
        table.forget();
        assert!(table.get(&board).is_none());
        assert_eq!(table.generation, 1);
    }
}
