//! Evaluation functions without the type of their game.

use crate::Pos;
use crate::batch::{self, BadRow, Lines};
use crate::search::TypedSearch;
use crate::self_play::{OpeningOf, Openings, SelfPlayConfig, SelfPlayTable, Table};
use evalsmith_core::{Evaluate, Explanation, Game, Outcome, Score, Window};
use evalsmith_learn::{Function, LearnError, Model};
use evalsmith_search::{Search, Searcher};
use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// An evaluation function of any game: a model joined to the game's features.
#[derive(Clone)]
pub struct DynFunction(Arc<dyn ErasedFunction>);

/// What [`DynFunction`] asks of the function that it holds.
trait ErasedFunction: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn model(&self) -> Option<&Model>;
    fn identity(&self, name: &dyn fmt::Display) -> String;
    fn kind(&self) -> &'static str;
    fn instances(&self) -> Vec<Vec<String>>;
    fn outcome(&self, outcome: Outcome) -> Score;
    fn value(&self, position: &Pos) -> Score;
    fn explain(&self, position: &Pos) -> Explanation;
    fn search(&self, table_bytes: usize) -> Box<dyn Search<Pos>>;
    fn values(&self, rows: &[&[u8]], at_rest: bool, out: &mut Lines) -> Result<(), BadRow>;
    fn self_play<'a>(
        &self,
        opponent: &DynFunction,
        openings: Option<&'a OpeningOf<'a, Pos>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a>;
}

/// A function that still knows the type of its game.
pub(crate) struct TypedFunction<G: Game> {
    game: G,
    pub(crate) function: Arc<Function<G::Features>>,
}

impl<G: Game> TypedFunction<G> {
    pub(crate) fn erased(game: &G, function: Function<G::Features>) -> DynFunction {
        DynFunction(Arc::new(Self { game: game.clone(), function: Arc::new(function) }))
    }

    /// The function, if it is one of this type of game.
    ///
    /// # Panics
    /// When it is another game's: functions of two games were mixed up.
    pub(crate) fn of(function: &DynFunction) -> &Self {
        function.0.as_any().downcast_ref().expect("a function of this game")
    }
}

/// Opens functions for a typed game.
pub(crate) trait Opens {
    fn by_hand(&self) -> Result<DynFunction, LearnError>;
    fn trivial(&self) -> DynFunction;
    fn of_model(&self, model: Model) -> Result<DynFunction, LearnError>;
    fn open_file(&self, path: &Path) -> Result<DynFunction, LearnError>;
    fn open_bytes(&self, bytes: &[u8], what: &str) -> Result<DynFunction, LearnError>;
}

impl<G: Game> Opens for G {
    fn by_hand(&self) -> Result<DynFunction, LearnError> {
        Ok(TypedFunction::erased(self, Function::by_hand(self)?))
    }
    fn trivial(&self) -> DynFunction {
        TypedFunction::erased(self, Function::Trivial)
    }
    fn of_model(&self, model: Model) -> Result<DynFunction, LearnError> {
        Ok(TypedFunction::erased(self, Function::of_model(model, self)?))
    }
    fn open_file(&self, path: &Path) -> Result<DynFunction, LearnError> {
        Ok(TypedFunction::erased(self, Function::open_file(self, path)?))
    }
    fn open_bytes(&self, bytes: &[u8], what: &str) -> Result<DynFunction, LearnError> {
        Ok(TypedFunction::erased(self, Function::from_bytes(self, bytes, what)?))
    }
}

impl<G: Game> ErasedFunction for TypedFunction<G> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn model(&self) -> Option<&Model> {
        self.function.model()
    }
    fn identity(&self, name: &dyn fmt::Display) -> String {
        self.function.identity(&name)
    }
    fn kind(&self) -> &'static str {
        self.function.kind()
    }
    fn instances(&self) -> Vec<Vec<String>> {
        let Function::Patterns(patterns) = &*self.function else { return Vec::new() };
        let named = |atoms: &Vec<&str>| atoms.iter().map(|&atom| atom.to_owned()).collect();
        patterns.instance_names().iter().map(named).collect()
    }
    fn outcome(&self, outcome: Outcome) -> Score {
        Evaluate::<G::Position>::outcome(&*self.function, outcome)
    }
    fn value(&self, position: &Pos) -> Score {
        let position = position.typed();
        self.function.value(position, &self.function.start(position), Window::FULL)
    }
    fn explain(&self, position: &Pos) -> Explanation {
        self.function.explain(position.typed())
    }
    fn search(&self, table_bytes: usize) -> Box<dyn Search<Pos>> {
        Box::new(TypedSearch::new(Searcher::new(Arc::clone(&self.function), table_bytes)))
    }
    fn values(&self, rows: &[&[u8]], at_rest: bool, out: &mut Lines) -> Result<(), BadRow> {
        let append = |position: &G::Position, values: &mut Vec<f32>| {
            let state = self.function.start(position);
            let value = self.function.value(position, &state, Window::FULL);
            values.push(value.log_odds().0 as f32);
        };
        if at_rest {
            let look = batch::at_rest(&self.game, &*self.function);
            batch::lines(&self.game, rows, look, append, out)
        } else {
            batch::lines(&self.game, rows, batch::stored, append, out)
        }
    }
    fn self_play<'a>(
        &self,
        opponent: &DynFunction,
        openings: Option<&'a OpeningOf<'a, Pos>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a> {
        let functions = [&self.function, &Self::of(opponent).function];
        let openings = openings.map_or(Openings::Random, Openings::Untyped);
        Box::new(Table::new(self.game.clone(), functions, openings, config, name))
    }
}

impl DynFunction {
    /// The model over the game's features, where it is one.
    pub fn model(&self) -> Option<&Model> {
        self.0.model()
    }

    /// The function's name with a digest of its weights.
    pub fn identity(&self, name: &dyn fmt::Display) -> String {
        self.0.identity(name)
    }

    /// What kind of function it is: `linear`, `tree`, `patterns`, ...
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// The atoms of each instance of a pattern, in the order of the terms of
    /// [`explain`](DynFunction::explain); none where it is no model of patterns.
    pub fn instances(&self) -> Vec<Vec<String>> {
        self.0.instances()
    }

    /// A finished or solved game on this function's scale.
    pub fn outcome(&self, outcome: Outcome) -> Score {
        self.0.outcome(outcome)
    }

    /// The static value of an unfinished position for the side to move.
    pub fn value(&self, position: &Pos) -> Score {
        self.0.value(position)
    }

    /// Why the value is what it is, term by term.
    pub fn explain(&self, position: &Pos) -> Explanation {
        self.0.explain(position)
    }

    /// A search with this function; `table_bytes` as in [`Searcher::new`].
    pub fn search(&self, table_bytes: usize) -> Box<dyn Search<Pos>> {
        self.0.search(table_bytes)
    }

    /// The function's value of every row of a batch, as one number a line: log-odds of
    /// the side to move, of positions as they are stored or at rest by this function.
    ///
    /// # Errors
    /// When a row is no position of the game.
    pub fn values(&self, rows: &[&[u8]], at_rest: bool, out: &mut Lines) -> Result<(), BadRow> {
        self.0.values(rows, at_rest, out)
    }

    /// Players of this function and an opponent, who change sides with every game. Games
    /// begin with the openings given, or with random moves.
    ///
    /// # Panics
    /// When the opponent is a function of another game.
    pub fn self_play<'a>(
        &self,
        opponent: &Self,
        openings: Option<&'a OpeningOf<'a, Pos>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a> {
        self.0.self_play(opponent, openings, config, name)
    }
}
