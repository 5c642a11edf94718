//! The four edges as base-3 numbers, kept up to date by moves.
//!
//! Square k of an edge (from the left, or from the top) is the digit of weight
//! 3^k: 0 empty, 1 a disc of the viewer, 2 a disc of the other side.

use crate::{Board, Kernel, Move};
use evalsmith_core::Indexer;

/// The number of different edges, 3^8.
pub(crate) const COUNT: usize = 6561;

/// The sum of 3^k over the bits k of each byte.
static TERNARY: [u16; 256] = {
    let mut sums = [0; 256];
    let mut byte = 1_usize;
    while byte < 256 {
        let lowest = byte.trailing_zeros();
        sums[byte] = sums[byte & (byte - 1)] + 3_u16.pow(lowest);
        byte += 1;
    }
    sums
};

/// Rows 1 and 8, columns a and h, each gathered into a byte.
#[inline]
const fn lines(discs: u64) -> [u8; 4] {
    [discs as u8, (discs >> 56) as u8, column(discs), column(discs >> 7)]
}

/// Column a as a byte: the product moves the disc of row r to bit 56 + r.
#[inline]
const fn column(discs: u64) -> u8 {
    ((discs & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The four edges' numbers as the owner of `own` sees them.
#[inline]
pub(crate) fn numbers(own: u64, opp: u64) -> [u16; 4] {
    let (own, opp) = (lines(own), lines(opp));
    std::array::from_fn(|i| TERNARY[usize::from(own[i])] + 2 * TERNARY[usize::from(opp[i])])
}

/// Indexes a table of all edges, four times: rows 1 and 8, columns a and h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges;

/// The edges as both players see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeViews {
    mover: [u16; 4],
    other: [u16; 4],
}

impl<K: Kernel> Indexer<Board<K>> for Edges {
    type State = EdgeViews;

    fn table_sizes(&self) -> Vec<u32> {
        vec![COUNT as u32; 4]
    }

    #[inline]
    fn start(&self, board: &Board<K>) -> EdgeViews {
        EdgeViews {
            mover: numbers(board.own(), board.opp()),
            other: numbers(board.opp(), board.own()),
        }
    }

    #[inline]
    fn advance(
        &self,
        before: &Board<K>,
        m: Move,
        after: &Board<K>,
        state: &EdgeViews,
    ) -> EdgeViews {
        let placed = lines(m.bit());
        let flipped = lines(before.opp() & after.opp());
        let mut next = EdgeViews { mover: state.other, other: state.mover };
        for i in 0..4 {
            let placed = TERNARY[usize::from(placed[i])];
            let flipped = TERNARY[usize::from(flipped[i])];
            next.other[i] = next.other[i] + placed - flipped;
            next.mover[i] += 2 * placed + flipped;
        }
        next
    }

    #[inline]
    fn indices<'a>(&self, state: &'a EdgeViews) -> &'a [u16] {
        &state.mover
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Othello, Portable};
    use evalsmith_core::{Position, conformance};
    use proptest::prelude::*;

    #[test]
    fn incremental_equals_from_scratch() {
        conformance::check_indexer(&Othello::new(), &Edges, 300);
    }

    proptest! {
        #[test]
        fn numbers_spell_the_squares(a in any::<u64>(), b in any::<u64>()) {
            let (own, opp) = (a, b & !a);
            let digit = |s: usize| (own >> s & 1) as u16 + 2 * (opp >> s & 1) as u16;
            let edge = |from: usize, step: usize| {
                (0..8).rev().fold(0, |n, k| 3 * n + digit(from + k * step))
            };
            prop_assert_eq!(numbers(own, opp), [edge(0, 1), edge(56, 1), edge(0, 8), edge(7, 8)]);
        }
    }

    #[test]
    fn a_pass_swaps_the_views() {
        let board = Board::new(0xF0, 0x0E, Portable).expect("disjoint");
        let state = Edges.start(&board);
        let after = Edges.advance(&board, Move::PASS, &board.play(Move::PASS), &state);
        assert_eq!((after.mover, after.other), (state.other, state.mover));
    }
}
