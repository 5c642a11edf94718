//! GLEM, the generalised linear evaluation model (buro98):
//!
//! ```text
//! e(p) = g( sum of w_c over the active configurations c of p )
//! ```
//!
//! A [`PatternSet`] turns a position's atoms into one active configuration per
//! pattern instance; [`SparseRows`] hold those of many positions, two bytes each;
//! [`fit_sparse`] finds the weights of one stage, [`fit_group`] those of a group of
//! stages with what its neighbours know. A [`PatternModel`] holds them all in
//! sixteen bits each, and [`PatternTables`] are its form for play; a [`SparseSet`] holds
//! patterns of which only some states have a weight, [`OffsetTable`]s their play.
//! A [`ConfigurationModel`] knows any conjunctions, linked in a [`ConfigurationDag`].
//! [`PatternFunction`] and [`ConfigurationFunction`] join the models to a game. The cost
//! of everything here follows the number of active configurations, never positions times
//! weights.

mod configuration_file;
mod configuration_function;
mod configurations;
mod conjugate;
mod dag;
mod file;
mod function;
mod gradient;
mod group;
mod kernel;
mod link;
mod model;
mod offset_table;
mod pattern;
mod plan;
mod play;
mod rows;
mod set;
mod sparse;
mod types;

pub use configuration_file::{ConfigurationFile, ConfigurationModel};
pub use configuration_function::{ConfigurationFunction, with_terms};
pub use configurations::{
    Agreement, ConfigurationError, ConfigurationParams, MatchHeuristic, Relation, configurations,
    probable_configurations,
};
pub use conjugate::{
    Prior, SparseFit, SparseIteration, SparseMethod, SparseParams, fit_sparse, sparse_error,
};
pub use dag::{ConfigurationDag, DagScratch};
pub use file::PatternFile;
pub use function::{PatternFunction, Views, atom_sign, set_of, sparse_of, with_counted};
pub use group::{GroupFit, GroupParams, GroupRows, fit_group};
pub use link::Link;
pub use model::{PatternModel, RoundedGroup, Unit};
pub use offset_table::OffsetTable;
pub use pattern::Pattern;
pub use plan::{Count, PatternPlan, StageGroups};
pub use play::{Indices, PatternTables, check_for_play};
pub use rows::SparseRows;
pub use set::{PatternError, PatternSet};
pub use sparse::{SparseSet, StateCounts};
pub use types::TypeRule;
