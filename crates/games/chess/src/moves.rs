//! Moves, and the legal ones of a position without a heap.
//!
//! cozy-chess tells moves by piece: a square to leave and a set of squares to
//! reach, at most [`GROUPS`] times. The iterator keeps these groups and unpacks
//! them as it goes.

use cozy_chess::{BitBoard, Piece, PieceMoves, Rank, Square};
use std::fmt;

/// Sixteen pieces, and two pawns that capture en passant besides.
const GROUPS: usize = 18;

/// A move; castling is the king taking its own rook.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) cozy_chess::Move);

/// The two squares and the promotion, `e7e8q`; castling as `e1h1`.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What a pawn may become, in the order in which the moves are listed: whoever
/// takes the first of equals takes the queen.
const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// The legal moves, piece by piece.
#[derive(Clone, Debug)]
pub struct Moves {
    groups: [PieceMoves; GROUPS],
    /// Groups not yet exhausted: `next..end`.
    next: usize,
    end: usize,
    /// How many promotions to the next square have been told.
    promotions: usize,
}

impl Moves {
    /// No moves.
    #[inline]
    pub(crate) fn none() -> Self {
        let nothing = PieceMoves { piece: Piece::King, from: Square::A1, to: BitBoard::EMPTY };
        Self { groups: [nothing; GROUPS], next: 0, end: 0, promotions: 0 }
    }

    /// Every move by which the board's rules let a piece go.
    #[inline]
    pub(crate) fn of(board: &cozy_chess::Board) -> Self {
        let mut moves = Self::none();
        board.generate_moves(|group| {
            moves.groups[moves.end] = group;
            moves.end += 1;
            false
        });
        moves
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.next == self.end {
            return None;
        }
        let group = &mut self.groups[self.next];
        let to = group.to.next_square().expect("a group is left when it is empty");
        let promotes =
            group.piece == Piece::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
        let promotion = promotes.then(|| PROMOTIONS[self.promotions]);
        if promotes {
            self.promotions = (self.promotions + 1) % PROMOTIONS.len();
        }
        let m = cozy_chess::Move { from: group.from, to, promotion };
        if self.promotions == 0 {
            group.to ^= to.bitboard();
            self.next += usize::from(group.to.is_empty());
        }
        Some(Move(m))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let groups = &self.groups[self.next..self.end];
        let left = groups.iter().map(PieceMoves::len).sum::<usize>() - self.promotions;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_while_moves_are_told() {
        // 218 moves, the most that a position is known to have; and promotions.
        for (fen, count) in [
            ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),
            ("1n1n4/2P3k1/8/8/8/8/8/4K3 w - - 0 1", 12 + 5),
        ] {
            let board: cozy_chess::Board = fen.parse().expect("a legal position");
            let mut expected = Vec::new();
            board.generate_moves(|group| {
                expected.extend(group);
                false
            });
            let mut moves = Moves::of(&board);
            let mut told = Vec::new();
            for left in (0..count).rev() {
                told.push(moves.next().expect("as many as counted").0);
                assert_eq!(moves.len(), left);
            }
            assert_eq!(moves.next(), None);
            assert_eq!(told.len(), expected.len());
            assert!(expected.iter().all(|m| told.contains(m)));
        }
    }
}
