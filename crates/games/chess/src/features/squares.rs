//! What squares are worth to pieces, in hundredths of a pawn.
//!
//! A square's worth is that of its rank, counted from the side's own, plus that
//! of its file. Twelve short rows say so for the middlegame and the endgame; the
//! tables are made from them by the compiler, both halves in one number.

use cozy_chess::{Board, Color, Piece};

/// Worth by rank and by file.
type Profile = ([i32; 8], [i32; 8]);

/// Pawn, knight, bishop, rook, queen, king.
const MIDDLE: [Profile; 6] = [
    ([0, 0, 2, 8, 15, 25, 40, 0], [-6, -2, 2, 8, 8, 2, -2, -6]),
    ([-25, -10, 5, 12, 15, 12, -5, -20], [-25, -10, 3, 10, 10, 3, -10, -25]),
    ([-10, 2, 5, 6, 6, 4, 0, -8], [-6, 2, 3, 5, 5, 3, 2, -6]),
    ([0, -4, -4, -4, -2, 2, 15, 8], [-3, 0, 3, 6, 6, 3, 0, -3]),
    ([-2, 2, 3, 2, 2, 3, 2, 0], [-4, 0, 1, 2, 2, 1, 0, -4]),
    ([20, 0, -25, -45, -60, -60, -60, -60], [15, 20, 5, -15, -15, 0, 20, 15]),
];
const END: [Profile; 6] = [
    ([0, 0, 5, 12, 25, 45, 75, 0], [0, 0, 0, 0, 0, 0, 0, 0]),
    ([-20, -8, 4, 10, 10, 6, -6, -20], [-20, -8, 4, 10, 10, 4, -8, -20]),
    ([-8, 0, 4, 6, 6, 4, 0, -8], [-6, 0, 2, 4, 4, 2, 0, -6]),
    ([0, 0, 0, 0, 2, 4, 10, 4], [0, 0, 0, 0, 0, 0, 0, 0]),
    ([-10, -4, 2, 6, 8, 8, 4, 0], [-8, -2, 2, 5, 5, 2, -2, -8]),
    ([-30, -10, 8, 18, 22, 18, 6, -15], [-18, -5, 6, 14, 14, 6, -5, -18]),
];

/// The worth for the endgame times this, plus that for the middlegame.
const PACKED: i32 = 1 << 16;

const TABLE: [[i32; 64]; 6] = {
    let mut table = [[0; 64]; 6];
    let mut piece = 0;
    while piece < 6 {
        let mut square = 0;
        while square < 64 {
            let (rank, file) = (square / 8, square % 8);
            let middle = MIDDLE[piece].0[rank] + MIDDLE[piece].1[file];
            let end = END[piece].0[rank] + END[piece].1[file];
            table[piece][square] = end * PACKED + middle;
            square += 1;
        }
        piece += 1;
    }
    table
};

/// A side's sums for the middlegame and for the endgame.
#[inline]
pub(crate) fn sums(board: &Board, side: Color) -> (i32, i32) {
    let mut packed = 0;
    for (piece, table) in Piece::ALL.into_iter().zip(&TABLE) {
        for square in board.colored_pieces(side, piece) {
            packed += table[square.relative_to(side) as usize];
        }
    }
    // The lower half is the middlegame's with its sign; what is left divides.
    let middle = i32::from(packed as i16);
    (middle, (packed - middle) / PACKED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chess;
    use cozy_chess::Square;
    use evalsmith_core::{Game, Position, rng};
    use rand::RngExt;

    #[test]
    fn packed_sums_are_sums() {
        let mut random = rng::stream(5, "squares", 0);
        let mut board = Chess.start();
        for _ in 0..2000 {
            let legal: Vec<_> = board.moves().collect();
            board = match legal.len() {
                0 => Chess.start(),
                n => board.play(legal[random.random_range(0..n)]),
            };
            for side in Color::ALL {
                let sum = |profiles: &[Profile; 6]| -> i32 {
                    let worth = |square: Square| {
                        let piece = board.0.piece_on(square).expect("a piece") as usize;
                        let seen = square.relative_to(side);
                        let (ranks, files) = &profiles[piece];
                        ranks[seen.rank() as usize] + files[seen.file() as usize]
                    };
                    board.0.colors(side).into_iter().map(worth).sum()
                };
                assert_eq!(sums(&board.0, side), (sum(&MIDDLE), sum(&END)), "{board:?}");
            }
        }
    }
}
