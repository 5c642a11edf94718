//! Learners, the models they return, and the evaluation functions made of them.
//!
//! A learner is three things: its parameters, a `fit` function over
//! [`Examples`], and a fit that holds the model together with what a
//! statistician asks. Only the model is saved for play, as a [`ModelFile`].
//! Learners and models see columns, never a board; a [`Function`] joins a model to a
//! game's features, so that a search can ask it for values.

mod block;
mod calibration;
mod choices;
mod classes;
mod clusters;
mod dense;
mod design;
mod diagnosis;
mod discriminant;
mod envelope;
mod error;
mod estimate;
mod examples;
mod exponential;
mod feature_choice;
mod file;
mod function;
mod glem;
mod learner;
mod least_squares;
mod likelihood;
mod linear;
mod logistic;
mod model;
mod moments;
mod move_table;
mod pool;
mod quadratic;
mod quality;
mod reduce;
mod signature;
mod stages;
mod tabled;
mod tree;
mod wide;

pub use calibration::{Calibration, CalibrationBin, calibration, gain};
pub use choices::{Choices, fit_book_linear};
pub use dense::{Dense, DenseModel};
pub use diagnosis::{BoxM, Diagnosis, FeatureDiagnosis, diagnose};
pub use discriminant::{QuadraticFit, fit_fisher, fit_quadratic};
pub use error::LearnError;
pub use estimate::{Estimate, LinearFit, StageFit};
pub use examples::Examples;
pub use feature_choice::with_features;
pub use file::ModelFile;
pub use function::{EvalState, Function};
pub use glem::{
    Agreement, ConfigurationDag, ConfigurationError, ConfigurationFile, ConfigurationFunction,
    ConfigurationModel, ConfigurationParams, Count, DagScratch, GroupFit, GroupParams, GroupRows,
    Indices, Link, MatchHeuristic, OffsetTable, Pattern, PatternError, PatternFile,
    PatternFunction, PatternModel, PatternPlan, PatternSet, PatternTables, Prior, Relation,
    RoundedGroup, SparseFit, SparseIteration, SparseMethod, SparseParams, SparseRows, SparseSet,
    StageGroups, StateCounts, TypeRule, Unit, Views, atom_sign, check_for_play, configurations,
    fit_group, fit_sparse, probable_configurations, set_of, sparse_error, sparse_of, with_counted,
    with_terms,
};
pub use learner::{Fit, Learner, fit};
pub use least_squares::{LeastSquaresFit, fit_least_squares};
pub use linear::{INTERCEPT, Linear};
pub use logistic::{LogisticFit, LogisticParams, fit_logistic};
pub use model::Model;
pub use moments::{ClassMoments, Moments, moments};
pub use move_table::MoveTable;
pub use quadratic::{Quadratic, QuadraticStage};
pub use quality::{Measured, Quality, quality};
pub use reduce::Reduction;
pub use signature::{Signature, SignatureParams, fit_signature};
pub use stages::StagePooling;
pub use tabled::{Tabled, Tables};
pub use tree::{
    Criterion, FeatureUse, Growth, Judged, Node, PriceEffect, PrunePath, Response, Step, Tree,
    TreeFit, TreeParams, TreeSummary, Vectors, choose, fit_tree, grow, price_effects,
};
