//! Where evaluation functions prove themselves: openings, clocks, matches.
//!
//! A match plays every opening twice with colours reversed and logs each game
//! as it ends. Its result is a function of the plan and the players alone: it
//! depends neither on threads nor on how often the run was interrupted. Players
//! are [`Player`](evalsmith_core::Player)s, in this process or outside it; one
//! that fails loses its game, and the match goes on.
//!
//! Nothing here knows the type of its game. Each game of a match is played by a
//! [`MatchTable`](evalsmith_rules::MatchTable), which is typed where that matters.

mod calibration;
mod course;
mod error;
mod log;
mod match_run;
mod openings;
mod plan;
mod scoreboard;
mod table;
#[cfg(test)]
mod testing;

pub use calibration::{Calibration, Measure, calibrate};
pub use course::{CoursePoint, read_course};
pub use error::ArenaError;
pub use evalsmith_rules::{
    CalibratedPlayer, MatchSeat, Meter, Notes, TimeBudget, TimeControl, untyped_player,
};
pub use log::{LogHeader, LogReader};
pub use match_run::{MatchResult, Seat, read_match, run_match};
pub use openings::{Openings, Wanted};
pub use plan::{Adjudication, End, LoggedFault, MatchPlan, PlayedGame};
pub use scoreboard::{TestState, Totals};
