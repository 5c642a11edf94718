//! One game between a person and a function, with moves and boards as text:
//! what the terminal shows.

use crate::LabError;
use crate::duel::fresh_record;
use crate::function::{FunctionName, open};
use crate::study::{ending, estimate};
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

/// A session of one game.
pub struct Session {
    game: DynGame,
    record: Record,
    name: FunctionName,
    function: DynFunction,
    search: Box<dyn Search<Pos>>,
    limits: Limits,
}

impl Session {
    /// A new game against the function of this name with these limits, from a position
    /// given as text or from the start.
    ///
    /// # Errors
    /// When the function or the position cannot be read.
    pub fn open(
        game: &DynGame,
        function: &FunctionName,
        limits: &Limits,
        from: Option<&str>,
    ) -> Result<Self, LabError> {
        let name = match function {
            FunctionName::Shipped if !game.has_shipped() => FunctionName::Hand,
            name => name.clone(),
        };
        let (game, function, limits) = (game.clone(), open(game, &name)?, limits.clone());
        let record = match from {
            None => fresh_record(&game),
            Some(text) => {
                let (position, side) = game.parse(text)?;
                GameRecord::new(position, side, game.max_plies())
            }
        };
        let search = function.search(DEFAULT_TABLE_BYTES);
        Ok(Self { game, record, name, function, search, limits })
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
    fn in_words(&self, value: Score, complete: bool) -> String {
        match value {
            v if v.is_decisive() && v > Score(0) => "wins".into(),
            v if v.is_decisive() => "loses".into(),
            _ if complete => "draws".into(),
            v => {
                let estimate = estimate(&self.game, self.function.margin_per_logit(), v);
                format!("{estimate} to win")
            }
        }
    }
}

impl Session {
    /// The board, for people.
    pub fn board(&self) -> String {
        self.game.draw(self.record.position(), self.record.side())
    }

    /// The function played against, with a digest of its weights.
    pub fn opponent(&self) -> String {
        self.function.identity(&self.name)
    }

    /// The name of the side to move.
    pub fn to_move(&self) -> (String, Side) {
        let side = self.record.side();
        (self.game.side_names()[side.index()].to_owned(), side)
    }

    /// The legal moves.
    pub fn moves(&self) -> Vec<String> {
        if self.record.ending().is_some() {
            return Vec::new();
        }
        let position = self.record.position();
        position.moves().map(|m| self.game.format_move(position, m)).collect()
    }

    /// How the game ended, in words.
    pub fn ending(&self) -> Option<String> {
        ending(&self.game, &self.record)
    }

    /// Plays a move given as text and returns its usual spelling.
    ///
    /// # Errors
    /// When the text is no legal move.
    pub fn play(&mut self, text: &str) -> Result<String, LabError> {
        let position = self.record.position();
        let m = self.game.parse_move(position, text)?;
        let name = self.game.format_move(position, m);
        self.record.play(m).map_err(|_| {
            Malformed::new("move", text, "the game is over: take back or start anew")
        })?;
        Ok(name)
    }

    /// Takes the last move back.
    pub fn take_back(&mut self) -> Option<String> {
        let m = self.record.take_back()?;
        Some(self.game.format_move(self.record.position(), m))
    }

    /// The moves played so far.
    pub fn transcript(&self) -> Vec<String> {
        let played = self.record.positions().iter().zip(self.record.moves());
        played.map(|(p, &m)| self.game.format_move(p, m)).collect()
    }

    /// What the engine would play; `None` when the game is over.
    pub fn think(&mut self) -> Option<Thought> {
        if self.record.ending().is_some() {
            return None;
        }
        let found = self.search.search(&self.record, &self.limits, &AtomicBool::new(false));
        Some(Thought {
            mv: self.game.format_move(self.record.position(), found.best?),
            verdict: self.in_words(found.value, found.complete),
            line: self.line(&found.line),
            depth: found.depth,
            nodes: found.nodes,
        })
    }

    /// Every move with what the engine thinks of it, best first.
    pub fn hints(&mut self) -> Vec<Hint> {
        if self.record.ending().is_some() {
            return Vec::new();
        }
        let never = AtomicBool::new(false);
        let ranked = self.search.rank_moves(&self.record, &self.limits, &never);
        let position = self.record.position();
        let hint = |(m, value): (_, Score)| Hint {
            mv: self.game.format_move(position, m),
            verdict: self.in_words(value, false),
        };
        ranked.into_iter().map(hint).collect()
    }

    /// The value of the position term by term.
    pub fn explain(&self) -> Explanation {
        self.function.explain(self.record.position())
    }
}
