//! The common curve, and how a condition is tested on top of it.
//!
//! With p the common curve's probability, r = y - p and W = p(1-p), a condition c
//! is first freed of the hats Z of the curve: c - Z π, π = (Z'WZ)⁻¹ Z'Wc. Its score
//! is U = Σ (c - Zπ) r, its information V = Σ W c - (Z'Wc)'π; a weight on c gains
//! U²/2V. The variance of U is the sum over games of squared sums of (c - Zπ) r.
//! Where values separate wins from losses, as beyond a value that nobody loses from, a
//! ridge keeps the curve finite; then Z'r is not zero, and U is freed of it.

use crate::CurveError;
use crate::hats::{Hats, Place};
use crate::newton::{self, Aim, Rows};
use evalsmith_core::LogOdds;
use evalsmith_stats::matrix::{Cholesky, Symmetric};
use std::ops::Range;

const KNOTS: usize = 16;
/// Values are gathered in so many groups to fit the curve.
const GROUPS: usize = 4096;

/// The common curve at every row.
pub(super) struct Base {
    pub(super) hats: usize,
    /// Whether the curve needed a ridge.
    pub(super) separated: bool,
    pub(super) places: Vec<Place>,
    pub(super) residuals: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// Z'WZ, factored.
    pub(super) factor: Cholesky,
    /// Z'r, nearly zero without a ridge.
    pub(super) left: Vec<f64>,
    /// The rows of each game.
    pub(super) games: Vec<Range<usize>>,
    /// For each game its sums of Z r, as (hat, sum), those of all games in a row.
    sums: Vec<(u8, f64)>,
    sums_of: Vec<Range<usize>>,
    /// Their products, added over games.
    pub(super) products: Symmetric,
}

impl Base {
    pub(super) fn of(values: &[f64], points: &[f64], ids: &[u32]) -> Result<Self, CurveError> {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
        let sorted: Vec<f64> = order.iter().map(|&row| values[row as usize]).collect();
        let hats = Hats::at_quantiles(&sorted, KNOTS);
        let (heights, separated) = heights(&hats, &order, values, points)?;

        let places: Vec<Place> = values.iter().map(|&v| hats.place(v)).collect();
        let probability = |place: &Place| {
            let right = if place.right > 0.0 { heights[place.left + 1] * place.right } else { 0.0 };
            LogOdds(heights[place.left] * (1.0 - place.right) + right).win_prob().0
        };
        let p: Vec<f64> = places.iter().map(probability).collect();
        let residuals: Vec<f64> = points.iter().zip(&p).map(|(y, p)| y - p).collect();
        let weights: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();

        let count = hats.count();
        let mut information = Symmetric::zeros(count);
        let mut lower = vec![0.0; count * (count + 1) / 2];
        let at = |i: usize, j: usize| i * (i + 1) / 2 + j;
        for (place, w) in places.iter().zip(&weights) {
            let (i, right) = (place.left, place.right);
            lower[at(i, i)] += w * (1.0 - right) * (1.0 - right);
            if right > 0.0 {
                lower[at(i + 1, i)] += w * right * (1.0 - right);
                lower[at(i + 1, i + 1)] += w * right * right;
            }
        }
        information.add(&Symmetric::from_lower(count, lower));
        let factor = information.cholesky().map_err(|_| CurveError::NoBest)?;

        let mut base = Self {
            hats: count,
            separated,
            places,
            residuals,
            weights,
            factor,
            left: vec![0.0; count],
            games: Vec::new(),
            sums: Vec::new(),
            sums_of: Vec::new(),
            products: Symmetric::zeros(count),
        };
        base.gather_games(ids);
        Ok(base)
    }

    fn gather_games(&mut self, ids: &[u32]) {
        let mut begin = 0;
        for game in ids.chunk_by(|a, b| a == b) {
            let rows = begin..begin + game.len();
            begin = rows.end;
            let mut sums = vec![0.0; self.hats];
            for row in rows.clone() {
                let Place { left, right } = self.places[row];
                sums[left] += self.residuals[row] * (1.0 - right);
                if right > 0.0 {
                    sums[left + 1] += self.residuals[row] * right;
                }
            }
            let first = self.sums.len();
            let touched = sums.iter().enumerate().filter(|(_, sum)| **sum != 0.0);
            self.sums.extend(touched.map(|(hat, &sum)| (hat as u8, sum)));
            self.sums_of.push(first..self.sums.len());
            self.left.iter_mut().zip(&sums).for_each(|(left, sum)| *left += sum);
            self.products.add_outer(1.0, &sums);
            self.games.push(rows);
        }
    }

    /// The sums of Z r of a game.
    pub(super) fn sums(&self, game: usize) -> &[(u8, f64)] {
        &self.sums[self.sums_of[game].clone()]
    }

    /// A game's factor for few games.
    pub(super) fn correction(&self) -> f64 {
        let games = self.games.len() as f64;
        games / (games - 1.0)
    }
}

/// The log-odds of the curve at its knots, and whether they needed a ridge.
fn heights(
    hats: &Hats,
    order: &[u32],
    values: &[f64],
    points: &[f64],
) -> Result<(Vec<f64>, bool), CurveError> {
    let size = order.len().div_ceil(GROUPS);
    let (mut means, mut sums, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for group in order.chunks(size) {
        let count = group.len() as f64;
        means.push(group.iter().map(|&row| values[row as usize]).sum::<f64>() / count);
        sums.push(group.iter().map(|&row| points[row as usize]).sum());
        counts.push(count);
    }
    let clusters: Vec<u32> = (0..means.len() as u32).collect();
    let columns = hats.columns(&means);
    let columns: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
    let rows = Rows { columns, points: &sums, counts: Some(&counts), clusters: &clusters };
    let fit = |ridge| newton::fit_with(&rows, Aim::Likelihood, None, ridge);
    newton::or_ridge(fit).map(|(found, separated)| (found.weights, separated))
}
