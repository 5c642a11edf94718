//! Evaluation functions: every kind of model joined to a game's features, behind one
//! type that a search can ask.

use crate::{
    ConfigurationFile, ConfigurationFunction, Dense, DenseModel, LearnError, Linear, Model,
    ModelFile, MoveTable, PatternFile, PatternFunction, Views,
};
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, LogOdds, Outcome, Position, Score, Trivial, Window,
};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// An opened evaluation function.
#[derive(Clone)]
pub enum Function<F> {
    /// Knows finished games only.
    Trivial,
    /// A model over the game's features.
    Dense(Dense<F>),
    /// Griffith's table: looks at moves, not at positions.
    Moves(Arc<MoveTable>),
    /// A model of patterns.
    Patterns(Arc<PatternFunction<F>>),
    /// A model of configurations.
    Configurations(Arc<ConfigurationFunction<F>>),
}

/// What a function keeps up to date along the moves of a search.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box a node would cost more than the copy")]
pub enum EvalState {
    /// It looks at the position alone.
    Nothing,
    /// What the last move was worth to who played it; none at the beginning.
    LastMove(Option<LogOdds>),
    /// The patterns' indices as both sides see them.
    Views(Views),
}

impl<F> Function<F> {
    /// The function of a model over a game's features.
    ///
    /// # Errors
    /// When the model was made for other features or stages.
    pub fn of_model<G: Game<Features = F>>(model: Model, game: &G) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        Ok(Self::Dense(Dense::new(model, game.features(), game.stages())?))
    }

    /// The weights set by hand, or the trivial function where a game has none.
    ///
    /// # Errors
    /// When the game gives another number of weights than features.
    pub fn by_hand<G: Game<Features = F>>(game: &G) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        let Some(weights) = game.hand_weights() else { return Ok(Self::Trivial) };
        let model = Linear::by_hand(game.features().names(), weights, game.stages())?;
        Self::of_model(model.into(), game)
    }

    /// The function of a file: a model of any kind, or a table of moves.
    ///
    /// # Errors
    /// When the file cannot be read, or is of another game or other features.
    pub fn open_file<G: Game<Features = F>>(game: &G, path: &Path) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        if MoveTable::is_at(path) {
            Ok(Self::of_moves(MoveTable::load(path, game.name())?))
        } else if PatternFile::is_at(path) {
            Self::of_patterns(game, PatternFile::load(path)?)
        } else if ConfigurationFile::is_at(path) {
            Self::of_configurations(game, ConfigurationFile::load(path)?)
        } else {
            Self::of_file(game, ModelFile::load(path)?)
        }
    }

    /// The function of a file's bytes; `what` stands for the path in errors.
    ///
    /// # Errors
    /// As [`open_file`](Function::open_file).
    pub fn from_bytes<G: Game<Features = F>>(
        game: &G,
        bytes: &[u8],
        what: &str,
    ) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        if MoveTable::is_in(bytes) {
            Ok(Self::of_moves(MoveTable::from_bytes(bytes, what, game.name())?))
        } else if PatternFile::is_in(bytes) {
            Self::of_patterns(game, PatternFile::from_bytes(bytes, what)?)
        } else if ConfigurationFile::is_in(bytes) {
            Self::of_configurations(game, ConfigurationFile::from_bytes(bytes, what)?)
        } else {
            Self::of_file(game, ModelFile::from_bytes(bytes, what)?)
        }
    }

    fn of_moves(table: MoveTable) -> Self {
        Self::Moves(Arc::new(table))
    }

    fn of_patterns<G: Game<Features = F>>(game: &G, file: PatternFile) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        Ok(Self::Patterns(Arc::new(PatternFunction::open(game, file)?)))
    }

    fn of_configurations<G: Game<Features = F>>(
        game: &G,
        file: ConfigurationFile,
    ) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        Ok(Self::Configurations(Arc::new(ConfigurationFunction::open(game, file)?)))
    }

    fn of_file<G: Game<Features = F>>(game: &G, file: ModelFile) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        let names = file.model.features();
        file.check(game.name(), names)?;
        let chosen = game.with_features(names).ok_or_else(|| LearnError::Features {
            model: names.join(", "),
            given: game.all_features().join(", "),
        })?;
        Self::of_model(file.model, &chosen)
    }

    /// What kind of function it is: `linear`, `tree`, `patterns`, ...
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::Dense(dense) => dense.model().kind(),
            Self::Moves(_) => "griffith",
            Self::Patterns(_) => "patterns",
            Self::Configurations(_) => "configurations",
        }
    }

    /// The model over the game's features, where it is one.
    pub fn model(&self) -> Option<&Model> {
        if let Self::Dense(dense) = self { Some(dense.model()) } else { None }
    }

    /// The function's name with a digest of its weights: identifies it in records of
    /// games and matches.
    pub fn identity(&self, name: &impl fmt::Display) -> String {
        match self {
            Self::Trivial => name.to_string(),
            Self::Dense(dense) => format!("{name}@{}", dense.model().digest()),
            Self::Moves(table) => format!("{name}@{}", table.digest()),
            Self::Patterns(patterns) => format!("{name}@{}", patterns.digest()),
            Self::Configurations(own) => format!("{name}@{}", own.digest()),
        }
    }
}

impl<P: Position, F: Features<P>> Evaluate<P> for Function<F> {
    type State = EvalState;
    #[inline]
    fn start(&self, position: &P) -> EvalState {
        match self {
            Self::Trivial | Self::Dense(_) | Self::Configurations(_) => EvalState::Nothing,
            Self::Moves(table) => EvalState::LastMove(table.start(position)),
            Self::Patterns(patterns) => EvalState::Views(patterns.start(position)),
        }
    }
    #[inline]
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &EvalState) -> EvalState {
        match (self, state) {
            (Self::Moves(table), EvalState::LastMove(last)) => {
                EvalState::LastMove(table.advance(before, m, after, last))
            }
            (Self::Patterns(patterns), EvalState::Views(views)) => {
                EvalState::Views(patterns.advance(before, m, after, views))
            }
            _ => EvalState::Nothing,
        }
    }
    #[inline]
    fn value(&self, position: &P, state: &EvalState, window: Window) -> Score {
        match (self, state) {
            (Self::Dense(dense), _) => dense.value(position, &(), window),
            (Self::Configurations(own), _) => own.value(position, &(), window),
            (Self::Moves(table), EvalState::LastMove(last)) => table.value(position, last, window),
            (Self::Patterns(patterns), EvalState::Views(views)) => {
                patterns.value(position, views, window)
            }
            _ => Trivial.value(position, &(), window),
        }
    }
    #[inline]
    fn outcome(&self, outcome: Outcome) -> Score {
        match self {
            Self::Trivial => Evaluate::<P>::outcome(&Trivial, outcome),
            Self::Dense(dense) => Evaluate::<P>::outcome(dense, outcome),
            Self::Moves(table) => Evaluate::<P>::outcome(&**table, outcome),
            Self::Patterns(patterns) => Evaluate::<P>::outcome(&**patterns, outcome),
            Self::Configurations(own) => Evaluate::<P>::outcome(&**own, outcome),
        }
    }
    fn explain(&self, position: &P) -> Explanation {
        match self {
            Self::Trivial => Trivial.explain(position),
            Self::Dense(dense) => dense.explain(position),
            Self::Moves(table) => table.explain(position),
            Self::Patterns(patterns) => patterns.explain(position),
            Self::Configurations(own) => own.explain(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::conformance::check_evaluation;
    use evalsmith_othello::Othello;
    use std::fs;

    #[test]
    fn a_file_and_its_bytes_are_the_same_function() {
        let temp = tempfile::tempdir().unwrap();
        let (game, path) = (Othello::new(), temp.path().join("model"));
        let hand = Function::by_hand(&game).unwrap();
        let model = hand.model().unwrap().clone();
        let made_by = serde_json::Value::Null;
        ModelFile { game: "othello".into(), made_by, model }.save(&path).unwrap();
        let opened = Function::open_file(&game, &path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let from_bytes = Function::from_bytes(&game, &bytes, "these bytes").unwrap();
        for function in [&opened, &from_bytes] {
            assert_eq!(function.identity(&"hand"), hand.identity(&"hand"));
            check_evaluation(&game, function, 10, 1e-3);
        }
        let cut = Function::from_bytes(&game, &bytes[..bytes.len() - 1], "these bytes");
        let cut = cut.err().unwrap().to_string();
        assert!(cut.contains("these bytes is truncated"), "{cut}");
    }

    #[test]
    fn a_table_of_moves_is_a_function_like_any_other() {
        let temp = tempfile::tempdir().unwrap();
        let (game, path) = (Othello::new(), temp.path().join("griffith.json"));
        let table = MoveTable::new("othello", [(0, 0.9), (1, -0.5)].into()).unwrap();
        table.save(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let opened = [
            Function::open_file(&game, &path).unwrap(),
            Function::from_bytes(&game, &bytes, "these bytes").unwrap(),
        ];
        for function in opened {
            assert!(matches!(&function, Function::Moves(own) if **own == table));
            assert_eq!(function.identity(&"g"), format!("g@{}", table.digest()));
        }
    }
}
