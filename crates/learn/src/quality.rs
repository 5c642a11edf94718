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
pub(crate) fn log_loss(y: f64, z: f64) -> f64 {
    z.max(0.0) - y * z + (-z.abs()).exp().ln_1p()
}

/// The mean of `of` over all rows; its variance is the sum over games of the
/// squared sum of deviations, with the factor G / (G - 1).
pub(crate) fn measured(rows: usize, runs: &[&[usize]], of: impl Fn(usize) -> f64) -> Measured {
    let sums: Vec<f64> = runs.iter().map(|run| run.iter().map(|&row| of(row)).sum()).collect();
    let (n, g) = (rows as f64, runs.len() as f64);
    let value = sums.iter().sum::<f64>() / n;
    let deviations = sums.iter().zip(runs).map(|(sum, run)| sum - value * run.len() as f64);
    let squares: f64 = deviations.map(|d| d * d).sum();
    let standard_error = if g > 1.0 { (squares * g / (g - 1.0)).sqrt() / n } else { 0.0 };
    let margin = Z95 * standard_error;
    Measured { value, standard_error, low: value - margin, high: value + margin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    #[test]
    fn a_small_table_by_hand() {
        let thirds = 2.0_f64.ln();
        let found =
            quality(&[1.0, 0.0, 0.5, 1.0], &[thirds, thirds, 0.0, -thirds], &[3, 1, 2, 1]).unwrap();
        let losses = [1.5_f64.ln(), 3.0_f64.ln(), 2.0_f64.ln(), 3.0_f64.ln()];
        let mean = losses.iter().sum::<f64>() / 4.0;
        assert!((found.log_loss.value - mean).abs() < 1e-12);
        assert!((found.brier.value - (1.0 + 4.0 + 0.0 + 4.0) / 36.0).abs() < 1e-12);
        assert_eq!(found.accuracy.value, 1.5 / 4.0);
        assert!((found.bias.value - (1.0 / 3.0 - 2.0 / 3.0 + 2.0 / 3.0) / 4.0).abs() < 1e-12);
        let games = [losses[0] - mean, losses[1] + losses[3] - 2.0 * mean, losses[2] - mean];
        let squares: f64 = games.iter().map(|d| d * d).sum();
        assert!((found.log_loss.standard_error - (squares * 1.5).sqrt() / 4.0).abs() < 1e-12);
        assert_eq!((found.rows, found.games), (4, 3));
        let entropy = -(0.625 * 0.625_f64.ln() + 0.375 * 0.375_f64.ln());
        assert!((found.base_log_loss - entropy).abs() < 1e-12);
    }

    #[test]
    fn faults_are_named_and_extremes_stay_finite() {
        let message = |r: Result<Quality, LearnError>| r.unwrap_err().to_string();
        assert!(message(quality(&[], &[], &[])).contains("no examples"));
        assert!(message(quality(&[1.0], &[], &[1])).contains("1 rows have 0 predictions"));
        assert!(message(quality(&[1.0], &[0.0], &[])).contains("1 rows have 0 games"));
        assert!(
            message(quality(&[1.0], &[f64::NAN], &[1])).contains("the prediction is NaN in row 0")
        );
        assert!(message(quality(&[-1.0], &[0.0], &[1])).contains("row 0 has the result -1"));
        let sure = quality(&[1.0, 0.0], &[1e6, 1e6], &[1, 2]).unwrap();
        assert_eq!(sure.log_loss.value, 5e5);
        let alone = quality(&[1.0, 1.0], &[2.0, 1.0], &[1, 1]).unwrap();
        assert_eq!((alone.log_loss.standard_error, alone.base_log_loss), (0.0, 0.0));
    }

    proptest! {
        /// With one row per game, the error is the textbook's.
        #[test]
        fn single_rows_have_the_plain_error(rows in vec((0_u8..3, -4.0..4.0_f64), 2..40)) {
            let points: Vec<f32> = rows.iter().map(|r| f32::from(r.0) / 2.0).collect();
            let odds: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let games: Vec<u32> = (0..rows.len() as u32).rev().collect();
            let found = quality(&points, &odds, &games).unwrap().brier;
            let each: Vec<f64> = rows.iter().map(|r| {
                (f64::from(r.0) / 2.0 - 1.0 / (1.0 + (-r.1).exp())).powi(2)
            }).collect();
            let n = each.len() as f64;
            let mean = each.iter().sum::<f64>() / n;
            let variance = each.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
            prop_assert!((found.value - mean).abs() < 1e-12);
            prop_assert!((found.standard_error - (variance / n).sqrt()).abs() < 1e-12);
        }
    }
}
