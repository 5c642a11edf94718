//! What the verbs of `curve` have in common: a table, what its columns mean, and
//! the file that is written.

use crate::failure::Usage;
use crate::options::may_write_from;
use anyhow::Context;
use clap::Args;
use evalsmith_lab::prelude::{Draws, Expression, LabError, Sheet, TableSource, files};
use std::io::Write;
use std::path::Path;

/// What the columns of a table mean.
#[derive(Args)]
pub(super) struct Columns {
    /// The value: a column, or a formula of columns such as "total - bishop"
    #[arg(long, value_name = "FORMULA", value_parser = formula)]
    pub(super) value: Option<Expression>,
    /// How the game ended for the first player: 1-0, 1/2-1/2, 0-1; 1, 0.5, 0; or 1, 0, -1
    #[arg(long, value_name = "COLUMN", default_value = "result")]
    result: String,
    /// The game a row belongs to [default: `game` where there is one, else every row is a game]
    #[arg(long, value_name = "COLUMN")]
    game: Option<String>,
    /// Values are the mover's, and this column (0 or 1, b or w, a FEN or SFEN) tells who moves
    #[arg(long, value_name = "COLUMN")]
    side: Option<String>,
    /// The word for the first player in the columns of results and sides: w in Chess, b in Shogi
    #[arg(long, value_name = "WORD")]
    first: Option<String>,
    /// Count a draw as half a win instead of leaving it out
    #[arg(long)]
    pub(super) draws_half: bool,
}

impl Columns {
    pub(super) fn draws(&self) -> Draws {
        if self.draws_half { Draws::Half } else { Draws::LeftOut }
    }

    /// The table at `path` with these columns.
    pub(super) fn source(&self, path: &Path) -> anyhow::Result<TableSource> {
        let Some(value) = self.value.clone() else {
            let path = path.display();
            let reason = format!("{path} is a table: say by --value which column is the value");
            return Err(Usage(reason).into());
        };
        let mut game = self.game.clone();
        if game.is_none() {
            let sheet = Sheet::open(path).map_err(LabError::from)?;
            game = sheet.names().iter().find(|name| *name == "game").cloned();
        }
        Ok(TableSource {
            path: path.to_owned(),
            value,
            result: self.result.clone(),
            game,
            side: self.side.clone(),
            first: self.first.clone(),
        })
    }
}

/// A formula of columns.
pub(super) fn formula(text: &str) -> Result<Expression, String> {
    Expression::formula(text).map_err(|e| e.to_string())
}

/// A condition on columns.
pub(super) fn condition(text: &str) -> Result<Expression, String> {
    Expression::condition(text).map_err(|e| e.to_string())
}

/// The ending of a file's name, where it is one of `allowed`; checks besides that
/// the file may be written, and is not the `source` of what is written.
pub(super) fn ending(
    output: &Path,
    allowed: &[&str],
    force: bool,
    source: &Path,
) -> anyhow::Result<String> {
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !allowed.contains(&ending) {
        let names: Vec<String> = allowed.iter().map(|name| format!(".{name}")).collect();
        let reason = format!("{}: end the name in {}", output.display(), names.join(", "));
        return Err(Usage(reason).into());
    }
    may_write_from(output, force, source)?;
    Ok(ending.to_owned())
}

/// Writes a text, whole or not at all.
pub(super) fn write(output: &Path, text: &str) -> anyhow::Result<()> {
    files::write_atomically(output, |file| file.write_all(text.as_bytes()))
        .with_context(|| output.display().to_string())
}
