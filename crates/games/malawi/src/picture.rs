//! The board as a picture: a6 at the top left, tiles with the number of their balls.

use crate::board::Board;
use crate::moves::{Move, MoveKind};
use crate::notation;
use crate::square::Square;
use evalsmith_core::picture::{Piece, Surface};
use evalsmith_core::{Malformed, Picture, Side, Way};

/// More balls no side has.
const MOST: u8 = 12;

fn tile(text: &str) -> Option<(Piece, usize)> {
    let mut signs = text.chars();
    let side = match signs.next()? {
        'w' => Side::First,
        'b' => Side::Second,
        _ => return None,
    };
    let balls = signs.next()?.to_digit(16)?;
    Some((Piece { side, sign: balls.to_string() }, 2))
}

pub(crate) fn picture(board: &Board) -> Picture {
    let name = |row, column| format!("{}{}", char::from(b'a' + column), 6 - row);
    let mut picture = Picture::empty(6, 6, Surface::Plain, name);
    picture.signs =
        std::iter::once(2).chain((0..=MOST).filter(|&n| n != 2)).map(|n| n.to_string()).collect();
    picture.with_rows(notation::format(board).split(' ').next().unwrap_or_default(), tile)
}

/// A distribution has no one square to go to.
pub(crate) fn way(board: &Board, m: Move) -> Way {
    let place = |square: Square| {
        let square = if board.to_move() == Side::First { square } else { square.flipped() };
        6 * (5 - usize::from(square.row())) + usize::from(square.column())
    };
    let from = place(m.from());
    match (m.kind(), m.to().next()) {
        (MoveKind::Step | MoveKind::Capture, Some(to)) => Way::between(from, place(to)),
        _ => Way { from: Some(from as u16), ..Way::default() },
    }
}

/// At the side's first move.
pub(crate) fn set_up(picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
    picture.expect_size(6, 6)?;
    let write = |piece: &Piece| {
        let letter = if piece.side == Side::First { 'w' } else { 'b' };
        piece.sign.parse::<u8>().map_or_else(|_| format!("{letter}?"), |n| format!("{letter}{n:X}"))
    };
    let (mover, half_moves) = if to_move == Side::First { ('w', 0) } else { ('b', 1) };
    notation::parse(&format!("{} {mover} {half_moves}", picture.to_rows(write)?))
}
