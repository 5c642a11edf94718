//! Alpha-beta for any position and any evaluation function.
//!
//! A [`Searcher`] deepens iteratively with principal variation search
//! (Marsland and Campbell 1982; Reinefeld 1983), a transposition table of fixed
//! size, killer moves and a history of cut-offs. At the horizon it plays the
//! noisy moves on until the position is quiet, where the game names such moves.
//! At the leaves it hands its real window to the evaluation function, which may
//! stop early (heinz93).
//!
//! The invariant everything here keeps: **a search to a fixed depth has the value
//! of plain minimax to that depth** (with the same exchanges below it, where the
//! game has noisy moves), whatever the table holds from earlier
//! searches. Tables, killers and windows change how many positions are visited
//! and which of several equally good moves is chosen, never the value.
//!
//! ```
//! use evalsmith_core::{GameRecord, Position, Side, Trivial};
//! use evalsmith_core::Outcome;
//! use evalsmith_search::{Limits, Searcher};
//! use std::sync::atomic::AtomicBool;
//!
//! /// Take one, two or three stones; who takes the last one wins.
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! struct Stones(u8);
//!
//! impl Position for Stones {
//!     type Move = u8;
//!     type Moves = std::ops::RangeInclusive<u8>;
//!     fn moves(&self) -> Self::Moves {
//!         1..=self.0.min(3)
//!     }
//!     fn play(&self, taken: u8) -> Self {
//!         Self(self.0 - taken)
//!     }
//!     fn outcome(&self) -> Option<Outcome> {
//!         (self.0 == 0).then_some(Outcome::LOSS)
//!     }
//! }
//!
//! let game = GameRecord::new(Stones(7), Side::First, 100);
//! let mut searcher = Searcher::new(Trivial, 1 << 16);
//! let found = searcher.search(&game, &Limits::depth(20), &AtomicBool::new(false));
//! assert_eq!(found.best, Some(3));
//! assert!(found.value.is_decisive());
//! ```

mod brake;
mod found;
mod limits;
mod order;
mod player;
mod random;
mod sampling;
mod search;
mod searcher;
mod table;
mod tree;

pub use found::{Found, Ranked};
pub use limits::Limits;
pub use player::SearchPlayer;
pub use random::{RandomPlayer, WithChance};
pub use sampling::{Sampled, Sampling};
pub use search::{OnIteration, Search};
pub use searcher::Searcher;
pub use table::{DEFAULT_TABLE_BYTES, MAX_TABLE_BYTES};

#[cfg(test)]
mod equality;
#[cfg(test)]
mod signature;
#[cfg(test)]
mod toys;
