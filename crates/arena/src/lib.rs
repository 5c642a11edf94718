//! Where evaluation functions prove themselves: openings, matches, equal pace.
//!
//! A match plays every opening twice with colours reversed and logs each game
//! as it ends. Its result is a function of the plan and the players alone: it
//! depends neither on threads nor on how often the run was interrupted.

mod calibration;
mod error;
mod log;
mod match_run;
mod openings;
mod plan;
#[cfg(test)]
mod testing;

pub use calibration::{Calibration, Measure, calibrate};
pub use error::ArenaError;
pub use match_run::{MatchResult, Seat, run_match};
pub use openings::Openings;
pub use plan::{MatchPlan, PlayedGame};
