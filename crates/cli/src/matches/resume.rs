//! `evalsmith match resume`.

use super::{play, tournament};
use crate::options::Format;
use clap::Args;
use evalsmith_lab::prelude::{MatchOrder, TournamentOrder};
use std::path::PathBuf;

/// Goes on with the match of a log, or the tournament of a folder, which hold all
/// that is needed.
#[derive(Args)]
pub(crate) struct Resume {
    /// The log of `match run` or `match sprt`, or the folder of a tournament,
    /// gauntlet or ladder
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Resume {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.log.is_dir() {
            let (game, order) = TournamentOrder::of_folder(&self.log)?;
            return tournament::play(&game, &order, &self.log, self.format);
        }
        let (game, order) = MatchOrder::of_log(&self.log)?;
        play(&game, &order, &self.log, self.format)
    }
}
