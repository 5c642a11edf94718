//! Discs that can never be flipped again, and the bound they give.
//!
//! A disc is stable when along each of its four lines the line is full, or a
//! stable disc of its own colour stands next to it, or the board ends there. Edge
//! discs need only their edge: a table over all 3^8 edges knows exactly which can
//! still be flipped, by trying every way to fill the edge (both sides may play
//! anywhere: what flips off the edge is not seen).
//!
//! Invariant: never counts a disc that some sequence of moves flips.

use crate::ternary::ternary;
use evalsmith_othello::{Board, Kernel};
use std::sync::LazyLock;

const EDGES: usize = 6561;
const INNER: u64 = 0x007E_7E7E_7E7E_7E00;
const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

static TERNARY: [u16; 256] = ternary();

static STABLE_EDGES: LazyLock<Box<[u8; EDGES]>> = LazyLock::new(stable_edges);

/// Counts stable discs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stability {
    edges: &'static [u8; EDGES],
    /// How much more than two discs an empty square must be asked for.
    beyond: i32,
}

impl Stability {
    pub(crate) fn new() -> Self {
        Self { edges: &STABLE_EDGES, beyond: -2 }
    }

    /// The same, never worth while.
    pub(crate) fn unused() -> Self {
        Self { beyond: 1000, ..Self::new() }
    }

    /// Whether counting stable discs is worth while: the more squares are empty, the
    /// more must be asked for.
    #[inline(always)]
    pub(crate) const fn may_bound(self, empties: u32, alpha: i32) -> bool {
        alpha >= 2 * empties as i32 + self.beyond
    }

    /// The most the side to move can still reach: the opponent keeps its stable
    /// discs.
    #[inline(always)]
    pub(crate) fn bound<K: Kernel>(self, board: &Board<K>) -> i32 {
        64 - 2 * self.discs(board.opp(), board.own()).count_ones() as i32
    }

    /// The stable discs of `own`, all of them on the edges, not all inside.
    #[inline(always)]
    pub(crate) fn discs(self, own: u64, opp: u64) -> u64 {
        let full = full_lines(own | opp);
        let inner = own & INNER;
        let mut stable = self.on_edges(own, opp) | inner & full[0] & full[1] & full[2] & full[3];
        loop {
            // Only inner discs are added, so what a shift carries round the edge of
            // the board is never looked at.
            let next = stable
                | inner
                    & (stable << 1 | stable >> 1 | full[0])
                    & (stable << 8 | stable >> 8 | full[1])
                    & (stable << 9 | stable >> 9 | full[2])
                    & (stable << 7 | stable >> 7 | full[3]);
            if next == stable {
                return stable;
            }
            stable = next;
        }
    }

    /// The stable discs of `own` on the four edges.
    #[inline(always)]
    pub(crate) fn on_edges(self, own: u64, opp: u64) -> u64 {
        let row = |shift: u32| u64::from(self.edge((own >> shift) as u8, (opp >> shift) as u8));
        let column =
            |shift: u32| spread(self.edge(gather(own >> shift), gather(opp >> shift))) << shift;
        row(0) | row(56) << 56 | column(0) | column(7)
    }

    #[inline(always)]
    fn edge(self, own: u8, opp: u8) -> u8 {
        let number = TERNARY[usize::from(own)] + 2 * TERNARY[usize::from(opp)];
        self.edges.get(usize::from(number)).copied().unwrap_or(0)
    }
}

/// Column a as a byte, row 1 lowest.
#[inline(always)]
const fn gather(discs: u64) -> u8 {
    ((discs & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// A byte as column a.
#[inline(always)]
const fn spread(column: u8) -> u64 {
    let low = (column as u64 & 0x0F).wrapping_mul(0x0020_4081) & 0x0101_0101;
    let high = (column as u64 >> 4).wrapping_mul(0x0020_4081) & 0x0101_0101;
    low | high << 32
}

/// The squares of full rows, columns, falling (a1-h8) and rising diagonals: those
/// to which no empty square of the line spreads.
#[inline(always)]
fn full_lines(discs: u64) -> [u64; 4] {
    let empty = !discs;
    let column = empty | empty.rotate_right(8);
    let column = column | column.rotate_right(16);
    let column = column | column.rotate_right(32);
    let row = discs & (discs >> 4) & 0x0F0F_0F0F_0F0F_0F0F;
    let row = row & (row >> 2);
    let row = row & (row >> 1) & 0x0101_0101_0101_0101;
    [row.wrapping_mul(255), !column, !spread_along(empty, 9, NOT_A), !spread_along(empty, 7, NOT_H)]
}

/// Everything on a diagonal with `set`; `inner` are the squares a step towards
/// higher squares may land on.
#[inline(always)]
const fn spread_along(set: u64, step: u32, inner: u64) -> u64 {
    let mut up = set;
    let mut down = set;
    let mut up_to = inner;
    let mut down_to = inner >> step;
    up |= up_to & up << step;
    down |= down_to & down >> step;
    up_to &= up_to << step;
    down_to &= down_to >> step;
    up |= up_to & up << (2 * step);
    down |= down_to & down >> (2 * step);
    up_to &= up_to << (2 * step);
    down_to &= down_to >> (2 * step);
    up |= up_to & up << (4 * step);
    down |= down_to & down >> (4 * step);
    up | down
}

fn stable_edges() -> Box<[u8; EDGES]> {
    let mut table = Box::new([0; EDGES]);
    // Fuller edges first: they are what a move leads to.
    for empties in 0..=8 {
        for own in 0..=255_u8 {
            for opp in (0..=255_u8).filter(|opp| own & opp == 0) {
                let empty = !(own | opp);
                if empty.count_ones() == empties {
                    let number = TERNARY[usize::from(own)] + 2 * TERNARY[usize::from(opp)];
                    table[usize::from(number)] = survivors(&table, own, opp);
                }
            }
        }
    }
    table
}

/// The discs of `own` that no filling of the edge flips.
fn survivors(table: &[u8; EDGES], own: u8, opp: u8) -> u8 {
    let known = |own: u8, opp: u8| {
        table[usize::from(TERNARY[usize::from(own)] + 2 * TERNARY[usize::from(opp)])]
    };
    (0..8).filter(|square| (own | opp) >> square & 1 == 0).fold(own, |stable, square| {
        let mine = edge_flips(own, opp, square);
        let theirs = edge_flips(opp, own, square);
        stable
            & known(own | mine | 1 << square, opp & !mine)
            & known(own & !theirs, opp | theirs | 1 << square)
    })
}

fn edge_flips(own: u8, opp: u8, square: u32) -> u8 {
    let along = |squares: &mut dyn Iterator<Item = u32>| {
        let mut run = 0;
        for next in squares {
            if opp >> next & 1 == 1 {
                run |= 1 << next;
            } else {
                return if own >> next & 1 == 1 { run } else { 0 };
            }
        }
        0
    };
    along(&mut (square + 1..8)) | along(&mut (0..square).rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, Position, rng};
    use evalsmith_othello::{Othello, Portable};
    use proptest::prelude::*;
    use rand::RngExt;

    #[test]
    fn stable_discs_survive_every_random_ending() {
        let stability = Stability::new();
        let mut seen = 0;
        for index in 0..400 {
            let mut random = rng::stream(3, "stability", index);
            let mut board = Othello::new().start();
            // What must stay, of the side to move and of the other.
            let mut kept = [0_u64; 2];
            loop {
                assert_eq!(kept[0] & !board.own(), 0, "{board:?}");
                assert_eq!(kept[1] & !board.opp(), 0, "{board:?}");
                kept[0] |= stability.discs(board.own(), board.opp());
                kept[1] |= stability.discs(board.opp(), board.own());
                let moves: Vec<_> = board.moves().collect();
                if moves.is_empty() {
                    break;
                }
                board = board.play(moves[random.random_range(0..moves.len())]);
                kept.swap(0, 1);
            }
            seen += (kept[0] | kept[1]).count_ones();
        }
        assert!(seen > 400 * 40, "{seen}");
    }

    #[test]
    fn a_full_board_is_stable_and_an_empty_corner_is_not() {
        let stability = Stability::new();
        assert_eq!(stability.discs(!0, 0), !0);
        assert_eq!(stability.discs(0x7E, 0), 0);
        assert_eq!(stability.discs(0x7F, 0), 0x7F);
        let board = Board::new(0, 0xFF, Portable).unwrap();
        assert_eq!(stability.bound(&board), 64 - 16);
    }

    proptest! {
        #[test]
        fn full_lines_are_those_without_an_empty_square(a in any::<u64>(), b in any::<u64>()) {
            let discs = a | b;
            let steps = [(0, 1), (1, 0), (1, 1), (1, -1)];
            for (line, (dr, dc)) in full_lines(discs).into_iter().zip(steps) {
                for square in 0..64_i32 {
                    let full = (-7..8)
                        .map(|k| (square / 8 + k * dr, square % 8 + k * dc))
                        .filter(|(row, column)| (0..8).contains(row) && (0..8).contains(column))
                        .all(|(row, column)| discs >> (8 * row + column) & 1 == 1);
                    prop_assert_eq!(line >> square & 1 == 1, full, "{}", square);
                }
            }
        }

        #[test]
        fn columns_are_gathered_and_spread(column in any::<u8>()) {
            prop_assert_eq!(gather(spread(column)), column);
        }
    }
}
