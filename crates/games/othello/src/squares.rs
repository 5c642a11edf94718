//! The 64 squares as atoms of patterns: empty, the mover's, the opponent's.

use crate::{Board, Kernel, Move, symmetry};
use evalsmith_core::{Atoms, Change};

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
        write(position.own(), position.opp(), values);
    }

    fn write_waiting(&self, position: &Board<K>, values: &mut [u8]) {
        write(position.opp(), position.own(), values);
    }

    /// The square played on, and the discs turned over.
    fn changes(&self, before: &Board<K>, after: &Board<K>, tell: &mut dyn FnMut(Change)) {
        let value = |mine: u64, theirs: u64, square: u32| {
            (mine >> square & 1) as u8 + 2 * (theirs >> square & 1) as u8
        };
        let mut changed = (before.opp() ^ after.own()) | (before.own() ^ after.opp());
        while changed != 0 {
            let square = changed.trailing_zeros();
            changed &= changed - 1;
            let old = [before.opp(), before.own()];
            let new = [after.own(), after.opp()];
            tell(Change {
                atom: square as u16,
                mover: [value(old[0], old[1], square), value(new[0], new[1], square)],
                waiting: [value(old[1], old[0], square), value(new[1], new[0], square)],
            });
        }
    }

    fn symmetries(&self) -> Vec<Vec<u16>> {
        let mut maps = vec![Vec::new(); symmetry::images(Move::PASS).count()];
        for square in 0..64 {
            let images = symmetry::images(Move(square));
            maps.iter_mut().zip(images).for_each(|(map, m)| map.push(u16::from(m.0)));
        }
        maps
    }
}

fn write(mine: u64, theirs: u64, values: &mut [u8]) {
    for (square, value) in values.iter_mut().enumerate() {
        *value = (mine >> square & 1) as u8 + 2 * (theirs >> square & 1) as u8;
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
