//! `evalsmith model`: fit, show, judge, compare, extend and export evaluation functions; one file a verb.

mod columns;
mod compare;
mod discover;
mod export;
mod fit;
mod fit_configurations;
mod fit_patterns;
mod judge;
mod samuel;
mod show;
mod show_patterns;

use clap::Subcommand;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum Model {
    Fit(Box<fit::Fit>),
    Judge(judge::Judge),
    Compare(compare::Compare),
    Discover(discover::Discover),
    Samuel(samuel::Samuel),
    Show(show::Show),
    Export(export::Export),
}

impl Model {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Fit(job) => job.run(),
            Self::Judge(job) => job.run(),
            Self::Compare(job) => job.run(),
            Self::Discover(job) => job.run(),
            Self::Samuel(job) => job.run(),
            Self::Show(job) => job.run(),
            Self::Export(job) => job.run(),
        }
    }
}

/// Where the statistics of a fit stand: beside the model.
fn fit_path(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".fit.json");
    name.into()
}
