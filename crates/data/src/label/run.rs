//! A run that labels a dataset.

use super::How;
use super::expert::Expert;
use super::game_tree::TreeValues;
use super::labeller::{Labelled, Labeller, Verdicted};
use super::tree_labels;
use crate::manifest::{Making, part_path, verdict};
use crate::part::{self, Part};
use crate::{
    BatchBuilder, DataError, Dataset, Input, Label, Manifest, Row, Shard, Tally, Written, folder,
};
use evalsmith_core::{Game, Outcome, Position, Progress, Side};
use evalsmith_rules::{DynFunction, DynGame, Pos};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// A part ends with the game that reaches so many rows: what a kill can lose.
const PART_ROWS: usize = 1 << 13;

/// What to label, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelOrder {
    /// The column's name, without the prefix `label.`.
    pub name: String,
    /// How its values are made.
    pub how: How,
    /// Add the position that the best move leads to, under the negated label: a
    /// sample without it gives the side to move a false bonus (buro98 section 3).
    pub successors: bool,
    /// The games this run takes.
    pub shard: Shard,
    /// The function that searches, by name or digest.
    pub function: String,
}

/// What a run of labelling did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// What stands in the new dataset.
    pub written: Written,
    /// Rows with a label, and rows that have none.
    pub labelled: u64,
    /// Rows added as successors.
    pub successors: u64,
    /// Parts that an earlier run had finished.
    pub kept: usize,
    /// Different positions in the tree of all games, where one was made.
    pub nodes: Option<u64>,
}

/// Labels every row of a dataset and writes rows and labels to a folder; goes on
/// where an earlier run of the same order was stopped or killed.
///
/// # Errors
/// When the order makes no sense for the game or the dataset, the folder belongs
/// to something else, a file fails, or the job is stopped.
pub fn label(
    game: &DynGame,
    function: &DynFunction,
    data: &Dataset,
    order: &LabelOrder,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Labels, DataError> {
    label_by(game, (function, None), data, order, command, dir, progress)
}

/// The same by experts: each thread asks for one, and may ask again.
///
/// # Errors
/// As [`label`].
pub fn label_by_expert(
    game: &DynGame,
    expert: &MakeExpert<'_>,
    data: &Dataset,
    order: &LabelOrder,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Labels, DataError> {
    label_by(game, (&game.trivial_function(), Some(expert)), data, order, command, dir, progress)
}

/// Makes an expert for a thread.
pub type MakeExpert<'a> = dyn Fn() -> Box<dyn Expert + 'a> + Sync + 'a;

fn label_by(
    game: &DynGame,
    (function, expert): (&DynFunction, Option<&MakeExpert<'_>>),
    data: &Dataset,
    order: &LabelOrder,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Labels, DataError> {
    data.expect_game(game.name())?;
    order.how.check_for(game)?;
    order.check_against(data)?;
    let mut labels = data.manifest().labels.clone();
    labels.push(Label { name: order.name.clone(), made: order.how.made(&order.function) });
    let mut configuration = json!({
        "label": order.name,
        "how": order.how,
        "successors": order.successors,
        "shard": order.shard,
    });
    if order.how.asks_a_function() {
        configuration["function"] = order.function.as_str().into();
    }
    let inputs = vec![Input::dataset(data)?];
    let making =
        Making { game: game.name(), verb: "label", command, configuration, inputs, labels };
    let wanted = Manifest::new(making, None).numbered_as(data.manifest().numbering);
    let (_lock, manifest) = folder::claim(dir, wanted)?;
    let mut run = Run {
        game,
        function,
        expert,
        order,
        dir,
        progress,
        next: 0,
        labels: Labels::default(),
        rows: BatchBuilder::new(manifest.label_names()),
        tally: Tally::default(),
        manifest,
    };
    if run.manifest.parts.is_some() {
        let written = Dataset::open(dir)?.written();
        return Ok(Labels { written, kept: written.parts, ..Labels::default() });
    }
    progress.begin("labels", data.len(), "positions");
    let done = match &order.how {
        How::GameTree { exact } => run.label_by_tree(data, exact.as_deref()),
        _ => run.keep_finished().and_then(|skip| run.label_all(data, skip)),
    };
    progress.end();
    done
}

impl LabelOrder {
    fn check_against(&self, data: &Dataset) -> Result<(), DataError> {
        let reject = |field, found: &str, reason: String| {
            Err(DataError::Plan { field, found: found.to_owned(), reason })
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            let reason = "name it with letters, digits, - and _".to_owned();
            return reject("label", &self.name, reason);
        }
        let known = || data.manifest().label_names();
        if known().any(|name| name == self.name) {
            let reason = "the dataset has a label of that name; choose another".to_owned();
            return reject("label", &self.name, reason);
        }
        if let How::GameTree { exact: Some(exact) } = &self.how
            && !known().any(|name| name == exact)
        {
            let all: Vec<_> = known().collect();
            let reason = format!("the dataset has the labels {}", all.join(", "));
            return reject("exact", exact, reason);
        }
        if matches!(self.how, How::GameTree { .. }) {
            if !self.shard.is_whole() {
                let reason = "the tree is made of all games; label it in one run".to_owned();
                return reject("shard", &self.shard.to_string(), reason);
            }
            if self.successors {
                let reason = "a tree names no best moves; leave successors out".to_owned();
                return reject("successors", "true", reason);
            }
        }
        Ok(())
    }
}

/// The rows of one game, as they are read.
struct GameRows {
    index: u32,
    rows: Vec<Kept>,
    positions: Vec<Labelled>,
}

/// A row without its position, which is packed again when it is written.
struct Kept {
    ply: u16,
    packed: Vec<u8>,
    mv: Option<String>,
    outcome: Option<Outcome>,
    labels: Vec<Option<f32>>,
}

struct Run<'a, 'x> {
    game: &'a DynGame,
    function: &'a DynFunction,
    expert: Option<&'a MakeExpert<'x>>,
    order: &'a LabelOrder,
    dir: &'a Path,
    progress: &'a dyn Progress,
    manifest: Manifest,
    /// The number of the next part.
    next: usize,
    labels: Labels,
    rows: BatchBuilder,
    tally: Tally,
}

impl Run<'_, '_> {
    /// Counts the parts an earlier run finished; the last of their games.
    fn keep_finished(&mut self) -> Result<Option<u32>, DataError> {
        let mut last = None;
        while part_path(self.dir, self.next).exists() {
            let Ok(part) = Part::open(self.dir, self.next, &self.manifest) else { break };
            for batch in part.batches(PART_ROWS)? {
                let batch = batch?;
                last = batch.len().checked_sub(1).map(|row| batch.row(row).game).or(last);
                let labelled = batch.label(&self.order.name).into_iter().flatten();
                self.labels.labelled += labelled.flatten().count() as u64;
            }
            // Every successor has a label of its own.
            let successors = u64::from(part.tally.successors);
            self.labels.labelled = self.labels.labelled.saturating_sub(successors);
            self.count(&part.tally, part.rows);
            self.labels.kept += 1;
        }
        if self.labels.kept > 0 {
            self.progress.note(&format!("{} parts are there already", self.labels.kept));
        }
        Ok(last)
    }

    fn count(&mut self, tally: &Tally, rows: u64) {
        let written = &mut self.labels.written;
        written.games += u64::from(tally.games);
        written.open += u64::from(tally.open);
        written.positions += rows;
        written.parts += 1;
        self.labels.successors += u64::from(tally.successors);
        self.next += 1;
    }

    /// Writes every part of the dataset again, with one column more.
    fn label_by_tree(mut self, data: &Dataset, exact: Option<&str>) -> Result<Labels, DataError> {
        let TreeValues { values, nodes } =
            tree_labels::values(self.game, data, exact, self.progress)?;
        let mut firsts = Vec::with_capacity(data.parts());
        let mut first = 0;
        for part in &data.parts {
            firsts.push(first);
            first += part.rows as usize;
        }
        let written: Vec<Result<(), DataError>> = data
            .parts
            .par_iter()
            .zip(firsts)
            .enumerate()
            .map(|(index, (part, first))| {
                if self.progress.stopped() {
                    return Err(DataError::Stopped { done: 0, total: data.len() });
                }
                let rows = part.whole(data.manifest())?;
                let own = values[first..first + rows.len()].iter();
                let rows = rows.with_label(&self.order.name, own.map(|&v| f32::from(v)).collect());
                part::write(self.dir, index, &self.manifest, &part.tally, &rows)
            })
            .collect();
        written.into_iter().collect::<Result<(), _>>()?;
        for part in &data.parts {
            self.count(&part.tally, part.rows);
        }
        self.labels.labelled = data.len();
        self.labels.nodes = Some(nodes as u64);
        self.finish()
    }

    /// Writes the manifest that makes the dataset whole.
    fn finish(self) -> Result<Labels, DataError> {
        let parts = Some(self.next);
        Manifest { parts, skipped: BTreeMap::new(), ..self.manifest }.write(self.dir)?;
        Ok(self.labels)
    }

    fn label_all(mut self, data: &Dataset, done: Option<u32>) -> Result<Labels, DataError> {
        let names: Vec<String> = data.manifest().label_names().map(str::to_owned).collect();
        let mut games: Vec<GameRows> = Vec::new();
        let mut in_hand = 0;
        for batch in data.rows() {
            let batch = batch?;
            for (i, row) in batch.rows().enumerate() {
                let mine = self.order.shard.holds(u64::from(row.game));
                if !mine || done.is_some_and(|done| row.game <= done) {
                    self.progress.advance(1);
                    continue;
                }
                if games.last().is_none_or(|game| game.index != row.game) {
                    if in_hand >= PART_ROWS {
                        self.finish_games(std::mem::take(&mut games))?;
                        in_hand = 0;
                    }
                    let (rows, positions) = (Vec::new(), Vec::new());
                    games.push(GameRows { index: row.game, rows, positions });
                }
                let game = games.last_mut().expect("a game was begun");
                game.push(self.game, data, &row)?;
                let kept = game.rows.last_mut().expect("a row was pushed");
                batch.labels_of(i, names.iter().map(String::as_str), &mut kept.labels);
                in_hand += 1;
            }
        }
        self.finish_games(games)?;
        self.finish()
    }

    /// Labels some whole games and writes them as a part.
    fn finish_games(&mut self, mut games: Vec<GameRows>) -> Result<(), DataError> {
        if games.is_empty() {
            return Ok(());
        }
        let labeller = || {
            let expert = self.expert.map(|make| make());
            Labeller::new(self.game, self.function, &self.order.how, expert)
        };
        let labels: Vec<_> = games
            .par_iter()
            .map_init(labeller, |labeller, game: &GameRows| {
                if self.progress.stopped() {
                    return None;
                }
                let labels = labeller.label(&game.positions);
                self.progress.advance(game.rows.len() as u64);
                Some(labels)
            })
            .collect();
        for (game, labels) in games.iter_mut().zip(labels) {
            let Some(labels) = labels else {
                let done = self.labels.written.positions;
                return Err(DataError::Stopped { done, total: done + game.rows.len() as u64 });
            };
            self.append(game, labels);
        }
        let rows =
            std::mem::replace(&mut self.rows, BatchBuilder::new(self.manifest.label_names()));
        let rows = rows.finish();
        let tally = std::mem::take(&mut self.tally);
        part::write(self.dir, self.next, &self.manifest, &tally, &rows)?;
        self.count(&tally, rows.len() as u64);
        Ok(())
    }

    fn append(&mut self, game: &mut GameRows, labels: Vec<Option<Verdicted>>) {
        let mut successors = Vec::new();
        for ((kept, seen), label) in game.rows.iter_mut().zip(&game.positions).zip(labels) {
            kept.labels.push(label.map(|label| label.value));
            self.labels.labelled += u64::from(label.is_some());
            if self.order.successors
                && let Some(Verdicted { value, best: Some(best) }) = label
                && let Some(ply) = kept.ply.checked_add(1)
            {
                let after = seen.position.play(best);
                if after.outcome().is_none() {
                    successors.push((after, seen.side.other(), ply, -value));
                }
            }
        }
        self.append_rows(game, &successors);
    }

    /// Rows in the order of plies, each game's own before a successor.
    fn append_rows(&mut self, game: &GameRows, successors: &[(Pos, Side, u16, f32)]) {
        let first = game.rows.first().zip(game.positions.first());
        let result = first.and_then(|(kept, seen)| verdict(kept.outcome, seen.side));
        if self.tally.games == 0 {
            self.tally.first_game = game.index;
        }
        self.tally.count_result(result);
        let mut added = successors.iter().peekable();
        let none = vec![None; self.manifest.labels.len() - 1];
        for (kept, seen) in game.rows.iter().zip(&game.positions) {
            while let Some(successor) = added.next_if(|(.., ply, _)| *ply < kept.ply) {
                self.append_successor(game.index, successor, &none);
            }
            let row = Row {
                game: game.index,
                ply: kept.ply,
                stage: seen.position.stage(),
                side: seen.side,
                position: &kept.packed,
                mv: kept.mv.as_deref(),
                outcome: kept.outcome,
            };
            self.rows.push(&row, &kept.labels);
        }
        for successor in added {
            self.append_successor(game.index, successor, &none);
        }
    }

    fn append_successor(
        &mut self,
        game: u32,
        (position, side, ply, value): &(Pos, Side, u16, f32),
        none: &[Option<f32>],
    ) {
        let row = Row {
            game,
            ply: *ply,
            stage: position.stage(),
            side: *side,
            position: &self.game.pack(position, *side),
            mv: None,
            outcome: None,
        };
        let labels: Vec<_> = none.iter().copied().chain([Some(*value)]).collect();
        self.rows.push(&row, &labels);
        self.tally.successors += 1;
    }
}

impl GameRows {
    fn push(&mut self, game: &DynGame, data: &Dataset, row: &Row<'_>) -> Result<(), DataError> {
        let (position, side) = game.unpack(row.position).map_err(|source| DataError::Position {
            path: data.dir().to_owned(),
            game: row.game,
            ply: row.ply,
            source,
        })?;
        if let Some((before, seen)) = self.rows.last().zip(self.positions.last_mut()) {
            seen.goes_on = before.ply.checked_add(1) == Some(row.ply);
        }
        self.positions.push(Labelled { position, side, outcome: row.outcome, goes_on: false });
        self.rows.push(Kept {
            ply: row.ply,
            packed: row.position.to_vec(),
            mv: row.mv.map(str::to_owned),
            outcome: row.outcome,
            labels: Vec::new(),
        });
        Ok(())
    }
}
