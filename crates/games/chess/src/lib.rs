//! Chess: the rules of [cozy-chess](cozy_chess), notation, features.
//!
//! A [`Board`] is a position in the sense of FIDE's article 9.2: two boards are
//! equal, and share a key, when the same side is to move, the same pieces stand
//! on the same squares, and the same moves are possible, castling and en passant
//! included. The clocks that it carries are not part of that.
//!
//! Conventions that sources differ on: a draw that a player may claim (threefold
//! repetition, fifty moves) ends the game at once; a side's castling move is the
//! king taking its own rook inside the program, and `O-O` or `e1g1` outside it.
//!
//! ```
//! use evalsmith_chess::Chess;
//! use evalsmith_core::{Game, Outcome, Position};
//!
//! let mut board = Chess.start();
//! for text in ["f3", "e5", "g2g4", "Qh4#"] {
//!     board = board.play(Chess.parse_move(&board, text)?);
//! }
//! assert_eq!(board.outcome(), Some(Outcome::LOSS));
//! # Ok::<(), evalsmith_core::Malformed>(())
//! ```

mod atoms;
mod board;
mod dialect;
mod exchange;
mod features;
mod fen;
mod game;
mod moves;
mod packing;
mod picture;
mod san;
mod san_by_sets;
mod setup;

pub use board::Board;
pub use features::{ChessFeatures, Scratch};
pub use game::Chess;
pub use moves::{Move, Moves};
