//! Atoms of Chess: what stands on each square, and which kind of piece attacks which
//! (buro98 section 2 names such relations for Chess).

use crate::board::Board;
use cozy_chess::{
    BitBoard, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use evalsmith_core::Atoms;

/// Kinds of pieces.
const KINDS: usize = Piece::NUM;
/// The mover's pieces, pawns first.
const OWN: [char; KINDS] = ['P', 'N', 'B', 'R', 'Q', 'K'];
/// The opponent's.
const THEIRS: [char; KINDS] = ['p', 'n', 'b', 'r', 'q', 'k'];

/// The 64 squares, `a1` at the mover's left hand: 0 empty, 1 to 6 the mover's pawn to
/// king, 7 to 12 the opponent's. Then for each pair of kinds whether one of the mover's
/// attacks one of the opponent's (`N>q`), and whether one of the opponent's attacks one
/// of the mover's (`n>Q`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pieces;

impl Atoms<Board> for Pieces {
    fn names(&self) -> Vec<String> {
        let squares = Square::ALL.iter().map(Square::to_string);
        let pairs = |by: [char; KINDS], of: [char; KINDS]| {
            by.into_iter().flat_map(move |a| of.into_iter().map(move |b| format!("{a}>{b}")))
        };
        squares.chain(pairs(OWN, THEIRS)).chain(pairs(THEIRS, OWN)).collect()
    }

    fn ranges(&self) -> Vec<u8> {
        let mut ranges = vec![1 + 2 * KINDS as u8; Square::NUM];
        ranges.resize(Square::NUM + 2 * KINDS * KINDS, 2);
        ranges
    }

    fn write(&self, board: &Board, values: &mut [u8]) {
        write(&board.0, board.0.side_to_move(), values);
    }

    fn write_waiting(&self, board: &Board, values: &mut [u8]) {
        write(&board.0, !board.0.side_to_move(), values);
    }
}

fn write(board: &cozy_chess::Board, side: Color, values: &mut [u8]) {
    values.fill(0);
    let (squares, relations) = values.split_at_mut(Square::NUM);
    for (color, first) in [(side, 1), (!side, 1 + KINDS)] {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                let seen = if side == Color::White { square } else { square.flip_rank() };
                squares[seen as usize] = (first + piece as usize) as u8;
            }
        }
    }
    for (color, first) in [(side, 0), (!side, KINDS * KINDS)] {
        for by in Piece::ALL {
            let attacked = attacked(board, color, by);
            for of in Piece::ALL {
                let hit = !(attacked & board.colored_pieces(!color, of)).is_empty();
                relations[first + by as usize * KINDS + of as usize] = u8::from(hit);
            }
        }
    }
}

/// What a side's pieces of one kind attack together.
fn attacked(board: &cozy_chess::Board, color: Color, piece: Piece) -> BitBoard {
    let occupied = board.occupied();
    let from = |square| match piece {
        Piece::Pawn => get_pawn_attacks(square, color),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        Piece::King => get_king_moves(square),
    };
    board.colored_pieces(color, piece).into_iter().fold(BitBoard::EMPTY, |all, s| all | from(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chess;
    use evalsmith_core::{Game, conformance};

    #[test]
    fn pieces_are_those_of_either_side() {
        conformance::check_atoms(&Chess, 10);
    }

    #[test]
    fn a_fork_is_two_relations() {
        let (board, _) = Chess.parse("q3k3/2N5/8/8/8/8/8/4K3 b - - 0 1").expect("a fork");
        let names = Pieces.names();
        let at = |name: &str| names.iter().position(|n| n == name).expect("an atom");
        let mut values = vec![0; names.len()];
        let holding = |values: &[u8]| -> Vec<String> {
            let held = names.iter().zip(values).skip(64).filter(|(_, value)| **value == 1);
            held.map(|(name, _)| name.clone()).collect()
        };
        Pieces.write(&board, &mut values);
        assert_eq!(holding(&values), ["n>Q", "n>K"]);
        assert_eq!(values[at("c2")], 8, "the other side's knight, seen from Black's");
        Pieces.write_waiting(&board, &mut values);
        assert_eq!(holding(&values), ["N>q", "N>k"]);
        assert_eq!(values[at("c7")], 2);
    }
}
