//! Who thinks when a game speaks as an engine.

use crate::budget::Budget;
use crate::options::Offered;
use evalsmith_core::{GameRecord, PlayerError, Position, Score};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Somebody who finds moves, can be stopped, and tells how it goes.
pub trait Thinker<P: Position>: Send {
    /// What the engine is called.
    fn name(&self) -> String;

    /// The options it offers.
    fn options(&self) -> Vec<Offered> {
        Vec::new()
    }

    /// Sets an option that it offers, to a value that fits it.
    ///
    /// # Errors
    /// When the value cannot be had after all.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        let reason = format!("option {name} = {value}: it offers no options");
        Err(PlayerError::new(self.name(), reason))
    }

    /// Forgets the last game.
    fn new_game(&mut self) {}

    /// Thinks about a game that is not over until the budget is used up or `stop`
    /// is set, and tells through `tell` what it has found on the way.
    ///
    /// # Errors
    /// When it cannot.
    fn think(
        &mut self,
        record: &GameRecord<P>,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<P::Move>),
    ) -> Result<Thought<P::Move>, PlayerError>;

    /// The same, telling of as many `lines`, best first, as there are moves, each
    /// time anew. A thinker that knows of nothing but its best move tells of that.
    ///
    /// # Errors
    /// When it cannot.
    fn rank(
        &mut self,
        record: &GameRecord<P>,
        _lines: usize,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<P::Move>),
    ) -> Result<Thought<P::Move>, PlayerError> {
        self.think(record, budget, stop, tell)
    }
}

/// How far a value can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    /// An estimate some plies ahead.
    Estimated,
    /// The same by a search that leaves lines out where it is sure to so many
    /// percent.
    Percent(u8),
    /// What an opening book says.
    Book,
    /// Nothing can be better or worse.
    Proven,
}

impl Sureness {
    /// A decided game is proven, all else an estimate.
    pub fn of(value: Score) -> Self {
        if value.is_decisive() { Self::Proven } else { Self::Estimated }
    }
}

/// What is known in the middle of a search, about its best move or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info<M> {
    /// The place of the line's first move among the moves: one for the best.
    pub place: usize,
    /// Plies searched.
    pub depth: u32,
    /// The value for the side to move.
    pub value: Score,
    /// How far that can be trusted.
    pub sureness: Sureness,
    /// Positions visited.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
    /// The expected line.
    pub line: Vec<M>,
}

impl<M> Info<M> {
    /// The depth as NBoard and others show it: `14`, `14@95%` for a selective
    /// search, `book` for what stands in a book, `100%` for a proof.
    pub(super) fn depth_word(&self) -> String {
        match self.sureness {
            Sureness::Estimated => self.depth.to_string(),
            Sureness::Percent(percent) => format!("{}@{percent}%", self.depth),
            Sureness::Book => "book".to_owned(),
            Sureness::Proven => "100%".to_owned(),
        }
    }
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought<M> {
    /// The move; none when there is none.
    pub best: Option<M>,
    /// Its value for the side to move, where it has one.
    pub value: Option<Score>,
}
