//! `evalsmith match report`.

use crate::options::{Format, may_write};
use clap::Args;
use evalsmith_lab::prelude::{files, match_page, read_match};
use std::io::Write;
use std::path::PathBuf;

/// Says what the games of a log say so far; they may still be coming in.
#[derive(Args)]
pub(crate) struct Report {
    /// The log of a match
    log: PathBuf,
    /// Write a page (.html) instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over an existing page
    #[arg(long)]
    force: bool,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Report {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if let Some(page) = &self.output {
            may_write(page, self.force)?;
        }
        let (header, result) = read_match(&self.log).map_err(evalsmith_lab::LabError::from)?;
        let Some(page) = self.output else { return super::show(&result, self.format) };
        let html = match_page(&header, &result);
        Ok(files::write_atomically(&page, |file| file.write_all(html.as_bytes()))?)
    }
}
