//! `evalsmith data merge`: datasets put together.

use crate::failure::command_line;
use crate::options::show;
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, LabError, merge};
use std::path::PathBuf;

/// Merges datasets of one game.
///
/// The shards of one run, and samples and splits of one dataset, are laid over
/// each other: the shards of a run merge to the rows and the digest of the whole
/// run. Other datasets follow one another, their games numbered anew.
#[derive(Args)]
pub(crate) struct Merge {
    /// The datasets' folders
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Folder for the dataset
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Merge {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let datasets = self.data.iter().map(|data| Dataset::open(data));
        let datasets: Vec<_> = datasets.collect::<Result<_, _>>().map_err(LabError::from)?;
        let written = merge(&datasets, &command_line(), &self.out, &Terminal::resumable())
            .map_err(LabError::from)?;
        show(&super::written(&written, &self.out))
    }
}
