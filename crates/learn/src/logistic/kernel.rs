//! One pass over the rows: log-likelihood, gradient and Fisher information.
//!
//! Rows are taken in [blocks](crate::block), and chunks are added in their own
//! order: the result depends on the data alone.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into the AVX2 copy is not compiled for AVX2"
)]

use crate::block::{BLOCK, Block, Lane, blocks, dot, lane, log_likelihood};
use crate::design::Design;
use crate::exponential::exp_of_negative;
use crate::wide::{Kernel, widest};
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// What a pass adds up.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) log_likelihood: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) information: Symmetric,
}

impl Pass {
    /// The same sums over fewer columns.
    pub(super) fn selected(&self, kept: &[usize]) -> Self {
        Self {
            log_likelihood: self.log_likelihood,
            gradient: kept.iter().map(|&i| self.gradient[i]).collect(),
            information: self.information.selected(kept),
        }
    }
}

/// The sums over all rows at these weights.
pub(super) fn pass(design: &Design<'_>, weights: &[f64]) -> Pass {
    let chunks = design.pool.chunks.par_iter();
    let parts: Vec<Sums> = chunks.map(|games| widest(Chunk { design, weights, games })).collect();
    let mut total = Sums::zeros(design.width());
    for part in &parts {
        total.add(part);
    }
    Pass {
        log_likelihood: total.log_likelihood,
        gradient: total.gradient,
        information: Symmetric::from_lower(design.width(), total.information),
    }
}

/// The sums over a range of games.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    design: &'a Design<'a>,
    weights: &'a [f64],
    games: &'a Range<usize>,
}

impl Kernel for Chunk<'_> {
    type Sums = Sums;

    #[inline(always)]
    fn run(self) -> Sums {
        let Self { design, weights, games } = self;
        let mut sums = Sums::zeros(design.width());
        let mut predicted = Predicted::new(design.width());
        for rows in blocks(design.pool.rows_of(games)) {
            predicted.load(design, weights, rows);
            predicted.add_to(&mut sums);
        }
        sums
    }
}

/// What a chunk adds up.
#[derive(Debug, PartialEq)]
struct Sums {
    log_likelihood: f64,
    gradient: Vec<f64>,
    /// The lower triangle.
    information: Vec<f64>,
}

impl Sums {
    fn zeros(width: usize) -> Self {
        let triangle = width * (width + 1) / 2;
        Self { log_likelihood: 0.0, gradient: vec![0.0; width], information: vec![0.0; triangle] }
    }

    fn add(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        self.log_likelihood += other.log_likelihood;
        add(&mut self.gradient, &other.gradient);
        add(&mut self.information, &other.information);
    }
}

/// A row's residual and variance, and `e = exp(-|z|)`, by which both `p` and `1 - p` keep
/// their relative precision.
#[inline(always)]
fn predicted(z: f64, y: f64) -> (f64, f64, f64) {
    let e = exp_of_negative(-z.abs());
    let larger = 1.0 / (1.0 + e);
    let smaller = e * larger;
    let (p, q) = if z >= 0.0 { (larger, smaller) } else { (smaller, larger) };
    (y * q - (1.0 - y) * p, p * q, e)
}

/// Rows predicted: their residuals and variances.
struct Predicted {
    block: Block,
    variance: Lane,
    log_likelihood: f64,
}

impl Predicted {
    fn new(width: usize) -> Self {
        Self { block: Block::new(width), variance: [0.0; BLOCK], log_likelihood: 0.0 }
    }

    /// Takes in the rows and predicts them.
    #[inline(always)]
    fn load(&mut self, design: &Design<'_>, weights: &[f64], rows: Range<usize>) {
        self.block.fill(design, rows.clone());
        let log_odds = self.block.weighted(weights);
        let n = rows.len();
        let points = lane(&design.pool.points[rows]);
        self.predict(n, &log_odds, &points);
    }

    #[inline(always)]
    fn predict(&mut self, n: usize, log_odds: &Lane, points: &Lane) {
        let mut exponentials = [0.0; BLOCK];
        for i in 0..BLOCK {
            (self.block.residual[i], self.variance[i], exponentials[i]) =
                predicted(log_odds[i], points[i]);
        }
        self.block.residual[n..].fill(0.0);
        self.variance[n..].fill(0.0);
        self.log_likelihood = log_likelihood(n, log_odds, points, &exponentials);
    }

    #[inline(always)]
    fn add_to(&self, sums: &mut Sums) {
        sums.log_likelihood += self.log_likelihood;
        let mut weighted = [0.0; BLOCK];
        let mut cell = 0;
        for (i, x) in self.block.x.iter().enumerate() {
            sums.gradient[i] += dot(x, &self.block.residual);
            for ((w, x), v) in weighted.iter_mut().zip(x).zip(&self.variance) {
                *w = x * v;
            }
            for other in &self.block.x[..=i] {
                sums.information[cell] += dot(&weighted, other);
                cell += 1;
            }
        }
    }
}

/// Takes rows into a block and leaves what their predicted probabilities do not tell.
pub(super) fn residuals(
    design: &Design<'_>,
    weights: &[f64],
    block: &mut Block,
    rows: Range<usize>,
) {
    let n = rows.len();
    block.fill(design, rows.clone());
    let log_odds = block.weighted(weights);
    let points = lane(&design.pool.points[rows]);
    for ((left, &z), y) in block.residual.iter_mut().zip(&log_odds).zip(&points) {
        (*left, _, _) = predicted(z, *y);
    }
    block.residual[n..].fill(0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::testing::TwoFeatures;
    use crate::pool::Pool;
    use evalsmith_core::Stage;
    use proptest::{collection::vec, prelude::*};

    /// The sums row by row, as the formulas are written.
    fn slow(design: &Design<'_>, weights: &[f64]) -> Sums {
        let width = design.width();
        let mut sums = Sums::zeros(width);
        for row in 0..design.pool.rows() {
            let mut x = vec![1.0];
            x.extend(
                design
                    .columns
                    .iter()
                    .map(|c| (f64::from(design.pool.columns[c.index][row]) - c.mean) / c.deviation),
            );
            let z: f64 = x.iter().zip(weights).map(|(x, w)| x * w).sum();
            let (p, y) = (1.0 / (1.0 + (-z).exp()), f64::from(design.pool.points[row]));
            sums.log_likelihood += y * p.ln() + (1.0 - y) * (1.0 - p).ln();
            let mut cell = 0;
            for i in 0..width {
                sums.gradient[i] += x[i] * (y - p);
                for j in 0..=i {
                    sums.information[cell] += p * (1.0 - p) * x[i] * x[j];
                    cell += 1;
                }
            }
        }
        sums
    }

    proptest! {
        #[test]
        fn blocks_add_up_to_the_formulas_and_avx2_to_the_same_bits(
            rows in vec((0_u8..3, 0_u32..7, -9.0..9.0_f32, 90.0..110.0_f32), 2..500),
            weights in vec(-2.0..2.0_f64, 3),
        ) {
            let table = TwoFeatures::of(&rows);
            let pool = Pool::gather(&table.examples(), (Stage(0), Stage(0)));
            let design = Design::standardised(&pool);
            prop_assume!(design.width() == 3);
            let all = 0..pool.games();
            let chunk = Chunk { design: &design, weights: &weights, games: &all };
            let found = chunk.run();
            prop_assert_eq!(&widest(chunk), &found);
            let slow = slow(&design, &weights);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
            prop_assert!(close(found.log_likelihood, slow.log_likelihood));
            let pairs = found.gradient.iter().zip(&slow.gradient);
            prop_assert!(pairs.chain(found.information.iter().zip(&slow.information)).all(|(a, b)| close(*a, *b)));
        }
    }
}
