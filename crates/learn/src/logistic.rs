//! Logistic regression by Newton's method (buro95), stage by stage.
//!
//! P(win) = 1 / (1 + exp(-x b)), a draw counting as half a win. A stage pools
//! its neighbours' positions (lee86); one without enough data copies the
//! nearest that has it. Positions of one game are not independent: z and p rest
//! on errors clustered by game, and the plain ones stand beside them. The fit is
//! unpenalised unless the data separate; then, and only then, a ridge is used
//! and said.

mod clusters;
mod design;
mod exponential;
mod kernel;
mod newton;

use crate::pool::{Pool, pooled};
use crate::{Examples, INTERCEPT, LearnError, Linear};
use design::Design;
use evalsmith_core::{Progress, Stage};
use evalsmith_stats::{matrix::Symmetric, normal};
use newton::Optimum;
use serde::{Deserialize, Serialize};

/// Which positions a stage is fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StagePooling {
    /// Stages on either side whose positions are used too.
    pub radius: u8,
    /// A pool with fewer rows is not fitted.
    pub min_rows: usize,
    /// A pool with fewer games is not fitted.
    pub min_games: usize,
}

impl Default for StagePooling {
    fn default() -> Self {
        Self { radius: 2, min_rows: 200, min_games: 20 }
    }
}

/// How to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogisticParams {
    /// Which positions a stage is fitted on.
    pub stages: StagePooling,
    /// Newton steps before giving up.
    pub max_iterations: u32,
    /// The fit is done when no weight would move by more than this share of its
    /// standard error.
    pub tolerance: f64,
}

impl Default for LogisticParams {
    fn default() -> Self {
        Self { stages: StagePooling::default(), max_iterations: 100, tolerance: 1e-8 }
    }
}

impl LogisticParams {
    fn check(&self) -> Result<(), LearnError> {
        let wrong =
            |name, value: String, allowed| Err(LearnError::Parameter { name, value, allowed });
        if self.max_iterations == 0 {
            return wrong("max_iterations", "0".into(), "at least 1");
        }
        if !(1e-10..=1e-2).contains(&self.tolerance) {
            return wrong("tolerance", self.tolerance.to_string(), "between 1e-10 and 0.01");
        }
        Ok(())
    }
}

/// A fitted model and what a statistician asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticFit {
    /// The model, with weights for every stage of the game.
    pub model: Linear,
    /// The fits of those stages that had enough data, in order.
    pub stages: Vec<StageFit>,
}

impl LogisticFit {
    /// The fit whose weights a stage uses: its own, or the nearest (the earlier
    /// of two equally near).
    pub fn at(&self, stage: Stage) -> &StageFit {
        let nearest = self.stages.iter().min_by_key(|fit| fit.stage.0.abs_diff(stage.0));
        nearest.expect("a fit has at least one stage")
    }
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
    /// The intercept and the weights.
    pub estimates: Vec<Estimate>,
    /// Sum of `y ln p + (1 - y) ln (1 - p)`.
    pub log_likelihood: f64,
    /// Twice the distance from the log-likelihood of a perfect prediction.
    pub deviance: f64,
    /// The deviance of the intercept alone.
    pub null_deviance: f64,
    /// Akaike's criterion: twice the number of weights less twice the log-likelihood.
    pub aic: f64,
    /// Newton steps.
    pub iterations: u32,
    /// Whether some combination of features predicts results without error, so
    /// that no finite weights are best and a ridge had to hold them.
    pub separated: bool,
    /// The ridge on weights of features in standard deviations; zero unless separated.
    pub ridge: f64,
    /// The covariance of the estimates, clustered by game; zero where aliased.
    pub covariance: Vec<Vec<f64>>,
}

/// A weight and how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The feature, or "(intercept)".
    pub name: String,
    /// Log-odds per unit of the feature.
    pub weight: f64,
    /// By the inverse Fisher information: too small when positions of one game
    /// resemble each other.
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

/// Fits a game of so many `stages`.
///
/// # Errors
/// When the examples or parameters are faulty, no stage has enough data of both
/// results, the fit does not converge, or `progress` says to stop.
pub fn fit_logistic(
    params: &LogisticParams,
    stages: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
) -> Result<LogisticFit, LearnError> {
    params.check()?;
    examples.check(stages)?;
    progress.begin("logistic regression", stages as u64, "stages");
    let result = fit_stages(params, stages, examples, progress);
    progress.end();
    let fits = result?;

    let mut fit = LogisticFit { model: Linear::by_hand(Vec::new(), Vec::new(), 1)?, stages: fits };
    let all = (0..stages).flat_map(|stage| &fit.at(Stage(stage as u8)).estimates);
    let coefficients = all.map(|estimate| estimate.weight).collect();
    fit.model = Linear::new(examples.features.names().to_vec(), stages, coefficients)?;
    Ok(fit)
}

/// Fits every stage that has enough data. Stages follow one another, and each
/// one's passes over its rows are shared among threads: memory stays at one pool.
fn fit_stages(
    params: &LogisticParams,
    stages: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
) -> Result<Vec<StageFit>, LearnError> {
    let width = examples.features.width() + 1;
    let min_rows = params.stages.min_rows.max(width + 1);
    let min_games = params.stages.min_games.max(2);
    let mut own = vec![0_usize; stages];
    examples.stages.iter().for_each(|stage| own[stage.index()] += 1);

    let mut fits = Vec::new();
    let mut largest = (0, 0);
    let mut one_class = None;
    for stage in (0..stages).map(|stage| Stage(stage as u8)) {
        if progress.stopped() {
            return Err(LearnError::Stopped);
        }
        if own[stage.index()] > 0 {
            let span = pooled(stage, params.stages.radius, stages);
            let pool = Pool::gather(examples, span);
            largest = largest.max((pool.rows(), pool.games()));
            let first = pool.points[0];
            if pool.rows() < min_rows || pool.games() < min_games {
                progress.note(&format!(
                    "stage {}: {} rows of {} games are too few, so it copies the nearest fit",
                    stage.0,
                    pool.rows(),
                    pool.games(),
                ));
            } else if pool.points.iter().all(|&y| y == first) && (first == 0.0 || first == 1.0) {
                one_class = one_class.max(Some((pool.rows(), u8::from(first > 0.5))));
                progress.note(&format!(
                    "stage {}: every result is {first}, so it copies the nearest fit",
                    stage.0,
                ));
            } else {
                fits.push(fit_stage(
                    params,
                    stage,
                    span,
                    examples.features.names(),
                    &pool,
                    progress,
                )?);
            }
        }
        progress.advance(1);
    }
    if !fits.is_empty() {
        return Ok(fits);
    }
    let (rows, games) = largest;
    Err(one_class
        .map_or(LearnError::TooFew { rows, games, min_rows, min_games }, |(rows, points)| {
            LearnError::OneClass { rows, points: points.into() }
        }))
}

fn fit_stage(
    params: &LogisticParams,
    stage: Stage,
    pooled: (Stage, Stage),
    names: &[String],
    pool: &Pool,
    progress: &dyn Progress,
) -> Result<StageFit, LearnError> {
    let mut design = Design::standardised(pool);
    let optimum = newton::maximise(params, stage, &mut design, progress)?;
    let Optimum { weights, bread, log_likelihood, iterations, ridge } = optimum;

    // statsmodels' and Stata's factor for few clusters and few rows.
    let (n, g, k) = (pool.rows() as f64, pool.games() as f64, design.width() as f64);
    let mut meat = clusters::scores(&design, &weights);
    meat.scale(g / (g - 1.0) * (n - 1.0) / (n - k));
    let clustered = meat.transformed(&bread.rows());

    let back = design.original_units();
    let weights: Vec<f64> =
        back.iter().map(|row| row.iter().zip(&weights).map(|(a, b)| a * b).sum()).collect();
    let (plain, clustered) = (bread.transformed(&back), clustered.transformed(&back));
    let estimates = estimates(names, design.terms(), &weights, &plain, &clustered);

    let perfect: f64 = pool.points.iter().map(|&y| entropy(f64::from(y))).sum();
    let null = n * entropy(pool.mean_points());
    Ok(StageFit {
        stage,
        pooled,
        rows: pool.rows(),
        games: pool.games(),
        log_likelihood,
        deviance: 2.0 * (perfect - log_likelihood),
        null_deviance: 2.0 * (perfect - null),
        aic: 2.0 * (k - log_likelihood),
        iterations,
        separated: ridge > 0.0,
        ridge,
        covariance: spread(names.len() + 1, design.terms(), &clustered),
        estimates,
    })
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
