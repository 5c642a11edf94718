//! `evalsmith data`: positions with labels.

mod by_engine;
mod dedupe;
mod export;
mod features;
mod generate;
mod import;
mod info;
mod label;
mod merge;
mod sample;
mod split;

use clap::Subcommand;
use evalsmith_lab::prelude::Written;
use std::path::Path;

#[derive(Subcommand)]
pub(crate) enum Data {
    Import(import::Import),
    Generate(generate::Generate),
    Info(info::Info),
    Label(label::Label),
    Merge(merge::Merge),
    Split(split::Split),
    Sample(sample::Sample),
    Dedupe(dedupe::Dedupe),
    Export(export::Export),
    Features(features::Features),
}

impl Data {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Import(job) => job.run(),
            Self::Generate(job) => job.run(),
            Self::Info(job) => job.run(),
            Self::Label(job) => job.run(),
            Self::Merge(job) => job.run(),
            Self::Split(job) => job.run(),
            Self::Sample(job) => job.run(),
            Self::Dedupe(job) => job.run(),
            Self::Export(job) => job.run(),
            Self::Features(job) => job.run(),
        }
    }
}

/// What stands in a folder, in a line.
fn written(written: &Written, folder: &Path) -> String {
    let open = match written.open {
        0 => String::new(),
        open => format!(" ({open} without a result)"),
    };
    let (positions, games) = (written.positions, written.games);
    format!("{positions} positions of {games} games{open} in {}", folder.display())
}
