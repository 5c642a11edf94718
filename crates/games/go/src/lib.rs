//! Go on 9x9 points: rules on bitboards, notation, features.
//!
//! # The rules
//!
//! Black, the first player, and White put stones on empty points in turn, or
//! pass. A chain of stones without an empty neighbour is captured, the mover's
//! opponent's chains first. Two passes in a row end the game; each side's area
//! counts (stones, and empty points from which only they are reached), and White
//! gets the komi. These are the rules of Tromp and Taylor, but for suicide, and
//! margins are in half points.
//!
//! # What was decided here
//!
//! * Suicide is forbidden, of one stone and of several.
//! * Nobody removes dead stones: who wants them gone captures them.
//! * A plain ko, the take-back of a single stone by a single stone at once, is
//!   part of the position and never among its moves.
//! * Positional superko needs history, which positions do not have. A stone that
//!   brings back an earlier board, whoever was to move then, can be played, ends
//!   the game and loses it by more than any count of the board: the same as
//!   forbidding it, for all who may pass instead, and a pass is always legal and
//!   never a repetition.
//! * The komi belongs to the game ([`Go::with_komi`]); positions carry it, text
//!   and packed bytes do not.

mod area;
mod atoms;
mod board;
mod chain;
mod dialect;
mod features;
mod game;
mod key;
mod moves;
mod notation;
mod packing;
mod picture;
mod point;
mod sgf;
mod symmetry;

pub use board::Board;
pub use features::{GoFeatures, Scratch};
pub use game::Go;
pub use moves::{Move, Moves};
pub use point::Point;
pub use sgf::{format_sgf, parse_sgf};
