//! `evalsmith match resume`.

use super::play;
use crate::options::Format;
use clap::Args;
use evalsmith_lab::prelude::MatchOrder;
use std::path::PathBuf;

/// Goes on with the match of a log; the log holds all that is needed.
#[derive(Args)]
pub(crate) struct Resume {
    /// The log of `match run` or `match sprt`
    log: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Resume {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (game, order) = MatchOrder::of_log(&self.log)?;
        play(&game, &order, &self.log, self.format)
    }
}
