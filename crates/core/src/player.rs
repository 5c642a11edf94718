//! Somebody who chooses moves, and the one loop in which two of them meet.

use crate::{Ending, GameRecord, Position, Score};
use serde::{Deserialize, Serialize};
use std::time::Duration;

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
    /// Processor time that the player answers for, where it is known.
    pub cpu: Option<Duration>,
    /// Time on the wall that the player answers for, where it is known.
    pub wall: Option<Duration>,
}

impl<M> Choice<M> {
    /// A move chosen without thought.
    pub const fn blind(mv: M) -> Self {
        Self { mv, value: None, depth: 0, nodes: 0, cpu: None, wall: None }
    }
}

/// The clocks of a game before a move, indexed by [`Side`](crate::Side).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left for all moves to come.
    pub remaining: [Duration; 2],
    /// Time added after each move.
    pub increment: [Duration; 2],
}

/// In which way a player stopped: what a match needs to know to score the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It could not answer; the reason says why.
    #[default]
    Unable,
    /// It was set up wrongly: not the engine's fault but the user's.
    Misconfigured,
    /// Its program did not start.
    NotStarted,
    /// Its program ended in the middle of a game.
    Died,
    /// It did not answer.
    TimedOut,
    /// It overstepped its time.
    LostOnTime,
    /// It wrote more than anybody could read.
    Flooded,
    /// It answered what is no answer.
    Garbled,
    /// It answered an illegal move.
    Illegal,
    /// It resigned.
    Resigned,
    /// It claims a win by the rules.
    ClaimedWin,
    /// It claims a draw by the rules.
    ClaimedDraw,
}

/// Why a player could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("player {player}: {reason}")]
pub struct PlayerError {
    /// Whose fault it is.
    pub player: String,
    /// What happened.
    pub reason: String,
    /// In which way it stopped.
    pub kind: FaultKind,
    /// The last lines of an outside engine's dialogue; empty for others.
    pub dialogue: String,
}

impl PlayerError {
    /// A player that is unable to answer, without a dialogue.
    pub fn new(player: impl Into<String>, reason: impl Into<String>) -> Self {
        let (player, reason) = (player.into(), reason.into());
        Self { player, reason, kind: FaultKind::Unable, dialogue: String::new() }
    }

    /// The same error, told as one of this kind.
    #[must_use]
    pub fn of_kind(mut self, kind: FaultKind) -> Self {
        self.kind = kind;
        self
    }
}

/// Anything that chooses moves: a search with a function, a random mover, an
/// outside engine.
pub trait Player<P: Position>: Send {
    /// Who this is, for logs and tables.
    fn name(&self) -> &str;

    /// Forgets everything about the last game. Whatever chance the player uses
    /// in the next one depends on `seed` alone.
    fn new_game(&mut self, _seed: u64) {}

    /// Hears the clocks, before each move of a game that has them.
    fn set_clock(&mut self, _clock: &Clock) {}

    /// Chooses a move in an unfinished game.
    ///
    /// # Errors
    /// When the player cannot answer.
    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError>;

    /// Hears that the opponent offered a draw with its last move, before the
    /// question that may bring the answer.
    fn hear_draw_offer(&mut self) {}

    /// Whether the player offered a draw with the move it chose last.
    fn offers_draw(&self) -> bool {
        false
    }
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
        record.play(choice.mv).map_err(|illegal| {
            PlayerError::new(player.name(), illegal.to_string()).of_kind(FaultKind::Illegal)
        })?;
    }
    Ok(())
}
