//! One round: games, labels, a fit, and what it says of games it has not seen.

use super::{BootstrapPlan, GamesRecord, RoundRecord};
use crate::LabError;
use crate::fit::values;
use crate::function::FunctionName;
use evalsmith_core::{Features, Game, GameRecord, Position, Progress, Side, Verdict};
use evalsmith_data::{DataError, Dataset, FeatureTable, Maker, SelfPlay, generate};
use evalsmith_learn::{Examples, Learner, Model, TreeParams, fit, fit_tree};
use evalsmith_rules::{DynFunction, DynGame, Pos};
use rayon::prelude::*;
use std::path::Path;

/// What a round made; its record has no matches yet.
pub(super) struct Made {
    pub(super) model: Model,
    pub(super) record: RoundRecord,
}

pub(super) fn make(
    game: &DynGame,
    plan: &BootstrapPlan,
    number: u32,
    function: &DynFunction,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Made, LabError> {
    let data = folder.join("data");
    let play = SelfPlay {
        games: plan.games,
        seed: seed(plan.seed, number),
        opening_plies: plan.opening_plies,
        chance: plan.chance,
        depth: plan.depth,
        ..SelfPlay::default()
    };
    let name = FunctionName::File(format!("round {}", number - 1).into());
    let maker = Maker {
        function: function.identity(&name),
        openings: None,
        command: plan.command(game.name()),
    };
    generate(game, function, &play, &maker, &data, progress)?;
    let dataset = Dataset::open(&data)?;
    let (table, games) = labelled(game, &dataset, function, plan.label_depth, progress)?;
    if games.bounded > 0 {
        progress.note(&format!(
            "{} of {} games reached the bound of {} plies and count as drawn",
            games.bounded,
            games.games,
            game.max_plies()
        ));
    }
    let (train, unseen) = table.split(plan.holdout, play.seed);
    let old = function.model();
    let fitted = fit_round(plan, game.stages(), &train, old, play.seed, progress)
        .map_err(|error| undecided(error, &train, plan, number))?;
    let (right, judged) = agreement(&fitted.model, &unseen);
    let tree = fitted.model.as_tree();
    let record = RoundRecord {
        round: number,
        games,
        right,
        judged,
        nodes: tree.map(|tree| tree.growth().nodes().len()),
        full_leaves: fitted.full_leaves,
        asked: fitted.asked,
        matches: None,
    };
    Ok(Made { model: fitted.model, record })
}

/// Rounds have games of their own, whatever the seed of another run.
fn seed(of_run: u64, round: u32) -> u64 {
    of_run.wrapping_mul(1_000_003).wrapping_add(round.into())
}

/// Says what to do when nothing was decided.
fn undecided(error: LabError, table: &FeatureTable, plan: &BootstrapPlan, number: u32) -> LabError {
    use evalsmith_learn::LearnError::OneClass;
    match error {
        LabError::Learn(OneClass { rows, .. }) if table.points.iter().all(|p| *p == 0.5) => {
            LabError::Settings(format!(
                "in round {number} a search of {} plies decides none of {rows} positions, so that \
                 there is nothing to learn; raise --label-depth or --games",
                plan.label_depth
            ))
        }
        other => other,
    }
}

/// A fitted model with what only trees tell.
struct Fitted {
    model: Model,
    full_leaves: Option<usize>,
    asked: Option<f64>,
}

fn fit_round(
    plan: &BootstrapPlan,
    stages: usize,
    train: &FeatureTable,
    last: Option<&Model>,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Fitted, LabError> {
    let examples = Examples {
        features: &train.columns,
        stages: &train.stages,
        points: &train.points,
        games: &train.games,
    };
    if plan.learner == Learner::Tree {
        let params = TreeParams { seed, ..plan.tree.clone() };
        let old = last.and_then(Model::as_tree).filter(|_| plan.expand);
        let fit = fit_tree(&params, stages, &examples, None, old.map(|old| (old, plan.memory)))?;
        return Ok(Fitted {
            model: fit.model.into(),
            full_leaves: Some(fit.judged.full_leaves),
            asked: Some(fit.judged.asked),
        });
    }
    // What least squares takes for scores: the labels from -1 to 1.
    let labels: Vec<f32> = train.points.iter().map(|p| 2.0 * p - 1.0).collect();
    let fitted = fit(plan.learner, &plan.logistic, stages, &examples, &labels, progress)?;
    Ok(Fitted { model: fitted.model, full_leaves: None, asked: None })
}

/// The positions of a dataset with the labels of a search: `points` are (1 + c) / 2.
fn labelled(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    depth: u8,
    progress: &dyn Progress,
) -> Result<(FeatureTable, GamesRecord), LabError> {
    let features = game.features();
    let mut table = FeatureTable::new(features.names());
    let mut record = GamesRecord::default();
    let (mut branching, mut plies) = (0_u64, 0_u64);
    let mut last_game = None;
    let mut last_ply = 0_u64;
    progress.begin("labels", dataset.len(), "positions");
    for batch in dataset.rows() {
        if progress.stopped() {
            return Err(LabError::Stopped);
        }
        let batch = batch?;
        let mut positions: Vec<(Pos, Side)> = Vec::with_capacity(batch.len());
        for row in batch.rows() {
            let unpacked = game.unpack(row.position).map_err(|source| DataError::Position {
                path: dataset.dir().to_owned(),
                game: row.game,
                ply: row.ply,
                source,
            })?;
            if last_game != Some(row.game) {
                close(game, &mut record, &mut plies, last_game.map(|_| last_ply));
                last_game = Some(row.game);
                let verdict = row.outcome.map(|o| o.seen_by(row.side, Side::First).verdict());
                match verdict {
                    Some(Verdict::Win) => record.results[0] += 1,
                    Some(Verdict::Loss) => record.results[2] += 1,
                    _ => record.results[1] += 1,
                }
            }
            last_ply = u64::from(row.ply) + u64::from(row.mv.is_some());
            branching += unpacked.0.move_count() as u64;
            table.games.push(row.game);
            positions.push(unpacked);
        }
        let labels: Vec<f32> = positions
            .par_iter()
            .map_init(
                || function.search(0),
                |searcher, (position, side)| {
                    let record = GameRecord::new(position.clone(), *side, game.max_plies());
                    searcher.fixed_depth(&record, depth).value.log_odds().win_prob().0 as f32
                },
            )
            .collect();
        let mut row = Vec::with_capacity(features.count());
        for ((position, side), points) in positions.into_iter().zip(labels) {
            row.clear();
            features.append_all(&position, &mut row);
            table.columns.push(&row);
            table.stages.push(position.stage());
            table.points.push(points);
            table.scores.push(0);
            table.searched.push(None);
            table.sides.push(side);
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    close(game, &mut record, &mut plies, last_game.map(|_| last_ply));
    record.positions = table.len() as u64;
    record.mean_plies = plies as f64 / record.games.max(1) as f64;
    record.branching = branching as f64 / record.positions.max(1) as f64;
    Ok((table, record))
}

/// Counts a game whose last row has been read.
fn close(game: &DynGame, record: &mut GamesRecord, plies: &mut u64, last: Option<u64>) {
    let Some(last) = last else { return };
    record.games += 1;
    *plies += last;
    record.bounded += u64::from(last >= game.max_plies() as u64);
}

/// The share of labels other than 0 that have the sign of the value, how many they
/// are, and how many are 0.
fn agreement(model: &Model, table: &FeatureTable) -> (f64, (usize, usize)) {
    let mut right = 0.0;
    let (mut decided, mut zeros) = (0_u32, 0_usize);
    for (value, &points) in values(model, table).into_iter().zip(&table.points) {
        let label = 2.0 * f64::from(points) - 1.0;
        if label == 0.0 {
            zeros += 1;
            continue;
        }
        decided += 1;
        right +=
            if value == 0.0 { 0.5 } else { f64::from(u8::from((value > 0.0) == (label > 0.0))) };
    }
    (right / f64::from(decided.max(1)), (decided as usize, zeros))
}
