//! Which move to try first.
//!
//! Where a search is to be refuted quickly, a move is good that leaves the
//! opponent few replies ("fastest first"), corners taken and corner regions held
//! counting more than the rest.

use crate::judge::{Judge, OfChildren};
use crate::quadrants::{self, CORNERS};
use evalsmith_othello::{Board, Kernel, Move};

/// A move that is not yet played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    /// The mobility of the position it leads to.
    pub(crate) replies: u64,
}

impl Candidate {
    #[inline(always)]
    pub(crate) const fn mv(&self) -> Move {
        Move(self.square)
    }
}

/// Up to `N` moves of a position; the best is found when it is asked for, since
/// a cut-off often spares the rest of the sorting. `N` is a power of two.
///
/// A rank is a penalty above six bits that hold the square, so that comparing
/// ranks compares penalties and settles ties the same way each time. Arrays of
/// words are cleared in a few instructions; an array of moves is not.
#[derive(Debug)]
pub(crate) struct Candidates<const N: usize> {
    flips: [u64; N],
    replies: [u64; N],
    ranks: [i32; N],
    next: usize,
    count: usize,
}

impl<const N: usize> Candidates<N> {
    /// The moves with their quick penalties, `first` before all others.
    #[inline(always)]
    pub(crate) fn new<K: Kernel>(board: &Board<K>, moves: u64, first: Move) -> Self {
        Self::shown(board, moves, first, |_| ())
    }

    /// The same; every child is shown as soon as it is known.
    #[inline(always)]
    pub(crate) fn shown<K: Kernel>(
        board: &Board<K>,
        mut moves: u64,
        first: Move,
        show: impl Fn(&Board<K>),
    ) -> Self {
        let odd = quadrants::odd(board.empty());
        let mut all = Self { flips: [0; N], replies: [0; N], ranks: [0; N], next: 0, count: 0 };
        while moves != 0 {
            let square = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            let flips = board.kernel().flips(board.own(), board.opp(), square);
            let child = board.placed(square, flips);
            show(&child);
            let replies = child.mobility();
            let rank = if Move(square) == first {
                i32::MIN
            } else {
                let freedom = replies.count_ones() + (replies & CORNERS).count_ones();
                let even = odd >> square & 1 == 0;
                let penalty = 64 * freedom as i32
                    - 8 * held_corners(child.opp()) as i32
                    - PLACE[usize::from(square & 63)] / 2
                    + 3 * i32::from(even);
                penalty << 6
            };
            let at = all.count & (N - 1);
            (all.flips[at], all.replies[at]) = (flips, replies);
            all.ranks[at] = rank | i32::from(square);
            all.count += 1;
        }
        all
    }

    #[inline(always)]
    fn candidate(&self, at: usize) -> Candidate {
        let at = at & (N - 1);
        let square = (self.ranks[at] & 63) as u8;
        Candidate { square, flips: self.flips[at], replies: self.replies[at] }
    }

    /// The moves not yet asked for, in no order.
    #[inline(always)]
    pub(crate) fn all(&self) -> impl Iterator<Item = Candidate> {
        (self.next..self.count).map(|at| self.candidate(at))
    }

    /// Adds to the penalties of all moves but the one that is first what the judge thinks
    /// of the positions they lead to, so many sixteenths of it.
    #[inline(always)]
    pub(crate) fn judge<K: Kernel>(
        &mut self,
        judge: &impl Judge,
        board: &Board<K>,
        sixteenths: i32,
        nodes: &mut u64,
    ) {
        let children = judge.of_children(board);
        for at in self.next..self.count {
            if self.ranks[at & (N - 1)] >= i32::MIN / 2 {
                *nodes += 1;
                let Candidate { square, flips, replies } = self.candidate(at);
                let child = board.placed(square, flips);
                let value = children.value(square, flips, &child, replies);
                self.ranks[at & (N - 1)] += (value * sixteenths / 16) << 6;
            }
        }
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
        let (mut least, mut rank) = (at, self.ranks[at]);
        for i in self.next + 1..self.count {
            let i = i & (N - 1);
            if self.ranks[i] < rank {
                (least, rank) = (i, self.ranks[i]);
            }
        }
        let found = self.candidate(least);
        self.ranks[least] = self.ranks[at];
        self.flips[least] = self.flips[at];
        self.replies[least] = self.replies[at];
        self.next += 1;
        Some(found)
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
pub(crate) const fn neighbours(set: u64) -> u64 {
    let row = set | (set << 1) & 0xFEFE_FEFE_FEFE_FEFE | (set >> 1) & 0x7F7F_7F7F_7F7F_7F7F;
    row | row << 8 | row >> 8
}
