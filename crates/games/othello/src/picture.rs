//! The board as a picture: a1 at the top left, discs all alike.

use crate::{Board, Kernel, Move, notation};
use evalsmith_core::picture::{Piece, Surface};
use evalsmith_core::{Malformed, Picture, Side, Way};

pub(crate) fn picture<K: Kernel>(board: &Board<K>, to_move: Side) -> Picture {
    let name = |row, column| Move(8 * row + column).to_string();
    let mut picture = Picture::empty(8, 8, Surface::Plain, name);
    let (black, white) = notation::by_colour(board, to_move);
    for (square, piece) in picture.pieces.iter_mut().enumerate() {
        let disc = |side| Piece { side, sign: String::new() };
        let stands = |discs: u64, side| (discs >> square & 1 == 1).then(|| disc(side));
        *piece = stands(black, Side::First).or_else(|| stands(white, Side::Second));
    }
    picture
}

pub(crate) fn way(m: Move) -> Way {
    if m == Move::PASS { Way::default() } else { Way::onto(m.0.into()) }
}

/// Black's and White's discs.
pub(crate) fn discs(picture: &Picture) -> Result<(u64, u64), Malformed> {
    picture.expect_size(8, 8)?;
    let of = |side| {
        let squares = picture.pieces.iter().enumerate();
        let mine = squares.filter(|(_, piece)| piece.as_ref().is_some_and(|p| p.side == side));
        mine.fold(0, |discs, (square, _)| discs | 1_u64 << square)
    };
    Ok((of(Side::First), of(Side::Second)))
}
