//! `evalsmith curve`: evaluation curves, one file a verb.

mod adjust;
mod draw;
mod search;
mod table;
mod values;

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Curve {
    Draw(draw::Draw),
    Search(search::Search),
    Adjust(adjust::Adjust),
    Values(values::Values),
}

impl Curve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Draw(job) => job.run(),
            Self::Search(job) => job.run(),
            Self::Adjust(job) => job.run(),
            Self::Values(job) => job.run(),
        }
    }
}
