//! Evaluation functions as people name them, opened for play.

use crate::LabError;
use crate::fit::digest_of;
use crate::glem::{ConfigurationFunction, PatternFunction, Views};
use crate::griffith::MoveTable;
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, LogOdds, Outcome, Position, Score, Trivial, Window,
};
use evalsmith_learn::{
    ConfigurationFile, Dense, DenseModel, LearnError, Linear, Model, ModelFile, PatternFile,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// How a person names an evaluation function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum FunctionName {
    /// The game's features with weights set by hand.
    Hand,
    /// Knows finished games only.
    Trivial,
    /// The model that comes with the program.
    Shipped,
    /// A model file.
    File(PathBuf),
}

impl From<String> for FunctionName {
    fn from(text: String) -> Self {
        match text.as_str() {
            "hand" => Self::Hand,
            "trivial" => Self::Trivial,
            "shipped" => Self::Shipped,
            _ => Self::File(text.into()),
        }
    }
}

impl FromStr for FunctionName {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.to_owned().into())
    }
}

impl From<FunctionName> for String {
    fn from(name: FunctionName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for FunctionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hand => f.write_str("hand"),
            Self::Trivial => f.write_str("trivial"),
            Self::Shipped => f.write_str("shipped"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

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

/// What a function keeps along the moves of a search.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box a node would cost more than the copy")]
pub enum Kept {
    /// It looks at the position alone.
    Nothing,
    /// What the last move was worth to who played it; none at the beginning.
    LastMove(Option<LogOdds>),
    /// The patterns' indices as both sides see them.
    Views(Views),
}

impl<F> Function<F> {
    /// The function of a model over these features.
    ///
    /// # Errors
    /// When the model was made for other features or stages.
    pub fn of_model<P: Position>(model: Model, features: F) -> Result<Self, LabError>
    where
        F: Features<P>,
    {
        Ok(Self::Dense(Dense::new(model, features)?))
    }

    /// The model over the game's features, where it is one.
    pub fn model(&self) -> Option<&Model> {
        if let Self::Dense(dense) = self { Some(dense.model()) } else { None }
    }

    /// The function's name with a digest of its weights: tells one from another
    /// wherever it is written who played.
    pub fn identity(&self, name: &FunctionName) -> String {
        match self {
            Self::Trivial => name.to_string(),
            Self::Dense(dense) => format!("{name}@{}", digest_of(dense.model())),
            Self::Moves(table) => format!("{name}@{}", table.digest()),
            Self::Patterns(patterns) => format!("{name}@{}", patterns.digest()),
            Self::Configurations(own) => format!("{name}@{}", own.digest()),
        }
    }
}

/// The weights set by hand, or the trivial function where a game has none.
///
/// # Errors
/// When the game gives another number of weights than features.
pub fn by_hand<G: Game>(game: &G) -> Result<Function<G::Features>, LabError> {
    let Some(weights) = game.hand_weights() else { return Ok(Function::Trivial) };
    let features = game.features();
    let model = Linear::by_hand(features.names(), weights, G::Position::STAGES)?;
    Function::of_model(model.into(), features)
}

/// Opens a function by its name; `shipped` holds the bytes of the model that
/// comes with the program, if one does.
///
/// # Errors
/// When a model cannot be read or is of another game.
pub fn open<G: Game>(
    game: &G,
    name: &FunctionName,
    shipped: Option<&[u8]>,
) -> Result<Function<G::Features>, LabError> {
    let file = match (name, shipped) {
        (FunctionName::Trivial, _) => return Ok(Function::Trivial),
        (FunctionName::Hand, _) | (FunctionName::Shipped, None) => return by_hand(game),
        (FunctionName::Shipped, Some(bytes)) if PatternFile::is_in(bytes) => {
            let file = PatternFile::from_bytes(bytes, "the shipped model")?;
            return Ok(Function::Patterns(Arc::new(PatternFunction::open(game, file)?)));
        }
        (FunctionName::Shipped, Some(bytes)) => ModelFile::from_bytes(bytes, "the shipped model")?,
        (FunctionName::File(path), _) if MoveTable::is_at(path) => {
            return Ok(Function::Moves(Arc::new(MoveTable::load(path, G::NAME)?)));
        }
        (FunctionName::File(path), _) if PatternFile::is_at(path) => {
            let function = PatternFunction::open(game, PatternFile::load(path)?)?;
            return Ok(Function::Patterns(Arc::new(function)));
        }
        (FunctionName::File(path), _) if ConfigurationFile::is_at(path) => {
            let function = ConfigurationFunction::open(game, ConfigurationFile::load(path)?)?;
            return Ok(Function::Configurations(Arc::new(function)));
        }
        (FunctionName::File(path), _) => ModelFile::load(path)?,
    };
    let names = file.model.features();
    file.check(G::NAME, names)?;
    let chosen = game.with_features(names).ok_or_else(|| LearnError::Features {
        model: names.join(", "),
        given: game.all_features().join(", "),
    })?;
    Function::of_model(file.model, chosen.features())
}

impl<P: Position, F: Features<P>> Evaluate<P> for Function<F> {
    type State = Kept;
    #[inline]
    fn start(&self, position: &P) -> Kept {
        match self {
            Self::Trivial | Self::Dense(_) | Self::Configurations(_) => Kept::Nothing,
            Self::Moves(table) => Kept::LastMove(table.start(position)),
            Self::Patterns(patterns) => Kept::Views(patterns.start(position)),
        }
    }
    #[inline]
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &Kept) -> Kept {
        match (self, state) {
            (Self::Moves(table), Kept::LastMove(last)) => {
                Kept::LastMove(table.advance(before, m, after, last))
            }
            (Self::Patterns(patterns), Kept::Views(views)) => {
                Kept::Views(patterns.advance(before, m, after, views))
            }
            _ => Kept::Nothing,
        }
    }
    #[inline]
    fn value(&self, position: &P, state: &Kept, window: Window) -> Score {
        match (self, state) {
            (Self::Dense(dense), _) => dense.value(position, &(), window),
            (Self::Configurations(own), _) => own.value(position, &(), window),
            (Self::Moves(table), Kept::LastMove(last)) => table.value(position, last, window),
            (Self::Patterns(patterns), Kept::Views(views)) => {
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
