//! A game as it was played: the one place where history lives.

use crate::{Outcome, Position, Side};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The final position ends the game by itself.
    Rules,
    /// A position came back too often.
    Repetition,
    /// The bound on plies was reached.
    Bound,
    /// Somebody proved the outcome before the end (a solver).
    Solved,
    /// Both players thought it decided.
    Agreed,
}

/// The end of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// For the side to move in the last position.
    pub outcome: Outcome,
    /// Why the game is over.
    pub reason: Reason,
}

/// A move that the rules do not allow in the position it was played in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {mv} at ply {ply}")]
pub struct IllegalMove {
    /// The move: its name, or its debug form.
    pub mv: String,
    /// Half-moves played before it.
    pub ply: usize,
}

/// The positions and moves of a game from some position on.
///
/// Invariant: every move was legal, and positions outnumber moves by one.
#[derive(Clone, PartialEq, Eq)]
pub struct GameRecord<P: Position> {
    first: Side,
    max_plies: usize,
    moves: Vec<P::Move>,
    positions: Vec<P>,
    keys: Vec<u64>,
    adjudicated: Option<Ending>,
}

impl<P: Position> GameRecord<P> {
    /// A game that begins at `start` with `first` to move and is drawn when it
    /// reaches `max_plies` half-moves.
    pub fn new(start: P, first: Side, max_plies: usize) -> Self {
        let keys = vec![start.key()];
        Self {
            first,
            max_plies,
            moves: Vec::new(),
            positions: vec![start],
            keys,
            adjudicated: None,
        }
    }

    /// The position now.
    pub fn position(&self) -> &P {
        self.positions.last().expect("a record holds at least its start")
    }

    /// The side to move now.
    pub fn side(&self) -> Side {
        self.first.after(self.ply())
    }

    /// The side to move in the record's first position.
    pub fn first(&self) -> Side {
        self.first
    }

    /// Half-moves played.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The half-moves at which the game is drawn.
    pub fn max_plies(&self) -> usize {
        self.max_plies
    }

    /// The moves played.
    pub fn moves(&self) -> &[P::Move] {
        &self.moves
    }

    /// All positions, from the first to the present one.
    pub fn positions(&self) -> &[P] {
        &self.positions
    }

    /// The keys of the positions before the present one, oldest first.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.keys[..self.keys.len() - 1]
    }

    /// Plays a move.
    ///
    /// # Errors
    /// When the move is not legal, or the game is over.
    pub fn play(&mut self, m: P::Move) -> Result<(), IllegalMove> {
        if self.ending().is_some() || !self.position().moves().any(|legal| legal == m) {
            return Err(IllegalMove { mv: format!("{m:?}"), ply: self.ply() });
        }
        let next = self.position().play(m);
        self.keys.push(next.key());
        self.positions.push(next);
        self.moves.push(m);
        Ok(())
    }

    /// As [`play`](GameRecord::play), with the move's name in the error: a move may not show
    /// it itself.
    ///
    /// # Errors
    /// As [`play`](GameRecord::play).
    pub fn play_named(&mut self, m: P::Move, name: &str) -> Result<(), IllegalMove> {
        self.play(m).map_err(|illegal| IllegalMove { mv: name.to_owned(), ..illegal })
    }

    /// Takes the last move back; `None` at the beginning.
    pub fn take_back(&mut self) -> Option<P::Move> {
        let m = self.moves.pop()?;
        self.positions.pop();
        self.keys.pop();
        self.adjudicated = None;
        Some(m)
    }

    /// Ends the game before the rules do, with an outcome for the side to move.
    pub fn adjudicate(&mut self, ending: Ending) {
        self.adjudicated = Some(ending);
    }

    /// How the game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        let end = |outcome, reason| Some(Ending { outcome, reason });
        let position = self.position();
        if let Some(outcome) = position.outcome() {
            return end(outcome, Reason::Rules);
        }
        if self.adjudicated.is_some() {
            return self.adjudicated;
        }
        if position.can_repeat()
            && let Some(outcome) = position.repeated(self.earlier_keys())
        {
            return end(outcome, Reason::Repetition);
        }
        if self.ply() >= self.max_plies {
            return end(Outcome::DRAW, Reason::Bound);
        }
        None
    }

    /// The same game with positions and moves of other types, mapped in the order of
    /// play. The rules are not applied again: images must have the keys and the legal
    /// moves of what they stand for.
    #[must_use]
    pub fn map<Q: Position>(
        &self,
        position: impl FnMut(&P) -> Q,
        mut mv: impl FnMut(&P, P::Move) -> Q::Move,
    ) -> GameRecord<Q> {
        let steps = self.positions.iter().zip(&self.moves);
        GameRecord {
            first: self.first,
            max_plies: self.max_plies,
            moves: steps.map(|(before, &m)| mv(before, m)).collect(),
            positions: self.positions.iter().map(position).collect(),
            keys: self.keys.clone(),
            adjudicated: self.adjudicated,
        }
    }

    /// The outcome for one of the players, if the game is over.
    pub fn outcome_for(&self, side: Side) -> Option<Outcome> {
        Some(self.ending()?.outcome.seen_by(self.side(), side))
    }
}

impl<P: Position> fmt::Debug for GameRecord<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameRecord")
            .field("first", &self.first)
            .field("moves", &self.moves)
            .field("position", self.position())
            .finish_non_exhaustive()
    }
}
