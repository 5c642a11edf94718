//! The 64 squares as atoms of patterns: empty, the mover's, the opponent's.

use crate::{Board, Kernel, Move, symmetry};
use evalsmith_core::{Atoms, Symmetry};

/// The squares a1, b1, ... h8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Squares;

impl<K: Kernel> Atoms<Board<K>> for Squares {
    fn names(&self) -> Vec<String> {
        (0..64).map(|square| Move(square).to_string()).collect()
    }

    fn ranges(&self) -> Vec<u8> {
        vec![3; 64]
    }

    fn write(&self, position: &Board<K>, values: &mut [u8]) {
        let (own, opp) = (position.own(), position.opp());
        for (square, value) in values.iter_mut().enumerate() {
            *value = (own >> square & 1) as u8 + 2 * (opp >> square & 1) as u8;
        }
    }

    fn symmetries(&self) -> Vec<Vec<u16>> {
        let images = |symmetry: Symmetry<Board<K>>| {
            (0..64).map(|square| u16::from((symmetry.mv)(Move(square)).0)).collect()
        };
        symmetry::all().into_iter().map(images).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Othello;
    use evalsmith_core::conformance;

    #[test]
    fn squares_are_atoms() {
        conformance::check_atoms(&Othello::new(), 100);
    }
}
