//! The board as a picture: a8 at the top left, pieces by their letters.

use crate::board::Board;
use crate::fen;
use crate::moves::Move;
use cozy_chess::{File, Square};
use evalsmith_core::picture::{Surface, lettered, to_letters};
use evalsmith_core::{Malformed, Picture, Side, Way};

fn place(square: Square) -> usize {
    8 * (7 - square.rank() as usize) + square.file() as usize
}

pub(crate) fn picture(board: &Board) -> Picture {
    let name = |row, column| format!("{}{}", char::from(b'a' + column), 8 - row);
    let mut picture = Picture::empty(8, 8, Surface::Chequered, name);
    picture.signs = ["P", "N", "B", "R", "Q", "K"].map(str::to_owned).to_vec();
    picture.with_rows(fen::format(board).split(' ').next().unwrap_or_default(), lettered)
}

/// A castling king goes two squares, as people see it.
pub(crate) fn way(board: &Board, m: Move) -> Way {
    let cozy_chess::Move { from, to, .. } = m.0;
    let castles = board.0.color_on(from) == board.0.color_on(to);
    let file = if to.file() > from.file() { File::G } else { File::C };
    let to = if castles { Square::new(file, from.rank()) } else { to };
    Way::between(place(from), place(to))
}

/// Castling is allowed where king and rook stand as in the beginning.
pub(crate) fn set_up(picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
    picture.expect_size(8, 8)?;
    let rows = picture.to_rows(to_letters)?;
    let stands = |square: Square, sign: &str, side| {
        picture.pieces[place(square)].as_ref().is_some_and(|p| p.side == side && p.sign == sign)
    };
    let rights: String = [
        (Square::E1, Square::H1, Side::First, 'K'),
        (Square::E1, Square::A1, Side::First, 'Q'),
        (Square::E8, Square::H8, Side::Second, 'k'),
        (Square::E8, Square::A8, Side::Second, 'q'),
    ]
    .into_iter()
    .filter(|&(king, rook, side, _)| stands(king, "K", side) && stands(rook, "R", side))
    .map(|(.., sign)| sign)
    .collect();
    let rights = if rights.is_empty() { "-" } else { &rights };
    let mover = if to_move == Side::First { 'w' } else { 'b' };
    fen::parse(&format!("{rows} {mover} {rights} - 0 1"))
}
