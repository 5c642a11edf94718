//! A game as a plain value.
//!
//! [`Position`](evalsmith_core::Position) and [`Game`](evalsmith_core::Game) are generic
//! so that a search is compiled for its game. Everything else may forget the type: a
//! [`DynGame`] holds any game, a [`Pos`] any position, and both implement the ordinary
//! traits, so that generic code over them is compiled once for all games.
//!
//! A call through a [`Pos`] costs an allocation or two, tens of nanoseconds. That is
//! nothing for notation, records and protocols, and far too much for a search: nodes are
//! visited by typed code, which [`DynGame`] reaches one batch, one game or one search at
//! a time.

mod atoms;
pub mod batch;
mod features;
mod follow;
mod function;
mod game;
mod match_game;
mod position;
mod replay;
mod search;
mod self_play;
mod typed;
mod walks;
mod windows;

pub use batch::{BadRow, Lines, Look};
pub use features::DynFeatures;
pub use follow::Record;
pub use function::DynFunction;
pub use game::DynGame;
pub use match_game::{
    CalibratedPlayer, GameCost, GameEnd, GameResult, MatchGameConfig, MatchSeat, MatchTable, Meter,
    Notes, PlayedOut, TimeBudget, TimeControl, untyped_player,
};
pub use position::{MoveId, Pos};
pub use replay::{Replay, ReplayStart, Unplayable};
pub use self_play::{
    OpeningOf, SelfPlayConfig, SelfPlayError, SelfPlayRow, SelfPlayTable, SelfPlayed,
};
pub use windows::{Plain, WindowError, WindowReport};
