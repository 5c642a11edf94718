//! Putting datasets together.
//!
//! Datasets of one numbering (shards of one run, samples and splits of one
//! dataset) are laid over each other: games keep their numbers, rows come in the
//! order of games and plies, and a row that several have is one row with the
//! labels of all. A ply of a game has one row, unless its rows come from searches:
//! those have neither a move nor a result, and are told apart and ordered by their
//! positions. So the shards of a run merge to the rows and the digest of the
//! whole run. Datasets of different numberings follow one another, and the games
//! of each are numbered after those before it.

use crate::dataset::Batches;
use crate::manifest::Making;
use crate::writer::{Writer, Written};
use crate::{Batch, DataError, Dataset, Digest, Input, Label, Manifest, Row};
use evalsmith_core::Progress;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Merges datasets of one game into a folder.
///
/// # Errors
/// When the games differ, two datasets of one numbering contradict each other,
/// the numbers of games run out, the folder belongs to something else, a file
/// fails, or the job is stopped.
pub fn merge(
    datasets: &[Dataset],
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Written, DataError> {
    let Some(first) = datasets.first() else {
        return Err(DataError::Plan {
            field: "data",
            found: "nothing".to_owned(),
            reason: "name the datasets to merge".to_owned(),
        });
    };
    let game = first.manifest().game.clone();
    let mut labels: Vec<Label> = Vec::new();
    for dataset in datasets {
        dataset.expect_game(&game)?;
        for label in &dataset.manifest().labels {
            match labels.iter_mut().find(|known| known.name == label.name) {
                Some(known) if known.made.contains(&label.made) => {}
                Some(known) => known.made = format!("{}; {}", known.made, label.made),
                None => labels.push(label.clone()),
            }
        }
    }
    let inputs: Vec<Input> = datasets.iter().map(Input::dataset).collect::<Result<_, _>>()?;
    let making =
        Making { game: &game, verb: "merge", command, configuration: json!({}), inputs, labels };
    let manifest = Manifest::new(making, None);
    let numbering = common_numbering(datasets);
    let manifest = match numbering {
        Some(numbering) => manifest.numbered_as(numbering),
        None => manifest,
    };
    let Some(mut writer) = Writer::begin(dir, manifest)? else {
        return Ok(Dataset::open(dir)?.written());
    };
    for part in datasets.iter().flat_map(|dataset| &dataset.parts) {
        for (reason, &count) in &part.tally.endings {
            writer.count_ending(reason, count);
        }
    }
    progress.begin("merge", datasets.iter().map(Dataset::len).sum(), "positions");
    let merged = match numbering {
        Some(_) => overlay(datasets, &mut writer, progress),
        None => append(datasets, &mut writer, progress),
    };
    progress.end();
    merged?;
    writer.finish(BTreeMap::new())
}

fn common_numbering(datasets: &[Dataset]) -> Option<Digest> {
    let numbering = datasets.first()?.manifest().numbering;
    datasets.iter().all(|other| other.manifest().numbering == numbering).then_some(numbering)
}

/// One dataset after the other.
fn append(
    datasets: &[Dataset],
    writer: &mut Writer,
    progress: &dyn Progress,
) -> Result<(), DataError> {
    let names: Vec<String> = writer.manifest().label_names().map(str::to_owned).collect();
    let mut labels = Vec::new();
    let mut offset = 0_u32;
    for dataset in datasets {
        let mut next = offset;
        for batch in dataset.rows() {
            check_stop(progress)?;
            let batch = batch?;
            for (i, row) in batch.rows().enumerate() {
                let game = offset.checked_add(row.game).filter(|&game| game < u32::MAX);
                let game = game.ok_or_else(|| DataError::Order {
                    path: dataset.dir().to_owned(),
                    game: row.game,
                    ply: row.ply,
                    reason: "a dataset numbers 4294967295 games; merge fewer".to_owned(),
                })?;
                next = game + 1;
                batch.labels_of(i, names.iter().map(String::as_str), &mut labels);
                writer.push(&Row { game, ..row }, &labels)?;
            }
            progress.advance(batch.len() as u64);
        }
        offset = next;
    }
    Ok(())
}

fn check_stop(progress: &dyn Progress) -> Result<(), DataError> {
    if progress.stopped() {
        return Err(DataError::Stopped { done: 0, total: 1 });
    }
    Ok(())
}

/// One dataset's rows, looked at one by one.
struct Cursor<'a> {
    dataset: &'a Dataset,
    batches: Batches<'a>,
    batch: Option<Batch>,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(dataset: &'a Dataset) -> Result<Self, DataError> {
        let mut cursor = Self { dataset, batches: dataset.rows(), batch: None, at: 0 };
        cursor.load()?;
        Ok(cursor)
    }

    fn load(&mut self) -> Result<(), DataError> {
        while self.batch.as_ref().is_none_or(|batch| self.at >= batch.len()) {
            self.at = 0;
            self.batch = self.batches.next().transpose()?;
            if self.batch.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn row(&self) -> Option<Row<'_>> {
        self.batch.as_ref().map(|batch| batch.row(self.at))
    }

    /// What the rows are ordered by.
    fn place(&self) -> Option<(u32, u16, &[u8])> {
        let row = self.row()?;
        let of_a_search = row.mv.is_none() && row.outcome.is_none();
        Some((row.game, row.ply, if of_a_search { row.position } else { &[] }))
    }

    fn advance(&mut self) -> Result<(), DataError> {
        self.at += 1;
        self.load()
    }
}

/// The rows of all, in the order of their places.
fn overlay(
    datasets: &[Dataset],
    writer: &mut Writer,
    progress: &dyn Progress,
) -> Result<(), DataError> {
    let names: Vec<String> = writer.manifest().label_names().map(str::to_owned).collect();
    let names = || names.iter().map(String::as_str);
    let mut cursors: Vec<_> = datasets.iter().map(Cursor::new).collect::<Result<_, _>>()?;
    let (mut labels, mut more) = (Vec::new(), Vec::new());
    let mut done = 0_u64;
    while let Some(place) = cursors.iter().filter_map(Cursor::place).min() {
        let here: Vec<usize> =
            (0..cursors.len()).filter(|&at| cursors[at].place() == Some(place)).collect();
        let first = &cursors[here[0]];
        let (Some(batch), Some(row)) = (&first.batch, first.row()) else { break };
        batch.labels_of(first.at, names(), &mut labels);
        for &at in &here[1..] {
            let other = &cursors[at];
            if let (Some(batch), Some(same)) = (&other.batch, other.row()) {
                check_same(&row, &same, other.dataset)?;
                batch.labels_of(other.at, names(), &mut more);
                for (label, value) in labels.iter_mut().zip(&more) {
                    *label = label.or(*value);
                }
            }
        }
        writer.push(&row, &labels)?;
        for at in here {
            cursors[at].advance()?;
            done += 1;
            if done.is_multiple_of(8192) {
                check_stop(progress)?;
                progress.advance(8192);
            }
        }
    }
    progress.advance(done % 8192);
    Ok(())
}

fn check_same(row: &Row<'_>, same: &Row<'_>, dataset: &Dataset) -> Result<(), DataError> {
    if row == same {
        return Ok(());
    }
    Err(DataError::Order {
        path: dataset.dir().to_owned(),
        game: row.game,
        ply: row.ply,
        reason: "another dataset of the same numbering tells this row otherwise; merge datasets \
                 that come from one run"
            .to_owned(),
    })
}
