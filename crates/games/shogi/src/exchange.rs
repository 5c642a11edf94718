//! What a capture or promotion promises before it is tried.
//!
//! A capture is worth trying at the horizon unless it plainly loses: the captor
//! is worth more than its victim, and the victim is defended. A promotion
//! without a capture is, where nobody can take the promoted piece. The most
//! valuable victim goes first, and for it the least valuable captor.

use crate::attacks::attacks;
use crate::moves::Move;
use haitaka::{Board, Piece, Square};

/// The customary worth of a piece, in pawns; the king captures without risk,
/// since it may only take what is not defended.
const fn worth(piece: Piece) -> u8 {
    match piece {
        Piece::Pawn => 1,
        Piece::Lance | Piece::Knight => 3,
        Piece::Silver | Piece::Tokin => 5,
        Piece::Gold | Piece::PLance | Piece::PKnight | Piece::PSilver => 6,
        Piece::Bishop => 8,
        Piece::Rook => 10,
        Piece::PBishop => 12,
        Piece::PRook => 14,
        Piece::King => 0,
    }
}

/// More for what should be tried sooner; 0 for quiet moves, drops, losing
/// captures and promotions into an attack.
#[inline]
pub(crate) fn promise(board: &Board, m: Move) -> u8 {
    let Some(from) = m.from() else { return 0 };
    let captor = board.piece_on(from).map_or(0, worth);
    let victim = board.piece_on(m.to()).map_or(0, worth);
    if victim == 0 && !m.promotes() {
        return 0;
    }
    if captor > victim && is_defended(board, m.to(), from) {
        return 0;
    }
    let gain = if m.promotes() { 4 } else { 0 };
    (10 * (victim + gain)).saturating_add(15 - captor)
}

/// Whether the opponent could take back on `target` once `captor` has left its
/// square.
#[inline]
fn is_defended(board: &Board, target: Square, captor: Square) -> bool {
    let own = board.side_to_move();
    let theirs = board.colors(!own);
    let occupied = board.occupied() & !captor.bitboard();
    // A piece attacks the target where one of ours, standing there, would attack it.
    let by =
        |piece| !(attacks(piece, own, target, occupied) & theirs & board.pieces(piece)).is_empty();
    Piece::ALL.into_iter().any(by)
}

#[cfg(test)]
mod tests {
    use crate::Shogi;
    use evalsmith_core::{Game, Position};

    fn promise(sfen: &str, m: &str) -> u8 {
        let board = Shogi.parse(sfen).unwrap().0;
        board.promise(Shogi.parse_move(&board, m).unwrap())
    }

    #[test]
    fn losing_captures_promise_nothing_and_good_ones_by_victim_then_captor() {
        // The pawn on 5c is defended by the gold on 5b.
        let defended = "4k4/4g4/4p4/4P4/4R4/9/9/1B7/4K4 b - 1";
        assert_eq!(promise(defended, "5d5c"), 10 + 14);
        assert_eq!(promise(defended, "5d5c+"), 50 + 14);
        let rook = "4k4/4g4/4p4/9/4R4/9/9/1B7/4K4 b - 1";
        assert_eq!(promise(rook, "5e5c"), 0);
        assert_eq!(promise("4k4/9/9/4p4/4R4/9/9/9/4K4 b - 1", "5e5d"), 10 + 5);
    }

    #[test]
    fn safe_promotions_are_noisy_and_drops_are_not() {
        let board = "4k4/6g2/9/9/9/9/9/1B7/4K4 b P 1";
        assert_eq!(promise(board, "8h3c+"), 0, "the gold takes");
        assert_eq!(promise(board, "8h4d"), 0);
        assert_eq!(promise(board, "P*5e"), 0);
        assert_eq!(promise("4k4/9/9/9/9/9/9/1B7/4K4 b P 1", "8h2b+"), 40 + 7);
    }
}
