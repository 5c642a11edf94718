//! Records of games, and lists of positions, turned into datasets.
//!
//! A reader takes a format apart and knows no rules ([`Reader`]); what it finds
//! is a [`Script`], which the game's own notation resolves and the rules replay
//! ([`Replay`]). A record that cannot be read is left out, counted by reason, and
//! the first few are told with file, place and number.
//!
//! Invariant: a record's number is its place in the input, whether it or those
//! before it could be read; so every shard numbers alike.

mod csa;
mod epd;
mod first;
mod format;
mod ggf;
mod obf;
mod pgn;
mod properties;
mod replay;
mod scan;
mod script;
mod sgf;
mod text;
#[cfg(test)]
mod trial;
mod usi;
mod wthor;

pub use first::first_record;
pub use format::InputFormat;
pub(crate) use format::{EXACT, KOMI};
pub use scan::{Scanned, scan};
pub use script::{Place, Why};

use crate::manifest::Making;
use crate::writer::{Writer, Written};
use crate::{DataError, Dataset, Digest, Input, Label, Manifest, Shard, source};
use evalsmith_core::{Game, Progress};
use evalsmith_rules::DynGame;
use replay::Replay;
use script::{Fault, Script};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Records told of those that are left out.
const TOLD: usize = 5;

/// What to import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Files, folders of files, and `-` for standard input.
    pub files: Vec<PathBuf>,
    /// The format of all files; by their names where none is given.
    pub format: Option<InputFormat>,
    /// Fail at the first record that cannot be read.
    pub strict: bool,
    /// Keep only games in which at least one player is known to be as strong.
    pub min_rating: Option<u32>,
    /// Keep only games of rated players of whom none is known to be stronger.
    pub max_rating: Option<u32>,
    /// The records that this run takes: every so many.
    pub shard: Shard,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// What stands in the dataset.
    pub written: Written,
    /// Records left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The first of them, with file, place, number and reason.
    pub examples: Vec<String>,
    /// Whether an earlier run had made it all.
    pub kept: bool,
}

/// Imports records of a game into a folder.
///
/// # Errors
/// When a file cannot be opened or its format is not known, a record is bad and
/// the import strict, no record at all could be read, the folder is another's,
/// the disk refuses, or the job is stopped.
pub fn import(
    game: &DynGame,
    order: &Import,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Imported, DataError> {
    let mut files = Vec::new();
    for path in &order.files {
        append_files(path, game, order.format, &mut files)?;
    }
    let mut labels: Vec<Label> = Vec::new();
    for label in files.iter().flat_map(|(_, format)| format.labels()) {
        if !labels.iter().any(|known| known.name == label.name) {
            labels.push(label);
        }
    }
    let mut configuration = json!({
        "formats": files.iter().map(|(_, format)| format).collect::<Vec<_>>(),
        "shard": order.shard,
    });
    if let Some(rating) = order.min_rating {
        configuration["min_rating"] = rating.into();
    }
    if let Some(rating) = order.max_rating {
        configuration["max_rating"] = rating.into();
    }
    let inputs = files
        .iter()
        .map(|(path, _)| {
            let piped = path == Path::new("-");
            let digest = if piped { None } else { Some(digest(path)?) };
            Ok(Input::file(path.display().to_string(), digest))
        })
        .collect::<Result<_, DataError>>()?;
    let making =
        Making { game: game.name(), verb: "import", command, configuration, inputs, labels };
    let Some(writer) = Writer::begin(dir, Manifest::new(making, None))? else {
        return standing(dir);
    };
    let mut run = Run {
        order,
        replay: Replay::new(game),
        script: Script::new(),
        writer,
        records: 0,
        imported: Imported::default(),
    };
    progress.begin("import", files.len() as u64, "files");
    let done = files.iter().try_for_each(|(path, format)| {
        run.file(path, *format, progress)?;
        progress.advance(1);
        Ok(())
    });
    progress.end();
    done.and_then(|()| run.finish())
}

fn digest(path: &Path) -> Result<Digest, DataError> {
    Digest::of_file(path).map_err(|e| DataError::io(path, e))
}

/// What an earlier run of the same import made.
fn standing(dir: &Path) -> Result<Imported, DataError> {
    let dataset = Dataset::open(dir)?;
    let skipped = dataset.manifest().skipped.clone();
    Ok(Imported { written: dataset.written(), skipped, kept: true, ..Imported::default() })
}

/// Appends a file with its format, or the files of a folder whose names tell it.
fn append_files(
    path: &Path,
    game: &DynGame,
    format: Option<InputFormat>,
    files: &mut Vec<(PathBuf, InputFormat)>,
) -> Result<(), DataError> {
    let refuse = |reason: String| {
        Err(DataError::Plan { field: "file", found: path.display().to_string(), reason })
    };
    let fitting = || {
        let names = InputFormat::ALL.into_iter().filter(|f| f.fits(game)).map(InputFormat::name);
        names.collect::<Vec<_>>().join(", ")
    };
    if path.is_dir() {
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(|e| DataError::io(path, e))? {
            inside.push(entry.map_err(|e| DataError::io(path, e))?.path());
        }
        inside.sort();
        let before = files.len();
        for path in inside {
            let told = InputFormat::of_file(&path, game);
            if path.is_dir() || told.is_some_and(|told| format.is_none_or(|f| f == told)) {
                append_files(&path, game, format, files)?;
            }
        }
        if files.len() == before {
            let (fitting, name) = (fitting(), game.name());
            return refuse(format!("no file in it is named like one of {fitting} for {name}"));
        }
        return Ok(());
    }
    match format.or_else(|| InputFormat::of_file(path, game)) {
        Some(format) if format.fits(game) => files.push((path.to_owned(), format)),
        Some(format) => {
            let fitting = fitting();
            return refuse(format!("{} does not come as {format}; give {fitting}", game.name()));
        }
        None => {
            let fitting = fitting();
            return refuse(format!("its name tells no format; give --format, one of {fitting}"));
        }
    }
    Ok(())
}

struct Run<'a> {
    order: &'a Import,
    replay: Replay<'a>,
    script: Script,
    writer: Writer,
    records: u64,
    imported: Imported,
}

impl Run<'_> {
    fn file(
        &mut self,
        path: &Path,
        format: InputFormat,
        progress: &dyn Progress,
    ) -> Result<(), DataError> {
        let input = source::open(path).map_err(|e| DataError::io(path, e))?;
        let mut reader = format.reader(input, path, self.replay.game());
        let before = self.records;
        loop {
            if progress.stopped() {
                let (done, total) = (self.records, self.records + 1);
                return Err(DataError::Stopped { done, total });
            }
            let found = reader.next(&mut self.script);
            if found == Ok(false) {
                if self.records == before && self.order.shard.holds(before) {
                    let reason = "the file holds no record; take it off the list";
                    self.script.clear(Place::Byte(0));
                    self.skip(path, before, &Fault::new(Why::Truncated, Place::Byte(0), reason))?;
                }
                return Ok(());
            }
            let index = self.records;
            self.records += 1;
            let lost = found.as_ref().is_err_and(|fault| fault.rest_is_lost);
            if self.order.shard.holds(index) {
                let number = u32::try_from(index).map_err(|_| DataError::Plan {
                    field: "file",
                    found: path.display().to_string(),
                    reason: "a dataset numbers 4294967296 records; import fewer files".to_owned(),
                })?;
                if let Err(fault) = self.record(number, found)? {
                    self.skip(path, index, &fault)?;
                }
            }
            if lost {
                return Ok(());
            }
        }
    }

    /// Writes a record; the inner error is the record's own.
    fn record(
        &mut self,
        number: u32,
        found: Result<bool, Fault>,
    ) -> Result<Result<(), Fault>, DataError> {
        if let Err(fault) = found {
            return Ok(Err(fault));
        }
        let (least, most) = (self.order.min_rating, self.order.max_rating);
        if least.is_some() || most.is_some() {
            let wanted = least.unwrap_or(0)..=most.unwrap_or(u32::MAX);
            let strongest = self.script.ratings.into_iter().flatten().max();
            if strongest.is_none_or(|rating| !wanted.contains(&rating)) {
                let reason = match strongest {
                    Some(rating) => format!("the stronger player has {rating}"),
                    None => "it tells no rating".to_owned(),
                };
                return Ok(Err(Fault::new(Why::Rating, self.script.place, reason)));
            }
        }
        match self.replay.play(&self.script) {
            Err(fault) => Ok(Err(fault)),
            Ok(outcome) => {
                self.replay.append(number, outcome, &self.script, &mut self.writer)?;
                Ok(Ok(()))
            }
        }
    }

    fn skip(&mut self, path: &Path, index: u64, fault: &Fault) -> Result<(), DataError> {
        *self.imported.skipped.entry(fault.why.name().to_owned()).or_default() += 1;
        let strict = self.order.strict && fault.why != Why::Rating;
        if strict || self.imported.examples.len() < TOLD {
            let whose = match self.script.whose.as_str() {
                "" => String::new(),
                whose => format!(" ({whose})"),
            };
            let rest = if fault.rest_is_lost { "; nothing after it can be read" } else { "" };
            let text = format!(
                "{}, {}, record {}{whose}: {}{rest}",
                path.display(),
                fault.place,
                index + 1,
                fault.reason
            );
            if strict {
                return Err(DataError::Records(text));
            }
            self.imported.examples.push(text);
        }
        Ok(())
    }

    fn finish(self) -> Result<Imported, DataError> {
        let Self { mut imported, writer, records, .. } = self;
        let asked = imported.skipped.get(Why::Rating.name()).copied().unwrap_or_default();
        let skipped: u64 = imported.skipped.values().sum();
        if writer.is_empty() && skipped > asked {
            let example = imported.examples.first().cloned().unwrap_or_default();
            let reason = format!("none of {records} records could be read; the first: {example}");
            return Err(DataError::Records(reason));
        }
        imported.written = writer.finish(imported.skipped.clone())?;
        Ok(imported)
    }
}
