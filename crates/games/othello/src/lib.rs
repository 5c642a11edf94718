//! Othello: rules on two bitboards, notation, symmetry, features, an endgame solver.
//!
//! A [`Board`] is two words, the discs of the side to move and those of the
//! opponent. Square 0 is a1, 7 is h1, 63 is h8, as the FFO's problems and the
//! OBF format count them: a1 is the top left corner and rows run downward.
//!
//! Flips and mobility exist twice, portable and for x86-64-v3. Which of them a
//! board uses is its type, `Board<Portable>` or `Board<X86V3>`, so that the
//! choice is made once, where a search begins ([`with_best_kernel`]).
//!
//! Two conventions that sources differ on: a pass is a move, and the empty
//! squares of a finished game go to the winner (a draw stays a draw).
//!
//! ```
//! use evalsmith_core::Position;
//! use evalsmith_othello::{Othello, Portable};
//!
//! let game = Othello::<Portable>::new();
//! let record = game.parse_transcript("f5d6c3")?;
//! assert_eq!(record.position().move_count(), 4);
//! # Ok::<(), evalsmith_core::Malformed>(())
//! ```

// Hot methods must vanish into drivers compiled for the detected processor:
// only there do the kernels behind them become inline code.
#![expect(clippy::inline_always, reason = "see above")]

mod board;
mod dialect;
mod edges;
pub mod features;
mod game;
mod kernel;
mod moves;
mod notation;
mod picture;
mod solve;
mod squares;
mod symmetry;

pub use board::Board;
pub use edges::{EdgeViews, Edges};
pub use game::{Othello, with_best_kernel};
pub use kernel::{Kernel, Portable, X86V3};
pub use moves::{Move, Moves};
pub use solve::{CORNERS, Endgame, odd_quadrants};
pub use symmetry::{mirror, transpose};
