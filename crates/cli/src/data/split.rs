//! `evalsmith data split`: by game, never by position.

use crate::failure::command_line;
use crate::options::show;
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, LabError, Shard, Split as Order, split};
use std::path::PathBuf;

/// Splits a dataset by game into folders with their shares.
///
/// All positions of a game go to one folder, which depends on the seed and the
/// game's number alone: `evalsmith data split games train=0.9 test=0.1`.
#[derive(Args)]
pub(crate) struct Split {
    /// The dataset's folder
    data: PathBuf,
    /// Folders, each with the share of the games that it gets
    #[arg(required = true, value_name = "DIR=SHARE", value_parser = folder)]
    folders: Vec<(PathBuf, f64)>,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take only this share of the games, the first of four as 1/4
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
}

fn folder(text: &str) -> Result<(PathBuf, f64), String> {
    let read = || {
        let (folder, share) = text.rsplit_once('=').filter(|(folder, _)| !folder.is_empty())?;
        Some((PathBuf::from(folder), crate::options::share(share).ok()?))
    };
    read().ok_or_else(|| "write a folder and its share from 0 to 1, like train=0.9".to_owned())
}

impl Split {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        let order = Order { folders: self.folders, seed: self.seed, shard: self.shard };
        let all = split(&dataset, &order, &command_line(), &Terminal::resumable());
        for (written, (folder, _)) in all.map_err(LabError::from)?.iter().zip(&order.folders) {
            show(&super::written(written, folder))?;
        }
        Ok(())
    }
}
