//! A small table of one thread's own, for positions near the leaves.
//!
//! One board to a slot, the last one stays: it fits the second of the processor's caches, and
//! most transpositions down there come soon or never.

use crate::bounds::{Bounds, Known};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};

const SLOTS: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
struct Slot {
    own: u64,
    opp: u64,
    known: Known,
}

/// Bounds and best moves by board. There are no slots before the first board is kept:
/// a search of a few plies does not come down here, and takes less time than filling them.
#[derive(Debug, Default)]
pub(crate) struct Local {
    slots: Box<[Slot]>,
}

impl Local {
    #[cold]
    fn fill(&mut self) {
        // No board has a square of both sides' discs.
        let known = Known { bounds: Bounds::ALL, best: Move::PASS };
        self.slots = vec![Slot { own: !0, opp: !0, known }; SLOTS].into_boxed_slice();
    }

    /// Where a board is kept.
    #[inline(always)]
    pub(crate) fn place<K: Kernel>(board: &Board<K>) -> usize {
        (board.key() >> 32) as usize & (SLOTS - 1)
    }

    #[inline(always)]
    pub(crate) fn get<K: Kernel>(&self, place: usize, board: &Board<K>) -> Option<Known> {
        let slot = self.slots.get(place)?;
        (slot.own == board.own() && slot.opp == board.opp()).then_some(slot.known)
    }

    #[inline(always)]
    pub(crate) fn put<K: Kernel>(&mut self, place: usize, board: &Board<K>, mut known: Known) {
        if self.slots.is_empty() {
            self.fill();
        }
        let slot = &mut self.slots[place];
        if slot.own == board.own() && slot.opp == board.opp() {
            known.bounds = slot.known.bounds.and(known.bounds);
        }
        *slot = Slot { own: board.own(), opp: board.opp(), known };
    }
}
