//! The words every other room uses.
//!
//! A game is told once, as a hot [`Position`] and a cold [`Game`]; everything
//! else in the house (search, learners, curves, matches) is written against
//! these traits and never against a board.
//!
//! Three conventions hold everywhere:
//!
//! * a position is seen by the side to move, and a larger [`Score`] is better
//!   for that side;
//! * turns alternate strictly: a pass, where a game has one, is a move;
//! * positions are plain values without history: history lives in
//!   [`GameRecord`] and on the search's stack.

mod agreement;
mod atoms;
pub mod column_name;
pub mod conformance;
mod dialect;
pub mod digest;
mod evaluate;
mod features;
pub mod files;
mod game;
mod indexer;
mod malformed;
mod outcome;
mod perft;
pub mod picture;
mod player;
mod plies;
mod position;
mod progress;
mod record;
pub mod rng;
mod score;
pub mod seal;

pub use agreement::Agreement;
pub use atoms::{Atoms, Change};
pub use dialect::{Dialect, OwnNotation, Protocol, no_set_up};
pub use evaluate::{Evaluate, Explanation, Term, Trivial};
pub use features::{Columns, Features};
pub use game::{Defaults, FindMate, Game, MapMove, Solve, Solved, Symmetry, canonical_key};
pub use indexer::Indexer;
pub use malformed::Malformed;
pub use outcome::{Outcome, Side, Verdict};
pub use perft::{perft, perft_by_bulk};
pub use picture::{Picture, Way};
pub use player::{Choice, Clock, FaultKind, Player, PlayerError, play_out};
pub use plies::Plies;
pub use position::{Position, Stage};
pub use progress::{Progress, Quiet, handing_on_stop};
pub use record::{Ending, GameRecord, IllegalMove, Reason};
pub use score::{LogOdds, Score, WinProb, Window};

/// Whether this machine runs code compiled for AVX2, BMI1, BMI2, LZCNT and
/// POPCNT (the x86-64-v3 level). Recursive drivers are compiled twice and choose
/// once, at the root, by this answer.
#[cfg(target_arch = "x86_64")]
pub fn x86_v3_available() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}
