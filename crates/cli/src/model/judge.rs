//! `evalsmith model judge`: an existing model before data it has not seen.

use crate::failure::{Usage, say};
use crate::options::{Format, game, print, show};
use crate::progress::Terminal;
use anyhow::Context;
use clap::Args;
use evalsmith_lab::prelude::{CsvColumns, Dataset, DenseModel, Judgement, ModelFile, read_csv};
use std::path::PathBuf;

/// Judges a model on data it was not fitted to: how often it names the winner,
/// log-loss and Brier score by stage with their intervals, and its calibration.
///
/// DATA is a dataset of the model's game, or a CSV file with one column for each
/// of the model's features, in any order: then --label names the column of
/// results (1, 0.5, 0), --game-id that of the game a row belongs to and
/// --stage-column that of the stage. Intervals are clustered by game.
#[derive(Args)]
pub(crate) struct Judge {
    /// The model file
    model: PathBuf,
    /// The dataset's folder, or a CSV file
    data: PathBuf,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// CSV: the column of results
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// CSV: the column that tells games apart [default: every row is a game]
    #[arg(long, value_name = "COLUMN")]
    game_id: Option<String>,
    /// CSV: the column of the stage; needed where the model has several
    #[arg(long, value_name = "COLUMN")]
    stage_column: Option<String>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Judge {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let file = ModelFile::load(&self.model)?;
        let is_csv = self.data.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let found = if is_csv { self.on_csv(&file)? } else { self.on_dataset(&file)? };
        match self.format {
            Format::Table => show(&found.to_text()),
            format => print(format, &found.table(), &found),
        }
    }

    fn on_dataset(&self, file: &ModelFile) -> anyhow::Result<Judgement> {
        let of_csv = [
            ("--label", &self.label),
            ("--game-id", &self.game_id),
            ("--stage-column", &self.stage_column),
        ];
        if let Some((flag, _)) = of_csv.iter().find(|(_, given)| given.is_some()) {
            let data = self.data.display();
            let message = format!("{flag} is about a CSV file, but {data} is not called .csv");
            return Err(Usage(message).into());
        }
        let game = game(&Dataset::open(&self.data)?.manifest().game)?;
        Ok(game.judge(&self.data, file, self.raw, &Terminal::new())?)
    }

    fn on_csv(&self, file: &ModelFile) -> anyhow::Result<Judgement> {
        let (path, model) = (self.model.display(), &file.model);
        let Some(label) = self.label.clone() else {
            return Err(Usage("name the column of results with --label".into()).into());
        };
        if self.raw {
            let message = "--raw is about a dataset; a CSV file has no positions";
            return Err(Usage(message.into()).into());
        }
        if self.stage_column.is_none() && model.stages() > 1 {
            let stages = model.stages();
            let message = format!(
                "{path} has {stages} stages: name the column of the stage with --stage-column"
            );
            return Err(Usage(message).into());
        }
        let columns = CsvColumns {
            label,
            game: self.game_id.clone(),
            stage: self.stage_column.clone(),
            score: None,
            features: model.features().to_vec(),
        };
        let needs = || format!("{path} needs the columns {}", model.features().join(", "));
        let csv = read_csv(&self.data, &columns).with_context(needs)?;
        if !csv.unused.is_empty() {
            let unused = csv.unused.join(", ");
            say(&format!("columns that are no features of the model are not used: {unused}"));
        }
        let data = self.data.display();
        Judgement::of(model, &csv.table).with_context(|| format!("{data} does not suit {path}"))
    }
}
