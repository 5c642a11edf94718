//! `evalsmith book import`: positions of games and files become positions of a book.

use super::{Booked, Searching, open_or_begin, summary};
use crate::analyze::looks_like_a_board;
use crate::failure::{Usage, command_line, say};
use crate::options::{read_text, show};
use clap::Args;
use evalsmith_engine_othello::book::Until;
use evalsmith_engine_othello::obf;
use evalsmith_othello::{Board, Othello, Portable};
use std::path::{Path, PathBuf};

/// Bring the positions of games or OBF files into a book.
///
/// A file holds transcripts like f5d6c3, a game a line, or OBF positions; blank lines
/// and those that begin with # or % are skipped. Every position is searched as `book
/// build` would search it; scores that a file gives are not believed. The same command
/// takes up a run that was killed.
#[derive(Args)]
pub(crate) struct Import {
    /// The game; Othello has books
    #[arg(value_enum)]
    game: Booked,
    /// Games or positions
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The book, extended where it exists
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Moves of each game whose positions are taken
    #[arg(long, value_name = "N", default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(0..=60))]
    plies: u32,
    #[command(flatten)]
    searching: Searching,
}

impl Import {
    pub(super) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let Booked::Othello = self.game;
        let (mut book, _lock) = open_or_begin(&self.out)?;
        for file in &self.files {
            let positions = read(file, self.plies as usize)?;
            if positions.is_empty() {
                let nothing = format!("{} holds neither game nor position", file.display());
                return Err(Usage(nothing).into());
            }
            let (read, new) = (positions.len(), book.ask_for_all(positions));
            say(&format!("{}: {read} positions, {new} of them new", file.display()));
        }
        book.remember_command(&command_line());
        let until = Until { positions: Some(0), time: None };
        self.searching.grow(&mut book, &self.out, until, threads)?;
        show(&summary(&book, &self.out))
    }
}

/// The positions of a file, of whichever kind it is.
fn read(file: &Path, plies: usize) -> anyhow::Result<Vec<Board<Portable>>> {
    let text = read_text(file)?;
    let mut lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| {
        let skipped = line.is_empty() || line.starts_with(['#', '%']);
        !skipped
    });
    if lines.clone().next().is_some_and(|(_, line)| looks_like_a_board(line)) {
        let problems = obf::read(&text).map_err(|e| Usage(format!("{}: {e}", file.display())))?;
        return Ok(problems.into_iter().map(|problem| problem.board).collect());
    }
    lines.try_fold(Vec::new(), |mut positions, (number, line)| {
        let record = Othello::new().parse_transcript(line).map_err(|e| {
            let file = file.display();
            Usage(format!("{file}: line {number}: {e}"))
        })?;
        // Passes are plies of the record, but nobody counts them as moves.
        let discs = |board: &Board<Portable>| 64 - board.empty().count_ones() as usize;
        positions.extend(record.positions().iter().filter(|p| discs(p) <= 4 + plies));
        Ok(positions)
    })
}
