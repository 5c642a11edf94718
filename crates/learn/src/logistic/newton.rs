//! Newton's method on the log-likelihood, and how it tells that there is no
//! maximum.
//!
//! The decrement, `sqrt(g' H^-1 g)`, is how far the next step would move the
//! weights in their own standard errors. Near a maximum it falls quadratically.
//! Where results are separated by the features, the likelihood rises for ever:
//! weights grow by about one a step and the decrement falls by a constant
//! factor, 0.61. A few such steps in a row at a small decrement are the sign;
//! the fit then starts again with a ridge.

use super::LogisticParams;
use super::kernel::{self, Pass};
use crate::LearnError;
use crate::design::Design;
use evalsmith_core::{Progress, Stage};
use evalsmith_stats::matrix::Symmetric;
use std::ops::Range;

/// A column is redundant when those before it explain all but this share of its
/// variance.
const REDUNDANT: f64 = 1e-10;
/// The ridge used when results are separated: a weight of one log-odd per
/// standard deviation costs half a unit of log-likelihood.
const RIDGE: f64 = 1.0;
/// Decrements at which a regular fit converges quadratically, and that are well
/// above what rounding leaves.
const NEAR: Range<f64> = 1e-3..0.1;
/// Near the maximum, a step that leaves more than this share of the decrement is slow.
const SLOW: f64 = 0.25;
/// So many slow steps in a row mean that there is no maximum.
const SLOW_STEPS: u32 = 4;

/// Where the climb ended.
pub(super) struct Optimum {
    /// Weights in standard units, the intercept first.
    pub(super) weights: Vec<f64>,
    /// The inverse of the information, with the ridge.
    pub(super) bread: Symmetric,
    /// Without the ridge.
    pub(super) log_likelihood: f64,
    pub(super) iterations: u32,
    /// The ridge that was needed.
    pub(super) ridge: f64,
}

/// Drops redundant columns from the design and finds the best weights of the rest.
pub(super) fn maximise(
    params: &LogisticParams,
    stage: Stage,
    design: &mut Design<'_>,
    progress: &dyn Progress,
) -> Result<Optimum, LearnError> {
    let start = kernel::pass(design, &vec![0.0; design.width()]);
    let kept = start.information.independent(REDUNDANT);
    design.keep(&kept);
    let start = start.selected(&kept);
    let climb = |ridge| climb(params, design, start.clone(), ridge, progress);
    let optimum = match climb(0.0)? {
        Climb::Endless => climb(RIDGE)?,
        other => other,
    };
    match optimum {
        Climb::Top(optimum) => Ok(optimum),
        Climb::Endless | Climb::Unfinished => {
            Err(LearnError::NotConverged { stage: stage.0, iterations: params.max_iterations })
        }
    }
}

/// How a climb ends.
enum Climb {
    /// At the maximum.
    Top(Optimum),
    /// There is no maximum.
    Endless,
    /// The iterations did not suffice.
    Unfinished,
}

/// Climbs from zero weights, where the sums are `start`.
fn climb(
    params: &LogisticParams,
    design: &Design<'_>,
    start: Pass,
    ridge: f64,
    progress: &dyn Progress,
) -> Result<Climb, LearnError> {
    let width = design.width();
    let mut penalty = vec![ridge; width];
    penalty[0] = 0.0;
    let mut weights = vec![0.0; width];
    let mut last_weights = weights.clone();
    let mut last_objective = f64::NEG_INFINITY;
    let mut last_decrement = f64::INFINITY;
    let mut slow = 0;
    let mut sums = start;
    for iterations in 1..=params.max_iterations {
        if iterations > 1 {
            sums = kernel::pass(design, &weights);
        }
        if progress.stopped() {
            return Err(LearnError::Stopped);
        }
        let cost: f64 = weights.iter().zip(&penalty).map(|(w, r)| 0.5 * r * w * w).sum();
        let objective = sums.log_likelihood - cost;
        if objective < last_objective - 1e-10 * (1.0 + last_objective.abs()) {
            let half = weights.iter().zip(&last_weights).map(|(a, b)| f64::midpoint(*a, *b));
            weights = half.collect();
            continue;
        }
        sums.information.add_to_diagonal(&penalty);
        let Ok(factor) = sums.information.cholesky() else { return Ok(Climb::Endless) };
        let gradient = sums.gradient.iter().zip(&weights).zip(&penalty);
        let gradient: Vec<f64> = gradient.map(|((g, w), r)| g - r * w).collect();
        let decrement = factor.solve_lower(&gradient).iter().map(|x| x * x).sum::<f64>().sqrt();
        if decrement <= params.tolerance {
            let (bread, log_likelihood) = (factor.inverse(), sums.log_likelihood);
            return Ok(Climb::Top(Optimum { weights, bread, log_likelihood, iterations, ridge }));
        }
        let is_slow = NEAR.contains(&decrement) && decrement > SLOW * last_decrement;
        slow = if is_slow { slow + 1 } else { 0 };
        if slow >= SLOW_STEPS && ridge == 0.0 {
            return Ok(Climb::Endless);
        }
        (last_objective, last_decrement) = (objective, decrement);
        last_weights.clone_from(&weights);
        weights.iter_mut().zip(factor.solve(&gradient)).for_each(|(w, step)| *w += step);
    }
    Ok(Climb::Unfinished)
}
