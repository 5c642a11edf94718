//! Keeping one of several rows with the same position: the first.
//!
//! The same is what the rules call so (a position's key), not what the bytes
//! say: clocks and move numbers tell no positions apart. Memory is bounded: keys
//! are looked at by slices of their range, one pass over the rows for each slice,
//! and what stays is a bit for each row.

use crate::derive::{Derivation, each_row};
use crate::{DataError, Dataset, Input, Written};
use evalsmith_core::{Game, Position, Progress};
use evalsmith_rules::DynGame;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;

/// Keys held at a time: about 150 MiB of them.
const KEYS: u64 = 1 << 23;

/// Keys are hashes already.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("only words are hashed")
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Copies a dataset without the rows whose position stood in an earlier row.
///
/// # Errors
/// When the dataset is of another game, the folder belongs to something else, a
/// file fails, or the job is stopped.
pub fn dedupe(
    game: &DynGame,
    dataset: &Dataset,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Written, DataError> {
    dataset.expect_game(game.name())?;
    let derivation = Derivation { verb: "dedupe", command, configuration: json!({}) };
    let Some(mut writer) = derivation.begin(dataset, Input::dataset(dataset)?, dir)? else {
        return Ok(Dataset::open(dir)?.written());
    };
    let first = first_occurrences(game, dataset, KEYS, progress)?;
    let mut row_number = 0;
    each_row(dataset, "dedupe", progress, |row, labels| {
        let kept = first.get(row_number);
        row_number += 1;
        if kept { writer.push(row, labels) } else { Ok(()) }
    })?;
    writer.finish(BTreeMap::new())
}

struct Bits(Vec<u64>);

impl Bits {
    fn get(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }
    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }
}

/// A bit for each row: whether its position stands in no earlier one.
fn first_occurrences(
    game: &DynGame,
    dataset: &Dataset,
    keys: u64,
    progress: &dyn Progress,
) -> Result<Bits, DataError> {
    let mut first = Bits(vec![0; dataset.len().div_ceil(64) as usize]);
    let slices = dataset.len().div_ceil(keys).max(1);
    let mut seen: HashSet<u64, BuildHasherDefault<Itself>> = HashSet::default();
    for slice in 0..slices {
        seen.clear();
        let mut row_number = 0;
        each_row(dataset, "compare", progress, |row, _| {
            let (position, _) = game.unpack(row.position).map_err(|source| {
                let path = dataset.dir().to_owned();
                DataError::Position { path, game: row.game, ply: row.ply, source }
            })?;
            let key = position.key();
            // The key's high bits choose the slice, its low ones the place in the set.
            if (u128::from(key) * u128::from(slices)) >> 64 == u128::from(slice) && seen.insert(key)
            {
                first.set(row_number);
            }
            row_number += 1;
            Ok(())
        })?;
    }
    Ok(first)
}
