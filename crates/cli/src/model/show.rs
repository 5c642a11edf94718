//! `evalsmith model show`: weights by stage, as a table and as a drawing.

use super::fit_path;
use super::show_patterns::show_patterns;
use crate::failure::{Usage, say};
use crate::options::{Format, ending, print, show, write_file};
use clap::Args;
use evalsmith_lab::prelude::{
    ConfigurationFile, DenseModel, FitRecord, ModelFile, PatternFile, SHOWN_LEVELS, estimate_table,
    show_configurations, tree_text, weights, weights_drawing,
};
use std::path::PathBuf;

/// Prints weights by stage, or the upper levels of a tree and what its features do;
/// with the fit's statistics beside the model, also standard errors, z, p and 95 %
/// intervals. Of a pattern model, the sizes of its weights, or with --pattern the
/// boards that speak most for and against the mover.
#[derive(Args)]
pub(crate) struct Show {
    /// The model file
    model: PathBuf,
    /// Only this stage [default: a few, evenly spread]
    #[arg(long, value_name = "STAGE")]
    stage: Option<u8>,
    /// Of a pattern model, draw the best and worst configurations of this pattern
    #[arg(long, value_name = "NAME")]
    pattern: Option<String>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Levels of a tree to print
    #[arg(long, value_name = "N", default_value_t = SHOWN_LEVELS)]
    levels: usize,
    /// Draw the weights over the stages with their intervals, or the tree: FILE.svg
    /// or FILE.html
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// Write over an existing drawing
    #[arg(long)]
    force: bool,
}

/// Configurations listed for and against the side to move.
const CONFIGURATIONS: usize = 15;

impl Show {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if PatternFile::is_at(&self.model) {
            if self.draw.is_some() {
                let message = "a pattern model has too many weights for a chart; see --pattern";
                return Err(Usage(message.into()).into());
            }
            let pattern = self.pattern.as_deref();
            return show_patterns(&self.model, self.stage, pattern, self.format);
        }
        if ConfigurationFile::is_at(&self.model) {
            return self.configurations();
        }
        let file = ModelFile::load(&self.model)?;
        if self.pattern.is_some() {
            let message = format!("--pattern: {} is no pattern model", self.model.display());
            return Err(Usage(message).into());
        }
        let beside = fit_path(&self.model);
        let record = if beside.exists() { Some(FitRecord::load(&beside)?) } else { None };
        let record = record.filter(|record| {
            let same = record.belongs_to(&file.model);
            if !same {
                let beside = beside.display();
                say(&format!("{beside} is about another model; weights are shown without errors"));
            }
            same
        });
        let Some(table) = estimate_table(&file, record.as_ref(), self.stage) else {
            let stage = self.stage.unwrap_or_default();
            return Err(Usage(format!("the model has no stage {stage}")).into());
        };
        if let Some(path) = &self.draw {
            let html = ending(path, &["svg", "html"], self.force, &self.model)? == "html";
            let Some(text) = weights_drawing(&file, record.as_ref(), html) else {
                let message = "this model is no weighted sum and no tree, so that there is \
                               nothing to draw";
                return Err(Usage(message.into()).into());
            };
            write_file(path, text)?;
        }
        if self.format == Format::Table {
            show(&heading(file.model.kind(), &file.game, &file.made_by))?;
            if let Some(tree) = file.model.as_tree() {
                show(&tree_text(tree, self.levels))?;
            }
        }
        let stages = record.map(|record| record.stages);
        let value = serde_json::json!({
            "game": file.game,
            "kind": file.model.kind(),
            "made_by": file.made_by,
            "features": file.model.features(),
            "weights": weights(&file.model, self.stage),
            "fits": stages.map(|s| s.into_iter().filter(|f| self.stage.is_none_or(|n| f.stage.0 == n)).collect::<Vec<_>>()),
        });
        print(self.format, &table, &value)
    }

    fn configurations(&self) -> anyhow::Result<()> {
        if self.draw.is_some() || self.pattern.is_some() {
            let message = "configurations are listed, not drawn: leave out --draw and --pattern";
            return Err(Usage(message.into()).into());
        }
        let file = ConfigurationFile::load(&self.model)?;
        let table = show_configurations(&file, self.stage, CONFIGURATIONS)?;
        if self.format == Format::Table {
            show(&heading("configurations", &file.game, &file.made_by))?;
        }
        let value = serde_json::json!({
            "game": file.game,
            "made_by": file.made_by,
            "configurations": file.model.dag.configurations().len(),
            "shown": table.rows,
        });
        print(self.format, &table, &value)
    }
}

/// What a model is and what made it: the command, where the record tells one.
pub(super) fn heading(kind: &str, game: &str, made_by: &serde_json::Value) -> String {
    let command = made_by.get("command").and_then(serde_json::Value::as_str);
    let maker = command.map_or_else(|| made_by.to_string(), str::to_owned);
    format!("{kind} model of {game}, made by {maker}")
}
