//! The entering king: when the side to move may declare that it has won.
//!
//! The 27-point rule of the CSA's computer championships, which USI's `win`
//! stands for: the king stands in the promotion zone and is not in check, ten
//! other pieces of its side stand there too, and these with all in hand are worth
//! 28 points for Black or 27 for White, where rooks and bishops count five,
//! promoted or not, and all others one. Together with the opponent's there are
//! 54, so the two bounds leave no draw.

use crate::board::Board;
use haitaka::{Color, Piece};

const COMPANIONS: u32 = 10;
const MAJOR: u32 = 5;

/// Whether the side to move may declare its win.
pub(crate) fn may_declare(board: &Board) -> bool {
    let inner = &board.0;
    let color = inner.side_to_move();
    let entered = inner.colors(color) & haitaka::prom_zone(color);
    if board.in_check() || !entered.has(inner.king(color)) {
        return false;
    }
    let companions = entered & !inner.pieces(Piece::King);
    let big = [Piece::Rook, Piece::Bishop, Piece::PRook, Piece::PBishop];
    let majors: u32 = big.iter().map(|&piece| (companions & inner.pieces(piece)).len()).sum();
    let in_hand: u32 = inner.hands()[color as usize].iter().map(|&n| u32::from(n)).sum();
    let held = |piece| u32::from(inner.num_in_hand(color, piece));
    let majors = majors + held(Piece::Rook) + held(Piece::Bishop);
    let points = companions.len() + in_hand + (MAJOR - 1) * majors;
    let enough = match color {
        Color::Black => 28,
        Color::White => 27,
    };
    companions.len() >= COMPANIONS && points >= enough
}

#[cfg(test)]
mod tests {
    use crate::Shogi;
    use evalsmith_core::Game;

    fn may_declare(sfen: &str) -> bool {
        let (board, _) = Shogi.parse(sfen).unwrap();
        Shogi.may_declare_win(&board)
    }

    #[test]
    fn black_needs_28_points_and_white_27() {
        // Ten promoted pawns beside the king, ten points for two rooks in hand,
        // and the rest one by one.
        let black = |hand: &str| format!("+P+P+P+P+P4/1K+P+P+P+P+P2/9/9/9/9/9/9/4k4 b {hand} 1");
        assert!(may_declare(&black("2R4G4S")));
        assert!(!may_declare(&black("2R4G3S")));
        assert!(may_declare(&black("RB4G4S")));
        let white = "4K4/9/9/9/9/9/9/2+p+p+p+p+pk1/4+p+p+p+p+p w 2r4g3s 1";
        assert!(may_declare(white));
        assert!(!may_declare(&white.replace("3s", "2s")));
        assert!(may_declare(&white.replace("2r", "2b")));
    }

    #[test]
    fn pieces_outside_the_zone_count_nothing() {
        let inside = "+P+P+P+P+P4/1K+P+P+P+P+P2/8+R/9/9/9/9/9/4k4 b B4G4S 1";
        assert!(may_declare(inside));
        let outside = "+P+P+P+P+P4/1K+P+P+P+P+P2/9/8+R/9/9/9/9/4k4 b B4G4S 1";
        assert!(!may_declare(outside));
    }

    #[test]
    fn king_and_ten_others_must_stand_there_without_check() {
        let hand = "2R2B4G4S";
        let board = |rows: &str| format!("{rows}/9/9/9/9/9/4k4 b {hand} 1");
        assert!(may_declare(&board("+P+P+P+P+P4/1K+P+P+P+P+P2/9")));
        assert!(!may_declare(&board("+P+P+P+P+P4/1K+P+P+P+P3/9")), "nine");
        let outside = format!("+P+P+P+P+P4/2+P+P+P+P+P2/9/1K7/9/9/9/9/4k4 b {hand} 1");
        assert!(!may_declare(&outside), "the king stays behind");
        let check = "+P+P+P+P+P4/1K+P+P+P+P+P2/9/1r7/9/9/9/9/4k4 b R2B4G4S 1";
        assert!(!may_declare(check));
        assert!(may_declare(&check.replace("1r7", "r8")));
        let start = Shogi.start();
        assert!(!Shogi.may_declare_win(&start));
    }
}
