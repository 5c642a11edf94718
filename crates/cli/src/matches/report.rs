//! `evalsmith match report`.

use super::tournament;
use crate::options::{Format, ending, show, write_file};
use clap::Args;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    TournamentOrder, match_page, read_course, read_match, standings_so_far, tournament_page,
};
use std::path::PathBuf;

/// Says what the games of a log, or of a tournament's folder, say so far; they
/// may still be coming in.
#[derive(Args)]
pub(crate) struct Report {
    /// The log of a match, or the folder of a tournament, gauntlet or ladder
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Write a page (.html) with charts instead
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
            ending(page, &["html"], self.force, &self.log)?;
        }
        let html = if self.log.is_dir() {
            let (game, order) = TournamentOrder::of_folder(&self.log)?;
            let standings = standings_so_far(&order, &self.log)?;
            if self.output.is_none() {
                return tournament::show(&standings, self.format);
            }
            tournament_page(&game, &order, &standings)
        } else {
            let (header, result) = read_match(&self.log).map_err(LabError::from)?;
            if self.output.is_none() {
                return super::show(&result, self.format);
            }
            let course = read_course(&self.log).map_err(LabError::from)?;
            match_page(&header, &result, &course)
        };
        let Some(page) = self.output else { return Ok(()) };
        write_file(&page, html)?;
        show(&format!("The page: {}", page.display()))
    }
}
