//! Somebody who chooses moves, and the one loop in which two of them meet.

use crate::{Ending, GameRecord, Position, Score};

/// A chosen move, with what the player thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Its value for the player, where it has one.
    pub value: Option<Score>,
    /// The depth searched, in plies; zero when nothing was searched.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
}

impl<M> Choice<M> {
    /// A move chosen without thought.
    pub const fn blind(mv: M) -> Self {
        Self { mv, value: None, depth: 0, nodes: 0 }
    }
}

/// Why a player could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("player {player}: {reason}")]
pub struct PlayerError {
    /// Whose fault it is.
    pub player: String,
    /// What happened.
    pub reason: String,
}

/// Anything that chooses moves: a search with a function, a random mover, an
/// outside engine.
pub trait Player<P: Position>: Send {
    /// Who this is, for logs and tables.
    fn name(&self) -> &str;

    /// Forgets everything about the last game. Whatever chance the player uses
    /// in the next one depends on `seed` alone.
    fn new_game(&mut self, _seed: u64) {}

    /// Chooses a move in an unfinished game.
    ///
    /// # Errors
    /// When the player cannot answer.
    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError>;
}

/// Plays a record on to its end: the one game loop, for self-play and matches.
///
/// `players` are indexed by [`Side`](crate::Side). Before each move `judge` may
/// end the game, with an outcome for the side to move; after each
/// choice `watch` sees the record as it was and the choice.
///
/// # Errors
/// When a player fails or answers an illegal move.
pub fn play_out<P: Position>(
    record: &mut GameRecord<P>,
    players: &mut [&mut dyn Player<P>; 2],
    mut judge: impl FnMut(&GameRecord<P>) -> Option<Ending>,
    mut watch: impl FnMut(&GameRecord<P>, &Choice<P::Move>),
) -> Result<(), PlayerError> {
    while record.ending().is_none() {
        if let Some(ending) = judge(record) {
            record.adjudicate(ending);
            break;
        }
        let player = &mut *players[record.side().index()];
        let choice = player.choose(record)?;
        watch(record, &choice);
        record.play(choice.mv).map_err(|illegal| PlayerError {
            player: player.name().to_owned(),
            reason: illegal.to_string(),
        })?;
    }
    Ok(())
}
