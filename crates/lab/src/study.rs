//! A game and a function to be looked at: positions as data, values that deepen
//! step by step, reasons square by square. What a page shows.
//!
//! Invariant: a study holds no game in progress. Every question carries its
//! [`Line`], so that the same question has the same answer whoever asked before,
//! and one study, with one copy of its model, serves all who ask at once.

mod account;
mod analysis;
mod course;
mod line;
mod pasted;
mod reply;
mod words;

pub use account::{Account, Move as AccountedMove, Said};
pub use analysis::{MoveValue, Standing};
pub use course::{Course, Judged};
pub use line::{Legal, Line, View};
pub use reply::{Reply, Strength};
pub(crate) use words::{ending, estimate};

use crate::LabError;
use crate::function::{FunctionName, open};
use evalsmith_core::{Game, Picture, Side};
use evalsmith_rules::{DynFunction, DynGame};
use serde::Serialize;
use std::time::Duration;

/// Bytes of the table of one question: fifty at once stay far below a gibibyte.
const TABLE_BYTES: usize = 4 << 20;

/// Work that goes on in small steps, so that many can share few threads.
pub trait Stepwise: Send {
    /// Works for about this long, a little more where nothing can be cut short.
    fn step(&mut self, time: Duration) -> Step;
}

/// What a step brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is new since the last step that told of something.
    pub news: Option<News>,
    /// Whether nothing is left to do.
    pub done: bool,
}

impl Step {
    const NOTHING_NEW: Self = Self { news: None, done: false };
}

/// What stepwise work has to tell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum News {
    /// The moves of a position with their values.
    Standing(Standing),
    /// The values of a game's positions.
    Course(Course),
    /// A move played in answer.
    Reply(Reply),
}

/// A game and a function, to be looked at.
pub struct Study {
    game: DynGame,
    name: FunctionName,
    function: DynFunction,
}

impl Study {
    /// A study of a game with the function of this name.
    ///
    /// # Errors
    /// When the function cannot be read.
    pub fn open(game: &DynGame, function: &FunctionName) -> Result<Self, LabError> {
        let name = function.clone();
        Ok(Self { game: game.clone(), function: open(game, &name)?, name })
    }

    /// A game with its weights set by hand.
    #[cfg(test)]
    fn by_hand(game: impl Game) -> Self {
        let game = DynGame::new(game);
        let function = game.function_by_hand().expect("weights that fit");
        Self { game, name: FunctionName::Hand, function }
    }

    /// The names of the two players.
    pub fn side_names(&self) -> [&str; 2] {
        self.game.side_names()
    }

    /// The function's name with a digest of its weights.
    pub fn identity(&self) -> String {
        self.function.identity(&self.name)
    }

    /// What kind of function it is: `linear`, `tree`, `patterns`, ...
    pub fn kind(&self) -> &'static str {
        self.function.kind()
    }

    /// The position at the end of a line.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn view(&self, line: &Line) -> Result<View, LabError> {
        Ok(line::view(&self.game, &line::record(&self.game, line)?))
    }

    /// The line that a person's text tells: a position, or moves from the start.
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(&self, text: &str) -> Result<Line, LabError> {
        pasted::read(&self.game, text)
    }

    /// The position that a picture shows, as text.
    ///
    /// # Errors
    /// When no game can come to it.
    pub fn set_up(&self, picture: &Picture, to_move: Side) -> Result<String, LabError> {
        let position = self.game.set_up(picture, to_move)?;
        Ok(self.game.format(&position, to_move))
    }

    /// Why the function says what it says, and what a move would change.
    ///
    /// # Errors
    /// When the line or the move cannot be read, or the game is over.
    pub fn account(&self, line: &Line, mv: Option<&str>) -> Result<Account, LabError> {
        let record = line::record(&self.game, line)?;
        Ok(account::account(&self.game, &self.function, &record, mv)?)
    }

    /// Values of all moves, deeper and deeper up to `depth` plies.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn analysis(&self, line: &Line, depth: u8) -> Result<Box<dyn Stepwise>, LabError> {
        let record = line::record(&self.game, line)?;
        let game = self.game.clone();
        Ok(Box::new(analysis::Ranking::new(game, &self.function, record, depth)))
    }

    /// Values of all positions of a line up to `depth` plies, and what its moves lost.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn course(&self, line: &Line, depth: u8) -> Result<Box<dyn Stepwise>, LabError> {
        let record = line::record(&self.game, line)?;
        let search = self.function.search(TABLE_BYTES);
        Ok(Box::new(course::Walk::new(self.game.clone(), search, record, depth)))
    }

    /// A move in answer to a line.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn reply(&self, line: &Line, strength: Strength) -> Result<Box<dyn Stepwise>, LabError> {
        let record = line::record(&self.game, line)?;
        let game = self.game.clone();
        Ok(Box::new(reply::Answer::new(game, &self.function, record, strength)))
    }
}
