//! What the verbs of `curve` have in common: a table, and what its columns mean.

use crate::failure::Usage;
use clap::Args;
use evalsmith_lab::prelude::{Draws, Expression, TableSource};
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
        Ok(TableSource {
            path: path.to_owned(),
            value,
            result: self.result.clone(),
            game: self.game.clone(),
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
