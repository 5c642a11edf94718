//! Splitting a dataset by game, never by position: the positions of one game are
//! no independent evidence.
//!
//! A game's place depends on the seed and its number alone, so that more games
//! later leave the earlier ones where they are, and shards split as the whole.

use crate::derive::{Derivation, each_row};
use crate::writer::Writer;
use crate::{DataError, Dataset, Input, Shard, Written};
use evalsmith_core::{Progress, rng};
use rand::RngExt;
use serde_json::json;
use std::path::PathBuf;

/// How to split.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Folders with the share of the games that each gets; games beyond the sum
    /// of the shares are left out.
    pub folders: Vec<(PathBuf, f64)>,
    /// Where all chance comes from.
    pub seed: u64,
    /// The games that this run takes: every so many.
    pub shard: Shard,
}

impl Split {
    fn check(&self) -> Result<(), DataError> {
        let wrong = |found: String, reason: &str| {
            Err(DataError::Plan { field: "share", found, reason: reason.to_owned() })
        };
        let sum: f64 = self.folders.iter().map(|(_, share)| share).sum();
        if let Some((_, share)) = self.folders.iter().find(|(_, s)| !(0.0..=1.0).contains(s)) {
            return wrong(share.to_string(), "a share lies between 0 and 1");
        }
        if sum > 1.0 + 1e-9 {
            return wrong(sum.to_string(), "the shares add up to more than 1");
        }
        for (at, (folder, _)) in self.folders.iter().enumerate() {
            if self.folders[..at].iter().any(|(other, _)| other == folder) {
                return wrong(folder.display().to_string(), "the same folder is named twice");
            }
        }
        Ok(())
    }

    /// The folder of a game.
    fn place(&self, game: u32) -> Option<usize> {
        let drawn = rng::stream(self.seed, "split", u64::from(game)).random::<f64>();
        let mut bound = 0.0;
        self.folders.iter().position(|(_, share)| {
            bound += share;
            drawn < bound
        })
    }
}

/// Splits a dataset into several; tells what each got.
///
/// # Errors
/// When the shares make no sense, a folder belongs to something else, a file
/// fails, or the job is stopped.
pub fn split(
    dataset: &Dataset,
    order: &Split,
    command: &str,
    progress: &dyn Progress,
) -> Result<Vec<Written>, DataError> {
    order.check()?;
    let input = Input::dataset(dataset)?;
    let mut writers = Vec::new();
    for (index, (folder, share)) in order.folders.iter().enumerate() {
        let before: f64 = order.folders[..index].iter().map(|(_, share)| share).sum();
        let configuration = json!({
            "seed": order.seed,
            "from": before,
            "to": before + share,
            "shard": order.shard,
        });
        let derivation = Derivation { verb: "split", command, configuration };
        writers.push(derivation.begin(dataset, input.clone(), folder)?);
    }
    let mut place = (None, None);
    each_row(dataset, "split", progress, |row, labels| {
        if !order.shard.holds(u64::from(row.game)) {
            return Ok(());
        }
        if place.0 != Some(row.game) {
            place = (Some(row.game), order.place(row.game));
        }
        match place.1.and_then(|at| writers[at].as_mut()) {
            Some(writer) => writer.push(row, labels),
            None => Ok(()),
        }
    })?;
    let finish = |(writer, (folder, _)): (Option<Writer>, &(PathBuf, f64))| match writer {
        Some(writer) => writer.finish(std::collections::BTreeMap::new()),
        None => Dataset::open(folder).map(|dataset| dataset.written()),
    };
    writers.into_iter().zip(&order.folders).map(finish).collect()
}
