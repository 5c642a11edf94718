//! The log-likelihood of results under log-odds that are a polynomial of the
//! second degree in a design's columns.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into the AVX2 copy is not compiled for AVX2"
)]

use crate::block::{self, BLOCK, Block, blocks, lane};
use crate::design::Design;
use crate::exponential::exp_of_negative;
use crate::wide::{Kernel, widest};
use rayon::prelude::*;
use std::ops::Range;

/// The sum of `y ln p + (1 - y) ln (1 - p)`, where the log-odds of a row are
/// `weights` times the intercept and the columns, and `products`, a lower
/// triangle, times their products; an empty triangle leaves the weighted sum.
pub(crate) fn log_likelihood(design: &Design<'_>, weights: &[f64], products: &[f64]) -> f64 {
    let chunks = design.pool.chunks.par_iter();
    let chunk = |games| widest(Chunk { design, weights, products, games });
    let parts: Vec<f64> = chunks.map(chunk).collect();
    parts.iter().sum()
}

#[derive(Clone, Copy)]
struct Chunk<'a> {
    design: &'a Design<'a>,
    weights: &'a [f64],
    products: &'a [f64],
    games: &'a Range<usize>,
}

impl Kernel for Chunk<'_> {
    type Sums = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self { design, weights, products, games } = self;
        let mut sum = 0.0;
        let mut block = Block::new(design.width());
        for rows in blocks(design.pool.rows_of(games)) {
            let n = rows.len();
            block.fill(design, rows.clone());
            let mut log_odds = block.weighted(weights);
            let columns = &block.x[1..];
            let mut rest = products;
            for (i, x) in
                columns.iter().enumerate().take(if products.is_empty() { 0 } else { columns.len() })
            {
                let (row, later) = rest.split_at(i + 1);
                let mut inner = [0.0; BLOCK];
                for (other, weight) in columns.iter().zip(row) {
                    for (to, y) in inner.iter_mut().zip(other) {
                        *to += weight * y;
                    }
                }
                for ((z, x), inner) in log_odds.iter_mut().zip(x).zip(&inner) {
                    *z += x * inner;
                }
                rest = later;
            }
            let mut exponentials = [0.0; BLOCK];
            for (e, z) in exponentials.iter_mut().zip(&log_odds) {
                *e = exp_of_negative(-z.abs());
            }
            let points = lane(&design.pool.points[rows]);
            sum += block::log_likelihood(n, &log_odds, &points, &exponentials);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::testing::TwoFeatures;
    use crate::pool::Pool;
    use evalsmith_core::Stage;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        #[test]
        fn blocks_add_up_to_the_formula_and_avx2_to_the_same_bits(
            rows in vec((0_u8..3, 0_u32..7, -9.0..9.0_f32, 90.0..110.0_f32), 2..500),
            weights in vec(-2.0..2.0_f64, 3), products in vec(-1.0..1.0_f64, 3), linear in any::<bool>(),
        ) {
            let table = TwoFeatures::of(&rows);
            let pool = Pool::gather(&table.examples(), (Stage(0), Stage(0)));
            let design = Design::standardised(&pool);
            prop_assume!(design.width() == 3);
            let products = if linear { &[][..] } else { &products[..] };
            let all = 0..pool.games();
            let chunk = Chunk { design: &design, weights: &weights, products, games: &all };
            let found = chunk.run();
            prop_assert_eq!(widest(chunk), found);
            let mut slow = 0.0;
            for row in 0..pool.rows() {
                let standard = |i: usize| {
                    let c = design.columns[i];
                    (f64::from(pool.columns[c.index][row]) - c.mean) / c.deviation
                };
                let (a, b) = (standard(0), standard(1));
                let p = |i: usize| products.get(i).copied().unwrap_or_default();
                let z = weights[0] + weights[1] * a + weights[2] * b
                    + p(0) * a * a + p(1) * a * b + p(2) * b * b;
                slow -= crate::quality::log_loss(f64::from(pool.points[row]), z);
            }
            prop_assert!((found - slow).abs() < 1e-9 * (1.0 + slow.abs()), "{found} {slow}");
        }
    }
}
