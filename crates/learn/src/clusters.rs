//! The middle of the sandwich: outer products of the games' scores.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into the AVX2 copy is not compiled for AVX2"
)]

use crate::block::{Block, blocks, dot};
use crate::design::Design;
use crate::wide::{Kernel, widest};
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// The sum over games of `u u'`, where `u` is the sum of `x r` over the game's
/// rows; `load` takes rows into a block and finds their residuals `r`. Beside it
/// the sum of all `r²`.
pub(crate) fn scores(
    design: &Design<'_>,
    load: impl Fn(&mut Block, Range<usize>) + Sync,
) -> (Symmetric, f64) {
    let chunks = design.pool.chunks.par_iter();
    let chunk = |games| widest(Chunk { design, games, load: &load });
    let parts: Vec<(Symmetric, f64)> = chunks.map(chunk).collect();
    let mut total = (Symmetric::zeros(design.width()), 0.0);
    for (sum, squares) in &parts {
        total.0.add(sum);
        total.1 += squares;
    }
    total
}

struct Chunk<'a, L> {
    design: &'a Design<'a>,
    games: &'a Range<usize>,
    load: &'a L,
}

impl<L: Fn(&mut Block, Range<usize>)> Kernel for Chunk<'_, L> {
    type Sums = (Symmetric, f64);

    #[inline(always)]
    fn run(self) -> (Symmetric, f64) {
        let Self { design, games, load } = self;
        let width = design.width();
        let mut sum = Symmetric::zeros(width);
        let mut squares = 0.0;
        let mut block = Block::new(width);
        let mut score = vec![0.0; width];
        let starts = &design.pool.starts;
        let mut game = games.start;
        for rows in blocks(design.pool.rows_of(games)) {
            load(&mut block, rows.clone());
            squares += dot(&block.residual, &block.residual);
            let mut from = rows.start;
            while from < rows.end {
                let to = starts[game + 1].min(rows.end);
                let run = from - rows.start..to - rows.start;
                let residual = &block.residual[run.clone()];
                for (score, x) in score.iter_mut().zip(&block.x) {
                    *score += run_dot(&x[run.clone()], residual);
                }
                if to == starts[game + 1] {
                    sum.add_outer(1.0, &score);
                    score.fill(0.0);
                    game += 1;
                }
                from = to;
            }
        }
        (sum, squares)
    }
}

/// The product of two runs, in four lanes: a game's rows are too few to fill more.
#[inline(always)]
fn run_dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut lanes = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// statsmodels' and Stata's factor for few clusters and few rows.
pub(crate) fn correction(design: &Design<'_>) -> f64 {
    let (n, g) = (design.pool.rows() as f64, design.pool.games() as f64);
    g / (g - 1.0) * (n - 1.0) / (n - design.width() as f64)
}
