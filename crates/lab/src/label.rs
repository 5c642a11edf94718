//! Labels by names: which function searches.

use crate::LabError;
use crate::function::{FunctionName, open, open_dataset};
use evalsmith_core::Progress;
use evalsmith_data::{LabelOrder, Labels, label};
use evalsmith_rules::DynGame;
use std::path::Path;

/// A dataset with one label more, where it is asked for by a search with this function;
/// see [`label`].
///
/// # Errors
/// As [`label`], and when the function cannot be had.
pub fn label_dataset(
    game: &DynGame,
    data: &Path,
    function: &FunctionName,
    order: &LabelOrder,
    command: &str,
    out: &Path,
    progress: &dyn Progress,
) -> Result<Labels, LabError> {
    let opened = open(game, function)?;
    let order = LabelOrder { function: opened.identity(function), ..order.clone() };
    Ok(label(game, &opened, &open_dataset(game, data)?, &order, command, out, progress)?)
}
