//! How well log-odds predict results that their model has not seen.
//!
//! Every measure is a mean over positions, and its standard error is that of a
//! mean whose unit of evidence is the game.

use crate::LearnError;
use evalsmith_core::LogOdds;
use evalsmith_stats::normal::Z95;
use serde::{Deserialize, Serialize};

/// A mean with its error clustered by game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The mean.
    pub value: f64,
    /// Its standard error; zero when there is but one game.
    pub standard_error: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The quality of predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Positions.
    pub rows: usize,
    /// Games they come from.
    pub games: usize,
    /// Mean of `-y ln p - (1 - y) ln (1 - p)`; smaller is better.
    pub log_loss: Measured,
    /// The log-loss of always saying the mean result: what knows nothing else.
    pub base_log_loss: f64,
    /// Mean of `(y - p)^2`; smaller is better.
    pub brier: Measured,
    /// Share of positions whose winner is named; a drawn position, or a
    /// prediction of exactly one half, counts half.
    pub accuracy: Measured,
    /// Mean of `y - p`: above zero when the predictions are too low.
    pub bias: Measured,
}

/// Judges log-odds for the side to move by the results (1, ½, 0).
///
/// # Errors
/// When there are no rows, lengths differ, a result lies outside 0 to 1, or a
/// prediction is not finite.
pub fn quality(points: &[f32], log_odds: &[f64], games: &[u32]) -> Result<Quality, LearnError> {
    let rows = points.len();
    if rows == 0 {
        return Err(LearnError::Empty);
    }
    for (what, found) in [("predictions", log_odds.len()), ("games", games.len())] {
        if found != rows {
            return Err(LearnError::Lengths { rows, what: what.into(), found });
        }
    }
    if let Some(row) = points.iter().position(|y| !(0.0..=1.0).contains(y)) {
        return Err(LearnError::Points { row, value: points[row] });
    }
    if let Some(row) = log_odds.iter().position(|z| !z.is_finite()) {
        let feature = "the prediction".into();
        return Err(LearnError::NotFinite { feature, row, value: log_odds[row] });
    }

    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| games[row]);
    let runs: Vec<&[usize]> = order.chunk_by(|&a, &b| games[a] == games[b]).collect();
    let measure = |of: fn(f64, f64) -> f64| {
        measured(rows, &runs, |row| of(f64::from(points[row]), log_odds[row]))
    };
    let base = points.iter().map(|&y| f64::from(y)).sum::<f64>() / rows as f64;
    let base =
        if base == 0.0 || base == 1.0 { 0.0 } else { log_loss(base, (base / (1.0 - base)).ln()) };
    Ok(Quality {
        rows,
        games: runs.len(),
        log_loss: measure(log_loss),
        base_log_loss: base,
        brier: measure(|y, z| (y - probability(z)).powi(2)),
        accuracy: measure(|y, z| {
            if z == 0.0 {
                0.5
            } else if z > 0.0 {
                y
            } else {
                1.0 - y
            }
        }),
        bias: measure(|y, z| y - probability(z)),
    })
}

fn probability(z: f64) -> f64 {
    LogOdds(z).win_prob().0
}

/// `-y ln p - (1 - y) ln (1 - p)`, finite for every finite `z`.
fn log_loss(y: f64, z: f64) -> f64 {
    z.max(0.0) - y * z + (-z.abs()).exp().ln_1p()
}

/// The mean of `of` over all rows; its variance is the sum over games of the
/// squared sum of deviations, with the factor G / (G - 1).
fn measured(rows: usize, runs: &[&[usize]], of: impl Fn(usize) -> f64) -> Measured {
    let sums: Vec<f64> = runs.iter().map(|run| run.iter().map(|&row| of(row)).sum()).collect();
    let (n, g) = (rows as f64, runs.len() as f64);
    let value = sums.iter().sum::<f64>() / n;
    let deviations = sums.iter().zip(runs).map(|(sum, run)| sum - value * run.len() as f64);
    let squares: f64 = deviations.map(|d| d * d).sum();
    let standard_error = if g > 1.0 { (squares * g / (g - 1.0)).sqrt() / n } else { 0.0 };
    let margin = Z95 * standard_error;
    Measured { value, standard_error, low: value - margin, high: value + margin }
}
