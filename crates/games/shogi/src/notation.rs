//! Positions and moves as people and programs write them.

pub(crate) mod diagram;
pub(crate) mod sfen;
pub(crate) mod usi;

use haitaka::{Color, Piece};

pub(crate) fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// The English name of a piece.
pub(crate) fn kind(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Lance => "lance",
        Piece::Knight => "knight",
        Piece::Silver => "silver",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Gold => "gold",
        Piece::King => "king",
        Piece::Tokin => "promoted pawn",
        Piece::PLance => "promoted lance",
        Piece::PKnight => "promoted knight",
        Piece::PSilver => "promoted silver",
        Piece::PBishop => "promoted bishop",
        Piece::PRook => "promoted rook",
    }
}
