//! What a statistician asks of a fit, whatever learner made it.

use crate::design::Design;
use crate::pool::Pool;
use crate::stages::Pooled;
use crate::{INTERCEPT, LearnError, Linear};
use evalsmith_core::Stage;
use evalsmith_stats::{matrix::Symmetric, normal};
use serde::{Deserialize, Serialize};

/// A fitted weighted sum and what a statistician asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFit {
    /// The model, with weights for every stage of the game.
    pub model: Linear,
    /// The fits of those stages that had enough data, in order.
    pub stages: Vec<StageFit>,
}

impl LinearFit {
    /// The model of these fits: a stage without one copies the nearest.
    pub(crate) fn new(
        names: &[String],
        stages: usize,
        fits: Vec<StageFit>,
    ) -> Result<Self, LearnError> {
        let all = (0..stages).flat_map(|stage| &nearest(&fits, Stage(stage as u8)).estimates);
        let coefficients = all.map(|estimate| estimate.weight).collect();
        Ok(Self { model: Linear::new(names.to_vec(), stages, coefficients)?, stages: fits })
    }

    /// The fit whose weights a stage uses: its own, or the nearest (the earlier
    /// of two equally near).
    pub fn at(&self, stage: Stage) -> &StageFit {
        nearest(&self.stages, stage)
    }
}

/// The fit that serves a stage: its own, or the nearest (the earlier of two
/// equally near).
pub(crate) fn nearest(fits: &[StageFit], stage: Stage) -> &StageFit {
    let nearest = fits.iter().min_by_key(|fit| fit.stage.0.abs_diff(stage.0));
    nearest.expect("a fit has at least one stage")
}

/// The fit of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageFit {
    /// The stage.
    pub stage: Stage,
    /// The first and last stage whose positions were used.
    pub pooled: (Stage, Stage),
    /// Positions used.
    pub rows: usize,
    /// Games they come from.
    pub games: usize,
    /// The intercept and the weights; none where the model is no weighted sum.
    pub estimates: Vec<Estimate>,
    /// Sum of `y ln p + (1 - y) ln (1 - p)`.
    pub log_likelihood: f64,
    /// Twice the distance from the log-likelihood of a perfect prediction.
    pub deviance: f64,
    /// The deviance of the intercept alone.
    pub null_deviance: f64,
    /// Akaike's criterion: twice the number of weights less twice the
    /// log-likelihood. Only logistic regression makes that likelihood as large
    /// as it can be; for the other learners this is an upper bound.
    pub aic: f64,
    /// Newton steps; none where the solution is in closed form.
    pub iterations: u32,
    /// Whether some combination of features predicts results without error, so
    /// that no finite weights are best and a ridge had to hold them.
    pub separated: bool,
    /// The ridge on weights of features in standard deviations; zero unless separated.
    pub ridge: f64,
    /// The covariance of the estimates, clustered by game; zero where aliased.
    pub covariance: Vec<Vec<f64>>,
    /// The features that the model leaves out here, because they are constant or
    /// follow from those before them.
    #[serde(default)]
    pub aliased: Vec<String>,
}

/// A weight and how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The feature, or "(intercept)".
    pub name: String,
    /// Log-odds per unit of the feature.
    pub weight: f64,
    /// As if all positions were independent: too small when positions of one
    /// game resemble each other.
    pub standard_error: f64,
    /// Clustered by game.
    pub clustered_error: f64,
    /// The weight in clustered errors; zero where the error is.
    pub z: f64,
    /// The two-sided probability of such a z if the true weight were zero.
    pub p: f64,
    /// The lower end of the 95 % interval by the clustered error.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the feature is constant here or a combination of those before it;
    /// its weight and errors are zero then.
    pub aliased: bool,
}

/// Weights in standard units with both covariances, ready to be told.
pub(crate) struct Solution<'a> {
    pub(crate) design: &'a Design<'a>,
    pub(crate) weights: &'a [f64],
    pub(crate) plain: &'a Symmetric,
    pub(crate) clustered: &'a Symmetric,
}

impl Solution<'_> {
    /// The estimates in the features' own units, and their clustered covariance.
    pub(crate) fn told(&self, names: &[String]) -> (Vec<Estimate>, Vec<Vec<f64>>) {
        let back = self.design.original_units();
        let weights: Vec<f64> =
            back.iter().map(|row| row.iter().zip(self.weights).map(|(a, b)| a * b).sum()).collect();
        let (plain, clustered) = (self.plain.transformed(&back), self.clustered.transformed(&back));
        let terms = self.design.terms();
        let estimates = estimates(names, terms, &weights, &plain, &clustered);
        (estimates, spread(names.len() + 1, terms, &clustered))
    }
}

impl StageFit {
    /// A fit with so many free weights and this log-likelihood.
    pub(crate) fn new(
        at: &Pooled<'_>,
        log_likelihood: f64,
        weights: usize,
        (estimates, covariance): (Vec<Estimate>, Vec<Vec<f64>>),
        aliased: Vec<String>,
    ) -> Self {
        let Pool { points, .. } = at.pool;
        let perfect: f64 = points.iter().map(|&y| entropy(f64::from(y))).sum();
        let null = points.len() as f64 * entropy(at.pool.mean_points());
        Self {
            stage: at.stage,
            pooled: at.span,
            rows: at.pool.rows(),
            games: at.pool.games(),
            estimates,
            log_likelihood,
            deviance: 2.0 * (perfect - log_likelihood),
            null_deviance: 2.0 * (perfect - null),
            aic: 2.0 * (weights as f64 - log_likelihood),
            iterations: 0,
            separated: false,
            ridge: 0.0,
            covariance,
            aliased,
        }
    }
}

impl StageFit {
    /// The same fit in another unit: every weight `factor` times as large, with
    /// the likelihood it then has.
    pub(crate) fn scaled(&self, factor: f64, log_likelihood: f64) -> Self {
        let mut fit = self.clone();
        for e in &mut fit.estimates {
            for number in [
                &mut e.weight,
                &mut e.standard_error,
                &mut e.clustered_error,
                &mut e.low,
                &mut e.high,
            ] {
                *number *= factor;
            }
        }
        fit.covariance.iter_mut().flatten().for_each(|c| *c *= factor * factor);
        let gain = log_likelihood - self.log_likelihood;
        fit.log_likelihood = log_likelihood;
        fit.deviance -= 2.0 * gain;
        fit.aic -= 2.0 * gain;
        fit
    }
}

/// The names of the features that are not among a design's terms.
pub(crate) fn left_out(names: &[String], terms: &[usize]) -> Vec<String> {
    let named = names.iter().enumerate();
    named.filter(|(i, _)| !terms.contains(&(i + 1))).map(|(_, name)| name.clone()).collect()
}

/// `y ln y + (1 - y) ln (1 - y)`: the best log-likelihood of one example.
fn entropy(y: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
    term(y) + term(1.0 - y)
}

/// One estimate per term, those not among `terms` aliased.
fn estimates(
    names: &[String],
    terms: &[usize],
    weights: &[f64],
    plain: &Symmetric,
    clustered: &Symmetric,
) -> Vec<Estimate> {
    let names = std::iter::once(INTERCEPT).chain(names.iter().map(String::as_str));
    let estimate = |(term, name): (usize, &str)| {
        let found = terms.iter().position(|&t| t == term);
        let (weight, standard_error, clustered_error) = found.map_or((0.0, 0.0, 0.0), |i| {
            (weights[i], plain.get(i, i).sqrt(), clustered.get(i, i).max(0.0).sqrt())
        });
        let z = if clustered_error > 0.0 { weight / clustered_error } else { 0.0 };
        Estimate {
            name: name.to_owned(),
            weight,
            standard_error,
            clustered_error,
            z,
            p: normal::two_sided(z),
            low: weight - normal::Z95 * clustered_error,
            high: weight + normal::Z95 * clustered_error,
            aliased: found.is_none(),
        }
    };
    names.enumerate().map(estimate).collect()
}

/// The matrix over all terms, zero where aliased.
fn spread(width: usize, terms: &[usize], matrix: &Symmetric) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; width]; width];
    for (i, &row) in terms.iter().enumerate() {
        for (j, &column) in terms.iter().enumerate() {
            all[row][column] = matrix.get(i, j);
        }
    }
    all
}
