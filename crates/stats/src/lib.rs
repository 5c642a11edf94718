//! Mathematics without games: matrices, distributions, intervals, ratings.

pub mod elo;
mod interval;
pub mod matrix;
pub mod normal;
pub mod proportion;

pub use interval::Interval;
