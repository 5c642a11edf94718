//! Datasets for other programs: games as records, positions as lists and tables.
//!
//! A record needs every move of its game from its first row on; games of which a
//! sample or a split left only some positions are left out and counted. Lists and
//! tables take any rows. Invariant: the file is whole or absent, and memory is
//! that of one game or one batch.

mod table;

use crate::import::EXACT;
use crate::{DataError, Dataset, Headers, RecordFormat, Row, write_record};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{
    Ending, Game, GameRecord, Malformed, Outcome, Position, Progress, Protocol, Reason, Side,
};
use evalsmith_rules::{DynGame, Pos};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// A record of every game.
    Record(RecordFormat),
    /// A position to a line, as Othello's endgame suites; with the move and its
    /// score where the score is exact.
    Obf,
    /// A position to a line in the game's own text, with the result.
    Epd,
    /// A table with a header line, parted by commas.
    Csv,
    /// A table with a header line, parted by tabs.
    Tsv,
    /// A table as one Parquet file.
    Parquet,
}

impl ExportFormat {
    const LISTS: [Self; 5] = [Self::Obf, Self::Epd, Self::Csv, Self::Tsv, Self::Parquet];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        RecordFormat::ALL.into_iter().map(Self::Record).chain(Self::LISTS)
    }

    /// The name on the command line, and the usual ending of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Record(format) => format.name(),
            Self::Obf => "obf",
            Self::Epd => "epd",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
        }
    }

    /// Whether a game is written so.
    pub fn fits(self, game: &DynGame) -> bool {
        match self {
            Self::Record(format) => format.fits(game),
            Self::Obf => game.dialect(Protocol::NBoard).is_some(),
            Self::Epd | Self::Csv | Self::Tsv | Self::Parquet => true,
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ExportFormat {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let wanted = text.trim();
        let found = Self::all().find(|format| format.name().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            Malformed::new("format", text, format!("write one of {}", names.join(", ")))
        })
    }
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Games or positions written.
    pub written: u64,
    /// Games left out.
    pub skipped: u64,
    /// Why the first of them was.
    pub example: Option<String>,
}

/// Writes a dataset to a file.
///
/// # Errors
/// When the game is not written in that format, every game would be left out, a
/// file fails, or the job is stopped.
pub fn export(
    game: &DynGame,
    dataset: &Dataset,
    format: ExportFormat,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Exported, DataError> {
    dataset.expect_game(game.name())?;
    if !format.fits(game) {
        let names: Vec<_> =
            ExportFormat::all().filter(|f| f.fits(game)).map(ExportFormat::name).collect();
        return Err(DataError::Plan {
            field: "format",
            found: format.to_string(),
            reason: format!("{} is not written so; give one of {}", game.name(), names.join(", ")),
        });
    }
    progress.begin("export", dataset.len(), "positions");
    let exported = write_atomically(path, |file| -> Result<Exported, Refusal> {
        match format {
            ExportFormat::Record(format) => records(game, dataset, format, file, progress),
            ExportFormat::Obf | ExportFormat::Epd => list(game, dataset, format, file, progress),
            ExportFormat::Csv => table::text(game, dataset, ',', file, progress),
            ExportFormat::Tsv => table::text(game, dataset, '\t', file, progress),
            ExportFormat::Parquet => table::parquet(game, dataset, file, progress),
        }
    });
    progress.end();
    exported.map_err(|refusal| match refusal {
        Refusal::Io(e) => DataError::io(path, e),
        Refusal::Data(e) => e,
    })
}

/// What may be in the way: the file written, or the dataset read.
enum Refusal {
    Io(io::Error),
    Data(DataError),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

/// The position of a row.
fn unpack(game: &DynGame, dataset: &Dataset, row: &Row<'_>) -> Result<(Pos, Side), DataError> {
    game.unpack(row.position).map_err(|source| {
        let path = dataset.dir().to_owned();
        DataError::Position { path, game: row.game, ply: row.ply, source }
    })
}

fn tick(
    dataset: &Dataset,
    done: u64,
    rows: usize,
    progress: &dyn Progress,
) -> Result<(), DataError> {
    progress.advance(rows as u64);
    if progress.stopped() {
        return Err(DataError::Stopped { done, total: dataset.len() });
    }
    Ok(())
}

fn list(
    game: &DynGame,
    dataset: &Dataset,
    format: ExportFormat,
    out: &mut impl Write,
    progress: &dyn Progress,
) -> Result<Exported, Refusal> {
    let white = if game.side_names()[0] == "black" { Side::Second } else { Side::First };
    let mut written = 0;
    for batch in dataset.rows() {
        let batch = batch?;
        let mut exact = batch.label(EXACT);
        for row in batch.rows() {
            let exact = exact.as_mut().and_then(Iterator::next).flatten();
            let (position, side) = unpack(game, dataset, &row)?;
            write!(out, "{}", game.format(&position, side))?;
            match (format, row.outcome) {
                (ExportFormat::Obf, Some(outcome)) => {
                    if let Some(mv) = row.mv
                        && exact == Some(f32::from(outcome.margin()))
                    {
                        write!(out, "; {}:{:+};", mv.to_ascii_uppercase(), outcome.margin())?;
                    }
                }
                (_, Some(outcome)) => {
                    let result = match outcome.seen_by(row.side, white).margin() {
                        1.. => "1-0",
                        0 => "1/2-1/2",
                        _ => "0-1",
                    };
                    write!(out, " c9 \"{result}\";")?;
                }
                (_, None) => {}
            }
            writeln!(out)?;
            written += 1;
        }
        tick(dataset, written, batch.len(), progress)?;
    }
    Ok(Exported { written, ..Exported::default() })
}

/// A row with its position.
struct Step {
    ply: u16,
    side: Side,
    position: Pos,
    mv: Option<String>,
    outcome: Option<Outcome>,
}

fn records(
    game: &DynGame,
    dataset: &Dataset,
    format: RecordFormat,
    out: &mut impl Write,
    progress: &dyn Progress,
) -> Result<Exported, Refusal> {
    let mut exported = Exported::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut number = None;
    let mut done = 0;
    let mut close = |steps: &mut Vec<Step>, number: Option<u32>| -> io::Result<()> {
        let Some(number) = number else { return Ok(()) };
        match record(game, steps, format) {
            Ok(text) => {
                // CSA parts games by a line of their own.
                if format == RecordFormat::Csa && exported.written > 0 {
                    writeln!(out, "/")?;
                }
                out.write_all(text.as_bytes())?;
                exported.written += 1;
            }
            Err(reason) => {
                exported.skipped += 1;
                exported.example.get_or_insert_with(|| format!("game {number}: {reason}"));
            }
        }
        steps.clear();
        Ok(())
    };
    for batch in dataset.rows() {
        let batch = batch?;
        for row in batch.rows() {
            if number != Some(row.game) {
                close(&mut steps, number.replace(row.game))?;
            }
            let (position, side) = unpack(game, dataset, &row)?;
            let (ply, mv, outcome) = (row.ply, row.mv.map(str::to_owned), row.outcome);
            steps.push(Step { ply, side, position, mv, outcome });
        }
        done += batch.len() as u64;
        tick(dataset, done, batch.len(), progress)?;
    }
    close(&mut steps, number)?;
    match exported.example {
        Some(example) if exported.written == 0 => Err(DataError::NoneFits { example }.into()),
        _ => Ok(exported),
    }
}

/// The record of a game whose rows these are.
fn record(game: &DynGame, steps: &[Step], format: RecordFormat) -> Result<String, String> {
    let first = &steps[0];
    let mut record = GameRecord::new(first.position.clone(), first.side, usize::MAX);
    for (step, next) in steps.iter().zip(steps.iter().skip(1).map(Some).chain([None])) {
        let Some(mv) = &step.mv else {
            match next {
                None => break,
                Some(next) => return Err(format!("no move is told before ply {}", next.ply)),
            }
        };
        let m = game.parse_move(&step.position, mv).map_err(|e| e.to_string())?;
        record
            .play_named(m, mv)
            .map_err(|e| format!("{e}; the rules had ended the game before"))?;
        if next.is_some_and(|next| next.position != *record.position()) {
            return Err(format!("positions after ply {} are missing; write a list", step.ply));
        }
    }
    let outcome = first.outcome.map(|outcome| outcome.seen_by(first.side, record.side()));
    if let Some(outcome) = outcome {
        record.adjudicate(Ending { outcome, reason: Reason::Agreed });
    }
    let headers = Headers {
        players: ["?".to_owned(), "?".to_owned()],
        // CSA knows a resignation, and nothing of other agreements.
        outcome: record
            .outcome_for(Side::First)
            .filter(|_| format == RecordFormat::Csa && record.position().outcome().is_none()),
        ..Headers::default()
    };
    write_record(game, format, &record, &headers, &[]).map_err(|e| e.to_string())
}
