//! The squares as atoms: whose tile stands there, with how many balls.

use crate::board::Board;
use crate::square::{Set, Square, flip};
use evalsmith_core::Atoms;

/// Balls told apart: three stand for more.
const MOST: u8 = 3;

/// The 36 squares, `a1` on the mover's base line: 0 without a tile, 1 to 4 the mover's
/// with none to three and more balls, 5 to 8 the opponent's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Squares;

impl Atoms<Board> for Squares {
    fn names(&self) -> Vec<String> {
        Square::all().map(|square| square.to_string()).collect()
    }

    fn ranges(&self) -> Vec<u8> {
        vec![3 + 2 * MOST; 36]
    }

    fn write(&self, board: &Board, values: &mut [u8]) {
        write(board.own, board.enemy, |square| board.balls.on(square), values);
    }

    fn write_waiting(&self, board: &Board, values: &mut [u8]) {
        let balls = |square: Square| board.balls.on(square.flipped());
        write(flip(board.enemy), flip(board.own), balls, values);
    }

    fn symmetries(&self) -> Vec<Vec<u16>> {
        vec![(0..36).map(|square| square / 6 * 6 + 5 - square % 6).collect()]
    }
}

fn write(own: Set, enemy: Set, balls: impl Fn(Square) -> u8, values: &mut [u8]) {
    for (square, value) in Square::all().zip(values) {
        let tile = 1 + balls(square).min(MOST);
        *value = if own & square.set() != 0 {
            tile
        } else if enemy & square.set() != 0 {
            tile + MOST + 1
        } else {
            0
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::Malawi;
    use evalsmith_core::conformance;

    #[test]
    fn squares_are_those_of_either_side() {
        conformance::check_atoms(&Malawi, 30);
    }
}
