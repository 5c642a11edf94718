//! `evalsmith model show` of a pattern model: sizes of weights, and boards.

use super::show::heading;
use crate::failure::Usage;
use crate::options::{Format, game, print, show};
use evalsmith_lab::prelude::{self, PatternFile};
use std::path::Path;

/// Boards of the best and of the worst configurations.
const BOARDS: usize = 5;

/// Shows a model at a stage: all patterns in a table, or one of them on boards.
pub(super) fn show_patterns(
    model: &Path,
    stage: Option<u8>,
    pattern: Option<&str>,
    format: Format,
) -> anyhow::Result<()> {
    let file = PatternFile::load(model)?;
    let shown = prelude::show_patterns(&game(&file.game)?, model, stage, pattern, BOARDS)?;
    if format == Format::Table {
        show(&heading("patterns", &file.game, &shown.made_by))?;
        if pattern.is_some() {
            let (first, last) = shown.stages;
            show(&format!("stages {first} to {last}, in {}\n", shown.unit))?;
            for view in &shown.patterns {
                show(&view.to_text(&shown.unit))?;
            }
            return Ok(());
        }
    } else if format == Format::Csv && pattern.is_some() {
        return Err(Usage("a board is no table; use --format json".into()).into());
    }
    print(format, &shown.table(), &shown)
}
