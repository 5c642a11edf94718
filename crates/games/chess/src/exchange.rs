//! What a capture or promotion promises before it is tried.
//!
//! A capture is worth trying at the horizon unless it plainly loses: the captor
//! is worth more than its victim, and the victim is defended. Among the others
//! the most valuable victim goes first, and for it the least valuable captor.

use cozy_chess::{
    BitBoard, Board, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

/// The usual worth of a piece, in pawns; the king captures without risk, since
/// it may only take what is not defended.
const fn worth(piece: Piece) -> u8 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 0,
    }
}

/// More for what should be tried sooner; 0 for quiet moves, losing captures and
/// promotions to less than a queen.
#[inline]
pub(crate) fn promise(board: &Board, m: Move) -> u8 {
    let gain = match m.promotion {
        Some(Piece::Queen) => worth(Piece::Queen) - worth(Piece::Pawn),
        Some(_) => return 0,
        None => 0,
    };
    let theirs = board.colors(!board.side_to_move());
    let victim = if theirs.has(m.to) {
        board.piece_on(m.to).map_or(0, worth)
    } else if m.from.file() != m.to.file() && board.pieces(Piece::Pawn).has(m.from) {
        // A pawn leaves its file only by a capture: this one is en passant.
        worth(Piece::Pawn)
    } else if gain > 0 {
        0
    } else {
        return 0;
    };
    let captor = board.piece_on(m.from).map_or(0, worth);
    if captor > victim && gain == 0 && is_defended(board, m.to, m.from) {
        return 0;
    }
    10 * (victim + gain) + (10 - captor)
}

/// Whether the opponent could take back on `target` once `captor` has left its
/// square.
#[inline]
fn is_defended(board: &Board, target: Square, captor: Square) -> bool {
    let occupied = board.occupied() & !captor.bitboard();
    let own = board.side_to_move();
    let by = |reach: BitBoard, pieces: BitBoard| reach & pieces & board.colors(!own);
    let queens = board.pieces(Piece::Queen);
    !(by(get_pawn_attacks(target, own), board.pieces(Piece::Pawn))
        | by(get_knight_moves(target), board.pieces(Piece::Knight))
        | by(get_king_moves(target), board.pieces(Piece::King))
        | by(get_bishop_moves(target, occupied), board.pieces(Piece::Bishop) | queens)
        | by(get_rook_moves(target, occupied), board.pieces(Piece::Rook) | queens))
    .is_empty()
}

#[cfg(test)]
mod tests {
    use crate::Chess;
    use evalsmith_core::{Game, Position};

    fn promise(fen: &str, m: &str) -> u8 {
        let board = Chess.parse(fen).unwrap().0;
        board.promise(Chess.parse_move(&board, m).unwrap())
    }

    #[test]
    fn losing_captures_promise_nothing_and_good_ones_by_victim_then_captor() {
        let fen = "3rk3/4p3/3p1q2/1p2P3/2N5/8/3R4/3QK3 w - - 0 1";
        // The rook may not take the defended pawn, nor the queen behind it; the
        // knight may take the loose one, and loses itself on the defended one.
        let expected =
            [("e5f6", 10 * 9 + 9), ("e5d6", 10 + 9), ("c4d6", 0), ("d2d6", 0), ("c4b6", 0)];
        for (m, promise_of) in expected {
            assert_eq!(promise(fen, m), promise_of, "{m}");
        }
        assert_eq!(promise("4k3/8/8/1p6/8/8/8/1R2K3 w - - 0 1", "b1b5"), 10 + 5);
    }

    #[test]
    fn a_defender_behind_the_captor_counts() {
        // The rook that takes opens the file for the one that takes back.
        let fen = "4k3/8/8/8/3p4/8/3R3K/3r4 w - - 0 1";
        assert_eq!(promise(fen, "d2d4"), 0);
    }

    #[test]
    fn en_passant_and_queens_are_noisy_and_lesser_promotions_are_not() {
        assert_eq!(promise("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 19);
        assert_eq!(promise("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 89);
        assert_eq!(promise("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q"), 119);
        assert_eq!(promise("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n"), 0);
        assert_eq!(promise("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 0);
    }
}
