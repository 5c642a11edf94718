//! Othello endgames solved exactly.
//!
//! A [`Solver`] answers a [`Question`] about a position: its score, its verdict,
//! or its score within a window, with a best move and a line of best play.

// Hot functions must vanish into drivers compiled for the detected processor.
#![expect(clippy::inline_always, reason = "see above")]

mod bounds;
mod deep;
mod five;
mod guess;
mod judge;
mod last;
mod level;
mod local;
mod near;
mod order;
pub mod patterns;
mod quadrants;
mod solver;
mod split;
mod stable;
mod table;
mod twice;
mod worker;

pub use bounds::Bounds;
pub use judge::{DISC, Judge};
pub use patterns::Patterns;
pub use solver::{Answer, Question, Solver};
pub use worker::Watch;
