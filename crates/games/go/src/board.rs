//! The position: two sets of stones, the side to move, ko, passes and komi.
//!
//! Stones are kept in the view of the side to move. Invariants: every chain has
//! a liberty; a ko point is one where a stone would take back the single stone
//! that has just captured a single stone, and stands only right after a capture.

use crate::chain::{captured, chains, is_single, playable};
use crate::moves::{Move, Moves};
use crate::point::{BOARD, Point, SIZE, Set, beside};
use crate::{area, key};
use evalsmith_core::{Outcome, Position, Side, Stage};

/// A Go position, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pub(crate) own: Set,
    pub(crate) opp: Set,
    ko: Option<Point>,
    passes: u8,
    to_move: Side,
    /// White's compensation in half points.
    komi: i8,
}

impl Board {
    /// The empty board, Black to move, with White's compensation in half points.
    pub const fn start(komi: i8) -> Self {
        Self { own: 0, opp: 0, ko: None, passes: 0, to_move: Side::First, komi }
    }

    /// A position from its parts, or what is wrong with them. No point may be in
    /// both sets of stones.
    pub(crate) fn assemble(
        [black, white]: [Set; 2],
        to_move: Side,
        ko: Option<Point>,
        passes: u8,
        komi: i8,
    ) -> Result<Self, String> {
        let empty = BOARD & !(black | white);
        for (name, stones) in [("black", black), ("white", white)] {
            if let Some(chain) = chains(stones).find(|&chain| beside(chain) & empty == 0) {
                let at = Point::lowest(chain);
                return Err(format!("the {name} chain at {at} has no liberty"));
            }
        }
        if passes > 2 {
            return Err(format!("{passes} passes; the second in a row ends the game"));
        }
        let (own, opp) = match to_move {
            Side::First => (black, white),
            Side::Second => (white, black),
        };
        if let Some(point) = ko {
            if passes > 0 {
                return Err(format!("a ko at {point} after a pass, which lifts it"));
            }
            if !is_ko(point, own, opp) {
                return Err(format!(
                    "no ko at {point}: a stone there must take back one single stone and nothing else"
                ));
            }
        }
        Ok(Self { own, opp, ko, passes, to_move, komi })
    }

    /// The stones of Black and of White.
    #[inline]
    pub(crate) const fn by_colour(&self) -> [Set; 2] {
        match self.to_move {
            Side::First => [self.own, self.opp],
            Side::Second => [self.opp, self.own],
        }
    }

    /// Whose stone lies on a point.
    pub fn stone(&self, point: Point) -> Option<Side> {
        let [black, white] = self.by_colour().map(|stones| stones & point.set() != 0);
        if black { Some(Side::First) } else { white.then_some(Side::Second) }
    }

    /// The side to move; Black is the first.
    pub const fn to_move(&self) -> Side {
        self.to_move
    }

    /// Where the side to move may not take back at once.
    pub const fn ko(&self) -> Option<Point> {
        self.ko
    }

    /// The passes since the last stone.
    pub const fn passes(&self) -> u8 {
        self.passes
    }

    /// What the compensation is worth to the side to move, in half points.
    #[inline]
    pub(crate) fn own_komi(&self) -> i16 {
        match self.to_move {
            Side::First => -i16::from(self.komi),
            Side::Second => i16::from(self.komi),
        }
    }

    /// The lead of the side to move by area and komi, in half points, as if the
    /// game ended here.
    pub fn lead(&self) -> i16 {
        2 * area::lead(self.own, self.opp) + self.own_komi()
    }

    /// The image of the board under a map of the points.
    pub(crate) fn mapped(&self, map: fn(Set) -> Set) -> Self {
        let ko = self.ko.map(|point| Point::lowest(map(point.set())));
        Self { own: map(self.own), opp: map(self.opp), ko, ..*self }
    }

    /// The points that may be played.
    #[inline]
    fn legal(&self) -> Set {
        playable(self.own, self.opp) & !self.ko.map_or(0, Point::set)
    }

    fn hash(&self) -> u64 {
        let [black, white] = self.by_colour();
        key::of_board(black, white)
    }
}

/// Whether a stone of `own` on `point` can be the take-back of a ko: all its
/// neighbours are enemies, of which exactly one has no other liberty, alone.
fn is_ko(point: Point, own: Set, opp: Set) -> bool {
    let around = beside(point.set()) & BOARD;
    (own | opp) & point.set() == 0
        && around & !opp == 0
        && is_single(captured(point, own | point.set(), opp))
}

/// Stages: stones on the board by fours; captures set the clock back, as they should.
pub(crate) const STAGES: usize = (SIZE as usize * SIZE as usize) / 4 + 1;

impl Position for Board {
    type Move = Move;
    type Moves = Moves;

    /// Positional superko.
    #[inline]
    fn can_repeat(&self) -> bool {
        true
    }

    #[inline]
    fn moves(&self) -> Moves {
        if self.passes < 2 { Moves::with_pass(self.legal()) } else { Moves::none() }
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.passes < 2 { self.legal().count_ones() as usize + 1 } else { 0 }
    }

    #[inline]
    fn play(&self, m: Move) -> Self {
        let to_move = self.to_move.other();
        let Some(point) = m.point() else {
            let passes = self.passes + 1;
            return Self { own: self.opp, opp: self.own, ko: None, passes, to_move, ..*self };
        };
        let own = self.own | point.set();
        let gone = captured(point, own, self.opp);
        let opp = self.opp & !gone;
        // The stone stands alone and has no liberty but the one it has just made.
        let alone = beside(point.set()) & BOARD & !opp == gone;
        let ko = (is_single(gone) && alone).then(|| Point::lowest(gone));
        Self { own: opp, opp: own, ko, passes: 0, to_move, ..*self }
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        (self.passes >= 2).then(|| Outcome::by(self.lead()))
    }

    /// The komi, which is the same all game long, is not in it.
    #[inline]
    fn key(&self) -> u64 {
        let ko = self.ko.map_or(0x7F, Point::bit);
        let state = u64::from(ko) | u64::from(self.passes) << 7 | (self.to_move as u64) << 9;
        key::of_position(self.hash(), state)
    }

    #[inline]
    fn stage(&self) -> Stage {
        Stage(((self.own | self.opp).count_ones() / 4) as u8)
    }

    /// A stone that brings an earlier board back, whoever was to move then, was
    /// illegal: its player loses by more than any count of the board could say,
    /// so that nobody who can pass chooses it. A pass repeats nothing.
    #[inline]
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        if self.passes > 0 {
            return None;
        }
        let board = self.hash();
        let forfeit = Outcome::by(2 * i16::from(SIZE * SIZE) + i16::from(self.komi).abs() + 1);
        earlier.iter().any(|&key| key::has_board(key, board)).then_some(forfeit)
    }

    #[inline]
    fn slot(m: Move) -> u16 {
        m.point().map_or(0x7F, |point| u16::from(point.bit()))
    }
}
