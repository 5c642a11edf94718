//! Evaluation functions without the type of their game.

use crate::batch::{self, BadRow, Lines};
use crate::search::TypedSearch;
use crate::self_play::{OpeningOf, SelfPlayConfig, SelfPlayTable, Table};
use crate::{DynFeatures, DynGame, MoveId, Pos};
use evalsmith_core::{Evaluate, Explanation, Game, Outcome, Position, Score, Window};
use evalsmith_learn::{Function, LearnError, Model, Unit};
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
    fn margin_per_logit(&self) -> Option<f64>;
    fn outcome(&self, outcome: Outcome) -> Score;
    fn value(&self, position: &Pos) -> Score;
    fn explain(&self, position: &Pos) -> Explanation;
    fn search(&self, table_bytes: usize) -> Box<dyn Search<Pos>>;
    /// A `Box<dyn Search<P>>` for the game's own positions.
    fn any_search(&self, table_bytes: usize) -> Box<dyn Any>;
    fn values(&self, rows: &[&[u8]], at_rest: bool, out: &mut Lines) -> Result<(), BadRow>;
    fn features_at_rest(
        &self,
        features: &DynFeatures,
        rows: &[&[u8]],
        out: &mut Lines,
    ) -> Result<(), BadRow>;
    fn self_play<'a>(
        &self,
        opponent: &DynFunction,
        openings: Option<&'a OpeningOf<'a>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a>;
}

/// A function that still knows its type and that of its game.
struct TypedFunction<G: Game, E> {
    game: G,
    function: Arc<E>,
    /// Makes the game's own search, where it has one.
    own_search: Option<Arc<MakeSearch<G::Position>>>,
}

/// Makes a search with a table of so many bytes.
type MakeSearch<P> = dyn Fn(usize) -> Box<dyn Search<P>> + Send + Sync;

impl<G, E> TypedFunction<G, E>
where
    G: Game,
    E: Evaluate<G::Position> + Described + Clone + 'static,
{
    fn erased(game: &G, function: E) -> DynFunction {
        let (game, function) = (game.clone(), Arc::new(function));
        DynFunction(Arc::new(Self { game, function, own_search: None }))
    }

    fn typed_search(&self, table_bytes: usize) -> Box<dyn Search<G::Position>> {
        match &self.own_search {
            // By value, so that no node follows a pointer to its function.
            None => Box::new(Searcher::new((*self.function).clone(), table_bytes)),
            Some(make) => make(table_bytes),
        }
    }
}

/// What a function says about itself.
trait Described {
    fn model(&self) -> Option<&Model> {
        None
    }
    fn identity(&self, name: &dyn fmt::Display) -> String {
        name.to_string()
    }
    fn kind(&self) -> &'static str;
    fn instances(&self) -> Vec<Vec<String>> {
        Vec::new()
    }
    fn margin_per_logit(&self) -> Option<f64> {
        None
    }
}

impl<F> Described for Function<F> {
    fn model(&self) -> Option<&Model> {
        self.model()
    }
    fn identity(&self, name: &dyn fmt::Display) -> String {
        self.identity(&name)
    }
    fn kind(&self) -> &'static str {
        self.kind()
    }
    fn instances(&self) -> Vec<Vec<String>> {
        let Self::Patterns(patterns) = self else { return Vec::new() };
        let named = |atoms: &Vec<&str>| atoms.iter().map(|&atom| atom.to_owned()).collect();
        patterns.instance_names().iter().map(named).collect()
    }
    fn margin_per_logit(&self) -> Option<f64> {
        let unit = match self {
            Self::Patterns(patterns) => patterns.model().unit(),
            Self::Configurations(configurations) => configurations.model().unit,
            Self::Trivial | Self::Dense(_) | Self::Moves(_) => return None,
        };
        match unit {
            Unit::Margin { per_logit } => Some(per_logit),
            Unit::LogOdds => None,
        }
    }
}

/// A function that is code and no model.
#[derive(Clone)]
struct Code<E>(E);

impl<E> Described for Code<E> {
    fn kind(&self) -> &'static str {
        "code"
    }
}

impl<P: Position, E: Evaluate<P>> Evaluate<P> for Code<E> {
    type State = E::State;
    fn start(&self, position: &P) -> E::State {
        self.0.start(position)
    }
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &E::State) -> E::State {
        self.0.advance(before, m, after, state)
    }
    fn value(&self, position: &P, state: &E::State, window: Window) -> Score {
        self.0.value(position, state, window)
    }
    fn outcome(&self, outcome: Outcome) -> Score {
        self.0.outcome(outcome)
    }
    fn explain(&self, position: &P) -> Explanation {
        self.0.explain(position)
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
        TypedFunction::erased(self, Function::<G::Features>::Trivial)
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

impl<G, E> ErasedFunction for TypedFunction<G, E>
where
    G: Game,
    E: Evaluate<G::Position> + Described + Clone + 'static,
{
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn model(&self) -> Option<&Model> {
        self.function.model()
    }
    fn identity(&self, name: &dyn fmt::Display) -> String {
        self.function.identity(name)
    }
    fn kind(&self) -> &'static str {
        self.function.kind()
    }
    fn instances(&self) -> Vec<Vec<String>> {
        self.function.instances()
    }
    fn margin_per_logit(&self) -> Option<f64> {
        self.function.margin_per_logit()
    }
    fn outcome(&self, outcome: Outcome) -> Score {
        self.function.outcome(outcome)
    }
    fn value(&self, position: &Pos) -> Score {
        let position = position.typed();
        self.function.value(position, &self.function.start(position), Window::FULL)
    }
    fn explain(&self, position: &Pos) -> Explanation {
        self.function.explain(position.typed())
    }
    fn search(&self, table_bytes: usize) -> Box<dyn Search<Pos>> {
        Box::new(TypedSearch::<G::Position, _>::new(self.typed_search(table_bytes)))
    }
    fn any_search(&self, table_bytes: usize) -> Box<dyn Any> {
        Box::new(self.typed_search(table_bytes))
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
    fn features_at_rest(
        &self,
        features: &DynFeatures,
        rows: &[&[u8]],
        out: &mut Lines,
    ) -> Result<(), BadRow> {
        let append = |position: &G::Position, values: &mut Vec<f32>| {
            features.append_typed(position, values);
        };
        let look = batch::at_rest(&self.game, &*self.function);
        batch::lines(&self.game, rows, look, append, out)
    }
    fn self_play<'a>(
        &self,
        opponent: &DynFunction,
        openings: Option<&'a OpeningOf<'a>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a> {
        if let Some(opponent) = opponent.0.as_any().downcast_ref::<Self>() {
            let functions = [&*self.function, &*opponent.function];
            Box::new(Table::new(self.game.clone(), functions, openings, config, name))
        } else {
            let (game, function) = (self.game.clone(), Arc::clone(&self.function));
            let own = DynFunction(Arc::new(Self { game, function, own_search: None }));
            let functions = [own, opponent.clone()].map(Untyped);
            let game = DynGame::new(self.game.clone());
            Box::new(Table::new(game, functions.each_ref(), openings, config, name))
        }
    }
}

impl DynFunction {
    /// A typed function without its type.
    pub fn new<G: Game>(game: &G, function: Function<G::Features>) -> Self {
        TypedFunction::erased(game, function)
    }

    /// A function that is code and no model.
    pub fn of_code<G, E>(game: &G, evaluate: E) -> Self
    where
        G: Game,
        E: Evaluate<G::Position> + Clone + 'static,
    {
        TypedFunction::erased(game, Code(evaluate))
    }

    /// A function that is searched by the game's own search; `make` makes one with a
    /// transposition table of so many bytes. Batches and self-play ask the function itself.
    pub fn with_own_search<G: Game>(
        game: &G,
        function: Function<G::Features>,
        make: impl Fn(usize) -> Box<dyn Search<G::Position>> + Send + Sync + 'static,
    ) -> Self {
        let (game, function) = (game.clone(), Arc::new(function));
        let own_search: Option<Arc<MakeSearch<G::Position>>> = Some(Arc::new(make));
        Self(Arc::new(TypedFunction { game, function, own_search }))
    }

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

    /// What a logit is worth in the game's margin, where the function was fitted to margins:
    /// its values are expected margins then, and log-odds by this factor.
    pub fn margin_per_logit(&self) -> Option<f64> {
        self.0.margin_per_logit()
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

    /// A search over typed positions, if the function is of a game with this type.
    pub(crate) fn typed_search<P: Position>(
        &self,
        table_bytes: usize,
    ) -> Option<Box<dyn Search<P>>> {
        self.0.any_search(table_bytes).downcast().ok().map(|search| *search)
    }

    /// The function's value of every row of a batch, as one number a line: log-odds of
    /// the side to move, of positions as they are stored or at rest by this function.
    ///
    /// # Errors
    /// When a row is no position of the game.
    pub fn values(&self, rows: &[&[u8]], at_rest: bool, out: &mut Lines) -> Result<(), BadRow> {
        self.0.values(rows, at_rest, out)
    }

    /// These features of the positions that the rows' exchanges lead to; see
    /// [`Look::AtRest`](crate::Look::AtRest).
    pub(crate) fn features_at_rest(
        &self,
        features: &DynFeatures,
        rows: &[&[u8]],
        out: &mut Lines,
    ) -> Result<(), BadRow> {
        self.0.features_at_rest(features, rows, out)
    }

    /// Players of this function and an opponent, who change sides with every game. Games
    /// begin with the openings given, or with random moves.
    ///
    /// Two functions of unlike kinds play through untyped positions, which takes longer.
    ///
    /// # Panics
    /// When the opponent is a function of another game.
    pub fn self_play<'a>(
        &self,
        opponent: &Self,
        openings: Option<&'a OpeningOf<'a>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Box<dyn SelfPlayTable + 'a> {
        self.0.self_play(opponent, openings, config, name)
    }
}

/// A function asked through untyped positions: for games of two functions of unlike kinds.
#[derive(Clone)]
struct Untyped(DynFunction);

impl Evaluate<Pos> for Untyped {
    type State = ();
    fn start(&self, _position: &Pos) {}
    fn advance(&self, _before: &Pos, _m: MoveId, _after: &Pos, _state: &()) {}
    fn value(&self, position: &Pos, _state: &(), window: Window) -> Score {
        window.clamp(self.0.value(position))
    }
    fn outcome(&self, outcome: Outcome) -> Score {
        self.0.outcome(outcome)
    }
    fn explain(&self, position: &Pos) -> Explanation {
        self.0.explain(position)
    }
}
