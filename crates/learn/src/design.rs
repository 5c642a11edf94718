//! The columns of a fit, in standard deviations from their means.
//!
//! Newton's method then sees well-scaled numbers whatever the features' units,
//! and the information at zero weights is a quarter of the rows times the
//! correlation matrix, by which redundant columns are told.

use crate::pool::Pool;
use rayon::prelude::*;

/// A column: the term it stands for, and how it is brought to standard units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Which of the pool's columns.
    pub(crate) index: usize,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

/// An intercept and columns in standard units.
pub(crate) struct Design<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) columns: Vec<Column>,
    /// Zero for the intercept, one more than the pool's column for the others.
    terms: Vec<usize>,
}

impl<'a> Design<'a> {
    /// All columns that are not constant.
    pub(crate) fn standardised(pool: &'a Pool) -> Self {
        let columns: Vec<_> = pool.columns.par_iter().map(|x| standardise(x)).collect();
        let columns = columns.into_iter().enumerate();
        let columns = columns
            .filter_map(|(index, m)| m.map(|(mean, deviation)| Column { index, mean, deviation }));
        let mut design = Self { pool, columns: columns.collect(), terms: Vec::new() };
        design.name_terms();
        design
    }

    fn name_terms(&mut self) {
        self.terms = std::iter::once(0).chain(self.columns.iter().map(|c| c.index + 1)).collect();
    }

    /// Intercept and columns.
    pub(crate) fn width(&self) -> usize {
        self.terms.len()
    }

    /// Zero for the intercept, one more than the feature for the others.
    pub(crate) fn terms(&self) -> &[usize] {
        &self.terms
    }

    /// Keeps the intercept and those columns whose place, the intercept being
    /// the first, is listed.
    pub(crate) fn keep(&mut self, places: &[usize]) {
        self.columns = places.iter().filter(|&&p| p > 0).map(|&p| self.columns[p - 1]).collect();
        self.name_terms();
    }

    /// The rows of the matrix that takes weights of standard units to weights of
    /// the features' own.
    pub(crate) fn original_units(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.width()]; self.width()];
        rows[0][0] = 1.0;
        for (i, column) in self.columns.iter().enumerate() {
            rows[0][i + 1] = -column.mean / column.deviation;
            rows[i + 1][i + 1] = 1.0 / column.deviation;
        }
        rows
    }
}

/// Mean and standard deviation; none of a constant.
fn standardise(x: &[f32]) -> Option<(f64, f64)> {
    let first = *x.first()?;
    if x.iter().all(|&v| v == first) {
        return None;
    }
    let n = x.len() as f64;
    let mean = sum(x, |v| v) / n;
    let deviation = (sum(x, |v| (v - mean) * (v - mean)) / n).sqrt();
    Some((mean, deviation))
}

/// The sum of `f` over the values, in eight lanes so that it runs in parallel
/// within a core, yet in one order.
fn sum(x: &[f32], f: impl Fn(f64) -> f64) -> f64 {
    let (blocks, rest) = x.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for block in blocks {
        for (lane, &v) in lanes.iter_mut().zip(block) {
            *lane += f(f64::from(v));
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&v| f(f64::from(v))).sum::<f64>()
}
