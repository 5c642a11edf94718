//! `evalsmith match records`.

use crate::options::{game, may_write_from, show, write_file};
use clap::Args;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{RecordFormat, read_match};
use std::path::PathBuf;

/// Writes the games of a log as other programs read them, with the value,
/// depth, nodes and time of each move where they are known.
#[derive(Args)]
pub(crate) struct Records {
    /// The log of a match
    log: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// pgn, sgf, ggf, csa, usi or txt [default: what the file's name ends in, or what
    /// programs for the game read]
    #[arg(long, value_name = "FORMAT")]
    format: Option<RecordFormat>,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Records {
    pub(super) fn run(self) -> anyhow::Result<()> {
        may_write_from(&self.output, self.force, &self.log)?;
        let (header, _) = read_match(&self.log).map_err(LabError::from)?;
        let game = game(&header.game)?;
        let mut text = Vec::new();
        let ending = self.output.extension().and_then(|e| e.to_str()?.parse().ok());
        let count = game.match_records(&self.log, self.format.or(ending), &mut text)?;
        write_file(&self.output, text)?;
        let games = if count == 1 { "game" } else { "games" };
        show(&format!("{count} {games} in {}", self.output.display()))
    }
}
