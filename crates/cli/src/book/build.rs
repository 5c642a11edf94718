//! `evalsmith book build`: a book that grows where it is left most cheaply.

use super::{Booked, Searching, open_or_begin, summary};
use crate::engine::seconds;
use crate::failure::command_line;
use crate::options::show;
use clap::Args;
use evalsmith_engine_othello::book::Until;
use std::path::PathBuf;
use std::time::Duration;

/// Build an opening book, or let one grow.
///
/// Again and again the best moves that lead out of the book are searched, those first
/// that a game reaches at the least loss of both sides. The file is extended in place
/// and saved every half minute; the same command takes up a run that was killed. A book
/// depends on how it is searched and on its number of positions, not on threads, pauses
/// or kills.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("until").required(true).multiple(true))]
pub(crate) struct Build {
    /// The game; Othello has books
    #[arg(value_enum)]
    game: Booked,
    /// The book, extended where it exists
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Grow to so many positions, and the few that complete a round
    #[arg(long, value_name = "N", group = "until",
        value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    positions: Option<u32>,
    /// Grow for so many seconds
    #[arg(long, value_name = "S", group = "until", value_parser = seconds)]
    time: Option<Duration>,
    #[command(flatten)]
    searching: Searching,
}

impl Build {
    pub(super) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let Booked::Othello = self.game;
        let (mut book, _lock) = open_or_begin(&self.out)?;
        book.remember_command(&command_line());
        let positions = self.positions.map(|positions| positions as usize);
        let until = Until { positions, time: self.time };
        self.searching.grow(&mut book, &self.out, until, threads)?;
        show(&summary(&book, &self.out))
    }
}
