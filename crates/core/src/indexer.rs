//! Sparse features: indices into tables of weights, kept up to date by moves.

use crate::Position;

/// Turns a position into a fixed number of table indices.
///
/// The state holds what both players see, since the mover's view alone changes
/// every square each ply. Invariant, which the conformance kit checks:
/// `advance` leads to the same indices as `start` on the later position.
pub trait Indexer<P: Position>: Send + Sync {
    /// Both players' views.
    type State: Clone;

    /// The size of the table each index points into, one entry per index.
    fn table_sizes(&self) -> Vec<u32>;

    /// The state from scratch.
    fn start(&self, position: &P) -> Self::State;

    /// The state after `m` led from `before` to `after`.
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &Self::State) -> Self::State;

    /// The indices as the side to move sees them.
    fn indices<'a>(&self, state: &'a Self::State) -> &'a [u16];
}
