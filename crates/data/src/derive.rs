//! What all verbs share that make a dataset from another: the manifest that
//! remembers both, and the walk over the rows.
//!
//! Invariant: games keep their numbers, so that what was taken apart can be put
//! together again.

use crate::manifest::Making;
use crate::writer::Writer;
use crate::{DataError, Dataset, Input, Manifest, Row};
use evalsmith_core::Progress;
use serde_json::Value;
use std::path::Path;

/// What a verb is about to make of a dataset.
pub(crate) struct Derivation<'a> {
    pub(crate) verb: &'static str,
    pub(crate) command: &'a str,
    pub(crate) configuration: Value,
}

impl Derivation<'_> {
    /// Begins the new dataset; none where the same run has finished it before.
    pub(crate) fn begin(
        self,
        from: &Dataset,
        input: Input,
        dir: &Path,
    ) -> Result<Option<Writer>, DataError> {
        let source = from.manifest();
        let making = Making {
            game: &source.game,
            verb: self.verb,
            command: self.command,
            configuration: self.configuration,
            inputs: vec![input],
            labels: source.labels.clone(),
        };
        Writer::begin(dir, Manifest::new(making, None).numbered_as(source.numbering))
    }
}

/// Visits every row with its labels, in the order of the manifest's.
pub(crate) fn each_row(
    dataset: &Dataset,
    task: &str,
    progress: &dyn Progress,
    mut visit: impl FnMut(&Row<'_>, &[Option<f32>]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    progress.begin(task, dataset.len(), "positions");
    let mut labels = Vec::new();
    let mut done = 0;
    let mut walk = || {
        for batch in dataset.rows() {
            if progress.stopped() {
                return Err(DataError::Stopped { done, total: dataset.len() });
            }
            let batch = batch?;
            for (i, row) in batch.rows().enumerate() {
                batch.labels_of(i, dataset.manifest().label_names(), &mut labels);
                visit(&row, &labels)?;
            }
            done += batch.len() as u64;
            progress.advance(batch.len() as u64);
        }
        Ok(())
    };
    let walked = walk();
    progress.end();
    walked
}
