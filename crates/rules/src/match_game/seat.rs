//! Who sits down to the games of a match.

use crate::follow::{Follower, Record};
use crate::position::move_id;
use crate::{CalibratedPlayer, DynFunction, MoveId, Pos};
use evalsmith_core::{
    Choice, Clock, FaultKind, GameRecord, IllegalMove, Player, PlayerError, Position,
};
use evalsmith_search::{Limits, Search, SearchPlayer};
use std::time::Duration;

/// A player of a match.
pub enum MatchSeat {
    /// A search with a function, within fixed limits a move.
    Search {
        /// Who this is, in error messages.
        name: String,
        /// What evaluates positions.
        function: DynFunction,
        /// The limits of each move.
        limits: Limits,
        /// The size of its transposition table.
        table_bytes: usize,
    },
    /// A search with a function whose time is counted in nodes.
    Calibrated {
        /// Who this is, in error messages.
        name: String,
        /// What evaluates positions.
        function: DynFunction,
        /// What a node costs.
        ns_per_node: f64,
        /// The time for each move; none shares out the clock.
        move_time: Option<Duration>,
        /// The size of its transposition table.
        table_bytes: usize,
    },
    /// Anybody else: an outside engine, a random player, a player of
    /// [`untyped_player`].
    Outside(Box<dyn Player<Pos>>),
}

impl MatchSeat {
    /// The function of a player that searches with one, and the size of its table.
    pub(super) fn function(&self) -> Option<(&DynFunction, usize)> {
        match self {
            Self::Search { function, table_bytes, .. }
            | Self::Calibrated { function, table_bytes, .. } => Some((function, *table_bytes)),
            Self::Outside(_) => None,
        }
    }

    /// The player with this search; none where it is an outside one.
    pub(super) fn searching<P: Position>(
        &self,
        search: impl Search<P> + 'static,
    ) -> Option<Box<dyn Player<P>>> {
        match self {
            Self::Search { name, limits, .. } => {
                Some(Box::new(SearchPlayer::new(name.clone(), search, limits.clone())))
            }
            Self::Calibrated { name, ns_per_node, move_time, .. } => Some(Box::new(
                CalibratedPlayer::new(name.clone(), search, *ns_per_node, *move_time),
            )),
            Self::Outside(_) => None,
        }
    }

    /// The player without the type of its game.
    pub(super) fn untyped(self) -> Box<dyn Player<Pos>> {
        match self {
            Self::Search { name, function, limits, table_bytes } => {
                Box::new(SearchPlayer::new(name, function.search(table_bytes), limits))
            }
            Self::Calibrated { name, function, ns_per_node, move_time, table_bytes } => {
                let search = function.search(table_bytes);
                Box::new(CalibratedPlayer::new(name, search, ns_per_node, move_time))
            }
            Self::Outside(player) => player,
        }
    }
}

/// Lets a typed player play untyped games of its type.
///
/// An illegal move of the player becomes an error of the kind [`FaultKind::Illegal`].
///
/// # Panics
/// The player panics when it is asked about a record of another game.
pub fn untyped_player<P: Position>(player: impl Player<P> + 'static) -> Box<dyn Player<Pos>> {
    Box::new(Untyped { player, follower: Follower::new() })
}

struct Untyped<P: Position, Q> {
    player: Q,
    follower: Follower<P>,
}

impl<P: Position, Q: Player<P>> Player<Pos> for Untyped<P, Q> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn set_clock(&mut self, clock: &Clock) {
        self.player.set_clock(clock);
    }

    fn choose(&mut self, game: &Record) -> Result<Choice<MoveId>, PlayerError> {
        let record = self.follower.follow(game);
        let Choice { mv, value, depth, nodes, cpu, wall } = self.player.choose(record)?;
        if !record.position().moves().any(|legal| legal == mv) {
            return Err(illegal(self.player.name(), record, mv));
        }
        Ok(Choice { mv: move_id(record.position(), mv), value, depth, nodes, cpu, wall })
    }

    fn hear_draw_offer(&mut self) {
        self.player.hear_draw_offer();
    }

    fn offers_draw(&self) -> bool {
        self.player.offers_draw()
    }
}

/// The error that the game loop reports for an illegal move.
fn illegal<P: Position>(player: &str, record: &GameRecord<P>, mv: P::Move) -> PlayerError {
    let illegal = IllegalMove { mv: format!("{mv:?}"), ply: record.ply() };
    PlayerError::new(player, illegal.to_string()).of_kind(FaultKind::Illegal)
}
