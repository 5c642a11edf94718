//! Which move to try first.
//!
//! Where a search is to be refuted quickly, a move is good that leaves the
//! opponent few replies ("fastest first"), corners taken and corner regions held
//! counting more than the rest.

use crate::quadrants::{self, CORNERS};
use evalsmith_othello::{Board, Kernel, Move};

/// A move with what it flips, before it is played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) flips: u64,
    /// The lower, the earlier.
    pub(crate) penalty: i32,
    pub(crate) square: u8,
}

impl Candidate {
    #[inline(always)]
    pub(crate) const fn mv(&self) -> Move {
        Move(self.square)
    }
}

/// Up to `N` moves of a position; the best is found when it is asked for, since
/// a cut-off often spares the rest of the sorting. `N` is a power of two.
#[derive(Debug)]
pub(crate) struct Candidates<const N: usize> {
    list: [Candidate; N],
    next: usize,
    count: usize,
}

impl<const N: usize> Candidates<N> {
    /// The moves with their flips, all alike.
    #[inline(always)]
    pub(crate) fn new<K: Kernel>(board: &Board<K>, mut moves: u64) -> Self {
        let mut list = [Candidate::default(); N];
        let mut count = 0;
        while moves != 0 {
            let square = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            let flips = board.kernel().flips(board.own(), board.opp(), square);
            list[count & (N - 1)] = Candidate { flips, penalty: 0, square };
            count += 1;
        }
        Self { list, next: 0, count }
    }

    #[inline(always)]
    pub(crate) fn all(&mut self) -> &mut [Candidate] {
        let count = self.count.min(N);
        &mut self.list[..count]
    }

    #[inline(always)]
    pub(crate) fn rest(&self) -> usize {
        self.count - self.next
    }
}

impl<const N: usize> Iterator for Candidates<N> {
    type Item = Candidate;

    #[inline(always)]
    fn next(&mut self) -> Option<Candidate> {
        if self.next >= self.count {
            return None;
        }
        let at = self.next & (N - 1);
        let mut least = at;
        for i in self.next + 1..self.count {
            if self.list[i & (N - 1)].penalty < self.list[least & (N - 1)].penalty {
                least = i;
            }
        }
        self.list.swap(at, least & (N - 1));
        self.next += 1;
        Some(self.list[at])
    }
}

/// What a square is worth by its place alone, by usage among Othello programs:
/// corners first, squares next to them last.
static PLACE: [i32; 64] = {
    const EIGHTH: [[i32; 4]; 4] = [[9, 2, 8, 6], [2, 1, 3, 4], [8, 3, 7, 5], [6, 4, 5, 0]];
    let mut places = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (row, column) = (square / 8, square % 8);
        let row = if row < 4 { row } else { 7 - row };
        let column = if column < 4 { column } else { 7 - column };
        places[square] = EIGHTH[row][column];
        square += 1;
    }
    places
};

/// The quick penalty of a move that leads to `child`, made in a position with the
/// given odd quadrants.
#[inline(always)]
pub(crate) fn penalty<K: Kernel>(child: &Board<K>, square: u8, odd: u64) -> i32 {
    let replies = child.mobility();
    let replies = replies.count_ones() + (replies & CORNERS).count_ones();
    let potential = neighbours(child.opp()) & child.empty();
    let potential = potential.count_ones() + (potential & CORNERS).count_ones();
    let even = odd >> square & 1 == 0;
    512 * replies as i32 - 48 * held_corners(child.opp()) as i32 + 8 * potential as i32
        - 4 * PLACE[usize::from(square & 63)]
        + 24 * i32::from(even)
}

/// The corners of `own` and its discs on the edges next to them.
#[inline(always)]
fn held_corners(own: u64) -> u32 {
    let corners = own & CORNERS;
    let beside = (corners << 1 | corners >> 1) & 0x4200_0000_0000_0042
        | (corners << 8 | corners >> 8) & 0x0081_0000_0000_8100;
    (corners | beside & own).count_ones()
}

/// The squares next to `set` in any direction.
#[inline(always)]
pub(crate) fn neighbours(set: u64) -> u64 {
    let row = set | (set << 1) & 0xFEFE_FEFE_FEFE_FEFE | (set >> 1) & 0x7F7F_7F7F_7F7F_7F7F;
    row | row << 8 | row >> 8
}

/// Orders moves by the quick penalty, `first` before all others.
#[inline(always)]
pub(crate) fn by_mobility<K: Kernel, const N: usize>(
    candidates: &mut Candidates<N>,
    board: &Board<K>,
    first: Move,
) {
    if candidates.count < 2 {
        return;
    }
    let odd = quadrants::odd(board.empty());
    for candidate in candidates.all() {
        candidate.penalty = if candidate.mv() == first {
            i32::MIN
        } else {
            let child = board.placed(candidate.square, candidate.flips);
            penalty(&child, candidate.square, odd)
        };
    }
}
