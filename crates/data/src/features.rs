//! Rows turned into what a learner sees: one column a feature.

use crate::{DataError, Dataset, Digest, Hasher, SEARCH_LABEL};
use evalsmith_core::{
    Columns, Evaluate, Features, Game, GameRecord, Position, Progress, Side, Stage, Window, rng,
};
use evalsmith_search::Searcher;
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
pub fn features<G: Game>(
    game: &G,
    dataset: &Dataset,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    collect(game, &game.features(), dataset, &as_played, progress)
}

/// What a function says of every row's position, in log-odds for the side to move, as
/// a table of one column: of positions as they were played (`raw`), or of the quiet
/// ones as in [`features_at_rest`].
///
/// # Errors
/// As [`features`].
pub fn values<G: Game, E: Evaluate<G::Position>>(
    game: &G,
    dataset: &Dataset,
    function: &E,
    raw: bool,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    if raw || !G::Position::NOISY {
        return collect(game, &Value(function), dataset, &as_played, progress);
    }
    collect(game, &Value(function), dataset, &at_rest(game, function), progress)
}

/// A function's value as a feature.
struct Value<'a, E>(&'a E);

impl<P: Position, E: Evaluate<P>> Features<P> for Value<'_, E> {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        vec!["value".into()]
    }
    fn count(&self) -> usize {
        1
    }
    fn get(&self, position: &P, _i: usize, _scratch: &mut ()) -> f32 {
        self.0.value(position, &self.0.start(position), Window::FULL).log_odds().0 as f32
    }
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
pub fn features_at_rest<G: Game, E: Evaluate<G::Position>>(
    game: &G,
    dataset: &Dataset,
    function: &E,
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError> {
    if !G::Position::NOISY {
        return features(game, dataset, progress);
    }
    collect(game, &game.features(), dataset, &at_rest(game, function), progress)
}

/// Leaves a position as it is.
fn as_played<P: Position>() -> impl FnMut(P, Side) -> Option<(P, Side)> {
    |position, side| Some((position, side))
}

/// What becomes of a position before it is looked at.
type Look<'a, P> = Box<dyn FnMut(P, Side) -> Option<(P, Side)> + 'a>;

/// Plays out a position's exchanges; none where they end the game.
fn at_rest<'a, G: Game, E: Evaluate<G::Position>>(
    game: &'a G,
    function: &'a E,
) -> impl Fn() -> Look<'a, G::Position> + Sync {
    move || {
        let mut searcher = Searcher::new(function, 0);
        Box::new(move |position, side| {
            let mut record = GameRecord::new(position, side, game.max_plies());
            for m in searcher.quiet(&record).line {
                record.play(m).expect("a line holds legal moves of a game that is not over");
            }
            record.ending().is_none().then(|| (record.position().clone(), record.side()))
        })
    }
}

/// The features of the positions that a `look` makes of those of the rows.
fn collect<G: Game, L>(
    game: &G,
    chosen: &impl Features<G::Position>,
    dataset: &Dataset,
    look: &(impl Fn() -> L + Sync),
    progress: &dyn Progress,
) -> Result<FeatureTable, DataError>
where
    L: FnMut(G::Position, Side) -> Option<(G::Position, Side)>,
{
    dataset.expect_game(G::NAME)?;
    progress.begin("features", dataset.len(), "positions");
    let done = AtomicU64::new(0);
    let parts: Vec<_> = (0..dataset.parts())
        .into_par_iter()
        .map(|part| features_of_part(game, chosen, dataset, part, look(), &done, progress))
        .collect();
    progress.end();
    let mut whole = FeatureTable::new(chosen.names());
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

fn features_of_part<G: Game>(
    game: &G,
    features: &impl Features<G::Position>,
    dataset: &Dataset,
    part: usize,
    mut look: impl FnMut(G::Position, Side) -> Option<(G::Position, Side)>,
    done: &AtomicU64,
    progress: &dyn Progress,
) -> Result<(FeatureTable, Vec<(u32, Digest)>), DataError> {
    let mut table = FeatureTable::new(features.names());
    let mut hashers: Vec<(u32, Hasher)> = Vec::new();
    let mut values = Vec::with_capacity(features.count());
    for batch in dataset.part_rows(part) {
        if progress.stopped() {
            let done = done.load(Ordering::Relaxed);
            return Err(DataError::Stopped { done, total: dataset.len() });
        }
        let batch = batch?;
        let mut searched = batch.label(SEARCH_LABEL);
        for row in batch.rows() {
            let (position, side) = game.unpack(row.position).map_err(|source| {
                let path = dataset.parts[part].path.clone();
                DataError::Position { path, game: row.game, ply: row.ply, source }
            })?;
            if hashers.last().is_none_or(|(game, _)| *game != row.game) {
                hashers.push((row.game, Hasher::new()));
            }
            if let Some((_, hasher)) = hashers.last_mut() {
                hasher.write(row.position);
            }
            let value = searched.as_mut().and_then(Iterator::next).flatten();
            let Some((seen, to_move)) = look(position, side) else { continue };
            // A position without a result teaches nothing.
            let Some(outcome) = row.outcome else { continue };
            let outcome = outcome.seen_by(side, to_move);
            values.clear();
            features.append_all(&seen, &mut values);
            table.columns.push(&values);
            table.stages.push(seen.stage());
            table.points.push(outcome.points() as f32);
            table.scores.push(outcome.margin());
            table.searched.push(value.map(|v| if side == to_move { v } else { -v }));
            table.sides.push(to_move);
            table.games.push(row.game);
        }
        done.fetch_add(batch.len() as u64, Ordering::Relaxed);
        progress.advance(batch.len() as u64);
    }
    Ok((table, hashers.into_iter().map(|(game, hasher)| (game, hasher.finish())).collect()))
}
