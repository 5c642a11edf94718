//! Atoms of Shogi: what stands on each square, and what is in the hands.

use crate::board::Board;
use evalsmith_core::Atoms;
use haitaka::{Color, Piece, Square};

/// Pieces in hand told apart: three stand for more.
const MOST: u8 = 3;
/// What a hand may hold, with its letter.
const HELD: [(Piece, char); 7] = [
    (Piece::Pawn, 'P'),
    (Piece::Lance, 'L'),
    (Piece::Knight, 'N'),
    (Piece::Silver, 'S'),
    (Piece::Gold, 'G'),
    (Piece::Bishop, 'B'),
    (Piece::Rook, 'R'),
];

/// The 81 squares as the first player names them, turned round for the second: 0 empty,
/// then the mover's kinds and the opponent's. Then the pieces in the mover's hand
/// (`hand P`) and in the opponent's (`hand p`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pieces;

impl Atoms<Board> for Pieces {
    fn names(&self) -> Vec<String> {
        let hand = |letter: char| format!("hand {letter}");
        let squares = Square::ALL.iter().map(Square::to_string);
        let own = HELD.iter().map(|&(_, letter)| hand(letter));
        let theirs = HELD.iter().map(|&(_, letter)| hand(letter.to_ascii_lowercase()));
        squares.chain(own).chain(theirs).collect()
    }

    fn ranges(&self) -> Vec<u8> {
        let mut ranges = vec![1 + 2 * Piece::ALL.len() as u8; Square::NUM];
        ranges.resize(Square::NUM + 2 * HELD.len(), 1 + MOST);
        ranges
    }

    fn write(&self, board: &Board, values: &mut [u8]) {
        write(&board.0, board.0.side_to_move(), values);
    }

    fn write_waiting(&self, board: &Board, values: &mut [u8]) {
        write(&board.0, !board.0.side_to_move(), values);
    }

    fn symmetries(&self) -> Vec<Vec<u16>> {
        let squares = Square::ALL.iter().map(|square| square.flip_file() as u16);
        let hands = (0..2 * HELD.len()).map(|i| (Square::NUM + i) as u16);
        vec![squares.chain(hands).collect()]
    }
}

fn write(board: &haitaka::Board, side: Color, values: &mut [u8]) {
    values.fill(0);
    let (squares, hands) = values.split_at_mut(Square::NUM);
    for (color, first) in [(side, 1), (!side, 1 + Piece::ALL.len())] {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                let number = square as usize;
                let seen = if side == Color::Black { number } else { Square::NUM - 1 - number };
                squares[seen] = (first + piece as usize) as u8;
            }
        }
    }
    for (color, hand) in [side, !side].into_iter().zip(hands.chunks_exact_mut(HELD.len())) {
        for (&(piece, _), value) in HELD.iter().zip(hand) {
            *value = board.num_in_hand(color, piece).min(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Shogi;
    use evalsmith_core::conformance;

    #[test]
    fn pieces_are_those_of_either_side() {
        conformance::check_atoms(&Shogi, 10);
    }
}
