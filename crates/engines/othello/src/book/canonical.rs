//! A position and its seven images as one.
//!
//! The eight symmetries of the square are made of three mirrors, each its own
//! inverse: along the diagonal, left to right, top to bottom. Of a position's images
//! the one with the smallest discs of the side to move, then of the opponent, stands
//! for all.
//!
//! Invariant: all images of a position have the same [`Canonical`].

use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move, Portable, mirror, transpose};

/// One of the eight symmetries: the mirrors that are applied, in the order above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn(u8);

impl Turn {
    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }

    fn of_set(self, mut set: u64) -> u64 {
        if self.0 & 1 != 0 {
            set = transpose(set);
        }
        if self.0 & 2 != 0 {
            set = mirror(set);
        }
        if self.0 & 4 != 0 {
            set = set.swap_bytes();
        }
        set
    }

    fn back_set(self, mut set: u64) -> u64 {
        if self.0 & 4 != 0 {
            set = set.swap_bytes();
        }
        if self.0 & 2 != 0 {
            set = mirror(set);
        }
        if self.0 & 1 != 0 {
            set = transpose(set);
        }
        set
    }

    /// The move on the board as it stood before the turn.
    pub(super) fn back(self, m: Move) -> Move {
        if m == Move::PASS { m } else { Move(self.back_set(m.bit()).trailing_zeros() as u8) }
    }

    /// The move on the board after the turn.
    #[cfg(test)]
    pub(super) fn of(self, m: Move) -> Move {
        if m == Move::PASS { m } else { Move(self.of_set(m.bit()).trailing_zeros() as u8) }
    }
}

/// The image that stands for a position, ordered by the number of its discs first:
/// whatever follows from a position comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Canonical {
    pub(super) discs: u8,
    pub(super) own: u64,
    pub(super) opp: u64,
}

impl Canonical {
    /// The image, and the turn that makes it of the position.
    pub(super) fn of<K: Kernel>(board: &Board<K>) -> (Self, Turn) {
        let (own, opp) = (board.own(), board.opp());
        let images = Turn::all().map(|turn| ((turn.of_set(own), turn.of_set(opp)), turn));
        let ((own, opp), turn) = images.min_by_key(|(image, _)| *image).expect("eight images");
        (Self { discs: (own | opp).count_ones() as u8, own, opp }, turn)
    }

    pub(super) fn board(self) -> Board<Portable> {
        Board::new(self.own, self.opp, Portable).expect("an image of a board is one")
    }
}

/// Where a move leads: to the position in which the next decision is taken, or the game
/// is over. The side that cannot move has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Successor<K: Kernel> {
    pub(super) board: Board<K>,
    /// Whether it is the same side's turn again.
    pub(super) again: bool,
}

impl<K: Kernel> Successor<K> {
    pub(super) fn of(board: &Board<K>, m: Move) -> Self {
        let (board, again) = decided(&board.play(m));
        Self { board, again }
    }

    /// A value of the position it leads to, for the side that plays the move.
    pub(super) fn seen<V: std::ops::Neg<Output = V>>(&self, value: V) -> V {
        if self.again { value } else { -value }
    }
}

/// The position in which the next decision is taken: past a forced pass.
pub(super) fn decided<K: Kernel>(board: &Board<K>) -> (Board<K>, bool) {
    if board.mobility() == 0 && board.opponent_mobility() != 0 {
        (board.passed(), true)
    } else {
        (*board, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, rng};
    use evalsmith_othello::Othello;
    use proptest::prelude::*;
    use rand::RngExt;

    /// The position after so many random moves, or where the game ends before.
    fn after(seed: u64, moves: usize) -> Board<Portable> {
        let mut random = rng::stream(seed, "canonical", 0);
        let mut board = Othello::new().start();
        for _ in 0..moves {
            let legal: Vec<_> = board.moves().collect();
            if legal.is_empty() {
                break;
            }
            board = board.play(legal[random.random_range(0..legal.len())]);
        }
        board
    }

    proptest! {
        #[test]
        fn all_images_are_one_and_moves_find_their_way_back(
            seed in any::<u64>(), moves in 0_usize..60,
        ) {
            let board = after(seed, moves);
            let (one, turn) = Canonical::of(&board);
            prop_assert_eq!(Canonical::of(&one.board()).0, one);
            for symmetry in Othello::new().symmetries() {
                prop_assert_eq!(Canonical::of(&(symmetry.position)(&board)).0, one);
            }
            for m in board.moves() {
                let there = turn.of(m);
                prop_assert!(one.board().moves().any(|legal| legal == there));
                prop_assert_eq!(turn.back(there), m);
                let (here, image) = (board.play(m), one.board().play(there));
                prop_assert_eq!(Canonical::of(&here).0, Canonical::of(&image).0);
            }
        }

        #[test]
        fn nobody_has_to_pass_where_a_move_leads(seed in any::<u64>(), moves in 0_usize..60) {
            let board = after(seed, moves);
            for m in board.moves() {
                let next = Successor::of(&board, m);
                prop_assert!(next.board.mobility() != 0 || next.board.outcome().is_some());
                let plain = board.play(m);
                prop_assert_eq!(next.board, if next.again { plain.passed() } else { plain });
                prop_assert_eq!(decided(&plain), (next.board, next.again));
            }
        }
    }

    #[test]
    fn all_first_moves_lead_to_one_position() {
        let start = Othello::new().start();
        let mut images: Vec<_> = start.moves().map(|m| Canonical::of(&start.play(m)).0).collect();
        images.dedup();
        assert_eq!(images.len(), 1);
    }
}
