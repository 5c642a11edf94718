//! Which move to try first.

use crate::{Board, Kernel, Move};
use evalsmith_core::Position;

/// The corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;
const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The quadrants with an odd number of empty squares.
#[inline(always)]
pub const fn odd_quadrants(empty: u64) -> u64 {
    let mut odd = 0;
    let mut i = 0;
    while i < QUADRANTS.len() {
        let parity = (empty & QUADRANTS[i]).count_ones() as u64 & 1;
        odd |= QUADRANTS[i] & parity.wrapping_neg();
        i += 1;
    }
    odd
}

/// Moves from the most promising on: the one a table remembers, then those that
/// leave the opponent the fewest replies (corner replies count twice), corners
/// and odd quadrants preferred.
///
/// A rank is a penalty above eight bits that hold the square, so that comparing
/// ranks compares penalties and settles ties the same way each time.
pub(super) struct Ordered {
    ranks: [u32; 64],
    next: usize,
    count: usize,
}

impl Ordered {
    #[inline(always)]
    pub(super) fn new<K: Kernel>(board: &Board<K>, mut moves: u64, first: Option<Move>) -> Self {
        let odd = odd_quadrants(board.empty());
        let mut ordered = Self { ranks: [0; 64], next: 0, count: 0 };
        while moves != 0 {
            let m = Move(moves.trailing_zeros() as u8);
            moves &= moves - 1;
            let penalty = if first == Some(m) {
                0
            } else {
                let replies = board.play(m).mobility();
                let replies = replies.count_ones() + (replies & CORNERS).count_ones();
                let quiet = u32::from(m.bit() & CORNERS == 0);
                let even = u32::from(m.bit() & odd == 0);
                1 + 8 * replies + 6 * quiet + 3 * even
            };
            ordered.ranks[ordered.count & 63] = penalty << 8 | u32::from(m.0);
            ordered.count += 1;
        }
        ordered
    }
}

impl Iterator for Ordered {
    type Item = Move;

    /// Picks the lowest rank left: a cut-off often spares the rest of the sorting.
    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        let left = &mut self.ranks[self.next.min(64)..self.count.min(64)];
        let lowest = (0..left.len()).min_by_key(|&i| left[i])?;
        left.swap(0, lowest);
        self.next += 1;
        Some(Move(left[0] as u8))
    }
}
