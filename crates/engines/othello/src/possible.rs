//! Boards that no game can reach, as far as a glance tells.

use evalsmith_othello::{Board, Kernel, Move};

/// The four squares that hold discs from the first move to the last.
const MIDDLE: u64 = 0x0000_0018_1800_0000;

/// A board that no game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{square} is empty, one of the four middle squares that hold discs in every game")]
pub struct Impossible {
    /// A square of the middle without a disc.
    pub square: Move,
}

/// Whether a game may lead to a board.
///
/// # Errors
/// When one of the four middle squares is empty.
pub fn check_possible<K: Kernel>(board: &Board<K>) -> Result<(), Impossible> {
    match board.empty() & MIDDLE {
        0 => Ok(()),
        missing => Err(Impossible { square: Move(missing.trailing_zeros() as u8) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Game;
    use evalsmith_othello::{Othello, Portable};

    #[test]
    fn the_middle_is_never_empty() {
        assert_eq!(check_possible(&Othello::new().start()), Ok(()));
        let board = Board::new(1 << 27 | 1 << 28, 1 << 36, Portable).expect("disjoint");
        let error = check_possible(&board).unwrap_err();
        assert!(error.to_string().starts_with("d5 is empty"), "{error}");
    }
}
