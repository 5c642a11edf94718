//! Writing a dataset whose rows come one after another, nobody knows how many.
//!
//! Rows are encoded on a thread of its own, a batch at a time, so that memory is
//! that of one encoded part and a few batches. A killed run starts anew: such runs
//! read faster than anybody could have saved.
//!
//! Invariant: rows come in the order of games and plies, and where parts end
//! depends on the rows alone.

use crate::batch::Cells;
use crate::encode::BATCH_ROWS;
use crate::manifest::verdict;
use crate::part::Encoder;
use crate::{Batch, BatchBuilder, DataError, Manifest, Row, Tally, folder};
use evalsmith_core::files::Lock;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A part ends with the game that reaches so many rows.
const PART_ROWS: usize = 1 << 18;
/// What most packed positions fit into.
const POSITION_BYTES: usize = 32;
/// Batches that may wait for the encoder.
const WAITING: usize = 4;

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
    /// Rows of the part under way that the encoder has.
    sent: usize,
    tally: Tally,
    last: Option<(u32, u16)>,
    encoding: Option<Encoding>,
    written: Written,
    finished: bool,
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
            rows: BatchBuilder::with_room(manifest.label_names(), BATCH_ROWS, POSITION_BYTES),
            sent: 0,
            encoding: None,
            manifest: Arc::new(manifest),
            tally: Tally::default(),
            last: None,
            written: Written::default(),
            finished: false,
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
        let Row { game, ply, stage, side, outcome, .. } = *row;
        self.place(&Cells { game, ply, stage, side, outcome })?;
        self.rows.push(row, labels);
        self.send_full_batch()
    }

    /// Appends a row as [`BatchBuilder::push_with`] does.
    pub(crate) fn push_with(
        &mut self,
        cells: Cells,
        labels: &[Option<f32>],
        write: impl FnOnce(&mut Vec<u8>, &mut String) -> bool,
    ) -> Result<(), DataError> {
        self.place(&cells)?;
        self.rows.push_with(cells, labels, write);
        self.send_full_batch()
    }

    /// Counts the row that comes next, behind a new part where one must begin.
    fn place(&mut self, row: &Cells) -> Result<(), DataError> {
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
            if self.sent + self.rows.len() >= PART_ROWS {
                self.end_part()?;
            }
            if self.tally.games == 0 {
                self.tally.first_game = row.game;
            }
            self.tally.count_result(verdict(row.outcome, row.side));
        }
        self.last = Some(place);
        Ok(())
    }

    fn send_full_batch(&mut self) -> Result<(), DataError> {
        if self.rows.len() == BATCH_ROWS { self.send_rows() } else { Ok(()) }
    }

    /// Counts why games ended, where that is known.
    pub(crate) fn count_ending(&mut self, reason: &str, games: u32) {
        match self.tally.endings.get_mut(reason) {
            Some(count) => *count += games,
            None => drop(self.tally.endings.insert(reason.to_owned(), games)),
        }
    }

    fn send_rows(&mut self) -> Result<(), DataError> {
        let labels = self.manifest.label_names();
        let fresh = BatchBuilder::with_room(labels, BATCH_ROWS, POSITION_BYTES);
        let rows = std::mem::replace(&mut self.rows, fresh).finish();
        self.sent += rows.len();
        self.written.positions += rows.len() as u64;
        self.send(Work::Rows(Box::new(rows)))
    }

    fn end_part(&mut self) -> Result<(), DataError> {
        self.send_rows()?;
        let tally = std::mem::take(&mut self.tally);
        self.written.games += u64::from(tally.games);
        self.written.open += u64::from(tally.open);
        self.written.parts += 1;
        self.sent = 0;
        self.send(Work::End(tally))
    }

    fn send(&mut self, work: Work) -> Result<(), DataError> {
        let encoding = self.encoding.get_or_insert_with(|| {
            let (sender, work) = sync_channel(WAITING);
            let (dir, manifest) = (self.dir.clone(), Arc::clone(&self.manifest));
            let thread = std::thread::spawn(move || encode(&dir, &manifest, &work));
            Encoding { sender, thread }
        });
        // Whoever does not listen any more has failed, and says why.
        if encoding.sender.send(work).is_err() { self.settle() } else { Ok(()) }
    }

    /// Waits until all that was sent is written.
    fn settle(&mut self) -> Result<(), DataError> {
        let Some(Encoding { sender, thread }) = self.encoding.take() else { return Ok(()) };
        drop(sender);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Writes what is left, and the manifest that makes the dataset whole.
    pub(crate) fn finish(mut self, skipped: BTreeMap<String, u64>) -> Result<Written, DataError> {
        if self.sent + self.rows.len() > 0 {
            self.end_part()?;
        }
        self.settle()?;
        let parts = Some(self.written.parts);
        let manifest = Manifest { parts, skipped, ..Manifest::clone(&self.manifest) };
        manifest.write(&self.dir)?;
        self.finished = true;
        Ok(self.written)
    }
}

/// The thread that encodes, and the way to it.
struct Encoding {
    sender: SyncSender<Work>,
    thread: JoinHandle<Result<(), DataError>>,
}

enum Work {
    Rows(Box<Batch>),
    /// The part's games, whose last row was sent.
    End(Tally),
}

/// Encodes rows and writes parts as they come.
fn encode(dir: &Path, manifest: &Manifest, work: &Receiver<Work>) -> Result<(), DataError> {
    let (mut encoder, mut index) = (None, 0);
    for work in work {
        match work {
            Work::Rows(rows) => {
                encoder.get_or_insert_with(|| Encoder::new(manifest)).push(&rows);
            }
            Work::End(tally) => {
                let encoder = encoder.take().expect("a part ends after its rows");
                encoder.write(dir, index, manifest, &tally)?;
                index += 1;
            }
        }
    }
    Ok(())
}

impl Drop for Writer {
    /// A run that fails leaves no thread behind that still writes, and no folder
    /// that only the same faulty input could fill.
    fn drop(&mut self) {
        let _ = self.settle();
        if !self.finished {
            let _ = folder::give_up(&self.dir);
        }
    }
}
