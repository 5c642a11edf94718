//! Malawi (Gerhard Kodys, Piatnik 1986), the game of heinz93: rules on
//! bit-sliced boards, notation, features.
//!
//! # The rules
//!
//! The board has 6×6 squares. Each side has six tiles, at first on its own base
//! line, with two balls on each. A turn is one of:
//!
//! * a **step**: a tile moves along its row or column exactly as many squares as
//!   it has balls, over empty squares, onto an empty square;
//! * a **capture**: a tile whose step would end on an enemy tile, over empty
//!   squares, removes all balls of that tile; both tiles stay where they are;
//! * a **distribution**: all balls of one tile go to the side's other tiles, one
//!   to each of as many as there are balls, the mover choosing which.
//!
//! A side wins when, on its turn, one of its tiles stands on the enemy base line
//! and could move from there; or when the enemy has no balls left. After 500
//! half-moves the player to move has lost.
//!
//! # What the rules leave open, decided here
//!
//! * *Could move* means a step or a capture of that very tile; a distribution
//!   moves no tile. A tile without balls cannot move. A tile that stands on the
//!   enemy base line but is blocked wins as soon as it is its owner's turn and it
//!   is blocked no more, and so does one that was given its balls there.
//! * A capture takes at least one ball: a tile without balls is an obstacle and
//!   nothing else. Otherwise such a capture would be a pass, and there is none.
//! * A distribution uses every ball it can: with n balls exactly n of the other
//!   five tiles receive one, and with more than five balls all five do and the
//!   excess leaves the game. Tiles without balls may receive.
//! * Captured balls leave the game. No side ever has more than twelve.
//! * The count of half-moves is part of the position. Where it reaches 500 on a
//!   board that is already won or lost by the other rules, those decide.
//! * A side with a ball always has a move, since six tiles always stand and any
//!   ball can be distributed. There is neither stalemate nor draw.
//!
//! The first player is White, whose base line is rank 1; Black's is rank 6.

mod atoms;
mod balls;
mod board;
mod features;
mod game;
mod moves;
mod notation;
mod packing;
mod picture;
mod reach;
mod square;

pub use board::{Board, HALF_MOVES};
pub use features::{MalawiFeatures, Scratch};
pub use game::Malawi;
pub use moves::{Move, MoveKind, Moves};
pub use square::Square;
