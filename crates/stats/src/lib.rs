//! Mathematics without games: matrices, distributions, intervals, ratings,
//! sequential tests.

pub mod chi_square;
pub mod eigen;
pub mod elo;
mod error;
mod interval;
mod logistic;
pub mod matrix;
pub mod mean;
pub mod normal;
pub mod proportion;
pub mod ratings;
pub mod simulation;
pub mod sprt;
pub mod time_factor;

pub use error::StatsError;
pub use interval::Interval;
