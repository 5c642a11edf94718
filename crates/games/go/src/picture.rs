//! The board as a picture: A9 at the top left, stones all alike.

use crate::board::Board;
use crate::moves::Move;
use crate::notation;
use crate::point::Point;
use evalsmith_core::picture::{Piece, Surface};
use evalsmith_core::{Malformed, Picture, Side, Way};

fn stone(text: &str) -> Option<(Piece, usize)> {
    let side = match text.chars().next()? {
        'X' => Side::First,
        'O' => Side::Second,
        _ => return None,
    };
    Some((Piece { side, sign: String::new() }, 1))
}

pub(crate) fn picture(board: &Board) -> Picture {
    let name = |row, column| {
        Point::new(8 - row, column).map_or_else(String::new, |point| point.to_string())
    };
    let rows = notation::format(board);
    Picture::empty(9, 9, Surface::Lines, name)
        .with_rows(rows.split(' ').next().unwrap_or_default(), stone)
}

pub(crate) fn way(m: Move) -> Way {
    let place = |point: Point| 9 * (8 - usize::from(point.row())) + usize::from(point.column());
    m.point().map_or_else(Way::default, |point| Way::onto(place(point)))
}

/// Without a ko point and without passes.
pub(crate) fn set_up(picture: &Picture, komi: i8, to_move: Side) -> Result<Board, Malformed> {
    picture.expect_size(9, 9)?;
    let sign = |piece: &Piece| if piece.side == Side::First { "X" } else { "O" }.to_owned();
    let mover = if to_move == Side::First { 'b' } else { 'w' };
    notation::parse(&format!("{} {mover} - 0", picture.to_rows(sign)?), komi)
}
