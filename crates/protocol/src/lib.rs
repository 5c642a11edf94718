//! UCI, USI, GTP, NBoard and xboard, at both ends of the line.
//!
//! The client's end drives an outside engine: an [`Engine`] says how it is
//! started, a [`Client`] talks with it in texts, an [`EnginePlayer`] is a player
//! like any other. [`check`](check()) tests an engine's manners. The engine's end
//! is [`serve`](serve()): any game with a [`Thinker`] becomes an engine.
//!
//! One invariant at either end: nothing that the other says, leaves unsaid or
//! says too often makes us panic, hang or grow.
//!
//! ```no_run
//! use evalsmith_chess::Chess;
//! use evalsmith_core::{Game, GameRecord, Player, Protocol, Side};
//! use evalsmith_protocol::{Budget, Engine, EnginePlayer};
//!
//! let engine = Engine::new(Protocol::Uci, "stockfish").with_option("Hash", "16");
//! let mut player = EnginePlayer::start(Chess, engine, Budget::depth(8))?;
//! player.new_game(1);
//! let record = GameRecord::new(Chess.start(), Side::First, Chess.max_plies());
//! let choice = player.choose(&record)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allotment;
mod budget;
mod check;
mod client;
mod engine;
mod fault;
mod locate;
mod options;
mod player;
mod process;
mod reply;
mod serve;
mod situation;
mod transcript;

pub use allotment::Allotment;
pub use budget::{Budget, Clocks};
pub use check::{Finding, Mark, check};
pub use client::Client;
pub use engine::{Engine, Patience};
pub use fault::{Blame, Failure, Fault};
pub use locate::{how_to_install, locate};
pub use options::{Kind, Offered};
pub use player::EnginePlayer;
pub use process::end_all_engines;
pub use reply::{Answer, CENTIPAWNS_A_LOGIT, DISCS_A_LOGIT, Reply, Report, Value};
pub use serve::{Info, ServeError, Sureness, Thinker, Thought, serve};
pub use situation::{SetUp, Situation, Terms};
pub use transcript::{Speaker, Transcript};
