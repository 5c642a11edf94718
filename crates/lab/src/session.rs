//! One game between a person and a function, with moves and boards as text:
//! what the terminal shows.

use crate::LabError;
use crate::duel::fresh_record;
use crate::study::ending;
use evalsmith_core::{Explanation, Game, GameRecord, Malformed, Position, Score, Side};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos, Record};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits, Search};
use std::sync::atomic::AtomicBool;

/// What the engine thinks of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move.
    pub mv: String,
    /// The probability that the side to move wins with it, or what is proven.
    pub verdict: String,
    /// The line it expects.
    pub line: Vec<String>,
    /// Plies searched.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
}

/// A legal move with what the engine thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The move.
    pub mv: String,
    /// The probability that the side to move wins with it, or what is proven.
    pub verdict: String,
}

/// A game in progress, without its type.
pub trait Session: Send {
    /// The board, for people.
    fn board(&self) -> String;
    /// The name of the side to move.
    fn to_move(&self) -> (String, Side);
    /// The legal moves.
    fn moves(&self) -> Vec<String>;
    /// How the game ended, in words.
    fn ending(&self) -> Option<String>;
    /// Plays a move given as text and returns its usual spelling.
    ///
    /// # Errors
    /// When the text is no legal move.
    fn play(&mut self, text: &str) -> Result<String, LabError>;
    /// Takes the last move back.
    fn take_back(&mut self) -> Option<String>;
    /// The moves played so far.
    fn transcript(&self) -> Vec<String>;
    /// What the engine would play; `None` when the game is over.
    fn think(&mut self) -> Option<Thought>;
    /// Every move with what the engine thinks of it, best first.
    fn hints(&mut self) -> Vec<Hint>;
    /// The value of the position term by term.
    fn explain(&self) -> Explanation;
}

/// A session of one game.
pub struct GameSession {
    game: DynGame,
    record: Record,
    function: DynFunction,
    search: Box<dyn Search<Pos>>,
    limits: Limits,
}

impl GameSession {
    /// A new game against a function with these limits, from a position given
    /// as text or from the start.
    ///
    /// # Errors
    /// When the position is malformed.
    pub fn new(
        game: DynGame,
        function: DynFunction,
        limits: Limits,
        from: Option<&str>,
    ) -> Result<Self, LabError> {
        let record = match from {
            None => fresh_record(&game),
            Some(text) => {
                let (position, side) = game.parse(text)?;
                GameRecord::new(position, side, game.max_plies())
            }
        };
        let search = function.search(DEFAULT_TABLE_BYTES);
        Ok(Self { game, record, function, search, limits })
    }

    fn line(&self, moves: &[MoveId]) -> Vec<String> {
        let mut position = self.record.position().clone();
        moves
            .iter()
            .map(|&m| {
                let text = self.game.format_move(&position, m);
                position = position.play(m);
                text
            })
            .collect()
    }

    /// What a value says about the side to move, in words.
    fn in_words(value: Score, complete: bool) -> String {
        match value {
            v if v.is_decisive() && v > Score(0) => "wins".into(),
            v if v.is_decisive() => "loses".into(),
            _ if complete => "draws".into(),
            v => format!("{:.1} % to win", 100.0 * v.log_odds().win_prob().0),
        }
    }
}

impl Session for GameSession {
    fn board(&self) -> String {
        self.game.draw(self.record.position(), self.record.side())
    }

    fn to_move(&self) -> (String, Side) {
        let side = self.record.side();
        (self.game.side_names()[side.index()].to_owned(), side)
    }

    fn moves(&self) -> Vec<String> {
        if self.record.ending().is_some() {
            return Vec::new();
        }
        let position = self.record.position();
        position.moves().map(|m| self.game.format_move(position, m)).collect()
    }

    fn ending(&self) -> Option<String> {
        ending(&self.game, &self.record)
    }

    fn play(&mut self, text: &str) -> Result<String, LabError> {
        let position = self.record.position();
        let m = self.game.parse_move(position, text)?;
        let name = self.game.format_move(position, m);
        self.record.play(m).map_err(|_| {
            Malformed::new("move", text, "the game is over: take back or start anew")
        })?;
        Ok(name)
    }

    fn take_back(&mut self) -> Option<String> {
        let m = self.record.take_back()?;
        Some(self.game.format_move(self.record.position(), m))
    }

    fn transcript(&self) -> Vec<String> {
        let played = self.record.positions().iter().zip(self.record.moves());
        played.map(|(p, &m)| self.game.format_move(p, m)).collect()
    }

    fn think(&mut self) -> Option<Thought> {
        if self.record.ending().is_some() {
            return None;
        }
        let found = self.search.search(&self.record, &self.limits, &AtomicBool::new(false));
        Some(Thought {
            mv: self.game.format_move(self.record.position(), found.best?),
            verdict: Self::in_words(found.value, found.complete),
            line: self.line(&found.line),
            depth: found.depth,
            nodes: found.nodes,
        })
    }

    fn hints(&mut self) -> Vec<Hint> {
        if self.record.ending().is_some() {
            return Vec::new();
        }
        let never = AtomicBool::new(false);
        let ranked = self.search.rank_moves(&self.record, &self.limits, &never);
        let position = self.record.position();
        let hint = |(m, value): (_, Score)| Hint {
            mv: self.game.format_move(position, m),
            verdict: Self::in_words(value, false),
        };
        ranked.into_iter().map(hint).collect()
    }

    fn explain(&self) -> Explanation {
        self.function.explain(self.record.position())
    }
}
