//! How far a game has come, from 0 to 1.
//!
//! The count of pieces in hand (both sides'), of promoted pieces, and of pieces
//! other than the king that stand in the enemy's camp, the last three ranks. All
//! are zero in the start position; exchanges raise the first, attacks the others.
//! Over the tenths of 1,830 professional games the count's mean is 0.2, 1.1, 1.9,
//! 3.2, 5.2, 7.5, 9.8, 12.0, 14.0 and 15.8.

use evalsmith_core::Stage;
use haitaka::{Board, Color, Piece, prom_zone};

/// Stages 0 to 23: the count, with everything from 23 on in the last.
pub(crate) const STAGES: usize = 24;

fn count(board: &Board) -> u32 {
    let in_hand: u32 = board.hands().iter().flatten().map(|&n| u32::from(n)).sum();
    let kings_and_golds = board.pieces(Piece::King) | board.pieces(Piece::Gold);
    let promoted = board.pseudo_golds() & !kings_and_golds;
    let entered = (board.colors(Color::Black) & prom_zone(Color::Black)
        | board.colors(Color::White) & prom_zone(Color::White))
        & !board.pieces(Piece::King);
    in_hand + promoted.len() + entered.len()
}

#[inline]
pub(crate) fn stage(board: &Board) -> Stage {
    Stage(count(board).min(STAGES as u32 - 1) as u8)
}

/// The stage on a scale from 0 to 1.
#[inline]
pub(crate) fn progress(board: &Board) -> f32 {
    f32::from(stage(board).0) / (STAGES - 1) as f32
}
