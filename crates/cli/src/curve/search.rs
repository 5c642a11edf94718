//! `evalsmith curve search`: the conditions under which a curve splits.

use super::table::Columns;
use crate::failure::command_line;
use crate::options::{ending, show, write_file};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{SearchPlan, search_table};
use std::path::PathBuf;

/// Finds the conditions under which an evaluation misjudges positions.
///
/// Every threshold of every column is tried and, with --pairs, every pair of
/// columns and the best configurations of three; with --configurations, conjunctions
/// of `column = value` over the columns of few whole values, such as the atoms that
/// `curve values --atoms` writes. A condition counts where it tells
/// something about results that the value does not. Conditions are ranked by what a
/// weight on them would add to the likelihood; the rate of false ones among those
/// reported is held by Benjamini and Yekutieli's procedure, with errors clustered
/// by game.
#[derive(Args)]
pub(crate) struct Search {
    /// The table: CSV or TSV (as it is or .zst) or Parquet, rows of a game together
    table: PathBuf,
    #[command(flatten)]
    columns: Columns,
    /// A column to try (may be repeated) [default: all that hold numbers, but the value]
    #[arg(long, value_name = "COLUMN")]
    property: Vec<String>,
    /// Try pairs of columns as well, and configurations of three
    #[arg(long)]
    pairs: bool,
    /// Try configurations of up to N relations `column = value`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    configurations: Option<u8>,
    /// Positions in which a condition must hold, and fail [default: 1000; a tenth of a
    /// smaller table's]
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// The share of false conditions among those reported, at most
    #[arg(long, value_name = "RATE", default_value_t = 0.05, value_parser = crate::options::share)]
    false_discovery_rate: f64,
    /// Conditions shown, with their pictures
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
    /// Give every game another's result first: what is found then is found falsely
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// A file to write as well: .html (with pictures), .csv or .json
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Search {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let output = match &self.output {
            Some(path) => {
                Some((path, ending(path, &["html", "csv", "json"], self.force, &self.table)?))
            }
            None => None,
        };
        let source = self.columns.source(&self.table)?;
        let plan = SearchPlan {
            properties: self.property,
            min_count: self.min_count,
            false_discovery_rate: self.false_discovery_rate,
            pairs: self.pairs,
            configurations: self.configurations.map_or(0, usize::from),
            draws: self.columns.draws(),
            shuffle: self.shuffle,
            shown: if output.is_some() { self.show } else { 0 },
        };
        let found = search_table(&source, &plan, &Terminal::new())?;
        for note in &found.notes {
            show(&format!("Note: {note}."))?;
        }
        show(&found.summary())?;
        if !found.searched.found.is_empty() {
            show(&found.table(self.show).to_text())?;
        }
        if let Some((path, form)) = output {
            write_file(path, found.to_file(&form, &command_line())?)?;
            show(&format!("Written: {}", path.display()))?;
        }
        Ok(())
    }
}
