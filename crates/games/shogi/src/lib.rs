//! Shogi: rules on the bitboards of `haitaka`, notation, features.
//!
//! # The rules, as they are kept here
//!
//! * A side without a legal move has lost, by checkmate or not.
//! * No drop where the piece could never move, no second unpromoted pawn on a
//!   file, no mate by a dropped pawn.
//! * The fourth occurrence of a position ends the game. It is a draw, unless all
//!   moves of one side since the first occurrence gave check: then that side has
//!   lost. Keys alone decide it, because a position's key says whether the side to
//!   move stands in check.
//! * A side whose king has entered may declare a win by the 27-point rule
//!   ([`Game::may_declare_win`](evalsmith_core::Game::may_declare_win)). That is a
//!   player's choice, no property of a position: where nobody does, such games
//!   reach the bound on plies and are drawn.
//!
//! The first player is Black (sente), at the bottom of the board.

mod atoms;
mod attacks;
mod board;
mod drops;
mod entering;
mod exchange;
mod features;
mod game;
mod mate;
mod moves;
mod notation;
mod packing;
mod picture;
mod progress;
mod repetition;
mod setup;

pub use board::Board;
pub use features::{Scratch, ShogiFeatures};
pub use game::Shogi;
pub use haitaka::{Piece, Square};
pub use mate::mate;
pub use moves::{Move, Moves};
