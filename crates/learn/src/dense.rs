//! Models over a game's features, as a search sees them.
//!
//! A model pulls features through a closure, one at a time, so that one which
//! can decide early computes no more than it needs. The closure is a type
//! parameter rather than a `dyn`: the call is inlined into the model's loop.

use crate::LearnError;
use evalsmith_core::{Evaluate, Explanation, Features, LogOdds, Position, Score, Stage, Window};
use std::sync::Arc;

/// A model whose features are all numbers: linear, quadratic, tree.
pub trait DenseModel: Send + Sync {
    /// The features' names, in the order in which they are asked for.
    fn features(&self) -> &[String];

    /// How many stages have their own weights.
    fn stages(&self) -> usize;

    /// The log-odds that the side to move wins.
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds;

    /// The value clamped to the window. A model that knows bounds of what it
    /// has not computed may stop early, but must return what this default does.
    #[inline]
    fn value(&self, stage: Stage, window: Window, feature: impl FnMut(usize) -> f32) -> Score {
        window.clamp(self.log_odds(stage, feature).into())
    }

    /// The log-odds term by term.
    fn explain(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> Explanation;
}

/// A shared model is a model.
impl<M: DenseModel> DenseModel for Arc<M> {
    fn features(&self) -> &[String] {
        (**self).features()
    }
    fn stages(&self) -> usize {
        (**self).stages()
    }
    #[inline]
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        (**self).log_odds(stage, feature)
    }
    #[inline]
    fn value(&self, stage: Stage, window: Window, feature: impl FnMut(usize) -> f32) -> Score {
        (**self).value(stage, window, feature)
    }
    fn explain(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> Explanation {
        (**self).explain(stage, feature)
    }
}

/// An evaluation function: a model and the features it was made for.
#[derive(Clone, Debug)]
pub struct Dense<F, M = crate::Model> {
    model: M,
    features: F,
}

impl<F, M: DenseModel> Dense<F, M> {
    /// Joins a model with the features and the number of stages of a game.
    ///
    /// # Errors
    /// When the features' names, or the number of stages, are not the model's.
    pub fn new<P: Position>(model: M, features: F, stages: usize) -> Result<Self, LearnError>
    where
        F: Features<P>,
    {
        let given = features.names();
        if given != model.features() {
            return Err(LearnError::Features {
                model: model.features().join(", "),
                given: given.join(", "),
            });
        }
        if model.stages() != stages {
            return Err(LearnError::Stages { model: model.stages(), game: stages });
        }
        Ok(Self { model, features })
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The log-odds that the side to move wins, unrounded.
    #[inline]
    pub fn log_odds<P: Position>(&self, position: &P) -> LogOdds
    where
        F: Features<P>,
    {
        let mut scratch = F::Scratch::default();
        self.model.log_odds(position.stage(), |i| self.features.get(position, i, &mut scratch))
    }
}

impl<P: Position, F: Features<P>, M: DenseModel> Evaluate<P> for Dense<F, M> {
    type State = ();

    #[inline]
    fn start(&self, _position: &P) {}

    #[inline]
    fn advance(&self, _before: &P, _m: P::Move, _after: &P, _state: &()) {}

    #[inline]
    fn value(&self, position: &P, _state: &(), window: Window) -> Score {
        let mut scratch = F::Scratch::default();
        let feature = |i| self.features.get(position, i, &mut scratch);
        self.model.value(position.stage(), window, feature)
    }

    fn explain(&self, position: &P) -> Explanation {
        let mut scratch = F::Scratch::default();
        self.model.explain(position.stage(), |i| self.features.get(position, i, &mut scratch))
    }
}
