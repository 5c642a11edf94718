//! Boards that no game can reach, as far as can be told at once.
//!
//! Discs are never taken off the board, and a disc is placed at the end of a line of
//! at least two others (one to flip, one to hold it). So the squares of a board can
//! be filled one by one from the middle four, each beside two filled squares in a
//! row. Where they cannot, no game leads there. The converse is not claimed: whether
//! the colours can come about is as hard as the game.

use evalsmith_othello::{Board, Kernel, Move};

/// The four squares that hold discs from the first move to the last.
const MIDDLE: u64 = 0x0000_0018_1800_0000;

/// A board that no game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A square of the middle without a disc.
    #[error(
        "{0} is empty, one of the four middle squares that hold discs in every game; check that the \
         squares run from a1 to h1, then a2, and so on"
    )]
    Middle(Move),
    /// A disc that nobody can have placed.
    #[error(
        "no game places a disc on {0}: discs are placed in line with two others, and there is no way \
         from the middle to this one; check that the squares run from a1 to h1, then a2, and so on"
    )]
    Detached(Move),
}

impl Impossible {
    /// The square at which it shows.
    pub const fn square(self) -> Move {
        match self {
            Self::Middle(square) | Self::Detached(square) => square,
        }
    }
}

/// Whether a game may lead to a board.
///
/// # Errors
/// When one of the four middle squares is empty, or the discs cannot have been placed
/// in any order.
pub fn check_possible<K: Kernel>(board: &Board<K>) -> Result<(), Impossible> {
    let first = |set: u64| Move(set.trailing_zeros() as u8);
    match board.empty() & MIDDLE {
        0 => {}
        missing => return Err(Impossible::Middle(first(missing))),
    }
    let discs = board.own() | board.opp();
    let mut placed = MIDDLE;
    loop {
        let next = placed | discs & beside_two(placed);
        if next == placed {
            break;
        }
        placed = next;
    }
    match discs & !placed {
        0 => Ok(()),
        detached => Err(Impossible::Detached(first(detached))),
    }
}

/// The squares next to two of the set in a row.
fn beside_two(set: u64) -> u64 {
    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let steps: [fn(u64) -> u64; 8] = [
        |s| (s & NOT_H) << 1,
        |s| (s & NOT_A) >> 1,
        |s| s << 8,
        |s| s >> 8,
        |s| (s & NOT_H) << 9,
        |s| (s & NOT_A) >> 9,
        |s| (s & NOT_A) << 7,
        |s| (s & NOT_H) >> 7,
    ];
    steps.iter().fold(0, |beside, step| beside | step(set & step(set)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, Position, rng};
    use evalsmith_othello::{Othello, Portable};
    use rand::RngExt;

    fn board(own: u64, opp: u64) -> Board<Portable> {
        Board::new(own, opp, Portable).expect("disjoint")
    }

    #[test]
    fn every_board_of_a_game_is_possible() {
        for index in 0..300 {
            let mut random = rng::stream(8, "possible", index);
            let mut board = Othello::new().start();
            while board.outcome().is_none() {
                assert_eq!(check_possible(&board), Ok(()), "{board:?}");
                let moves: Vec<_> = board.moves().collect();
                board = board.play(moves[random.random_range(0..moves.len())]);
            }
        }
    }

    #[test]
    fn the_middle_is_never_empty() {
        let error = check_possible(&board(1 << 27 | 1 << 28, 1 << 36)).unwrap_err();
        assert!(error.to_string().starts_with("d5 is empty"), "{error}");
    }

    #[test]
    fn discs_hang_together_with_the_middle() {
        let start = Othello::new().start();
        let of = |more: u64| check_possible(&board(start.own() | more, start.opp()));
        assert_eq!(of(1 << 18 | 1 << 9), Ok(()), "c3 and b2 go on from e5 and d4");
        for (more, named) in [(1, "a1"), (1 << 17, "b3"), (0xFF, "a1"), (1 << 38 | 1 << 39, "g5")] {
            let Err(Impossible::Detached(square)) = of(more) else { panic!("{named} was placed") };
            assert_eq!(square.to_string(), named);
        }
    }
}
