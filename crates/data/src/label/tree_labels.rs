//! The rows of a dataset as the graph of all its games.

use super::game_tree::{TreeValues, Visit, negamax};
use crate::{Batch, DataError, Dataset};
use evalsmith_core::Progress;
use evalsmith_rules::{BadRow, DynGame};
use rayon::prelude::*;

/// Values all rows by negamax over all games; of `exact`, where it is a label of
/// the dataset, values are taken as they are.
pub(super) fn values(
    game: &DynGame,
    dataset: &Dataset,
    exact: Option<&str>,
    progress: &dyn Progress,
) -> Result<TreeValues, DataError> {
    let parts: Vec<_> = (0..dataset.parts())
        .into_par_iter()
        .map(|part| visits_of(game, dataset, part, exact, progress))
        .collect();
    let mut visits = Vec::with_capacity(usize::try_from(dataset.len()).unwrap_or(0));
    for part in parts {
        visits.extend(part?);
    }
    Ok(negamax(&visits))
}

fn visits_of(
    game: &DynGame,
    dataset: &Dataset,
    part: usize,
    exact: Option<&str>,
    progress: &dyn Progress,
) -> Result<Vec<Visit>, DataError> {
    let mut keys = Vec::new();
    let rows = usize::try_from(dataset.parts[part].rows).unwrap_or(0);
    let mut visits: Vec<Visit> = Vec::with_capacity(rows);
    let mut last: Option<(u32, u16)> = None;
    for batch in dataset.part_rows(part) {
        let batch: Batch = batch?;
        let mut known = exact.and_then(|name| batch.label(name));
        let packed: Vec<&[u8]> = batch.rows().map(|row| row.position).collect();
        keys.clear();
        game.canonical_keys(&packed, &mut keys).map_err(|BadRow { row, source }| {
            let (path, row) = (dataset.parts[part].path.clone(), batch.row(row));
            DataError::Position { path, game: row.game, ply: row.ply, source }
        })?;
        for (row, &key) in batch.rows().zip(&keys) {
            let outcome = row.outcome.ok_or_else(|| no_result(dataset, row.game, row.ply))?;
            // Games do not run from one part into the next.
            if last == row.ply.checked_sub(1).map(|ply| (row.game, ply))
                && let Some(before) = visits.last_mut()
            {
                before.goes_on = true;
            }
            last = Some((row.game, row.ply));
            visits.push(Visit {
                key,
                margin: outcome.margin(),
                exact: known.as_mut().and_then(Iterator::next).flatten().map(margin),
                goes_on: false,
            });
        }
        progress.advance(batch.len() as u64);
    }
    Ok(visits)
}

/// A label's value as a margin, whose negative must be one too.
fn margin(value: f32) -> i16 {
    (value as i16).max(-i16::MAX)
}

fn no_result(dataset: &Dataset, game: u32, ply: u16) -> DataError {
    DataError::Order {
        path: dataset.dir().to_owned(),
        game,
        ply,
        reason: "it has no result, and a tree of games is made of results; leave such games out"
            .to_owned(),
    }
}
