//! Class moments: what winners' and losers' positions look like (lee86, table
//! 3-1; the ground of the Bayesian and Fisher discriminants of buro95).
//!
//! A draw counts half in both classes; covariances are those of maximum
//! likelihood, divided by the weight of the class.

use crate::pool::{Pool, pooled};
use crate::{Examples, LearnError};
use evalsmith_core::Stage;
use evalsmith_stats::matrix::Symmetric;
use serde::{Deserialize, Serialize};

/// The moments of both classes at a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The stage.
    pub stage: Stage,
    /// The first and last stage whose positions were used.
    pub pooled: (Stage, Stage),
    /// The features' names.
    pub features: Vec<String>,
    /// Positions used.
    pub rows: usize,
    /// Games they come from.
    pub games: usize,
    /// Positions that the side to move wins.
    pub win: ClassMoments,
    /// Positions that it loses.
    pub loss: ClassMoments,
}

/// The moments of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMoments {
    /// Positions of the class, a draw counting half.
    pub weight: f64,
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// Covariances, divided by the weight.
    pub covariance: Vec<Vec<f64>>,
    /// Correlations; zero with a feature that is constant in the class.
    pub correlation: Vec<Vec<f64>>,
}

/// The class moments at `stage` of a game of so many `stages`, pooled with
/// `radius` stages on either side.
///
/// # Errors
/// When the examples are faulty, or the pool lacks wins or losses.
pub fn moments(
    stage: Stage,
    radius: u8,
    stages: usize,
    examples: &Examples<'_>,
) -> Result<Moments, LearnError> {
    examples.check(stages)?;
    let span = pooled(stage, radius, stages);
    let pool = Pool::gather(examples, span);
    if pool.rows() == 0 {
        return Err(LearnError::Empty);
    }
    let points = pool.mean_points();
    if points == 0.0 || points == 1.0 {
        return Err(LearnError::OneClass { rows: pool.rows(), points });
    }
    Ok(Moments {
        stage,
        pooled: span,
        features: examples.features.names().to_vec(),
        rows: pool.rows(),
        games: pool.games(),
        win: class(&pool, |y| y),
        loss: class(&pool, |y| 1.0 - y),
    })
}

/// The moments under the weights that `share` gives to results, in two passes:
/// means first, so that no large mean drowns a small variance.
fn class(pool: &Pool, share: impl Fn(f64) -> f64) -> ClassMoments {
    let width = pool.columns.len();
    let rows = || pool.points.iter().map(|&y| share(f64::from(y))).enumerate();
    let weight: f64 = rows().map(|(_, w)| w).sum();
    let mean = |x: &Vec<f32>| rows().map(|(i, w)| w * f64::from(x[i])).sum::<f64>() / weight;
    let mean: Vec<f64> = pool.columns.iter().map(mean).collect();

    let mut sums = Symmetric::zeros(width);
    let mut centred = vec![0.0; width];
    for (i, w) in rows().filter(|(_, w)| *w > 0.0) {
        for ((c, x), m) in centred.iter_mut().zip(&pool.columns).zip(&mean) {
            *c = f64::from(x[i]) - m;
        }
        sums.add_outer(w, &centred);
    }
    sums.scale(1.0 / weight);
    let correlation = |i: usize, j: usize| {
        let scale = (sums.get(i, i) * sums.get(j, j)).sqrt();
        if scale > 0.0 { sums.get(i, j) / scale } else { 0.0 }
    };
    let correlation = (0..width).map(|i| (0..width).map(|j| correlation(i, j)).collect()).collect();
    ClassMoments { weight, mean, covariance: sums.rows(), correlation }
}
