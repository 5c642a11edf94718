//! Atomic features: what patterns and configurations are made of (buro98 section 2).

use crate::Position;

/// Small whole numbers that tell a position apart square by square: in Othello
/// the 64 squares, each empty, the mover's or the opponent's.
///
/// Invariant: `write` fills every value below its range, as the side to move
/// sees the position, and the image of a position under symmetry `s` has at atom
/// `symmetries()[s][i]` the value that the position has at atom `i`.
pub trait Atoms<P: Position>: Send + Sync {
    /// The atoms' names ("a1"), in order.
    fn names(&self) -> Vec<String>;

    /// How many values each atom can take.
    fn ranges(&self) -> Vec<u8>;

    /// The values of a position; `values` has one place per atom.
    fn write(&self, position: &P, values: &mut [u8]);

    /// The values as the side that is not to move would see them, were it to move.
    fn write_waiting(&self, position: &P, values: &mut [u8]);

    /// Tells of every atom that a move changed for either side, in any order. By
    /// default all values are written and compared.
    fn changes(&self, before: &P, after: &P, tell: &mut dyn FnMut(Change)) {
        let read = |write: &dyn Fn(&mut [u8])| {
            let mut values = vec![0; self.ranges().len()];
            write(&mut values);
            values
        };
        // Who is to move after waited before.
        let mover = [
            read(&|values| self.write_waiting(before, values)),
            read(&|values| self.write(after, values)),
        ];
        let waiting = [
            read(&|values| self.write(before, values)),
            read(&|values| self.write_waiting(after, values)),
        ];
        for atom in 0..mover[0].len() {
            let at = |views: &[Vec<u8>; 2]| [views[0][atom], views[1][atom]];
            let change = Change { atom: atom as u16, mover: at(&mover), waiting: at(&waiting) };
            if change.mover[0] != change.mover[1] || change.waiting[0] != change.waiting[1] {
                tell(change);
            }
        }
    }

    /// Where each symmetry other than the identity sends every atom.
    fn symmetries(&self) -> Vec<Vec<u16>> {
        Vec::new()
    }
}

/// What a move made of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The atom's number.
    pub atom: u16,
    /// Its value before and after, as the side to move after the move sees it.
    pub mover: [u8; 2],
    /// The same as the other side sees it.
    pub waiting: [u8; 2],
}
