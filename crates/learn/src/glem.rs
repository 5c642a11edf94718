//! GLEM, the generalised linear evaluation model (buro98):
//!
//! ```text
//! e(p) = g( sum of w_c over the active configurations c of p )
//! ```
//!
//! A [`PatternSet`] turns a position's atoms into one active configuration per
//! pattern instance; [`SparseRows`] hold those of many positions, two bytes each;
//! [`fit_sparse`] finds the weights of one stage. The cost of everything here
//! follows the number of active configurations, never positions times weights.

mod configurations;
mod conjugate;
mod kernel;
mod link;
mod pattern;
mod rows;
mod set;

pub use configurations::{ConfigurationError, ConfigurationParams, Relation, configurations};
pub use conjugate::{SparseFit, SparseIteration, SparseParams, fit_sparse};
pub use link::Link;
pub use pattern::Pattern;
pub use rows::SparseRows;
pub use set::{PatternError, PatternSet};
