//! Mathematics without games: matrices, distributions, intervals, ratings.

pub mod elo;
pub mod matrix;
pub mod normal;
pub mod proportion;
