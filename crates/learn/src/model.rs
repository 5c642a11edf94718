//! Every kind of model there is, behind one type.

use crate::{DenseModel, Linear};
use evalsmith_core::{Explanation, LogOdds, Score, Stage, Window};

/// A model of dense features, whatever learner made it.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A weighted sum per stage.
    Linear(Linear),
}

impl Model {
    /// The kind's name in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Linear(_) => "linear",
        }
    }
}

impl From<Linear> for Model {
    fn from(model: Linear) -> Self {
        Self::Linear(model)
    }
}

impl DenseModel for Model {
    fn features(&self) -> &[String] {
        match self {
            Self::Linear(model) => model.features(),
        }
    }

    fn stages(&self) -> usize {
        match self {
            Self::Linear(model) => model.stages(),
        }
    }

    #[inline]
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        match self {
            Self::Linear(model) => model.log_odds(stage, feature),
        }
    }

    #[inline]
    fn value(&self, stage: Stage, window: Window, feature: impl FnMut(usize) -> f32) -> Score {
        match self {
            Self::Linear(model) => model.value(stage, window, feature),
        }
    }

    fn explain(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> Explanation {
        match self {
            Self::Linear(model) => model.explain(stage, feature),
        }
    }
}
