//! The columns of a fit, in standard deviations from their means.
//!
//! Newton's method then sees well-scaled numbers whatever the features' units,
//! and the information at zero weights is a quarter of the rows times the
//! correlation matrix, by which redundant columns are told.

use crate::pool::Pool;
use crate::wide::{Kernel, widest};
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
    pub(crate) pool: &'a Pool<'a>,
    pub(crate) columns: Vec<Column>,
    /// Zero for the intercept, one more than the pool's column for the others.
    terms: Vec<usize>,
}

impl<'a> Design<'a> {
    /// All columns that are not constant.
    pub(crate) fn standardised(pool: &'a Pool<'a>) -> Self {
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

/// Where the mean is so many deviations from the first value, a variance by
/// differences of squares loses digits that a second pass keeps.
const FAR: f64 = 100.0;

/// Mean and standard deviation; none of a constant.
fn standardise(x: &[f32]) -> Option<(f64, f64)> {
    let first = *x.first()?;
    if x.iter().all(|&v| v == first) {
        return None;
    }
    let n = x.len() as f64;
    let shift = f64::from(first);
    let (sum, squares) = sums(x, shift);
    let off = sum / n;
    let deviation = (squares / n - off * off).max(0.0).sqrt();
    if off.abs() <= FAR * deviation {
        return Some((shift + off, deviation));
    }
    let mean = shift + off;
    let (rest, squares) = sums(x, mean);
    Some((mean + rest / n, (squares / n).sqrt()))
}

fn sums(x: &[f32], shift: f64) -> (f64, f64) {
    widest(Distances { x, shift })
}

/// The sums of the distances from `shift` and of their squares, in eight lanes so
/// that they run in parallel within a core, yet in one order.
struct Distances<'a> {
    x: &'a [f32],
    shift: f64,
}

impl Kernel for Distances<'_> {
    type Sums = (f64, f64);

    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for AVX2")]
    #[inline(always)]
    fn run(self) -> (f64, f64) {
        let Self { x, shift } = self;
        let (blocks, rest) = x.as_chunks::<8>();
        let (mut sums, mut squares) = ([0.0; 8], [0.0; 8]);
        for block in blocks {
            for ((sum, square), &v) in sums.iter_mut().zip(&mut squares).zip(block) {
                let d = f64::from(v) - shift;
                *sum += d;
                *square += d * d;
            }
        }
        let last = rest.iter().map(|&v| f64::from(v) - shift);
        let rest = last.fold((0.0, 0.0), |(sum, square), d| (sum + d, square + d * d));
        (sums.iter().sum::<f64>() + rest.0, squares.iter().sum::<f64>() + rest.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        #[test]
        fn means_and_deviations_are_the_textbooks_wherever_the_first_value_lies(
            mut x in vec(-3.0..3.0_f32, 2..300), shift in -1000.0..1000.0_f32, outlier in any::<bool>(),
        ) {
            for v in &mut x {
                *v += shift;
            }
            if outlier {
                x[0] = 1e6;
            }
            prop_assume!(x.iter().any(|v| *v != x[0]));
            let (mean, deviation) = standardise(&x).expect("not constant");
            let n = x.len() as f64;
            let slow_mean = x.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
            let variance = x.iter().map(|&v| (f64::from(v) - slow_mean).powi(2)).sum::<f64>() / n;
            prop_assert!((mean - slow_mean).abs() < 1e-9 * (1.0 + slow_mean.abs()));
            prop_assert!((deviation / variance.sqrt() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_constant_has_no_standard_units() {
        assert!(standardise(&[7.0; 20]).is_none());
        assert!(standardise(&[]).is_none());
    }
}
