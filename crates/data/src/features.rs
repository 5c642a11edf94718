//! Rows turned into what a learner sees: one column a feature.

use crate::{DataError, Dataset, Digest, Hasher, Row, SEARCH_LABEL};
use evalsmith_core::{Columns, Features, Game, Position, Progress, Side, Stage, rng};
use evalsmith_rules::{BadRow, DynFunction, DynGame, Lines, Look};
use rand::RngExt;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Positions by their features, with what became of them.
///
/// Invariant: all vectors have one entry per row of `columns`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureTable {
    /// The features.
    pub columns: Columns,
    /// The stage of each position.
    pub stages: Vec<Stage>,
    /// The share of the point the side to move got: 1, ½ or 0.
    pub points: Vec<f32>,
    /// The margin for the side to move.
    pub scores: Vec<i16>,
    /// The search's opinion where the dataset has one: log-odds for the side to move.
    pub searched: Vec<Option<f32>>,
    /// The side to move.
    pub sides: Vec<Side>,
    /// The game each position comes from; games with the same positions are one
    /// game, the first of them: they are no independent evidence.
    pub games: Vec<u32>,
}

impl FeatureTable {
    /// An empty table with these features.
    pub fn new(names: Vec<String>) -> Self {
        Self { columns: Columns::new(names), ..Self::default() }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Appends the rows of another table with the same features.
    ///
    /// # Panics
    /// When the features' names differ.
    pub fn append(&mut self, other: &mut Self) {
        self.columns.append(&mut other.columns);
        self.stages.append(&mut other.stages);
        self.points.append(&mut other.points);
        self.scores.append(&mut other.scores);
        self.searched.append(&mut other.searched);
        self.sides.append(&mut other.sides);
        self.games.append(&mut other.games);
    }

    /// The rows that `keep` accepts by their number, in order.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::new(self.columns.names().to_vec());
        let mut features = Vec::with_capacity(self.columns.width());
        for row in (0..self.len()).filter(|&row| keep(row)) {
            features.clear();
            features.extend((0..self.columns.width()).map(|i| self.columns.column(i)[row]));
            kept.columns.push(&features);
            kept.stages.push(self.stages[row]);
            kept.points.push(self.points[row]);
            kept.scores.push(self.scores[row]);
            kept.searched.push(self.searched[row]);
            kept.sides.push(self.sides[row]);
            kept.games.push(self.games[row]);
        }
        kept
    }

    /// Splits by game, never by position: about `holdout_share` of the games go
    /// to the second table. A game's place depends on the seed and its index
    /// alone, so that more games later leave the earlier ones where they are.
    #[must_use]
    pub fn split(&self, holdout_share: f64, seed: u64) -> (Self, Self) {
        let held = |row: usize| {
            let game = u64::from(self.games[row]);
            rng::stream(seed, "hold-out", game).random::<f64>() < holdout_share
        };
        let held: Vec<bool> = (0..self.len()).map(held).collect();
        (self.filter(|row| !held[row]), self.filter(|row| held[row]))
    }
}

/// Computes the game's features of every row, in the order of the rows.
///
/// # Errors
/// When the dataset is about another game or cannot be read, or the job is stopped.
pub fn features(
    game: &DynGame,
    dataset: &Dataset,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    let batch = |rows: &[&[u8]], out: &mut Lines| game.features_of(rows, Look::Stored, out);
    collect(game.name(), game.features().names(), dataset, &batch, progress)
}

/// What a function says of every row's position, in log-odds for the side to move, as
/// a table of one column: of positions as they were played (`raw`), or of the quiet
/// ones as in [`features_at_rest`].
///
/// # Errors
/// As [`features`].
pub fn values(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    raw: bool,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    let at_rest = !raw && game.start().has_noisy_moves();
    let batch = |rows: &[&[u8]], out: &mut Lines| function.values(rows, at_rest, out);
    collect(game.name(), vec!["value".into()], dataset, &batch, progress)
}

/// As [`features`], but of the quiet position that the exchanges of a row's
/// position lead to, by the function's quiescence search, with that position's
/// stage and side to move. Rows whose exchanges end the game are left out: no
/// static value was asked there.
///
/// A function is asked for values of quiet positions only, so these are what it
/// should be fitted to and judged by. Where no move is noisy, this is [`features`].
///
/// # Errors
/// As [`features`].
pub fn features_at_rest(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    if !game.start().has_noisy_moves() {
        return features(game, dataset, progress);
    }
    let look = Look::AtRest(function);
    let batch = |rows: &[&[u8]], out: &mut Lines| game.features_of(rows, look, out);
    collect(game.name(), game.features().names(), dataset, &batch, progress)
}

/// Looks at a batch of packed positions.
type LookAt<'a> = &'a (dyn Fn(&[&[u8]], &mut Lines) -> Result<(), BadRow> + Sync);

/// The lines of all rows of a dataset.
fn collect(
    game: &str,
    names: Vec<String>,
    dataset: &Dataset,
    look_at: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    dataset.expect_game(game)?;
    progress.begin("features", dataset.len(), "positions");
    let done = AtomicU64::new(0);
    let parts: Vec<_> = (0..dataset.parts())
        .into_par_iter()
        .map(|part| features_of_part(&names, dataset, part, look_at, &done, progress))
        .collect();
    progress.end();
    let mut whole = FeatureTable::new(names);
    let mut contents = Vec::new();
    for part in parts {
        let (mut table, mut hashed) = part?;
        whole.append(&mut table);
        contents.append(&mut hashed);
    }
    merge_equal_games(&mut whole.games, &contents, progress);
    Ok(whole)
}

/// Gives games with equal contents the number of the first of them.
fn merge_equal_games(games: &mut [u32], contents: &[(u32, Digest)], progress: &dyn Progress) {
    let mut first = HashMap::new();
    let mut repeats = HashMap::new();
    for &(game, content) in contents {
        let known = *first.entry(content).or_insert(game);
        if known != game {
            repeats.insert(game, known);
        }
    }
    if repeats.is_empty() {
        return;
    }
    progress.note(&format!("{} games repeat earlier ones and count with them", repeats.len()));
    for game in games {
        *game = repeats.get(game).copied().unwrap_or(*game);
    }
}

fn features_of_part(
    names: &[String],
    dataset: &Dataset,
    part: usize,
    look_at: LookAt<'_>,
    done: &AtomicU64,
    progress: &dyn Progress,
) -> Result<(FeatureTable, Vec<(u32, Digest)>), DataError> {
    let mut table = FeatureTable::new(names.to_vec());
    let mut hashers: Vec<(u32, Hasher)> = Vec::new();
    let mut lines = Lines::default();
    for batch in dataset.part_rows(part) {
        if progress.stopped() {
            let done = done.load(Ordering::Relaxed);
            return Err(DataError::Stopped { done, total: dataset.len() });
        }
        let batch = batch?;
        let rows: Vec<Row<'_>> = batch.rows().collect();
        for row in &rows {
            if hashers.last().is_none_or(|(game, _)| *game != row.game) {
                hashers.push((row.game, Hasher::new()));
            }
            if let Some((_, hasher)) = hashers.last_mut() {
                hasher.write(row.position);
            }
        }
        let searched: Option<Vec<Option<f32>>> = batch.label(SEARCH_LABEL).map(Iterator::collect);
        lines.clear();
        let packed: Vec<&[u8]> = rows.iter().map(|row| row.position).collect();
        look_at(&packed, &mut lines).map_err(|BadRow { row, source }| {
            let (path, row) = (dataset.parts[part].path.clone(), &rows[row]);
            DataError::Position { path, game: row.game, ply: row.ply, source }
        })?;
        for (line, &row) in lines.rows.iter().enumerate() {
            let (row, value) = {
                let at = row as usize;
                (&rows[at], searched.as_ref().and_then(|searched| searched[at]))
            };
            // A position without a result teaches nothing.
            let Some(outcome) = row.outcome else { continue };
            let to_move = lines.sides[line];
            let outcome = outcome.seen_by(row.side, to_move);
            table.columns.push(&lines.values[line * names.len()..][..names.len()]);
            table.stages.push(lines.stages[line]);
            table.points.push(outcome.points() as f32);
            table.scores.push(outcome.margin());
            table.searched.push(value.map(|v| if row.side == to_move { v } else { -v }));
            table.sides.push(to_move);
            table.games.push(row.game);
        }
        done.fetch_add(batch.len() as u64, Ordering::Relaxed);
        progress.advance(batch.len() as u64);
    }
    Ok((table, hashers.into_iter().map(|(game, hasher)| (game, hasher.finish())).collect()))
}
