//! A user's own table instead of a dataset: which column is what.

use crate::failure::Usage;
use clap::Args;
use evalsmith_lab::prelude::TableColumns;
use std::path::Path;

#[derive(Args)]
pub(super) struct Columns {
    /// Table: the column of results; patterns: the labels to fit, in order [default: result]
    #[arg(long, value_name = "COLUMN")]
    pub(super) label: Option<String>,
    /// Table: the column that tells games apart [default: every row is a game]
    #[arg(long, value_name = "COLUMN")]
    pub(super) game_id: Option<String>,
    /// Table: the column of the stage [default: one stage]
    #[arg(long, value_name = "COLUMN")]
    pub(super) stage_column: Option<String>,
    /// Table: the column of the final score, which least squares predicts
    #[arg(long, value_name = "COLUMN")]
    pub(super) score: Option<String>,
}

impl Columns {
    /// The columns as they are named, with these features.
    pub(super) fn with_features(&self, features: &[String]) -> TableColumns {
        TableColumns {
            label: self.label.clone(),
            game: self.game_id.clone(),
            stage: self.stage_column.clone(),
            score: self.score.clone(),
            features: features.to_vec(),
        }
    }

    /// A dataset knows its columns itself.
    pub(super) fn refuse_for(&self, data: &Path) -> Result<(), Usage> {
        let named = [
            ("--label", &self.label),
            ("--game-id", &self.game_id),
            ("--stage-column", &self.stage_column),
            ("--score", &self.score),
        ];
        let Some((flag, _)) = named.iter().find(|(_, given)| given.is_some()) else {
            return Ok(());
        };
        let data = data.display();
        let endings = ".csv, .tsv or .parquet";
        Err(Usage(format!("{flag} is about a table, but {data} does not end in {endings}")))
    }
}
