//! `evalsmith data dedupe`: every position once.

use crate::failure::command_line;
use crate::options::{game, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, LabError, dedupe};
use std::path::PathBuf;

/// Keeps the first of all rows with the same position.
///
/// The same is what the rules call so: clocks and move numbers do not count.
#[derive(Args)]
pub(crate) struct Dedupe {
    /// The dataset's folder
    data: PathBuf,
    /// Folder for the dataset
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Dedupe {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        let game = game(&dataset.manifest().game)?;
        let command = command_line();
        let written = dedupe(&game, &dataset, &command, &self.out, &Terminal::resumable());
        let written = written.map_err(LabError::from)?;
        let gone = dataset.len() - written.positions;
        show(&format!("{gone} repeated positions left out"))?;
        show(&super::written(&written, &self.out))
    }
}
