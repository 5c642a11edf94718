//! What a side's pieces attack: the work that mobility and king safety share.

use cozy_chess::{
    BitBoard, Board, Color, Piece, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

/// The attacks of one side's knights, bishops, rooks and queens, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attacks {
    /// By kind of piece: attacked squares without own pieces that no enemy pawn
    /// attacks.
    pub(crate) mobility: [i32; 4],
    /// Attacks on the enemy king's square and those around it; a rook's count
    /// double, a queen's three times.
    pub(crate) on_king: i32,
}

const ON_KING: [i32; 4] = [1, 1, 2, 3];

/// The squares that a side's pawns attack.
#[inline]
fn pawn_attacks(pawns: BitBoard, side: Color) -> BitBoard {
    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let (left, right) = (pawns.0 >> 1 & NOT_H, pawns.0 << 1 & NOT_A);
    BitBoard(match side {
        Color::White => (left | right) << 8,
        Color::Black => (left | right) >> 8,
    })
}

impl Attacks {
    /// Counts a side's attacks.
    #[inline]
    pub(crate) fn of(board: &Board, side: Color) -> Self {
        let occupied = board.occupied();
        let guarded = pawn_attacks(board.colored_pieces(!side, Piece::Pawn), !side);
        let free = !(board.colors(side) | guarded);
        let king = board.king(!side);
        let around = get_king_moves(king) | king.bitboard();

        let mut attacks = Self::default();
        let mut add =
            |kind: usize, piece: Piece, reach: &dyn Fn(cozy_chess::Square) -> BitBoard| {
                for square in board.colored_pieces(side, piece) {
                    let reached = reach(square);
                    attacks.mobility[kind] += (reached & free).len() as i32;
                    attacks.on_king += ON_KING[kind] * (reached & around).len() as i32;
                }
            };
        add(0, Piece::Knight, &get_knight_moves);
        add(1, Piece::Bishop, &|square| get_bishop_moves(square, occupied));
        add(2, Piece::Rook, &|square| get_rook_moves(square, occupied));
        add(3, Piece::Queen, &|square| {
            get_bishop_moves(square, occupied) | get_rook_moves(square, occupied)
        });
        attacks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cozy_chess::get_pawn_attacks;
    use proptest::prelude::*;

    #[test]
    fn attacks_are_counted_by_hand() {
        // The knight attacks c2 and b3; the queen's lines are open but for the king.
        let board: Board = "7k/8/8/8/8/1p6/1P6/N3K2Q b - - 0 1".parse().expect("a position");
        let attacks = Attacks::of(&board, Color::White);
        // b3 holds a pawn that may be taken, c2 is attacked by it.
        assert_eq!(attacks.mobility, [1, 0, 0, 2 + 7 + 7]);
        // h8 and h7 are on the queen's file.
        assert_eq!(attacks.on_king, 2 * 3);
        assert_eq!(Attacks::of(&board, Color::Black), Attacks::default());
    }

    proptest! {
        #[test]
        fn pawns_attack_together_what_each_does(pawns in any::<u64>()) {
            let pawns = BitBoard(pawns);
            for side in Color::ALL {
                let one_by_one =
                    pawns.into_iter().fold(BitBoard::EMPTY, |all, s| all | get_pawn_attacks(s, side));
                prop_assert_eq!(pawn_attacks(pawns, side), one_by_one);
            }
        }
    }
}
