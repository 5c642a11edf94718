//! Sums of the two classes in one pass: weights, means and products of the
//! columns, in standard units.
//!
//! A draw counts half in both classes (buro95: every won or lost example counts
//! twice, a drawn one once as a win and once as a loss). Columns are centred on
//! their common mean first, so that no large mean drowns a small variance.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into the AVX2 copy is not compiled for AVX2"
)]

use crate::block::{BLOCK, Block, Lane, dot};
use crate::design::Design;
use crate::wide::{Kernel, widest};
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// The class of won positions, and that of lost ones.
pub(crate) struct Classes {
    pub(crate) win: Class,
    pub(crate) loss: Class,
}

/// One class, in a design's standard units.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Positions, a draw counting half.
    pub(crate) weight: f64,
    /// Means of the columns, without the intercept.
    pub(crate) mean: Vec<f64>,
    /// Covariances of maximum likelihood: divided by the weight.
    pub(crate) covariance: Symmetric,
}

impl Classes {
    /// The classes of all rows; both must have some.
    pub(crate) fn of(design: &Design<'_>) -> Self {
        let chunks = design.pool.chunks.par_iter();
        let parts: Vec<[Vec<f64>; 2]> =
            chunks.map(|games| widest(Chunk { design, games })).collect();
        let mut total = [vec![0.0; triangle(design.width())], vec![0.0; triangle(design.width())]];
        for part in &parts {
            for (total, part) in total.iter_mut().zip(part) {
                total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
        }
        let [win, loss] = total.map(|sums| Class::of(design.width(), sums));
        Self { win, loss }
    }

    /// The covariance of a class drawn from both by their weights: the same
    /// within either class in Fisher's discriminant.
    pub(crate) fn pooled(&self) -> Symmetric {
        let all = self.win.weight + self.loss.weight;
        let mut pooled = self.win.covariance.clone();
        pooled.scale(self.win.weight / all);
        let mut other = self.loss.covariance.clone();
        other.scale(self.loss.weight / all);
        pooled.add(&other);
        pooled
    }

    /// The sums of products of all rows, the intercept's column first.
    pub(crate) fn products(&self) -> Symmetric {
        let size = self.win.mean.len() + 1;
        let mut sums = Symmetric::zeros(size);
        for class in [&self.win, &self.loss] {
            let row: Vec<f64> = [1.0].into_iter().chain(class.mean.iter().copied()).collect();
            sums.add_outer(class.weight, &row);
            let covariance = (1..size).flat_map(|i| {
                let inner = (1..=i).map(move |j| class.weight * class.covariance.get(i - 1, j - 1));
                [0.0].into_iter().chain(inner)
            });
            sums.add(&Symmetric::from_lower(size, [0.0].into_iter().chain(covariance).collect()));
        }
        sums
    }

    /// The distances of the means, win less loss.
    pub(crate) fn distance(&self) -> Vec<f64> {
        self.win.mean.iter().zip(&self.loss.mean).map(|(w, l)| w - l).collect()
    }
}

impl Class {
    /// From the sums of products, the intercept's column first.
    fn of(width: usize, sums: Vec<f64>) -> Self {
        let sums = Symmetric::from_lower(width, sums);
        let weight = sums.get(0, 0);
        let mean: Vec<f64> = (1..width).map(|i| sums.get(i, 0) / weight).collect();
        let inner: Vec<usize> = (1..width).collect();
        let mut covariance = sums.selected(&inner);
        covariance.scale(1.0 / weight);
        covariance.add_outer(-1.0, &mean);
        Self { weight, mean, covariance }
    }

    /// The class seen through fewer columns.
    pub(crate) fn selected(&self, kept: &[usize]) -> Self {
        Self {
            weight: self.weight,
            mean: kept.iter().map(|&i| self.mean[i]).collect(),
            covariance: self.covariance.selected(kept),
        }
    }
}

const fn triangle(width: usize) -> usize {
    width * (width + 1) / 2
}

/// The sums of products over a range of games, of wins and of losses.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    design: &'a Design<'a>,
    games: &'a Range<usize>,
}

impl Kernel for Chunk<'_> {
    type Sums = [Vec<f64>; 2];

    /// A decided row is of one class: it is multiplied once, with its like.
    #[inline(always)]
    fn run(self) -> [Vec<f64>; 2] {
        let Self { design, games } = self;
        let width = design.width();
        let [mut wins, mut losses] = [vec![0.0; triangle(width)], vec![0.0; triangle(width)]];
        let mut block = Block::new(width);
        let points = &design.pool.points;
        let of_points = |wanted: fn(f32) -> bool| -> Vec<usize> {
            design.pool.rows_of(games).filter(|&row| wanted(points[row])).collect()
        };
        for rows in of_points(|y| y == 1.0).chunks(BLOCK) {
            block.gather(design, rows);
            add(&block, &mut wins);
        }
        for rows in of_points(|y| y == 0.0).chunks(BLOCK) {
            block.gather(design, rows);
            add(&block, &mut losses);
        }
        for rows in of_points(|y| y > 0.0 && y < 1.0).chunks(BLOCK) {
            block.gather(design, rows);
            let mut share = [0.0; BLOCK];
            for (share, &row) in share.iter_mut().zip(rows) {
                *share = f64::from(points[row]);
            }
            add_weighted(&block, &share, &mut wins);
            add_weighted(&block, &share.map(|y| 1.0 - y), &mut losses);
        }
        [wins, losses]
    }
}

#[inline(always)]
fn add(block: &Block, sums: &mut [f64]) {
    let mut cells = sums.iter_mut();
    for (i, x) in block.x.iter().enumerate() {
        for (other, cell) in block.x[..=i].iter().zip(&mut cells) {
            *cell += dot(x, other);
        }
    }
}

#[inline(always)]
fn add_weighted(block: &Block, weight: &Lane, sums: &mut [f64]) {
    let mut weighted = [0.0; BLOCK];
    let mut cells = sums.iter_mut();
    for (i, x) in block.x.iter().enumerate() {
        for ((to, x), w) in weighted.iter_mut().zip(x).zip(weight) {
            *to = x * w;
        }
        for (other, cell) in block.x[..=i].iter().zip(&mut cells) {
            *cell += dot(&weighted, other);
        }
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
        fn classes_are_what_counting_says_and_avx2_gives_the_same_bits(
            rows in vec((0_u8..3, 0_u32..9, -9.0..9.0_f32, 990.0..1010.0_f32), 8..400),
        ) {
            let table = TwoFeatures::of(&rows);
            let points = &table.points;
            prop_assume!(points.iter().any(|&y| y > 0.0) && points.iter().any(|&y| y < 1.0));
            let pool = Pool::gather(&table.examples(), (Stage(0), Stage(0)));
            let design = Design::standardised(&pool);
            prop_assume!(design.width() == 3);
            let all = 0..pool.games();
            let chunk = Chunk { design: &design, games: &all };
            prop_assert_eq!(widest(chunk), chunk.run());

            let found = Classes::of(&design);
            for (class, share) in [(&found.win, 0.0), (&found.loss, 1.0)] {
                let weight = |row: usize| (f64::from(points[row]) - share).abs();
                let total: f64 = (0..rows.len()).map(weight).sum();
                prop_assert!((class.weight - total).abs() < 1e-9);
                let standard = |i: usize, row: usize| {
                    let c = design.columns[i];
                    (f64::from(table.features.column(i)[row]) - c.mean) / c.deviation
                };
                let mean = |i: usize| {
                    (0..rows.len()).map(|r| weight(r) * standard(i, r)).sum::<f64>() / total
                };
                for i in 0..2 {
                    prop_assert!((class.mean[i] - mean(i)).abs() < 1e-9);
                    for j in 0..2 {
                        let product = |r| {
                            weight(r) * (standard(i, r) - mean(i)) * (standard(j, r) - mean(j))
                        };
                        let slow = (0..rows.len()).map(product).sum::<f64>() / total;
                        prop_assert!((class.covariance.get(i, j) - slow).abs() < 1e-9);
                    }
                }
            }
        }
    }
}
