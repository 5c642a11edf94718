//! `evalsmith match records`.

use crate::failure::Usage;
use crate::options::{game, may_write_from, show, write_file};
use clap::Args;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{RecordFormat, read_match, write_match};
use std::path::{Path, PathBuf};

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

/// The format that a file's name tells; one without an ending tells none.
fn told(path: &Path) -> Result<Option<RecordFormat>, Usage> {
    let Some(ending) = path.extension() else { return Ok(None) };
    let known = ending.to_str().and_then(|ending| ending.parse().ok());
    known.map(Some).ok_or_else(|| {
        let names = RecordFormat::ALL.map(RecordFormat::name).join(", ");
        let file = path.display();
        Usage(format!("the name {file} tells no format of games; give --format, one of {names}"))
    })
}

impl Records {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let format = match self.format {
            Some(format) => Some(format),
            None => told(&self.output)?,
        };
        may_write_from(&self.output, self.force, &self.log)?;
        let (header, _) = read_match(&self.log).map_err(LabError::from)?;
        let game = game(&header.game)?;
        let mut text = Vec::new();
        let count = write_match(&game, &self.log, format, &mut text)?;
        write_file(&self.output, text)?;
        let games = if count == 1 { "game" } else { "games" };
        show(&format!("{count} {games} in {}", self.output.display()))
    }
}
