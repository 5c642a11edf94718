//! `evalsmith model export`: a pattern model for other programs.

use crate::options::{game, may_write_from, show};
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{PatternExport, PatternFile, export_patterns};
use std::path::PathBuf;

/// Writes a pattern model for other programs: a C header that evaluates by itself, or
/// JSON, each with one weight for every state of a pattern.
#[derive(Args)]
pub(crate) struct Export {
    /// The model file
    model: PathBuf,
    /// How to write it
    #[arg(long, value_enum)]
    format: Format,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A C header
    C,
    /// JSON
    Json,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        may_write_from(&self.output, self.force, &self.model)?;
        let file = PatternFile::load(&self.model)?;
        let format = match self.format {
            Format::C => PatternExport::CHeader,
            Format::Json => PatternExport::Json,
        };
        export_patterns(&game(&file.game)?, &self.model, format, &self.output)?;
        show(&format!("{} weights in {}", file.model.steps().len(), self.output.display()))
    }
}
