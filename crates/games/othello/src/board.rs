//! The position: two words, and the kernel that plays on them.
//!
//! Invariant: the two disc sets never overlap.

use crate::{Kernel, Move, Moves};
use evalsmith_core::{Outcome, Position, Stage};
use std::fmt;

/// An Othello position, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board<K: Kernel> {
    own: u64,
    opp: u64,
    kernel: K,
}

impl<K: Kernel> Board<K> {
    /// The position with these discs of the side to move and of the opponent;
    /// `None` when a square is claimed by both.
    #[inline]
    pub const fn new(own: u64, opp: u64, kernel: K) -> Option<Self> {
        if own & opp == 0 { Some(Self { own, opp, kernel }) } else { None }
    }

    /// The start position.
    pub const fn start(kernel: K) -> Self {
        Self { own: 1 << 28 | 1 << 35, opp: 1 << 27 | 1 << 36, kernel }
    }

    /// The discs of the side to move.
    #[inline]
    pub const fn own(&self) -> u64 {
        self.own
    }

    /// The discs of the opponent.
    #[inline]
    pub const fn opp(&self) -> u64 {
        self.opp
    }

    /// The empty squares.
    #[inline]
    pub const fn empty(&self) -> u64 {
        !(self.own | self.opp)
    }

    /// The kernel this board plays by.
    #[inline]
    pub const fn kernel(&self) -> K {
        self.kernel
    }

    /// The squares the side to move may play on.
    #[inline(always)]
    pub fn mobility(&self) -> u64 {
        self.kernel.mobility(self.own, self.opp)
    }

    /// The squares the opponent could play on, were it to move.
    #[inline(always)]
    pub fn opponent_mobility(&self) -> u64 {
        self.kernel.mobility(self.opp, self.own)
    }

    /// The same board with the other side to move.
    #[inline]
    #[must_use]
    pub const fn passed(&self) -> Self {
        Self { own: self.opp, opp: self.own, kernel: self.kernel }
    }

    /// The board after a disc on the empty `square` that flips `flips`, which must
    /// be the kernel's [`flips`](Kernel::flips) there: for drivers that computed
    /// them already.
    #[inline(always)]
    #[must_use]
    pub const fn placed(&self, square: u8, flips: u64) -> Self {
        Self {
            own: self.opp ^ flips,
            opp: self.own | flips | Move(square).bit(),
            kernel: self.kernel,
        }
    }

    /// The board under a permutation of the squares.
    pub(crate) fn mapped(&self, map: fn(u64) -> u64) -> Self {
        Self { own: map(self.own), opp: map(self.opp), kernel: self.kernel }
    }

    /// The disc difference of a finished game for the side to move, the empty
    /// squares given to the winner.
    #[inline(always)]
    pub fn final_margin(&self) -> i32 {
        let own = self.own.count_ones() as i32;
        let opp = self.opp.count_ones() as i32;
        let empty = 64 - own - opp;
        (own - opp) + (own - opp).signum() * empty
    }
}

impl<K: Kernel> Position for Board<K> {
    type Move = Move;
    type Moves = Moves;

    #[inline(always)]
    fn moves(&self) -> Moves {
        let squares = self.mobility();
        Moves::new(squares, squares == 0 && self.opponent_mobility() != 0)
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        if m == Move::PASS {
            return self.passed();
        }
        self.placed(m.0, self.kernel.flips(self.own, self.opp, m.0))
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        if self.mobility() != 0 || self.opponent_mobility() != 0 {
            return None;
        }
        Some(Outcome::by(self.final_margin() as i16))
    }

    #[inline(always)]
    fn move_count(&self) -> usize {
        match self.mobility().count_ones() as usize {
            0 => usize::from(self.opponent_mobility() != 0),
            count => count,
        }
    }

    /// Both words multiplied into one: every bit of either reaches every bit of
    /// the key's upper and lower half.
    #[inline(always)]
    fn key(&self) -> u64 {
        let wide = u128::from(self.own ^ 0x9E37_79B9_7F4A_7C15)
            * u128::from(self.opp ^ 0xD1B5_4A32_D192_ED03);
        let folded = (wide as u64) ^ ((wide >> 64) as u64);
        let mixed = (folded ^ (folded >> 32)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 29)
    }

    /// The discs on the board.
    #[inline(always)]
    fn stage(&self) -> Stage {
        Stage((self.own | self.opp).count_ones() as u8)
    }

    #[inline(always)]
    fn slot(m: Move) -> u16 {
        u16::from(m.0)
    }
}

impl<K: Kernel> fmt::Debug for Board<K> {
    /// Writes 64 squares, `X` for the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::notation::squares(self.own, self.opp))
    }
}
