//! Whether a said probability is one: positions by what was predicted, beside
//! what happened; and whether one function's predictions are better than
//! another's on the same positions.

use crate::quality::{Measured, log_loss, measured};
use crate::{LearnError, Quality, quality};
use evalsmith_core::LogOdds;
use evalsmith_stats::normal::Z95;
use serde::{Deserialize, Serialize};

/// Bins of equal width between the probabilities 0 and 1.
const BINS: usize = 10;
/// Groups of games, each left out once, for the error's interval.
const GROUPS: u32 = 20;

/// Predicted and observed win probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The bins that hold positions, from sure losses to sure wins.
    pub bins: Vec<CalibrationBin>,
    /// The mean distance between predicted and observed, weighted by positions;
    /// its interval is a jackknife's over groups of games.
    pub error: Measured,
}

/// Positions with about the same prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Positions.
    pub rows: usize,
    /// Their mean prediction.
    pub predicted: f64,
    /// Their mean result.
    pub observed: f64,
}

/// Compares predictions with results.
///
/// # Errors
/// As [`quality`].
pub fn calibration(
    points: &[f32],
    log_odds: &[f64],
    games: &[u32],
) -> Result<Calibration, LearnError> {
    quality(points, log_odds, games)?;
    let of = |left_out: Option<u32>| {
        let mut sums = [(0_usize, 0.0, 0.0); BINS];
        let rows = points.iter().zip(log_odds).zip(games);
        let kept = rows.filter(|(_, game)| left_out.is_none_or(|group| **game % GROUPS != group));
        for ((&y, &z), _) in kept {
            let p = LogOdds(z).win_prob().0;
            let bin = &mut sums[((p * BINS as f64) as usize).min(BINS - 1)];
            *bin = (bin.0 + 1, bin.1 + p, bin.2 + f64::from(y));
        }
        sums
    };
    let error = |sums: &[(usize, f64, f64); BINS]| {
        let rows: usize = sums.iter().map(|bin| bin.0).sum();
        sums.iter().map(|(_, p, y)| (p - y).abs()).sum::<f64>() / rows.max(1) as f64
    };
    let all = of(None);
    let value = error(&all);
    let without: Vec<f64> = (0..GROUPS).map(|group| error(&of(Some(group)))).collect();
    let mean = without.iter().sum::<f64>() / f64::from(GROUPS);
    let spread: f64 = without.iter().map(|e| (e - mean).powi(2)).sum();
    let standard_error = (spread * f64::from(GROUPS - 1) / f64::from(GROUPS)).sqrt();
    let margin = Z95 * standard_error;
    let bins = all.into_iter().filter(|bin| bin.0 > 0).map(|(rows, p, y)| CalibrationBin {
        rows,
        predicted: p / rows as f64,
        observed: y / rows as f64,
    });
    let error =
        Measured { value, standard_error, low: (value - margin).max(0.0), high: value + margin };
    Ok(Calibration { bins: bins.collect(), error })
}

/// By how much the second function's log-loss is smaller than the first's, on
/// the same positions, with the error of that difference clustered by game.
///
/// # Errors
/// As [`quality`].
pub fn gain(
    points: &[f32],
    first: &[f64],
    second: &[f64],
    games: &[u32],
) -> Result<Measured, LearnError> {
    let checked: [Quality; 2] = [quality(points, first, games)?, quality(points, second, games)?];
    let rows = checked[0].rows;
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| games[row]);
    let runs: Vec<&[usize]> = order.chunk_by(|&a, &b| games[a] == games[b]).collect();
    Ok(measured(rows, &runs, |row| {
        let y = f64::from(points[row]);
        log_loss(y, first[row]) - log_loss(y, second[row])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_odds_are_calibrated_and_doubled_ones_are_not() {
        let odds = 3.0_f64.ln();
        let points: Vec<f32> = (0..4000).map(|i| f32::from(u8::from(i % 4 != 0))).collect();
        // Neighbouring rows share a group, so that every group has its fourth.
        let games: Vec<u32> = (0..4000).map(|i| i / 4).collect();
        let fair = calibration(&points, &vec![odds; 4000], &games).unwrap();
        assert!(fair.error.value < 1e-12, "{:?}", fair.error);
        assert_eq!((fair.bins.len(), fair.bins[0].rows), (1, 4000));
        let bold = calibration(&points, &vec![2.0 * odds; 4000], &games).unwrap();
        assert!((bold.error.value - (0.9 - 0.75)).abs() < 1e-9, "{:?}", bold.error);
        let better = gain(&points, &vec![2.0 * odds; 4000], &vec![odds; 4000], &games).unwrap();
        let loss = |p: f64| -0.75 * p.ln() - 0.25 * (1.0 - p).ln();
        assert!((better.value - (loss(0.9) - loss(0.75))).abs() < 1e-9 && better.low > 0.0);
    }
}
