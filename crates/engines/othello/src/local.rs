//! A small table of one thread's own, for positions near the leaves.
//!
//! One board to a slot, the last one stays: a mebibyte lies in the nearer caches, and most
//! transpositions down there come soon or never.

use crate::bounds::Known;
use crate::zeroed::{Zeroable, zeroes};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel};

const SLOTS: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Slot {
    own: u64,
    opp: u64,
    known: Known,
}

// SAFETY: all of it are integers.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
unsafe impl Zeroable for Slot {}

/// Bounds and best moves by board. There are no slots before the first board is kept:
/// a search of a few plies does not come down here, and takes less time than filling them.
#[derive(Debug, Default)]
pub(crate) struct Local {
    slots: Box<[Slot]>,
}

impl Local {
    #[cold]
    fn fill(&mut self) {
        // No board that is searched is without discs, so nothing is found in these.
        self.slots = zeroes::<Slot>(SLOTS * size_of::<Slot>());
    }

    /// Where a board is kept.
    #[inline(always)]
    pub(crate) fn place<K: Kernel>(board: &Board<K>) -> usize {
        (board.key() >> 32) as usize & (SLOTS - 1)
    }

    /// Asks memory for the slot of a board that will be looked up soon.
    #[inline(always)]
    pub(crate) fn fetch<K: Kernel>(&self, board: &Board<K>) {
        if let Some(slot) = self.slots.get(Self::place(board)) {
            board.kernel().fetch(slot);
        }
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
