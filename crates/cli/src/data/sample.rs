//! `evalsmith data sample`: some of the positions.

use crate::failure::command_line;
use crate::options::{share, show, stages};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Amount, Dataset, Draw, LabError, NearlyEven, Shard, Stage, draw};
use std::path::PathBuf;

/// Draws a uniform random sample of a dataset's positions.
#[derive(Args)]
pub(crate) struct Sample {
    /// The dataset's folder
    data: PathBuf,
    /// Folder for the sample
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    amount: AmountOptions,
    /// Draw only positions that --label thinks even: by at most so much, in its unit
    #[arg(long, value_name = "ADVANTAGE", requires = "label")]
    within: Option<f32>,
    /// The label that says how even a position is
    #[arg(long, value_name = "LABEL", requires = "within")]
    label: Option<String>,
    /// Draw only positions of these stages, as in 40-44
    #[arg(long, value_name = "FIRST-LAST", value_parser = stages)]
    stages: Option<[Stage; 2]>,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take only this share of the games, the first of four as 1/4; with --share
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct AmountOptions {
    /// Take each position with this probability
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    /// Take exactly so many positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
}

impl Sample {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        let amount = match (self.amount.share, self.amount.positions) {
            (_, Some(positions)) => Amount::Positions(positions),
            (share, None) => Amount::Share(share.unwrap_or(1.0)),
        };
        let even = self.label.zip(self.within).map(|(label, most)| NearlyEven { label, most });
        let order = Draw { amount, seed: self.seed, shard: self.shard, even, stages: self.stages };
        let written = draw(&dataset, &order, &command_line(), &self.out, &Terminal::resumable())
            .map_err(LabError::from)?;
        show(&super::written(&written, &self.out))
    }
}
