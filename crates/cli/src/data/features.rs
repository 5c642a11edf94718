//! `evalsmith data features`: a table for other programs.

use crate::options::{ending, game, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, export_features};
use std::path::PathBuf;

/// Writes a table that pandas, polars or DuckDB open: one row a position with
/// its game, stage, side to move, points (1, 1/2, 0), margin and every feature.
#[derive(Args)]
pub(crate) struct Features {
    /// The dataset's folder
    data: PathBuf,
    /// The file to write: .parquet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Features {
    pub(super) fn run(self) -> anyhow::Result<()> {
        ending(&self.output, &["parquet"], self.force, &self.data)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let rows = export_features(&game, &dataset, &self.output, self.raw, &Terminal::new())?;
        show(&format!("{rows} rows in {}", self.output.display()))
    }
}
