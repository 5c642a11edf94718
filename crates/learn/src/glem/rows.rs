//! The active weights of many positions, two bytes each where tables allow.
//!
//! Rows stand in blocks, and within a block column by column: a pass over a column
//! stays in one table, and the tables of a stage together are larger than the caches
//! that serve without delay.

use super::PatternSet;

/// Rows of a block. No power of two, so that writing a row does not hit one set of the
/// caches again and again.
pub(super) const BLOCK: usize = 4000;

/// Positions of one stage as a sparse matrix: `width` active weights a row, and beside
/// them weights that are multiplied by a number of the row (buro98's linear terms).
///
/// Invariant: every index is below its column's table size, so that a weight's
/// number, column base plus index, is below `weights`.
#[derive(Clone, Debug)]
pub struct SparseRows {
    bases: Vec<u32>,
    sizes: Vec<u32>,
    weights: usize,
    linear: usize,
    indices: Indices,
    factors: Vec<f32>,
    targets: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(super) enum Indices {
    Narrow(Vec<Box<[u16]>>),
    Wide(Vec<Box<[u32]>>),
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
        let (factors, targets) = (Vec::new(), Vec::new());
        Self { bases, sizes, weights, linear: 0, indices, factors, targets }
    }

    /// The same with `count` linear terms, whose weights follow all others.
    ///
    /// # Panics
    /// When there are rows already.
    #[must_use]
    pub fn with_linear_terms(mut self, count: usize) -> Self {
        assert!(self.is_empty(), "terms before rows");
        self.weights += count;
        self.linear = count;
        self
    }

    /// Appends a position with its label.
    ///
    /// # Panics
    /// When there is not one index per column, one is beyond its table, or rows have
    /// linear terms.
    pub fn push(&mut self, active: &[u32], target: f32) {
        self.push_with(active, &[], target);
    }

    /// Appends a position with the factors of its linear terms and its label.
    ///
    /// # Panics
    /// When there is not one index per column and one factor per linear term, or an
    /// index is beyond its table.
    pub fn push_with(&mut self, active: &[u32], factors: &[f32], target: f32) {
        assert_eq!(active.len(), self.width(), "one index a column");
        assert_eq!(factors.len(), self.linear, "one factor a linear term");
        assert!(active.iter().zip(&self.sizes).all(|(i, size)| i < size), "an index of the table");
        let row = self.len();
        match &mut self.indices {
            Indices::Narrow(blocks) => place(blocks, row, active, |i| i as u16),
            Indices::Wide(blocks) => place(blocks, row, active, |i| i),
        }
        self.factors.extend_from_slice(factors);
        self.targets.push(target);
    }

    /// No rows, over the same tables.
    #[must_use]
    pub fn empty(&self) -> Self {
        let tables = self.weights - self.linear;
        Self::with_tables(self.bases.clone(), self.sizes.clone(), tables)
            .with_linear_terms(self.linear)
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

    /// Weights there are, those of linear terms last.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// The labels.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }

    /// The first weight of a column's table and their number.
    pub(super) fn table(&self, column: usize) -> std::ops::Range<usize> {
        let base = self.bases[column] as usize;
        base..base + self.sizes[column] as usize
    }

    pub(super) fn indices(&self) -> &Indices {
        &self.indices
    }

    /// The number of linear terms, and their factors row by row.
    pub(super) fn linear(&self) -> (usize, &[f32]) {
        (self.linear, &self.factors)
    }
}

fn place<I: Copy + Default>(
    blocks: &mut Vec<Box<[I]>>,
    row: usize,
    active: &[u32],
    of: impl Fn(u32) -> I,
) {
    if row.is_multiple_of(BLOCK) {
        blocks.push(vec![I::default(); BLOCK * active.len()].into());
    }
    let block = blocks.last_mut().expect("one was pushed with the first row");
    for (cell, &index) in block.iter_mut().skip(row % BLOCK).step_by(BLOCK).zip(active) {
        *cell = of(index);
    }
}
