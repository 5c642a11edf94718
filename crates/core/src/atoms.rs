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

    /// Where each symmetry other than the identity sends every atom.
    fn symmetries(&self) -> Vec<Vec<u16>> {
        Vec::new()
    }
}
