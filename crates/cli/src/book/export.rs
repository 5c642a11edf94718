//! `evalsmith book export`: a book as text that other programs read.

use super::info::named;
use crate::options::{may_write_from, show, write_file};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Write a book as OBF positions or as transcripts.
///
/// OBF has every position with the moves that the book knows and their values in whole
/// discs; of a position's eight images one stands for all. Transcripts are lines from
/// the start that together pass through every position that can be reached from it.
#[derive(Args)]
pub(crate) struct Export {
    /// The book, or `shipped`
    #[arg(value_name = "FILE")]
    book: PathBuf,
    /// What is written
    #[arg(long, value_enum)]
    format: Written,
    /// Where it is written [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over a file that exists
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Written {
    Obf,
    Transcripts,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if let Some(out) = &self.out {
            may_write_from(out, self.force, &self.book)?;
        }
        let book = named(&self.book)?;
        let lines: Vec<_> = match self.format {
            Written::Obf => book.obf().collect(),
            Written::Transcripts => book.transcripts(),
        };
        let mut text = lines.join("\n");
        text.push('\n');
        match &self.out {
            Some(out) => {
                write_file(out, text)?;
                let unit = if self.format == Written::Obf { "positions" } else { "lines" };
                show(&format!("{} {unit} in {}", lines.len(), out.display()))
            }
            None => show(&text),
        }
    }
}
