//! A player that searches.

use crate::{Limits, Searcher};
use evalsmith_core::{Choice, Evaluate, GameRecord, Player, PlayerError, Position};
use std::sync::atomic::AtomicBool;

/// Plays the best move its search finds within fixed limits a move.
///
/// A new game empties table and heuristics, so that a game played by depth or
/// nodes depends on nothing but its opening and the opponent.
pub struct SearchPlayer<P: Position, E: Evaluate<P>> {
    name: String,
    searcher: Searcher<P, E>,
    limits: Limits,
}

impl<P: Position, E: Evaluate<P>> SearchPlayer<P, E> {
    /// A player with this function; `table_bytes` as in [`Searcher::new`].
    pub fn new(name: impl Into<String>, function: E, limits: Limits, table_bytes: usize) -> Self {
        Self { name: name.into(), searcher: Searcher::new(function, table_bytes), limits }
    }

    /// The evaluation function.
    pub fn function(&self) -> &E {
        self.searcher.function()
    }
}

impl<P: Position, E: Evaluate<P>> Player<P> for SearchPlayer<P, E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) {
        self.searcher.clear();
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        let found = self.searcher.search(game, &self.limits, &AtomicBool::new(false));
        let mv = found.best.ok_or_else(|| game_is_over(&self.name))?;
        Ok(Choice { mv, value: Some(found.value), depth: found.depth, nodes: found.nodes })
    }
}

/// The answer of a player that is asked for a move after the end.
pub(crate) fn game_is_over(player: &str) -> PlayerError {
    PlayerError {
        player: player.to_owned(),
        reason: "asked for a move in a game that is over; start a new one".to_owned(),
    }
}
