//! The middle of the sandwich: outer products of the games' scores.

use crate::block::{Block, blocks};
use crate::design::Design;
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// The sum over games of `u u'`, where `u` is the sum of `x r` over the game's
/// rows; `load` takes rows into a block and finds their residuals `r`.
pub(crate) fn scores(
    design: &Design<'_>,
    load: impl Fn(&mut Block, Range<usize>) + Sync,
) -> Symmetric {
    let width = design.width();
    let sums = |games: &Range<usize>| {
        let mut sum = Symmetric::zeros(width);
        let mut block = Block::new(width);
        let mut score = vec![0.0; width];
        let starts = &design.pool.starts;
        let mut game = games.start;
        for rows in blocks(design.pool.rows_of(games)) {
            load(&mut block, rows.clone());
            let mut from = rows.start;
            while from < rows.end {
                let to = starts[game + 1].min(rows.end);
                let run = from - rows.start..to - rows.start;
                let residual = &block.residual[run.clone()];
                for (score, x) in score.iter_mut().zip(&block.x) {
                    let terms = x[run.clone()].iter().zip(residual).map(|(x, r)| x * r);
                    *score += terms.sum::<f64>();
                }
                if to == starts[game + 1] {
                    sum.add_outer(1.0, &score);
                    score.fill(0.0);
                    game += 1;
                }
                from = to;
            }
        }
        sum
    };
    let parts: Vec<Symmetric> = design.pool.chunks.par_iter().map(sums).collect();
    parts.iter().fold(Symmetric::zeros(width), |mut total, part| {
        total.add(part);
        total
    })
}

/// statsmodels' and Stata's factor for few clusters and few rows.
pub(crate) fn correction(design: &Design<'_>) -> f64 {
    let (n, g) = (design.pool.rows() as f64, design.pool.games() as f64);
    g / (g - 1.0) * (n - 1.0) / (n - design.width() as f64)
}
