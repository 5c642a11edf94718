//! The position: a board of `haitaka` without its count of moves.
//!
//! Invariants: both kings stand; the side that has just moved is not in check;
//! the inner board's move number is always 1, so that positions reached by
//! different ways are equal.

use crate::moves::{self, Move, Moves};
use crate::{exchange, notation, progress, repetition};
use evalsmith_core::{Outcome, Position, Side, Stage};
use haitaka::Color;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A Shogi position.
#[derive(Clone)]
pub struct Board(pub(crate) haitaka::Board);

impl Board {
    /// The start position.
    pub fn start() -> Self {
        Self::from_inner(haitaka::Board::startpos())
    }

    pub(crate) fn from_inner(mut inner: haitaka::Board) -> Self {
        inner.set_move_number(1);
        Self(inner)
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        match self.0.side_to_move() {
            Color::Black => Side::First,
            Color::White => Side::Second,
        }
    }

    /// Whether the king of the side to move is attacked.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.0.checkers().is_empty()
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.0.same_position(&other.0)
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// The position in SFEN.
impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&notation::sfen::format(self))
    }
}

impl Position for Board {
    type Move = Move;
    type Moves = Moves;

    #[inline]
    fn can_repeat(&self) -> bool {
        true
    }

    #[inline]
    fn has_noisy_moves(&self) -> bool {
        true
    }

    #[inline]
    fn moves(&self) -> Moves {
        Moves::of(&self.0)
    }

    #[inline]
    fn move_count(&self) -> usize {
        moves::count(&self.0)
    }

    #[expect(clippy::inline_always, reason = "a call would copy the board once more")]
    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        // In place: a board is several cache lines, and each move of it shows.
        let mut next = self.clone();
        next.0.play_unchecked(m.0);
        next.0.set_move_number(1);
        next
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        (!moves::any(&self.0)).then_some(Outcome::LOSS)
    }

    #[inline]
    fn key(&self) -> u64 {
        repetition::key(self.0.hash(), self.in_check())
    }

    #[inline]
    fn stage(&self) -> Stage {
        progress::stage(&self.0)
    }

    /// Captures that do not plainly lose, and safe promotions.
    #[inline]
    fn promise(&self, m: Move) -> u8 {
        exchange::promise(&self.0, m)
    }

    #[inline]
    fn must_answer(&self) -> bool {
        self.in_check()
    }

    #[inline]
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        repetition::outcome(self.key(), earlier)
    }

    #[inline]
    fn slot(m: Move) -> u16 {
        m.slot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shogi;
    use evalsmith_core::{Game, GameRecord, Reason};
    use std::collections::HashSet;

    fn read(sfen: &str) -> Board {
        Shogi.parse(sfen).unwrap().0
    }

    fn play(sfen: &str, moves: &[&str]) -> GameRecord<Board> {
        let (board, side) = Shogi.parse(sfen).unwrap();
        let mut record = GameRecord::new(board, side, Shogi.max_plies());
        for text in moves {
            record.play(Shogi.parse_move(record.position(), text).unwrap()).unwrap();
        }
        record
    }

    #[test]
    fn positions_do_not_remember_how_they_came() {
        let ways = [["7g7f", "8c8d", "2g2f"], ["2g2f", "8c8d", "7g7f"]];
        let [one, other] = ways.map(|moves| play(&format!("{:?}", Board::start()), &moves));
        assert_eq!(one.position(), other.position());
        assert_eq!(one.position().key(), other.position().key());
        let later = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 65535";
        let moved = read(later).play(Shogi.parse_move(&read(later), "7g7f").unwrap());
        assert_eq!(read(later), Board::start(), "{moved:?}");
    }

    #[test]
    fn keys_tell_hands_and_sides_apart() {
        let texts = ["b -", "w -", "b P", "b p", "b 2P", "w P", "b L"];
        let keys: HashSet<u64> =
            texts.iter().map(|rest| read(&format!("4k4/9/9/9/9/9/9/9/4K4 {rest}")).key()).collect();
        assert_eq!(keys.len(), texts.len());
    }

    #[test]
    fn shuffling_draws_and_perpetual_check_loses() {
        let kings = ["5i5h", "5a5b", "5h5i", "5b5a"].repeat(3);
        let quiet = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
        assert_eq!(play(quiet, &kings[..11]).ending(), None);
        let end = play(quiet, &kings).ending().unwrap();
        assert_eq!((end.outcome, end.reason), (Outcome::DRAW, Reason::Repetition));
        // Black's rook checks on the king's file, whichever it is.
        let checks = ["5e6e", "6a5a", "6e5e", "5a6a"].repeat(3);
        let chased = "3k5/9/9/9/4R4/9/9/9/K8 b - 1";
        let end = play(chased, &checks).ending().unwrap();
        assert_eq!((end.outcome, end.reason), (Outcome::LOSS, Reason::Repetition));
        let seen_by_the_chased = "4k4/9/9/9/4R4/9/9/9/K8 w - 1";
        let turns = ["5a6a", "5e6e", "6a5a", "6e5e"].repeat(3);
        assert_eq!(play(seen_by_the_chased, &turns).ending().unwrap().outcome, Outcome::WIN);
    }

    #[test]
    fn captures_and_promotions_are_noisy_and_checks_must_be_answered() {
        let board = read("4k4/9/4p4/4P4/9/9/9/1B7/4K4 b - 1");
        let noisy = |text| board.is_noisy(Shogi.parse_move(&board, text).unwrap());
        assert_eq!(
            ["5d5c", "5d5c+", "8h2b+", "8h2b", "5i5h"].map(noisy),
            [true, true, true, false, false]
        );
        assert!(!board.must_answer() && read("4k4/4G4/9/9/9/9/9/9/4K4 w - 1").must_answer());
    }

    #[test]
    fn slots_of_a_position_rarely_collide() {
        let board = read("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        let slots: HashSet<u16> = board.moves().map(Board::slot).collect();
        assert!(slots.iter().all(|&slot| slot < 4096));
        assert!(slots.len() > 195, "{} of 207", slots.len());
    }
}
