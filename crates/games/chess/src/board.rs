//! The position, and how a game of Chess ends.
//!
//! Invariants: each side has one king, at most eight pawns and sixteen pieces;
//! the kings do not touch; the side that has just moved is not in check; castling
//! rights are those of the usual start position.
//!
//! A position is over by checkmate or stalemate, when no series of moves could
//! mate because too little material is left, and when fifty moves of each side
//! passed without a capture or a pawn's move. The third occurrence of a position
//! ends the game too, but this only a game's history knows: [`Board::repeated`]
//! counts among the keys that it is given. A search that hands over the keys of
//! the game and of its own path gets exactly the rule; one that wants to call the
//! second occurrence a draw must do so by itself.

use crate::exchange;
use crate::moves::{Move, Moves};
use cozy_chess::{BitBoard, Color, Piece, PieceMoves, Rank, Square, get_pawn_attacks};
use evalsmith_core::{Outcome, Position, Side, Stage};
use std::fmt;
use std::hash::{Hash, Hasher};

/// Half-moves without a capture or a pawn's move that draw the game.
pub(crate) const FIFTY_MOVES: u8 = 100;

/// What the pieces on the board weigh in the count of [`Board::stage`].
const FULL: u32 = 24;

/// A Chess position.
#[derive(Clone)]
pub struct Board(pub(crate) cozy_chess::Board);

impl Board {
    /// The start position.
    pub fn start() -> Self {
        Self(cozy_chess::Board::startpos())
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        match self.0.side_to_move() {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.0.checkers().is_empty()
    }

    /// Half-moves since the last capture or pawn's move, at most 100.
    pub fn half_move_clock(&self) -> u8 {
        self.0.halfmove_clock()
    }

    /// The number of the move that comes next, from 1.
    pub fn move_number(&self) -> u16 {
        self.0.fullmove_number()
    }

    /// Whether the king takes its own rook.
    #[inline]
    pub(crate) fn is_castling(&self, m: Move) -> bool {
        self.0.colors(self.0.side_to_move()).has(m.0.to)
    }

    /// The square where a pawn can be captured en passant, if a legal move does.
    ///
    /// cozy-chess keeps it after every double step; only the possible capture
    /// makes another position of it.
    #[inline]
    pub(crate) fn en_passant(&self) -> Option<Square> {
        let own = self.0.side_to_move();
        let to = Square::new(self.0.en_passant()?, Rank::Sixth.relative_to(own));
        let pawns = get_pawn_attacks(to, !own) & self.0.colored_pieces(own, Piece::Pawn);
        let captures = |from| self.0.is_legal(cozy_chess::Move { from, to, promotion: None });
        pawns.into_iter().any(captures).then_some(to)
    }

    /// Whether nothing could ever mate: the kings with one knight, or with any
    /// bishops of one square colour. Blocked pawns are not looked into.
    #[inline]
    fn cannot_be_won(&self) -> bool {
        let of = |piece| self.0.pieces(piece);
        if !(of(Piece::Pawn) | of(Piece::Rook) | of(Piece::Queen)).is_empty() {
            return false;
        }
        let bishops = of(Piece::Bishop);
        match of(Piece::Knight).len() {
            0 => {
                bishops.is_disjoint(BitBoard::LIGHT_SQUARES)
                    || bishops.is_disjoint(BitBoard::DARK_SQUARES)
            }
            1 => bishops.is_empty(),
            _ => false,
        }
    }

    /// Whether the position ends the game though moves may be left.
    #[inline]
    pub(crate) fn is_drawn(&self) -> bool {
        self.0.halfmove_clock() >= FIFTY_MOVES || self.cannot_be_won()
    }

    /// Whether any move is left, drawn or not.
    #[inline]
    pub(crate) fn can_move(&self) -> bool {
        self.0.generate_moves(|_| true)
    }
}

impl PartialEq for Board {
    // Not by cozy-chess's `same_position`: to that, a king that may step on the
    // square behind a pawn captures en passant too.
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Piece::ALL.into_iter().all(|piece| a.pieces(piece) == b.pieces(piece))
            && Color::ALL.into_iter().all(|side| {
                a.colors(side) == b.colors(side) && a.castle_rights(side) == b.castle_rights(side)
            })
            && a.side_to_move() == b.side_to_move()
            && self.en_passant() == other.en_passant()
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::fen::format(self))
    }
}

/// What a side's pieces weigh: a knight or bishop 1, a rook 2, a queen 4; twelve
/// in the start position.
#[inline]
pub(crate) fn weight(board: &cozy_chess::Board, side: BitBoard) -> u32 {
    let count = |piece| (side & board.pieces(piece)).len();
    count(Piece::Knight) + count(Piece::Bishop) + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)
}

/// Stages: the weight of the pieces that are gone, a knight or bishop 1, a rook 2, a
/// queen 4. Stage 0 is the opening; at stage 24 kings and pawns are left.
pub(crate) const STAGES: usize = FULL as usize + 1;

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
        if self.is_drawn() { Moves::none() } else { Moves::of(&self.0) }
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.is_drawn() {
            return 0;
        }
        let mut count = 0;
        self.0.generate_moves(|group: PieceMoves| {
            count += group.len();
            false
        });
        count
    }

    #[inline]
    fn play(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.0.play_unchecked(m.0);
        next
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.can_move() {
            self.is_drawn().then_some(Outcome::DRAW)
        } else {
            Some(if self.in_check() { Outcome::LOSS } else { Outcome::DRAW })
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        match self.en_passant() {
            Some(_) => self.0.hash(),
            None => self.0.hash_without_ep(),
        }
    }

    #[inline]
    fn stage(&self) -> Stage {
        // Promotions may bring in more than the game began with.
        Stage(FULL.saturating_sub(weight(&self.0, self.0.occupied())) as u8)
    }

    /// Captures that do not plainly lose, and promotions to a queen. Check is a
    /// threat that must be answered instead.
    #[inline]
    fn promise(&self, m: Move) -> u8 {
        exchange::promise(&self.0, m.0)
    }

    #[inline]
    fn must_answer(&self) -> bool {
        self.in_check()
    }

    /// A draw when two of the earlier keys are this position's own.
    #[inline]
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        let reversible = usize::from(self.0.halfmove_clock());
        // A position comes back after four half-moves at the earliest.
        if reversible < 8 {
            return None;
        }
        let key = self.key();
        let since = earlier.len().saturating_sub(reversible);
        let times = earlier[since..].iter().filter(|&&other| other == key).count();
        (times >= 2).then_some(Outcome::DRAW)
    }

    /// From and to; the four promotions of a pawn share one.
    #[inline]
    fn slot(m: Move) -> u16 {
        64 * m.0.from as u16 + m.0.to as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chess;
    use evalsmith_core::{Game, GameRecord, Reason};

    fn board(text: &str) -> Board {
        Chess.parse(text).unwrap().0
    }

    fn record(start: Board, moves: &str) -> GameRecord<Board> {
        let side = start.to_move();
        let mut record = GameRecord::new(start, side, Chess.max_plies());
        for text in moves.split_whitespace() {
            let m = Chess.parse_move(record.position(), text).unwrap();
            record.play(m).unwrap();
        }
        record
    }

    #[test]
    fn games_end_by_mate_stalemate_and_material() {
        for (text, outcome) in [
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some(Outcome::LOSS)),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", Some(Outcome::LOSS)),
            ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", Some(Outcome::DRAW)),
            ("7k/8/5KR1/8/8/8/8/8 b - - 99 90", None),
            ("7k/8/5K1Q/8/8/8/8/8 b - - 100 90", Some(Outcome::DRAW)),
            ("7k/8/5K2/8/8/8/8/8 b - - 0 1", Some(Outcome::DRAW)),
            ("7k/8/5K2/8/8/8/8/N7 b - - 0 1", Some(Outcome::DRAW)),
            ("7k/8/5K2/8/8/8/8/b7 w - - 0 1", Some(Outcome::DRAW)),
            ("7k/8/5K2/8/8/8/1B6/b1B5 w - - 0 1", Some(Outcome::DRAW)),
            ("7k/8/5K2/8/8/8/8/bB6 w - - 0 1", None),
            ("7k/8/5K2/8/8/8/8/NN6 w - - 0 1", None),
            ("7k/8/5K2/8/8/8/8/nB6 w - - 0 1", None),
            ("7k/8/5K2/8/8/8/P7/8 w - - 0 1", None),
        ] {
            let board = board(text);
            assert_eq!(board.outcome(), outcome, "{text}");
            assert_eq!(board.move_count() == 0, outcome.is_some(), "{text}");
            assert_eq!(board.moves().count(), board.move_count(), "{text}");
        }
    }

    #[test]
    fn third_occurrence_draws() {
        let there_and_back = "Nf3 Nf6 Ng1 Ng8 ";
        let twice = record(Chess.start(), there_and_back);
        assert_eq!(twice.ending(), None);
        let thrice = record(Chess.start(), &there_and_back.repeat(2));
        assert_eq!(
            thrice.ending().map(|e| (e.outcome, e.reason)),
            Some((Outcome::DRAW, Reason::Repetition))
        );
        // A search's path is counted with the game.
        let position = thrice.position();
        assert_eq!(position.repeated(&thrice.earlier_keys()[4..]), None);
        assert_eq!(position.repeated(thrice.earlier_keys()), Some(Outcome::DRAW));
    }

    #[test]
    fn lost_rights_make_another_position() {
        // The kings' walk loses castling: the position is new, not the third.
        let kings = "4k2r/p7/8/8/8/8/P7/4K2R w Kk - 0 1";
        let walk = "Ke2 Ke7 Ke1 Ke8 ";
        assert_eq!(record(board(kings), &walk.repeat(2)).ending(), None);
        assert!(record(board(kings), &format!("{}Ke2 Ke7", walk.repeat(2))).ending().is_some());
        // A capture en passant that was possible once counts, one that was not does not.
        let possible = "4k3/8/8/8/3p4/8/4P3/4K2R w - - 0 1";
        let useless = "4k3/8/8/8/2p5/8/4P3/4K2R w - - 0 1";
        let shuffle = "Kd7 Rg1 Ke8 Rh1 ".repeat(2);
        assert_eq!(record(board(possible), &format!("e4 {shuffle}")).ending(), None);
        assert!(record(board(useless), &format!("e4 {shuffle}")).ending().is_some());
    }

    #[test]
    fn equality_is_the_rules_own() {
        let beside_king = board("8/2n5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1");
        assert_eq!(beside_king, board("8/2n5/3p4/KP5r/1R3pPk/8/4P3/8 b - - 0 1"));
        let a = board("4k3/8/8/8/8/8/P7/4K2R w K - 3 10");
        let b = board("4k3/8/8/8/8/8/P7/4K2R w K - 40 80");
        assert_eq!((&a, a.key()), (&b, b.key()), "clocks tell no positions apart");
        for other in ["4k3/8/8/8/8/8/P7/4K2R w - - 3 10", "4k3/8/8/8/8/8/P7/4K2R b K - 3 10"] {
            let other = board(other);
            assert!(a != other && a.key() != other.key(), "{other:?}");
        }
    }

    #[test]
    fn captures_and_queens_are_noisy_and_check_is_answered() {
        let noisy = |text| {
            let board = board(text);
            let named = |m| Chess.format_move(&board, m);
            let mut names: Vec<_> =
                board.moves().filter(|&m| board.is_noisy(m)).map(named).collect();
            names.sort();
            (names.join(" "), board.move_count())
        };
        assert_eq!(noisy("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1"), ("exd6".into(), 17));
        assert_eq!(noisy("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1").0, "b8=Q+ bxa8=Q+");
        assert_eq!(noisy("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").0, "Rxa8+ Rxh8+");
        let checked = board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1");
        assert!(checked.must_answer() && !Chess.start().must_answer());
    }

    #[test]
    fn stages_run_from_opening_to_pawn_endings() {
        assert_eq!(Chess.start().stage(), Stage(0));
        assert_eq!(board("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1").stage(), Stage(24));
        assert_eq!(board("4k2q/p7/8/8/8/8/P7/NR2K3 w - - 0 1").stage(), Stage(24 - 7));
        assert_eq!(board("qqqqqqq1/8/8/8/8/8/k7/7K w - - 0 1").stage(), Stage(0));
    }
}
