//! Least squares of the final score (Mitchell, in lee86), stage by stage.
//!
//! The regression's unit is the game's own margin. A search compares log-odds,
//! so that all stages are multiplied by one number: the log-odds a point is
//! worth by the results of the same positions. Values of different stages
//! compare as the predicted margins do.

use crate::block::{Block, blocks, dot, lane};
use crate::classes::Classes;
use crate::clusters;
use crate::design::Design;
use crate::estimate::{LinearFit, Solution, StageFit, left_out};
use crate::quality::log_loss;
use crate::stages::{Pooled, StagePooling, fit_stages};
use crate::{DenseModel, Examples, LearnError};
use evalsmith_core::Progress;
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// A column is redundant when those before it explain all but this share of its
/// variance.
const REDUNDANT: f64 = 1e-10;

/// A fitted sum of margins, told in log-odds.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquaresFit {
    /// The model and its estimates, in log-odds.
    pub fit: LinearFit,
    /// Log-odds that one point of the margin is worth.
    pub per_point: f64,
}

/// Fits the margins `scores`, seen by the side to move, one per row.
///
/// # Errors
/// When the examples are faulty, a score is missing or not finite, no stage has
/// enough data of both results, predicted margins do not grow with results, or
/// `progress` says to stop.
pub fn fit_least_squares(
    pooling: &StagePooling,
    stages: usize,
    examples: &Examples<'_>,
    scores: &[f32],
    progress: &dyn Progress,
) -> Result<LeastSquaresFit, LearnError> {
    if scores.len() != examples.rows() {
        let (rows, found) = (examples.rows(), scores.len());
        return Err(LearnError::Lengths { rows, what: "scores".into(), found });
    }
    if let Some(row) = scores.iter().position(|s| !s.is_finite()) {
        let value = f64::from(scores[row]);
        return Err(LearnError::NotFinite { feature: "the score".into(), row, value });
    }
    let names = examples.features.names();
    let fit = |at: &Pooled<'_>| stage_fit(at, &at.pool.take(scores));
    let name = "least squares";
    let fits = fit_stages(name, pooling, stages, names.len() + 1, examples, progress, fit)?;
    let in_points = LinearFit::new(names, stages, fits)?;

    let margin = |row: usize| {
        let value = |i: usize| examples.features.column(i)[row];
        in_points.model.log_odds(examples.stages[row], value).0
    };
    let margins: Vec<f64> = (0..examples.rows()).map(margin).collect();
    let per_point = worth(&margins, examples.points)?;
    let told = |fit: &StageFit| {
        let (first, last) = fit.pooled;
        let rows = examples.stages.iter().enumerate();
        let rows = rows.filter(|(_, stage)| (first..=last).contains(stage));
        let likelihood = rows
            .map(|(row, _)| -log_loss(f64::from(examples.points[row]), per_point * margins[row]));
        fit.scaled(per_point, likelihood.sum())
    };
    let fits = in_points.stages.iter().map(told).collect();
    Ok(LeastSquaresFit { fit: LinearFit::new(names, stages, fits)?, per_point })
}

/// The fit of a stage in points; its likelihood is not known yet.
fn stage_fit(at: &Pooled<'_>, scores: &[f32]) -> Result<StageFit, LearnError> {
    let mut design = Design::standardised(at.pool);
    let gram = Classes::of(&design).products();
    let kept = gram.independent(REDUNDANT);
    design.keep(&kept);
    let products = products(&design, scores);
    let found = regress(&design, scores, &gram.selected(&kept), &products)?;
    let solution = Solution {
        design: &design,
        weights: &found.weights,
        plain: &found.plain,
        clustered: &found.clustered,
    };
    let aliased = left_out(at, &design);
    Ok(StageFit::new(at, 0.0, design.width(), solution.told(at), aliased))
}

/// A regression in standard units.
pub(crate) struct Regression {
    pub(crate) weights: Vec<f64>,
    /// Covariance of the weights as if rows were independent.
    pub(crate) plain: Symmetric,
    /// Clustered by game.
    pub(crate) clustered: Symmetric,
}

/// Regresses targets, one per row of the pool, on the design's columns, whose
/// sums of products among each other are `gram` and with the targets `products`.
pub(crate) fn regress(
    design: &Design<'_>,
    targets: &[f32],
    gram: &Symmetric,
    products: &[f64],
) -> Result<Regression, LearnError> {
    let factor = gram.cholesky().map_err(|_| LearnError::Singular)?;
    let weights = factor.solve(products);
    let leave = |block: &mut Block, rows: Range<usize>| {
        block.fill(design, rows.clone());
        block.leave(&weights, &lane(&targets[rows]));
    };
    let (mut meat, squares) = clusters::scores(design, leave);
    meat.scale(clusters::correction(design));
    let freedom = design.pool.rows() as f64 - design.width() as f64;
    let mut plain = factor.inverse();
    let clustered = meat.transformed(&plain.rows());
    plain.scale(squares / freedom);
    Ok(Regression { weights, plain, clustered })
}

/// The sums of products of the columns with the targets.
fn products(design: &Design<'_>, targets: &[f32]) -> Vec<f64> {
    let of_targets = |games: &Range<usize>| {
        let mut block = Block::new(design.width());
        let mut sums = vec![0.0; design.width()];
        for rows in blocks(design.pool.rows_of(games)) {
            block.fill(design, rows.clone());
            let t = lane(&targets[rows]);
            sums.iter_mut().zip(&block.x).for_each(|(sum, x)| *sum += dot(x, &t));
        }
        sums
    };
    let parts: Vec<Vec<f64>> = design.pool.chunks.par_iter().map(of_targets).collect();
    let mut sums = vec![0.0; design.width()];
    for part in &parts {
        sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    sums
}

/// The log-odds a point is worth: the slope, through the origin, of a logistic
/// regression of results on margins. Newton's method on a concave function of
/// one number, begun at zero.
pub(crate) fn worth(margins: &[f64], points: &[f32]) -> Result<f64, LearnError> {
    let size = margins.iter().map(|m| m * m).sum::<f64>() / margins.len() as f64;
    let unit = size.sqrt();
    let mut slope = 0.0;
    for _ in 0..100 {
        let (mut gradient, mut information) = (0.0, 0.0);
        for (m, &y) in margins.iter().zip(points) {
            let m = m / unit;
            let p = 1.0 / (1.0 + (-slope * m).exp());
            gradient += m * (f64::from(y) - p);
            information += m * m * p * (1.0 - p);
        }
        let step = gradient / information;
        // Margins that tell every result have no best slope; ten log-odds a
        // standard deviation are as good as certainty.
        slope = (slope + step).clamp(-10.0, 10.0);
        if !step.is_finite() || step.abs() < 1e-12 {
            break;
        }
    }
    let per_point = slope / unit;
    if per_point > 0.0 && per_point.is_finite() { Ok(per_point) } else { Err(LearnError::Contrary) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Columns, Quiet, Stage};

    #[test]
    fn a_known_line_is_found_and_its_points_are_worth_what_results_say() {
        let mut features = Columns::new(vec!["x".into(), "copy".into(), "seven".into()]);
        let (mut points, mut scores) = (Vec::new(), Vec::new());
        for i in 0..600_u16 {
            let x = f32::from(i % 21) - 10.0;
            features.push(&[x, 2.0 * x, 7.0]);
            // Off the line by turns, so that the line stays.
            let off = if (i / 21) % 2 == 0 { 6.0 } else { -6.0 };
            scores.push(3.0 + 2.0 * x + off);
            points.push(f32::from(u8::from(scores[usize::from(i)] > 0.0)));
        }
        let stages = vec![Stage(0); 600];
        let games: Vec<u32> = (0..600).map(|i| i / 3).collect();
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        let pooling = StagePooling::default();
        let found = fit_least_squares(&pooling, 2, &examples, &scores, &Quiet).unwrap();
        let weights = &found.fit.stages[0].estimates;
        assert!((weights[1].weight / found.per_point - 2.0).abs() < 0.05);
        assert!((weights[0].weight / found.per_point - 3.0).abs() < 0.5);
        assert_eq!((weights[2].weight, weights[3].aliased), (0.0, true));
        assert_eq!(found.fit.stages[0].aliased, ["copy", "seven"]);
        let gradient: f64 = (0..600)
            .map(|row| {
                let z = found.fit.model.log_odds(Stage(1), |i| features.column(i)[row]).0;
                z * (f64::from(points[row]) - 1.0 / (1.0 + (-z).exp()))
            })
            .sum();
        assert!(gradient.abs() < 1e-6, "the scale is not the best: {gradient}");

        let turned: Vec<f32> = scores.iter().map(|s| -s).collect();
        let message = fit_least_squares(&pooling, 1, &examples, &turned, &Quiet).unwrap_err();
        assert!(message.to_string().contains("do not grow with"), "{message}");
        let short = fit_least_squares(&pooling, 1, &examples, &scores[1..], &Quiet).unwrap_err();
        assert!(short.to_string().contains("600 rows have 599 scores"), "{short}");
    }
}
