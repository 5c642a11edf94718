//! `evalsmith book`: opening books, learnt by searching.

mod build;
mod export;
mod import;
mod info;
mod show;

use crate::engine::{ByFunction, function_with_errors};
use crate::options::{may_write, read_bytes, thread_count, write_file};
use crate::progress::Terminal;
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use evalsmith_engine_othello::book::{Book, GrownUntil, Growth, Until};
use evalsmith_engine_othello::{ProbCut, Selectivity};
use evalsmith_lab::prelude::files::Lock;
use evalsmith_lab::prelude::{FunctionName, Game, LabError};
use evalsmith_othello::Othello;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum BookVerb {
    Build(build::Build),
    Import(import::Import),
    Info(info::Info),
    Show(show::Show),
    Export(export::Export),
}

impl BookVerb {
    pub(crate) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        match self {
            Self::Build(job) => job.run(threads),
            Self::Import(job) => job.run(threads),
            Self::Info(job) => job.run(),
            Self::Show(job) => job.run(),
            Self::Export(job) => job.run(),
        }
    }
}

/// The games that have books.
#[derive(Clone, Copy, ValueEnum)]
enum Booked {
    Othello,
}

/// How the positions of a book are searched.
#[derive(Args)]
struct Searching {
    /// Plies to look ahead in every position
    #[arg(long, value_name = "N", default_value_t = Growth::default().depth,
        value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// With at most so many empty squares positions are solved exactly
    #[arg(long, value_name = "EMPTY", default_value_t = Growth::default().solve_at,
        value_parser = clap::value_parser!(u32).range(0..=30))]
    solve_at: u32,
    /// How sure a line must be bad before it is left out: daring (73), brisk (87),
    /// careful (95), wary (99) or full (100) [default: careful]
    #[arg(long, value_name = "LEVEL")]
    selectivity: Option<Selectivity>,
    /// The evaluation function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    /// The error model of the function, made by `engine fit-probcut`
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// Memory for the tables of each thread, in MiB
    #[arg(long, value_name = "MiB", default_value_t = Growth::default().table_mib,
        value_parser = crate::solve::mebibytes)]
    hash: usize,
}

impl Searching {
    fn growth(&self, selectivity: Selectivity, threads: Option<u16>) -> Growth {
        let threads = thread_count(threads);
        let &Self { depth, solve_at, hash: table_mib, .. } = self;
        Growth { depth, solve_at, selectivity, threads, table_mib }
    }

    fn judge(&self) -> anyhow::Result<(ByFunction, ProbCut, Selectivity)> {
        function_with_errors(
            &self.function,
            self.probcut.as_deref(),
            self.selectivity,
            Selectivity::default(),
        )
    }

    /// Grows the book in a file, which is there even before the first search.
    fn grow(
        &self,
        book: &mut Book,
        path: &Path,
        until: Until,
        threads: Option<u16>,
    ) -> anyhow::Result<()> {
        let (judge, errors, selectivity) = self.judge()?;
        let growth = self.growth(selectivity, threads);
        let terminal = Terminal::resumable();
        let save = |book: &Book| save(book, path);
        save(book)?;
        match book.grow(&growth, until, (&judge, &errors), &terminal, save)? {
            GrownUntil::Stopped => Err(LabError::Stopped.into()),
            GrownUntil::Enough | GrownUntil::TimeOver | GrownUntil::Exhausted => Ok(()),
        }
    }
}

/// The most bytes of a book.
const LARGEST: u64 = 1 << 30;

/// The book of a file.
pub(crate) fn open(path: &Path) -> anyhow::Result<Book> {
    Book::read(&read_bytes(path, LARGEST)?).with_context(|| path.display().to_string())
}

/// The book of a file, or a new one where there is none, and the lock without which
/// nobody may extend it.
fn open_or_begin(path: &Path) -> anyhow::Result<(Book, Lock)> {
    may_write(path, path.is_file())?;
    let lock = Lock::beside(path)?;
    let book = if path.is_file() { open(path)? } else { Book::default() };
    Ok((book, lock))
}

fn save(book: &Book, path: &Path) -> anyhow::Result<()> {
    write_file(path, book.to_bytes())
}

/// What stands in a file, in a line.
fn summary(book: &Book, path: &Path) -> String {
    let start = Othello::new().start();
    let value = book.get(&start).map_or_else(String::new, |at| format!(", start {}", at.value));
    let left = match book.pending() {
        0 => String::new(),
        left => format!(", {left} more asked for"),
    };
    let (positions, path) = (book.len(), path.display());
    format!("{positions} positions{left}{value} in {path}")
}
