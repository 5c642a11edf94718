//! The squares a piece attacks, whoever stands there.

use haitaka::{
    BitBoard, Color, Piece, Square, get_bishop_moves, get_lance_moves, get_rook_moves,
    gold_attacks, king_attacks, knight_attacks, pawn_attacks, silver_attacks,
};

/// What the piece attacks from `from` on a board with these squares occupied.
#[inline]
pub(crate) fn attacks(piece: Piece, color: Color, from: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => pawn_attacks(color, from),
        Piece::Lance => get_lance_moves(color, from, occupied),
        Piece::Knight => knight_attacks(color, from),
        Piece::Silver => silver_attacks(color, from),
        Piece::Bishop => get_bishop_moves(color, from, occupied),
        Piece::Rook => get_rook_moves(color, from, occupied),
        Piece::King => king_attacks(color, from),
        Piece::PBishop => get_bishop_moves(color, from, occupied) | king_attacks(color, from),
        Piece::PRook => get_rook_moves(color, from, occupied) | king_attacks(color, from),
        Piece::Gold | Piece::Tokin | Piece::PLance | Piece::PKnight | Piece::PSilver => {
            gold_attacks(color, from)
        }
    }
}
