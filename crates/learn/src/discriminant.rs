//! The two discriminants: won and lost positions as two normal classes.
//!
//! Quadratic (lee86, equation 3.10 with its factor -1/2 restored; buro95): each
//! class has its own mean and covariance, and the log-determinants stay, since
//! values of different stages meet in one tree. Fisher's (buro95): one pooled
//! covariance, `f(x) = (mu_W - mu_L)' S^-1 (x - (mu_W + mu_L) / 2)`. Both have
//! equal priors and return log-odds.
//!
//! A covariance is singular when a feature is constant or follows from those
//! before it. Such a feature is left out, and said to be: a copy then changes
//! nothing. The quadratic model also leaves out what is constant within one of
//! the classes, since no normal distribution is so narrow.

use crate::classes::{Class, Classes};
use crate::design::Design;
use crate::estimate::{LinearFit, Solution, StageFit, left_out, nearest};
use crate::least_squares::regress;
use crate::likelihood::log_likelihood;
use crate::quadratic::{Quadratic, QuadraticStage};
use crate::stages::{Pooled, StagePooling, fit_stages};
use crate::{Examples, LearnError};
use evalsmith_core::{Progress, Stage};
use evalsmith_stats::matrix::Symmetric;

/// A column is redundant when those before it explain all but this share of its
/// variance within a class.
const REDUNDANT: f64 = 1e-10;

/// A fitted quadratic model and what a statistician asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticFit {
    /// The model, with coefficients for every stage of the game.
    pub model: Quadratic,
    /// The fits of those stages that had enough data, in order.
    pub stages: Vec<StageFit>,
}

/// Fits two normal classes, each with its own covariance.
///
/// # Errors
/// When the examples are faulty, no stage has enough data of both results, there
/// are more than 64 features, or `progress` says to stop.
pub fn fit_quadratic(
    pooling: &StagePooling,
    stages: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
) -> Result<QuadraticFit, LearnError> {
    let names = examples.features.names();
    let width = names.len();
    if width > Quadratic::MOST_FEATURES {
        return Err(LearnError::Parameter {
            name: "the number of features",
            value: width.to_string(),
            allowed: "at most 64 for the quadratic learner",
        });
    }
    let name = "quadratic discriminant";
    let fits = fit_stages(name, pooling, stages, width + 1, examples, progress, quadratic_stage)?;
    let (taken, fits): (Vec<_>, Vec<_>) = fits.into_iter().unzip();
    let place = |fit: &StageFit| fits.iter().position(|f| f.stage == fit.stage);
    let at = |stage: usize| &taken[place(nearest(&fits, Stage(stage as u8))).unwrap_or_default()];
    let model = Quadratic::of_stages(names.to_vec(), &(0..stages).map(at).collect::<Vec<_>>())?;
    Ok(QuadraticFit { model, stages: fits })
}

fn quadratic_stage(at: &Pooled<'_>) -> Result<(QuadraticStage, StageFit), LearnError> {
    let mut design = Design::standardised(at.pool);
    let classes = Classes::of(&design);
    // In order: what is left over must have a spread of its own in both classes.
    let within_win = independent(&classes.win.covariance);
    let win = classes.win.selected(&within_win);
    let loss = classes.loss.selected(&within_win);
    let within_both = independent(&loss.covariance);
    let (win, loss) = (win.selected(&within_both), loss.selected(&within_both));
    let kept: Vec<usize> = within_both.iter().map(|&i| within_win[i]).collect();
    design.keep(&places(&kept));

    let (weights, products) = quadratic_of(&win, &loss)?;
    let stage = in_own_units(&design, at.names.len(), &weights, &products);
    let likelihood = log_likelihood(&design, &weights, &products);
    let k = kept.len();
    let weights = 1 + k + k * (k + 1) / 2;
    let aliased = left_out(at.names, design.terms());
    Ok((stage, StageFit::new(at, likelihood, weights, (Vec::new(), Vec::new()), aliased)))
}

/// The log-odds of two normal classes in standard units: the constant and the
/// linear weights, and the lower triangle of the weights of products, mixed ones
/// counted once.
fn quadratic_of(win: &Class, loss: &Class) -> Result<(Vec<f64>, Vec<f64>), LearnError> {
    let factor = |class: &Class| class.covariance.cholesky().map_err(|_| LearnError::Singular);
    let (of_win, of_loss) = (factor(win)?, factor(loss)?);
    let (inverse_win, inverse_loss) = (of_win.inverse(), of_loss.inverse());
    let (pull_win, pull_loss) = (of_win.solve(&win.mean), of_loss.solve(&loss.mean));
    let length =
        |mean: &[f64], pull: &[f64]| mean.iter().zip(pull).map(|(a, b)| a * b).sum::<f64>();
    let constant = 0.5
        * (length(&loss.mean, &pull_loss) - length(&win.mean, &pull_win)
            + of_loss.log_determinant()
            - of_win.log_determinant());
    let linear = pull_win.iter().zip(&pull_loss).map(|(w, l)| w - l);
    let cells = (0..win.mean.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let products = cells.map(|(i, j)| {
        let half = if i == j { 0.5 } else { 1.0 };
        half * (inverse_loss.get(i, j) - inverse_win.get(i, j))
    });
    Ok(([constant].into_iter().chain(linear).collect(), products.collect()))
}

/// A polynomial of standard units in the features' own.
fn in_own_units(
    design: &Design<'_>,
    width: usize,
    weights: &[f64],
    products: &[f64],
) -> QuadraticStage {
    let mut stage = QuadraticStage {
        centre: vec![0.0; width],
        constant: weights[0],
        linear: vec![0.0; width],
        products: (0..width).map(|i| vec![0.0; i + 1]).collect(),
    };
    let mut products = products.iter();
    for (i, column) in design.columns.iter().enumerate() {
        stage.centre[column.index] = column.mean;
        stage.linear[column.index] = weights[i + 1] / column.deviation;
        for (other, weight) in design.columns[..=i].iter().zip(products.by_ref()) {
            let unit = column.deviation * other.deviation;
            stage.products[column.index][other.index] = weight / unit;
        }
    }
    stage
}

/// Fits Fisher's linear discriminant.
///
/// Its weights are those of the regression of results on features, times one
/// number: errors, z and p are that regression's.
///
/// # Errors
/// When the examples are faulty, no stage has enough data of both results, or
/// `progress` says to stop.
pub fn fit_fisher(
    pooling: &StagePooling,
    stages: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
) -> Result<LinearFit, LearnError> {
    let names = examples.features.names();
    let name = "Fisher's discriminant";
    let terms = names.len() + 1;
    let fits = fit_stages(name, pooling, stages, terms, examples, progress, fisher_stage)?;
    LinearFit::new(names, stages, fits)
}

fn fisher_stage(at: &Pooled<'_>) -> Result<StageFit, LearnError> {
    let mut design = Design::standardised(at.pool);
    let classes = Classes::of(&design);
    let pooled = classes.pooled();
    let kept = independent(&pooled);
    design.keep(&places(&kept));
    let (win, loss) = (classes.win.selected(&kept), classes.loss.selected(&kept));
    let selected = Classes { win, loss };
    let distance = selected.distance();
    let factor = pooled.selected(&kept).cholesky().map_err(|_| LearnError::Singular)?;
    let slope = factor.solve(&distance);
    let middle = selected.win.mean.iter().zip(&selected.loss.mean);
    let middle = middle.map(|(w, l)| f64::midpoint(*w, *l));
    let intercept = -slope.iter().zip(middle).map(|(b, m)| b * m).sum::<f64>();
    let weights: Vec<f64> = [intercept].into_iter().chain(slope.iter().copied()).collect();

    let won = &selected.win;
    let of_results = [1.0].into_iter().chain(won.mean.iter().copied()).map(|m| won.weight * m);
    let of_results: Vec<f64> = of_results.collect();
    let regression = regress(&design, &at.pool.points, &selected.products(), &of_results)?;
    // With R² the share of the results' variance that the regression explains,
    // its slope is Fisher's times p (1 - p) (1 - R²).
    let all = selected.win.weight + selected.loss.weight;
    let spread = selected.win.weight * selected.loss.weight / (all * all);
    let reach: f64 = slope.iter().zip(&distance).map(|(b, d)| b * d).sum();
    let ratio = (1.0 + spread * reach) / spread;
    let scaled = |matrix: &Symmetric| {
        let mut matrix = matrix.clone();
        matrix.scale(ratio * ratio);
        matrix
    };
    let solution = Solution {
        design: &design,
        weights: &weights,
        plain: &scaled(&regression.plain),
        clustered: &scaled(&regression.clustered),
    };
    let told = solution.told(at.names);
    let likelihood = log_likelihood(&design, &weights, &[]);
    let aliased = left_out(at.names, design.terms());
    Ok(StageFit::new(at, likelihood, design.width(), told, aliased))
}

fn independent(covariance: &Symmetric) -> Vec<usize> {
    // In standard units a variance is one, or less by what the classes explain.
    let kept = covariance.independent(REDUNDANT);
    kept.into_iter().filter(|&i| covariance.get(i, i) > REDUNDANT).collect()
}

/// The places of columns in a design, where the intercept is the first.
fn places(columns: &[usize]) -> Vec<usize> {
    columns.iter().map(|i| i + 1).collect()
}
