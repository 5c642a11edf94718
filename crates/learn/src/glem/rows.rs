//! The active weights of many positions, two bytes each where tables allow.

use super::PatternSet;

/// Positions of one stage as a sparse matrix: `width` active weights a row.
///
/// Invariant: every index is below its column's table size, so that a weight's
/// number, column base plus index, is below `weights`.
#[derive(Clone, Debug)]
pub struct SparseRows {
    bases: Vec<u32>,
    sizes: Vec<u32>,
    weights: usize,
    indices: Indices,
    targets: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(super) enum Indices {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl SparseRows {
    /// No rows yet, of positions as these patterns see them.
    pub fn new(set: &PatternSet) -> Self {
        Self::with_tables(set.bases(), set.table_sizes(), set.weights())
    }

    /// No rows yet, with one column per table.
    ///
    /// # Panics
    /// When a table reaches beyond the weights, or bases and sizes differ in number.
    pub fn with_tables(bases: Vec<u32>, sizes: Vec<u32>, weights: usize) -> Self {
        assert_eq!(bases.len(), sizes.len(), "one base and one size a column");
        let inside = |(&base, &size): (&u32, &u32)| base as usize + size as usize <= weights;
        assert!(bases.iter().zip(&sizes).all(inside), "tables lie within the weights");
        let narrow = sizes.iter().all(|&size| size <= 1 << 16);
        let indices = if narrow { Indices::Narrow(Vec::new()) } else { Indices::Wide(Vec::new()) };
        Self { bases, sizes, weights, indices, targets: Vec::new() }
    }

    /// Appends a position with its label.
    ///
    /// # Panics
    /// When there is not one index per column, or one is beyond its table.
    pub fn push(&mut self, active: &[u32], target: f32) {
        assert_eq!(active.len(), self.width(), "one index a column");
        assert!(active.iter().zip(&self.sizes).all(|(i, size)| i < size), "an index of the table");
        match &mut self.indices {
            Indices::Narrow(all) => all.extend(active.iter().map(|&i| i as u16)),
            Indices::Wide(all) => all.extend_from_slice(active),
        }
        self.targets.push(target);
    }

    /// Appends all positions of other rows over the same tables.
    ///
    /// # Panics
    /// When they are over other tables.
    pub fn append(&mut self, other: &Self) {
        let same = self.bases == other.bases && self.sizes == other.sizes;
        assert!(same && self.weights == other.weights, "rows over the same tables");
        match (&mut self.indices, &other.indices) {
            (Indices::Narrow(all), Indices::Narrow(more)) => all.extend_from_slice(more),
            (Indices::Wide(all), Indices::Wide(more)) => all.extend_from_slice(more),
            _ => unreachable!("equal tables have equal indices"),
        }
        self.targets.extend_from_slice(&other.targets);
    }

    /// No rows, over the same tables.
    #[must_use]
    pub fn empty(&self) -> Self {
        Self::with_tables(self.bases.clone(), self.sizes.clone(), self.weights)
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Active weights of a position.
    pub fn width(&self) -> usize {
        self.bases.len()
    }

    /// Weights there are.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// The labels.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }

    pub(super) fn bases(&self) -> &[u32] {
        &self.bases
    }

    pub(super) fn indices(&self) -> &Indices {
        &self.indices
    }
}
