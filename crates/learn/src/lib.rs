//! Learners and the models they return; sees columns, never a board.
//!
//! A learner is three things: its parameters, a `fit` function over
//! [`Examples`], and a fit that holds the model together with what a
//! statistician asks. Only the model is saved for play, as a [`ModelFile`];
//! [`Dense`] lets a search ask it for values.

mod dense;
mod error;
mod examples;
mod file;
mod glem;
mod linear;
mod logistic;
mod model;
mod moments;
mod pool;
mod quality;

pub use dense::{Dense, DenseModel};
pub use error::LearnError;
pub use examples::Examples;
pub use file::ModelFile;
pub use glem::{
    ConfigurationError, ConfigurationParams, Link, Pattern, PatternError, PatternSet, Relation,
    SparseFit, SparseIteration, SparseParams, SparseRows, configurations, fit_sparse,
};
pub use linear::{INTERCEPT, Linear};
pub use logistic::{Estimate, LogisticFit, LogisticParams, StageFit, StagePooling, fit_logistic};
pub use model::Model;
pub use moments::{ClassMoments, Moments, moments};
pub use quality::{Measured, Quality, quality};
