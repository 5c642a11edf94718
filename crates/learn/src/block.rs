//! Rows in blocks that stay in the first-level cache, brought to standard units
//! there, and padded with zeros to a fixed length so that every loop is a loop
//! over an array.
//!
//! Sums run in eight lanes in a fixed order: a result depends on the data alone.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into a kernel's AVX2 copy is not compiled for AVX2"
)]

use crate::design::Design;
use std::ops::Range;

/// Rows of a block.
pub(crate) const BLOCK: usize = 128;
/// One number per row of a block.
pub(crate) type Lane = [f64; BLOCK];

/// Cuts rows into blocks.
pub(crate) fn blocks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
}

/// Some rows in standard units, with what their prediction leaves over.
pub(crate) struct Block {
    /// Columns, the intercept first; zero past the last row.
    pub(crate) x: Vec<Lane>,
    /// Target less prediction; zero past the last row.
    pub(crate) residual: Lane,
}

impl Block {
    pub(crate) fn new(width: usize) -> Self {
        Self { x: vec![[0.0; BLOCK]; width], residual: [0.0; BLOCK] }
    }

    /// Takes in the rows of the design's columns.
    #[inline(always)]
    pub(crate) fn fill(&mut self, design: &Design<'_>, rows: Range<usize>) {
        let n = rows.len();
        self.x[0][..n].fill(1.0);
        self.x[0][n..].fill(0.0);
        for (x, column) in self.x[1..].iter_mut().zip(&design.columns) {
            let scale = 1.0 / column.deviation;
            let from = &design.pool.columns[column.index][rows.clone()];
            for (x, &raw) in x.iter_mut().zip(from) {
                *x = (f64::from(raw) - column.mean) * scale;
            }
            x[n..].fill(0.0);
        }
    }

    /// Takes in chosen rows, at most as many as a block has.
    #[inline(always)]
    pub(crate) fn gather(&mut self, design: &Design<'_>, rows: &[usize]) {
        let n = rows.len();
        self.x[0][..n].fill(1.0);
        self.x[0][n..].fill(0.0);
        for (x, column) in self.x[1..].iter_mut().zip(&design.columns) {
            let scale = 1.0 / column.deviation;
            let from = &design.pool.columns[column.index];
            for (x, &row) in x.iter_mut().zip(rows) {
                *x = (f64::from(from[row]) - column.mean) * scale;
            }
            x[n..].fill(0.0);
        }
    }

    /// The weighted sum of the columns, row by row.
    #[inline(always)]
    pub(crate) fn weighted(&self, weights: &[f64]) -> Lane {
        let mut sums = [0.0; BLOCK];
        for (x, &weight) in self.x.iter().zip(weights) {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += weight * x;
            }
        }
        sums
    }

    /// What a weighted sum of the columns leaves of the targets.
    #[inline(always)]
    pub(crate) fn leave(&mut self, weights: &[f64], targets: &Lane) {
        let sums = self.weighted(weights);
        for ((left, target), sum) in self.residual.iter_mut().zip(targets).zip(&sums) {
            *left = target - sum;
        }
    }
}

/// With `e = exp(-|z|)` of the log-odds `z`, the log-likelihood
/// `y z - max(z, 0) - ln (1 + e)` of `n` rows needs one logarithm a block:
/// factors between 1 and 2 cannot overflow a product of 128.
#[inline(always)]
pub(crate) fn log_likelihood(n: usize, log_odds: &Lane, points: &Lane, e: &Lane) -> f64 {
    let mut gain = [0.0; BLOCK];
    let mut factor = [1.0; BLOCK];
    for i in 0..BLOCK {
        let (z, y) = (log_odds[i], points[i]);
        gain[i] = y * z - z.max(0.0);
        factor[i] = 1.0 + e[i];
    }
    let product: f64 = factor[..n].iter().product();
    gain[..n].iter().sum::<f64>() - product.ln()
}

/// Numbers of some rows, zero past the last.
#[inline(always)]
pub(crate) fn lane(from: &[f32]) -> Lane {
    let mut lane = [0.0; BLOCK];
    for (to, &raw) in lane.iter_mut().zip(from) {
        *to = f64::from(raw);
    }
    lane
}

#[inline(always)]
pub(crate) fn dot(a: &Lane, b: &Lane) -> f64 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}
