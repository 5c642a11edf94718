//! `evalsmith model judge`: an existing model before data it has not seen.

use super::columns::Columns;
use crate::failure::{Usage, say};
use crate::options::{Format, game, print, show};
use crate::progress::Terminal;
use anyhow::Context;
use clap::Args;
use evalsmith_lab::prelude::{
    ConfigurationFile, Dataset, DenseModel, FunctionName, Judgement, LabError, ModelFile, OwnTable,
    PatternFile, judge_dataset, judge_function, open, read_own_table,
};
use std::path::PathBuf;

/// Judges a model on data it was not fitted to: how often it names the winner,
/// log-loss and Brier score by stage with their intervals, and its calibration.
///
/// DATA is a dataset of the model's game, or a table (.csv or .tsv, perhaps with
/// .zst, or .parquet) with one column for each of the model's features, in any
/// order: then --label names the column of results (1, 0.5, 0), --game-id that of
/// the game a row belongs to and --stage-column that of the stage, unless `data
/// features` wrote it. Intervals are clustered by game.
#[derive(Args)]
#[command(mut_arg("label", |label| label.help("Table: the column of results (1, 0.5, 0)")))]
pub(crate) struct Judge {
    /// The model file
    model: PathBuf,
    /// The dataset's folder, or a table
    data: PathBuf,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    columns: Columns,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Judge {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let is_table = OwnTable::is_at(&self.data);
        let found = if PatternFile::is_at(&self.model) || ConfigurationFile::is_at(&self.model) {
            self.patterns(is_table)?
        } else {
            let file = ModelFile::load(&self.model)?;
            if is_table { self.on_table(&file)? } else { self.on_dataset(&file)? }
        };
        match self.format {
            Format::Table => show(&found.to_text()),
            format => print(format, &found.table(), &found),
        }
    }

    fn patterns(&self, is_table: bool) -> anyhow::Result<Judgement> {
        if is_table {
            let message = "a table of features says nothing to a model of patterns or \
                           configurations; judge it on a dataset of positions";
            return Err(Usage(message.into()).into());
        }
        self.columns.refuse_for(&self.data)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let function = open(&game, &FunctionName::File(self.model.clone()))?;
        Ok(judge_function(&game, &function, &dataset, self.raw, &Terminal::new())?)
    }

    fn on_dataset(&self, file: &ModelFile) -> anyhow::Result<Judgement> {
        self.columns.refuse_for(&self.data)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        Ok(judge_dataset(&game, file, &dataset, self.raw, &Terminal::new())?)
    }

    fn on_table(&self, file: &ModelFile) -> anyhow::Result<Judgement> {
        let (path, model) = (self.model.display(), &file.model);
        if self.raw {
            let message = "--raw is about a dataset; a table has no positions";
            return Err(Usage(message.into()).into());
        }
        let needs = || format!("{path} needs the columns {}", model.features().join(", "));
        let columns = self.columns.with_features(model.features());
        let own =
            read_own_table(&self.data, &columns).map_err(LabError::from).with_context(needs)?;
        if !own.has_stages && model.stages() > 1 {
            let stages = model.stages();
            let message = format!(
                "{path} has {stages} stages: name the column of the stage with --stage-column"
            );
            return Err(Usage(message).into());
        }
        if !own.unused.is_empty() {
            let unused = own.unused.join(", ");
            say(&format!("columns that are no features of the model are not used: {unused}"));
        }
        let data = self.data.display();
        Judgement::of(model, &own.table).with_context(|| format!("{data} does not suit {path}"))
    }
}
