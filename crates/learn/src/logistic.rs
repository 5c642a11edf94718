//! Logistic regression by Newton's method (buro95), stage by stage.
//!
//! P(win) = 1 / (1 + exp(-x b)), a draw counting as half a win. A stage pools
//! its neighbours' positions (lee86); one without enough data copies the
//! nearest that has it. Positions of one game are not independent: z and p rest
//! on errors clustered by game, and the plain ones stand beside them. The fit is
//! unpenalised unless the data separate; then, and only then, a ridge is used
//! and said.

mod kernel;
mod newton;

use crate::block::Block;
use crate::clusters;
use crate::design::Design;
use crate::estimate::{LinearFit, Solution, StageFit, left_out};
use crate::stages::{Pooled, StagePooling, fit_stages};
use crate::{Examples, LearnError};
use evalsmith_core::Progress;
use newton::Optimum;
use serde::{Deserialize, Serialize};

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
pub type LogisticFit = LinearFit;

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
    let terms = examples.features.width() + 1;
    let fit = |at: &Pooled<'_>| fit_stage(params, at, progress);
    let name = "logistic regression";
    let fits = fit_stages(name, &params.stages, stages, terms, examples, progress, fit)?;
    LinearFit::new(examples.features.names(), stages, fits)
}

fn fit_stage(
    params: &LogisticParams,
    at: &Pooled<'_>,
    progress: &dyn Progress,
) -> Result<StageFit, LearnError> {
    let mut design = Design::standardised(at.pool);
    let optimum = newton::maximise(params, at.stage, &mut design, progress)?;
    let Optimum { weights, bread, log_likelihood, iterations, ridge } = optimum;
    let load = |block: &mut Block, rows| kernel::residuals(&design, &weights, block, rows);
    let (mut meat, _) = clusters::scores(&design, load);
    meat.scale(clusters::correction(&design));
    let clustered = meat.transformed(&bread.rows());
    let solution =
        Solution { design: &design, weights: &weights, plain: &bread, clustered: &clustered };
    let aliased = left_out(at.names, design.terms());
    let told = solution.told(at.names);
    Ok(StageFit {
        iterations,
        separated: ridge > 0.0,
        ridge,
        ..StageFit::new(at, log_likelihood, design.width(), told, aliased)
    })
}
