//! Mathematics without games: matrices, distributions, intervals, ratings,
//! sequential tests.

pub mod elo;
mod error;
mod interval;
pub mod matrix;
pub mod normal;
pub mod proportion;
pub mod sprt;

pub use error::StatsError;
pub use interval::Interval;
