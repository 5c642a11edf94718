//! Where the side to move may drop what it has in hand.
//!
//! `haitaka` 0.3.2 generates drops too, but it looks for a mate by a dropped pawn
//! on one target square only, not always the one before the king, and not at all
//! while the dropping side is in check. So drops are made here, from its sets.

use haitaka::{BitBoard, Board, Color, Move, Piece, drop_zone, get_between_rays, pawn_attacks};

/// The kinds a hand can hold, by index of a hand.
pub(crate) const HAND: [Piece; Piece::HAND_NUM] = [
    Piece::Pawn,
    Piece::Lance,
    Piece::Knight,
    Piece::Silver,
    Piece::Bishop,
    Piece::Rook,
    Piece::Gold,
];

/// The last rank's square of each file: the upper bit of the nine that make a file.
const FILE_ENDS: u128 = {
    let mut set = 0;
    let mut file = 0;
    while file < 9 {
        set |= 1 << (9 * file + 8);
        file += 1;
    }
    set
};

/// All squares of the files on which the set has a square.
#[inline]
pub(crate) fn files(set: BitBoard) -> BitBoard {
    let below = BitBoard::FULL.0 & !FILE_ENDS;
    let ends = (((set.0 & below) + below) | set.0) & FILE_ENDS;
    BitBoard((ends << 1) - (ends >> 8))
}

/// Calls `visit` with every kind in hand that has a legal drop, and its squares,
/// until it answers true; says whether it did.
#[inline]
pub(crate) fn each(board: &Board, mut visit: impl FnMut(Piece, BitBoard) -> bool) -> bool {
    let color = board.side_to_move();
    if board.is_hand_empty(color) {
        return false;
    }
    let free = !board.occupied();
    let targets = match board.checkers().len() {
        0 => free,
        1 => {
            let checker = board.checkers().next_square().expect("one checker");
            free & get_between_rays(checker, board.king(color))
        }
        _ => return false,
    };
    if targets.is_empty() {
        return false;
    }
    HAND.into_iter().any(|piece| {
        if !board.has_in_hand(color, piece) {
            return false;
        }
        let mut to = targets & drop_zone(color, piece);
        if piece == Piece::Pawn {
            to &= !files(board.colored_pieces(color, Piece::Pawn));
            to &= !mating_pawn(board, color, to);
        }
        !to.is_empty() && visit(piece, to)
    })
}

/// The square among `to` where a pawn dropped by `color` would be mate, if there
/// is one.
#[inline]
fn mating_pawn(board: &Board, color: Color, to: BitBoard) -> BitBoard {
    let before_king = pawn_attacks(!color, board.king(!color)) & to;
    let Some(square) = before_king.next_square() else { return BitBoard::EMPTY };
    let mut after = board.clone();
    after.play_unchecked(Move::Drop { piece: Piece::Pawn, to: square });
    // Nothing can be dropped between a pawn and the king it attacks.
    let escapes = after.generate_board_moves(|_| true);
    if escapes { BitBoard::EMPTY } else { before_king }
}

#[cfg(test)]
mod tests {
    use super::*;
    use haitaka::Square;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn files_are_whole(a in any::<u128>(), b in any::<u128>(), c in any::<u128>()) {
            let set = BitBoard::new(a & b & c);
            let slow = set.iter().fold(BitBoard::EMPTY, |s, square| s | square.file().bitboard());
            prop_assert_eq!(files(set), slow);
        }
    }

    fn pawn_drops(sfen: &str) -> Vec<Square> {
        let mut squares = Vec::new();
        each(&Board::from_sfen(sfen).expect("a legal position"), |piece, to| {
            if piece == Piece::Pawn {
                squares.extend(to);
            }
            false
        });
        squares
    }

    #[test]
    fn mates_by_a_dropped_pawn_are_refused_on_any_file() {
        // The gold on 5c guards 5b, and lances beside the king keep it in.
        let boxed_in = "3lkl3/9/4G4/9/9/9/9/9/4K4 b P 1";
        assert!(!pawn_drops(boxed_in).contains(&Square::B5));
        assert_eq!(pawn_drops(boxed_in).len(), 8 * 9 - 2 - 1);
        let guarded_in_turn = "3lkl3/8r/4G4/9/9/9/9/9/4K4 b P 1";
        assert!(pawn_drops(guarded_in_turn).contains(&Square::B5), "the rook takes the pawn");
        let not_guarded = "3lkl3/9/9/9/9/9/9/9/4K4 b P 1";
        assert!(pawn_drops(not_guarded).contains(&Square::B5), "the king takes the pawn");
    }

    #[test]
    fn mates_by_a_dropped_pawn_are_refused_in_check_too() {
        // The rook on 4b checks, and pinned by the bishop it could not take a pawn
        // on 5b.
        let pinned = "3lkl3/K4r3/4G4/7B1/9/9/9/9/9 b P 1";
        assert_eq!(pawn_drops(pinned), [Square::B6, Square::B7, Square::B8]);
        let free = "3lkl3/K4r3/4G4/9/9/9/9/9/9 b P 1";
        assert_eq!(pawn_drops(free), [Square::B5, Square::B6, Square::B7, Square::B8]);
    }
}
