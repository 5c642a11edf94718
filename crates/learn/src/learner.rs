//! The learners by name: one call whichever it is.

use crate::{
    Examples, LearnError, LogisticParams, Model, StageFit, StagePooling, TreeParams, fit_fisher,
    fit_least_squares, fit_logistic, fit_quadratic, fit_tree,
};
use evalsmith_core::Progress;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A way from examples to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// Logistic regression (buro95).
    #[default]
    Logistic,
    /// Fisher's linear discriminant (buro95).
    Fisher,
    /// Two normal classes, each with its own covariance (lee86).
    Quadratic,
    /// Least squares of the final score (Mitchell).
    LeastSquares,
    /// A classification tree (heinz93).
    Tree,
}

impl Learner {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Logistic, Self::Fisher, Self::Quadratic, Self::LeastSquares, Self::Tree];

    /// Those that fit every stage by itself, pooling and reducing as they are told.
    pub const BY_STAGE: [Self; 4] =
        [Self::Logistic, Self::Fisher, Self::Quadratic, Self::LeastSquares];

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Fisher => "fisher",
            Self::Quadratic => "quadratic",
            Self::LeastSquares => "least-squares",
            Self::Tree => "tree",
        }
    }
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Learner {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|learner| learner.name() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no learner {text:?}; known are {known}")
        })
    }
}

/// What a learner made, with what a statistician asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// The fits of those stages that had enough data, in order.
    pub stages: Vec<StageFit>,
}

/// Fits by the learner of this name; `scores` are what least squares predicts,
/// and the other learners do not look at them. A tree is grown by its default
/// parameters.
///
/// # Errors
/// As the learner's own function; [`LearnError::Lengths`] where least squares
/// has no scores.
pub fn fit(
    learner: Learner,
    params: &LogisticParams,
    stages: usize,
    examples: &Examples<'_>,
    scores: &[f32],
    progress: &dyn Progress,
) -> Result<Fit, LearnError> {
    let pooling: &StagePooling = &params.stages;
    match learner {
        Learner::Logistic => {
            let fit = fit_logistic(params, stages, examples, progress)?;
            Ok(Fit { model: fit.model.into(), stages: fit.stages })
        }
        Learner::Fisher => {
            let fit = fit_fisher(pooling, stages, examples, progress)?;
            Ok(Fit { model: fit.model.into(), stages: fit.stages })
        }
        Learner::Quadratic => {
            let fit = fit_quadratic(pooling, stages, examples, progress)?;
            Ok(Fit { model: fit.model.into(), stages: fit.stages })
        }
        Learner::LeastSquares => {
            let fit = fit_least_squares(pooling, stages, examples, scores, progress)?.fit;
            Ok(Fit { model: fit.model.into(), stages: fit.stages })
        }
        Learner::Tree => {
            let fit = fit_tree(&TreeParams::default(), stages, examples, None, None)?;
            Ok(Fit { model: fit.model.into(), stages: Vec::new() })
        }
    }
}
