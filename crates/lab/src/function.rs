//! Evaluation functions as people name them, opened for play.

use crate::LabError;
use evalsmith_core::Game;
use evalsmith_data::Dataset;
use evalsmith_rules::{DynFunction, DynGame};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
    /// A model file, or another function that comes with the game.
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

/// Opens a function by its name. `shipped` is the function that comes with the game, or
/// the one set by hand where none does.
///
/// # Errors
/// When a model cannot be read or is of another game.
pub fn open(game: &DynGame, name: &FunctionName) -> Result<DynFunction, LabError> {
    Ok(match name {
        FunctionName::Trivial => game.trivial_function(),
        FunctionName::Shipped if game.has_shipped() => {
            game.shipped().expect("asked just now").clone()
        }
        FunctionName::Hand | FunctionName::Shipped => game.function_by_hand()?,
        FunctionName::File(path) => {
            match path.to_str().and_then(|name| game.function_named(name)) {
                Some(function) => function.clone(),
                None => game.open_function(path)?,
            }
        }
    })
}

/// Opens a dataset of this game.
///
/// # Errors
/// When it cannot be read, or is of another game.
pub fn open_dataset(game: &DynGame, dir: &Path) -> Result<Dataset, LabError> {
    let dataset = Dataset::open(dir)?;
    dataset.expect_game(game.name())?;
    Ok(dataset)
}
