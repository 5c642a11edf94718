//! Writing a dataset whose rows come one after another, nobody knows how many.
//!
//! A part is encoded on a thread of its own while the next one fills, so that
//! memory is that of two parts. A killed run starts anew: such runs read faster
//! than anybody could have saved.
//!
//! Invariant: rows come in the order of games and plies, and where parts end
//! depends on the rows alone.

use crate::manifest::verdict;
use crate::{BatchBuilder, DataError, Manifest, Row, Tally, folder, part};
use evalsmith_core::files::Lock;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A part ends with the game that reaches so many rows.
const PART_ROWS: usize = 1 << 18;

/// What a run has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Games in the dataset.
    pub games: u64,
    /// Games without a result.
    pub open: u64,
    /// Rows in the dataset.
    pub positions: u64,
    /// Parts in the dataset.
    pub parts: usize,
}

pub(crate) struct Writer {
    dir: PathBuf,
    manifest: Arc<Manifest>,
    rows: BatchBuilder,
    tally: Tally,
    last: Option<(u32, u16)>,
    pending: Option<JoinHandle<Result<(), DataError>>>,
    written: Written,
    _lock: Lock,
}

impl Writer {
    /// Begins a dataset, or begins it again after a kill; none where the same run
    /// has finished it before.
    pub(crate) fn begin(dir: &Path, manifest: Manifest) -> Result<Option<Self>, DataError> {
        let piped = manifest.inputs.iter().any(|input| input.digest.is_none());
        let (lock, manifest) = folder::claim(dir, manifest)?;
        if manifest.parts.is_some() {
            let stands = || DataError::Stands { dir: dir.to_owned() };
            return if piped { Err(stands()) } else { Ok(None) };
        }
        folder::remove_parts(dir)?;
        Ok(Some(Self {
            dir: dir.to_owned(),
            rows: BatchBuilder::new(manifest.label_names()),
            manifest: Arc::new(manifest),
            tally: Tally::default(),
            last: None,
            pending: None,
            written: Written::default(),
            _lock: lock,
        }))
    }

    /// The labels in the order in which [`push`](Writer::push) wants them.
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether no row was pushed.
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Appends a row with its labels.
    pub(crate) fn push(&mut self, row: &Row<'_>, labels: &[Option<f32>]) -> Result<(), DataError> {
        let place = (row.game, row.ply);
        if self.last.is_some_and(|last| last > place) {
            return Err(DataError::Order {
                path: self.dir.clone(),
                game: row.game,
                ply: row.ply,
                reason: "the rows before it are of a later game or ply; generate or import the \
                         dataset that they come from again"
                    .to_owned(),
            });
        }
        if self.last.is_none_or(|(game, _)| game != row.game) {
            if self.rows.len() >= PART_ROWS {
                self.flush()?;
            }
            if self.tally.games == 0 {
                self.tally.first_game = row.game;
            }
            self.tally.count_result(verdict(row.outcome, row.side));
        }
        self.last = Some(place);
        self.rows.push(row, labels);
        Ok(())
    }

    /// Counts why games ended, where that is known.
    pub(crate) fn count_ending(&mut self, reason: &str, games: u32) {
        match self.tally.endings.get_mut(reason) {
            Some(count) => *count += games,
            None => drop(self.tally.endings.insert(reason.to_owned(), games)),
        }
    }

    fn flush(&mut self) -> Result<(), DataError> {
        self.settle()?;
        let fresh = BatchBuilder::new(self.manifest.label_names());
        let rows = std::mem::replace(&mut self.rows, fresh).finish();
        let tally = std::mem::take(&mut self.tally);
        let index = self.written.parts;
        self.written.games += u64::from(tally.games);
        self.written.open += u64::from(tally.open);
        self.written.positions += rows.len() as u64;
        self.written.parts += 1;
        let (dir, manifest) = (self.dir.clone(), Arc::clone(&self.manifest));
        self.pending =
            Some(std::thread::spawn(move || part::write(&dir, index, &manifest, &tally, &rows)));
        Ok(())
    }

    /// Waits for the part that is being written.
    fn settle(&mut self) -> Result<(), DataError> {
        match self.pending.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    /// Writes what is left, and the manifest that makes the dataset whole.
    pub(crate) fn finish(mut self, skipped: BTreeMap<String, u64>) -> Result<Written, DataError> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        self.settle()?;
        let parts = Some(self.written.parts);
        let manifest = Manifest { parts, skipped, ..Manifest::clone(&self.manifest) };
        manifest.write(&self.dir)?;
        Ok(self.written)
    }
}

impl Drop for Writer {
    /// A run that fails leaves no thread behind that still writes.
    fn drop(&mut self) {
        let _ = self.settle();
    }
}
