//! An Othello engine.
//!
//! [`Engine::shipped`] is the engine as it plays, with all that it ships with ([`shipped`]).
//!
//! An [`Engine`] thinks about a position: a midgame search over a [`Judge`] with
//! Multi-ProbCut (`midgame`, [`probcut`]), deeper and deeper, then to the end of the
//! game, then proven (`engine`). Values are expected final margins in discs.
//!
//! A [`Solver`] answers a [`Question`] about a position: its score, its verdict,
//! or its score within a window, with a best move and a line of best play. It asks
//! itself only whether a position is worth more than some score, beginning with a
//! guess (`solver`), and searches in layers by the number of empty squares:
//!
//! | empty | module | moves ordered by | remembered |
//! |---|---|---|---|
//! | 12 and more | `deep` | a [`Judge`], from 13 on | shared table of whole boards |
//! | 6 to 11 | `near` | replies they leave | small table of the thread |
//! | 5 | `five` | parity | nothing |
//! | 1 to 4 | `last` | parity, by a table | nothing |
//!
//! Threads share the moves of a position after its first (`split`). The judge only
//! decides how soon an answer is there, never what it is.
//!
//! ```
//! use evalsmith_core::Game;
//! use evalsmith_engine_othello::{Question, Solver, Watch};
//! use evalsmith_othello::Othello;
//!
//! let line = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";
//! let (board, _) = Othello::new().parse(line)?;
//! let answer = Solver::new(1, 1).ask(&board, Question::Score, &Watch::new());
//! assert_eq!(answer.bounds.exact(), Some(6));
//! assert_eq!(answer.best.map(|m| m.to_string()), Some("h5".to_owned()));
//! # Ok::<(), evalsmith_core::Malformed>(())
//! ```

// Hot functions must vanish into drivers compiled for the detected processor.
#![expect(clippy::inline_always, reason = "see above")]

pub mod book;
mod bounds;
mod brake;
mod clock;
mod deep;
mod effort;
mod engine;
mod five;
mod judge;
mod last;
mod local;
mod memory;
mod midgame;
mod near;
pub mod obf;
mod order;
pub mod patterns;
mod possible;
pub mod probcut;
mod quadrants;
pub mod shipped;
mod signature;
mod solver;
mod split;
mod squares;
mod stable;
mod table;
mod technique;
mod ternary;
mod twice;
mod value;
mod version;
mod windows;
mod worker;
mod zeroed;

pub use book::{Book, BookError, BookMove};
pub use bounds::Bounds;
pub use clock::Clock;
pub use effort::{Selectivity, UnknownSelectivity};
pub use engine::{Certainty, CheckedLine, CheckedMove, Engine, Limits, Ranked, Thought};
pub use judge::{DISC, Judge, OfChildren, Term};
pub use patterns::SmallPatterns;
pub use possible::{Impossible, check_possible};
pub use probcut::{ProbCut, fit_probcut};
pub use signature::signature;
pub use solver::{Answer, DEFAULT_TABLE_MIB, Question, Solver};
pub use squares::{SquareJudge, SquareTables, Unfit};
pub use technique::{Technique, Techniques, UnknownTechnique};
pub use value::Value;
pub use worker::Watch;
