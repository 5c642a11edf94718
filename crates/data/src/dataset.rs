//! A finished dataset, opened for reading.
//!
//! Opening checks every part's checksum, so that reading afterwards meets only
//! bytes that were written. Memory stays at one part a thread while opening and
//! at one record batch while reading.

use crate::manifest::part_path;
use crate::part::{self, Part};
use crate::{Batch, DataError, Digest, Hasher, Manifest, Tally, Written};
use evalsmith_core::Outcome;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};

const BATCH_ROWS: usize = 8192;

/// A folder of Parquet parts and the manifest that explains them.
#[derive(Clone, Debug)]
pub struct Dataset {
    dir: PathBuf,
    manifest: Manifest,
    pub(crate) parts: Vec<Part>,
}

impl Dataset {
    /// Opens a finished dataset and checks all of it.
    ///
    /// # Errors
    /// When it is not a dataset, not finished, damaged, or not of one run.
    pub fn open(dir: &Path) -> Result<Self, DataError> {
        let manifest = Manifest::read(dir)?;
        let Some(planned) = manifest.parts else {
            return Err(DataError::NotFinished {
                dir: dir.to_owned(),
                command: manifest.command.clone(),
            });
        };
        let found = parts_in(dir, planned)?;
        if found < planned {
            return Err(DataError::Unfinished { dir: dir.to_owned(), found, planned });
        }
        let parts: Vec<_> =
            (0..planned).into_par_iter().map(|i| Part::open(dir, i, &manifest)).collect();
        let parts = parts.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { dir: dir.to_owned(), manifest, parts })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What made the dataset.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The number of rows.
    pub fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was written, in numbers.
    pub fn written(&self) -> Written {
        let sum = |of: fn(&Tally) -> u32| -> u64 {
            self.parts.iter().map(|part| u64::from(of(&part.tally))).sum()
        };
        Written {
            games: sum(|tally| tally.games),
            open: sum(|tally| tally.open),
            positions: self.len(),
            parts: self.parts(),
        }
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Checks that the dataset is about the game of this name.
    ///
    /// # Errors
    /// When it is about another.
    pub fn expect_game(&self, name: &str) -> Result<(), DataError> {
        if self.manifest.game == name {
            return Ok(());
        }
        Err(DataError::WrongGame {
            path: self.dir.clone(),
            found: self.manifest.game.clone(),
            wanted: name.to_owned(),
        })
    }

    /// All rows, a batch at a time, in the order of games and plies.
    pub fn rows(&self) -> Batches<'_> {
        Batches { parts: &self.parts, next: 0..self.parts.len(), reader: None }
    }

    /// The rows of one part, a batch at a time.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn part_rows(&self, part: usize) -> Batches<'_> {
        Batches { parts: &self.parts, next: part..part + 1, reader: None }
    }

    /// Names the rows in provenance. It depends on the game and the rows with
    /// their labels, and on nothing else: not on their order, the size of the
    /// parts or the way they are compressed.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn digest(&self) -> Result<Digest, DataError> {
        let sums: Vec<Result<u64, DataError>> = (0..self.parts.len())
            .into_par_iter()
            .map(|part| {
                let mut sum = 0_u64;
                for batch in self.part_rows(part) {
                    sum = sum.wrapping_add(sum_of_rows(&batch?));
                }
                Ok(sum)
            })
            .collect();
        let mut total = Digest::of(self.manifest.game.as_bytes()).0;
        for sum in sums {
            total = total.wrapping_add(sum?);
        }
        Ok(Digest(total))
    }
}

/// How many of the planned parts a folder holds. Takes time for what is there, not for
/// what the manifest promises.
fn parts_in(dir: &Path, planned: usize) -> Result<usize, DataError> {
    let failed = |e| DataError::io(dir, e);
    let mut found = 0;
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let number = name.to_str().and_then(|name| {
            name.strip_prefix("part-")?.strip_suffix(".parquet")?.parse::<usize>().ok()
        });
        let planned = number.filter(|&part| part < planned);
        found += usize::from(planned.is_some_and(|part| part_path(dir, part).ends_with(&name)));
    }
    Ok(found)
}

/// Rows differ in game or ply, so that their digests may be added in any order.
fn sum_of_rows(batch: &Batch) -> u64 {
    let mut hashers = vec![Hasher::new(); batch.len()];
    for (hasher, row) in hashers.iter_mut().zip(batch.rows()) {
        hasher.write_u64(u64::from(row.game));
        hasher.write_u64(u64::from(row.ply));
        hasher.write(&[row.stage.0, row.side.index() as u8, u8::from(row.mv.is_some())]);
        // No outcome has the smallest number: its negative would not fit.
        hasher.write(&row.outcome.map_or(i16::MIN, Outcome::margin).to_le_bytes());
        for text in [row.position, row.mv.unwrap_or_default().as_bytes()] {
            hasher.write_u64(text.len() as u64);
            hasher.write(text);
        }
    }
    let mut names: Vec<_> = batch.label_names().collect();
    names.sort_unstable();
    for name in names {
        let values = batch.label(name).expect("the batch named this label");
        for (hasher, value) in hashers.iter_mut().zip(values) {
            hasher.write(name.as_bytes());
            hasher.write_u64(value.map_or(u64::MAX, |v| u64::from(v.to_bits())));
        }
    }
    hashers.iter().fold(0, |sum: u64, hasher| sum.wrapping_add(hasher.finish().0))
}

/// The rows of some parts, a batch at a time.
pub struct Batches<'a> {
    parts: &'a [Part],
    next: Range<usize>,
    reader: Option<(ParquetRecordBatchReader, &'a Path, usize)>,
}

impl Batches<'_> {
    fn advance(&mut self) -> Result<Option<Batch>, DataError> {
        loop {
            if let Some((reader, path, first)) = &mut self.reader {
                if let Some(record) = reader.next() {
                    let record = record.map_err(|e| unreadable(path, &e))?;
                    let batch = Batch::from_record(&record, path, *first)?;
                    *first += batch.len();
                    return Ok(Some(batch));
                }
                self.reader = None;
            }
            let Some(part) = self.next.next() else { return Ok(None) };
            let path = &self.parts[part].path;
            let reader = part::reader(path)?
                .with_batch_size(BATCH_ROWS)
                .build()
                .map_err(|e| unreadable(path, &e))?;
            self.reader = Some((reader, path, 0));
        }
    }
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> DataError {
    DataError::Parquet { path: path.to_owned(), reason: error.to_string() }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, DataError>;

    /// The next batch; after an error, nothing more.
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.advance().transpose();
        if matches!(item, Some(Err(_))) {
            self.reader = None;
            self.next = 0..0;
        }
        item
    }
}
