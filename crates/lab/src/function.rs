//! Evaluation functions as people name them, opened for play.

use crate::LabError;
use evalsmith_core::Game;
use evalsmith_rules::{DynFunction, DynGame};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub(crate) use evalsmith_learn::Function;

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

/// The weights set by hand, or the trivial function where a game has none.
///
/// # Errors
/// When the game gives another number of weights than features.
pub fn by_hand<G: Game>(game: &G) -> Result<Function<G::Features>, LabError> {
    Ok(Function::by_hand(game)?)
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
    Ok(match (name, shipped) {
        (FunctionName::Trivial, _) => Function::Trivial,
        (FunctionName::Hand, _) | (FunctionName::Shipped, None) => Function::by_hand(game)?,
        (FunctionName::Shipped, Some(bytes)) => {
            Function::from_bytes(game, bytes, "the shipped model")?
        }
        (FunctionName::File(path), _) => Function::open_file(game, path)?,
    })
}

/// The same for a game without its type.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_untyped(
    game: &DynGame,
    name: &FunctionName,
    shipped: Option<&[u8]>,
) -> Result<DynFunction, LabError> {
    Ok(match (name, shipped) {
        (FunctionName::Trivial, _) => game.trivial_function(),
        (FunctionName::Hand, _) | (FunctionName::Shipped, None) => game.function_by_hand()?,
        (FunctionName::Shipped, Some(bytes)) => {
            game.function_from_bytes(bytes, "the shipped model")?
        }
        (FunctionName::File(path), _) => game.open_function(path)?,
    })
}
