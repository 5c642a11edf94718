//! `evalsmith book info`: a book in numbers.

use super::open;
use crate::options::{Format, print};
use clap::Args;
use evalsmith_engine_othello::book::BookStats;
use evalsmith_engine_othello::{Book, shipped};
use evalsmith_lab::prelude::{Game, Table};
use evalsmith_othello::Othello;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Show how large a book is, how its positions were searched and what made it.
#[derive(Args)]
pub(crate) struct Info {
    /// The book, or `shipped`
    #[arg(value_name = "FILE")]
    book: PathBuf,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    positions: usize,
    asked_for: usize,
    exact: usize,
    links: usize,
    bytes: usize,
    value: Option<f64>,
    line: Vec<String>,
    by_discs: Vec<Count>,
    by_depth: Vec<Count>,
    made: Vec<String>,
}

#[derive(Serialize)]
struct Count {
    of: u32,
    positions: usize,
}

fn counts(pairs: Vec<(u32, usize)>) -> Vec<Count> {
    pairs.into_iter().map(|(of, positions)| Count { of, positions }).collect()
}

/// The book of a file, or the one that comes with the program.
pub(super) fn named(path: &Path) -> anyhow::Result<Book> {
    if path == Path::new("shipped") { Ok(shipped::book()) } else { open(path) }
}

impl Info {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let book = named(&self.book)?;
        let start = Othello::new().start();
        let BookStats { by_discs, exact, by_depth, links } = book.stats();
        let report = Report {
            positions: book.len(),
            asked_for: book.pending(),
            exact,
            links,
            bytes: book.to_bytes().len(),
            value: book.get(&start).map(|at| at.value.discs()),
            line: book.line(&start).iter().map(ToString::to_string).collect(),
            by_discs: counts(by_discs),
            by_depth: counts(by_depth),
            made: book.made().to_vec(),
        };
        print(self.format, &table(&report), &report)
    }
}

fn table(report: &Report) -> Table {
    let mut table = Table::new(["what", ""]);
    let mut row = |what: &str, value: String| table.push([what.to_owned(), value]);
    row("positions", report.positions.to_string());
    row("asked for, not searched yet", report.asked_for.to_string());
    row("proven", report.exact.to_string());
    row("moves between positions", report.links.to_string());
    row("bytes", report.bytes.to_string());
    if let Some(value) = report.value {
        row("value of the start", format!("{value:+.2}"));
        row("best line", report.line.join(" "));
    }
    for Count { of, positions } in &report.by_depth {
        row(&format!("searched to depth {of}"), positions.to_string());
    }
    for Count { of, positions } in &report.by_discs {
        row(&format!("with {of} discs"), positions.to_string());
    }
    for made in &report.made {
        row("made by", made.clone());
    }
    table
}
