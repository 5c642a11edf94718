//! From a dataset to a fitted model, judged on games it has not seen, and to
//! the curve that shows where it errs.

use crate::LabError;
use crate::feature_costs::FeatureCosts;
use crate::run_folder::{read_json, write_json};
use crate::statistics::{Statistics, statistics};
use evalsmith_core::{Columns, Defaults, Game, Progress, Side, Stage};
use evalsmith_curves::{Curve, CurveParams, Draws, Observation, curve};
use evalsmith_data::{Dataset, FeatureTable, features, features_at_rest, write_feature_table};
use evalsmith_learn::{
    DenseModel, Examples, Judged, Learner, Linear, LogisticParams, Model, ModelFile, Quality,
    StageFit, Tabled, Tables, TreeParams, fit_logistic, fit_tree, quality, with_features,
};
use evalsmith_rules::{DynFunction, DynGame};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitPlan {
    /// Who learns.
    #[serde(default)]
    pub learner: Learner,
    /// The features by name; the game's own where none is named.
    #[serde(default)]
    pub features: Vec<String>,
    /// The regression; the other learners pool stages as it says.
    pub logistic: LogisticParams,
    /// How a tree is grown and chosen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tree: TreeParams,
    /// What features cost, where a tree has a price for them.
    #[serde(default, skip_serializing_if = "FeatureCosts::are_alike")]
    pub costs: FeatureCosts,
    /// Fits a tree to the final scores instead of the results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tree_of_scores: bool,
    /// Features of a weighted sum count no further than in the positions it was fitted
    /// to, so that a search may stop adding where the rest cannot matter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bounded: bool,
    /// The share of games held out.
    pub holdout: f64,
    /// Chooses the games held out.
    pub seed: u64,
    /// Fits to the positions as they were played; otherwise to the quiet ones
    /// that their exchanges lead to.
    pub raw: bool,
    /// The share of a position's target that is the search's opinion; the rest
    /// is the game's result.
    pub searched: f64,
}

fn is_default(tree: &TreeParams) -> bool {
    *tree == TreeParams::default()
}

impl FitPlan {
    /// The fit a game suggests.
    pub fn new(defaults: &Defaults) -> Self {
        let mut logistic = LogisticParams::default();
        logistic.stages.radius = defaults.radius;
        Self {
            learner: Learner::default(),
            features: Vec::new(),
            logistic,
            tree: TreeParams::default(),
            costs: FeatureCosts::default(),
            tree_of_scores: false,
            bounded: false,
            holdout: 0.2,
            seed: 1,
            raw: false,
            searched: defaults.searched,
        }
    }
}

/// What is known of a fit; kept beside the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitRecord {
    /// The game.
    pub game: String,
    /// The digest of the dataset's rows.
    pub data_digest: String,
    /// How it was fitted.
    pub plan: FitPlan,
    /// Positions the model was fitted to.
    pub rows: u64,
    /// Their games.
    pub games: u64,
    /// Positions held out.
    pub holdout_rows: u64,
    /// The estimates, stage by stage.
    pub stages: Vec<StageFit>,
    /// Quality of the fitted model on the positions held out.
    pub learned: Option<Quality>,
    /// Quality of the hand-weighted function on the same positions.
    pub by_hand: Option<Quality>,
    /// How a tree was grown and chosen, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Judged>,
    /// A digest of the model's numbers.
    #[serde(default)]
    pub coefficients_digest: Option<String>,
    /// What else a statistician asks.
    #[serde(default)]
    pub statistics: Statistics,
}

impl FitRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// When the file is missing or holds something else.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        read_json(path)
    }

    /// Whether these are the statistics of this very model.
    pub fn belongs_to(&self, model: &Model) -> bool {
        if let Some(digest) = &self.coefficients_digest {
            return *digest == model.digest();
        }
        let Some(linear) = model.as_linear() else { return false };
        self.stages.iter().all(|fit| {
            let at = weights_at(linear, fit.stage);
            fit.stage.index() < linear.stages()
                && fit.estimates.iter().map(|e| e.weight).eq(at.iter().copied())
        })
    }
}

/// The intercept and the weights at a stage.
pub(crate) fn weights_at(linear: &Linear, stage: Stage) -> Vec<f64> {
    [linear.intercept(stage)].into_iter().chain(linear.weights(stage).iter().copied()).collect()
}

/// A fitted model with what is known of it.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// What is known of it.
    pub record: FitRecord,
    /// The positions held out (all positions when none were), for curves.
    pub unseen: FeatureTable,
}

impl Fitted {
    /// The model as a file, with what made it.
    pub fn file(&self, command: &str) -> ModelFile {
        ModelFile {
            game: self.record.game.clone(),
            made_by: serde_json::json!({
                "command": command,
                "data": self.record.data_digest,
                "plan": self.record.plan,
                "positions": self.record.rows,
                "games": self.record.games,
            }),
            model: self.model.clone(),
        }
    }

    /// Writes the model and, beside it, what is known of the fit.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, model: &Path, record: &Path, command: &str) -> Result<(), LabError> {
        // The larger file first: where the disk is full, the old pair stays.
        write_json(record, &self.record)?;
        Ok(self.file(command).save(model)?)
    }
}

/// Fits one model a stage to a dataset, apart from the games held out, and
/// judges it on those.
///
/// # Errors
/// When the dataset cannot be read or gives no fit.
pub fn fit(
    game: &DynGame,
    dataset: &Dataset,
    plan: &FitPlan,
    progress: &dyn Progress,
) -> Result<Fitted, LabError> {
    let game = &with_features(game, &plan.features)?;
    let hand = game.function_by_hand()?;
    let table = table(game, dataset, &hand, plan.raw, progress)?;
    let digest = dataset.digest()?.to_string();
    let plan = &FitPlan { costs: plan.costs.measured(game, dataset)?, ..plan.clone() };
    fit_table(game.name(), game.stages(), &table, plan, hand.model(), digest, progress)
}

/// Fits one model a stage to a table, whose rows are of the game of this name,
/// apart from the games held out, and judges it and the model set by hand on those.
///
/// # Errors
/// When the table gives no fit.
pub fn fit_table(
    game: &str,
    stages: usize,
    table: &FeatureTable,
    plan: &FitPlan,
    by_hand: Option<&Model>,
    data_digest: String,
    progress: &dyn Progress,
) -> Result<Fitted, LabError> {
    if Tables::wanted(table.columns.names()) {
        return fit_tabled(game, stages, table, plan, by_hand, data_digest, progress);
    }
    let (train, holdout) = table.split(plan.holdout, plan.seed);
    let points = targets(&train, plan, progress)?;
    let examples = Examples {
        features: &train.columns,
        stages: &train.stages,
        points: &points,
        games: &train.games,
    };
    let scores: Vec<f32> = train.scores.iter().map(|&s| s.into()).collect();
    let learner = plan.learner;
    let (mut fitted, tree) = if learner == Learner::Tree {
        let scores = plan.tree_of_scores.then_some(&scores[..]);
        let costs = plan.costs.of(train.columns.names())?;
        let params = TreeParams { costs, ..plan.tree.clone() };
        let fit = fit_tree(&params, stages, &examples, scores, None)?;
        let model = fit.model.into();
        (evalsmith_learn::Fit { model, stages: Vec::new() }, Some(fit.judged))
    } else {
        let logistic = &plan.logistic;
        (evalsmith_learn::fit(learner, logistic, stages, &examples, &scores, progress)?, None)
    };
    if plan.bounded {
        let Model::Linear(linear) = fitted.model else {
            let reason = "features are bounded in weighted sums only: leave out --bounded";
            return Err(LabError::Settings(reason.into()));
        };
        let radius = plan.logistic.stages.radius;
        fitted.model = linear.within_examples(&examples, radius)?.into();
    }
    let record = FitRecord {
        game: game.into(),
        data_digest,
        plan: plan.clone(),
        rows: train.columns.rows() as u64,
        games: distinct(&train.games),
        holdout_rows: holdout.columns.rows() as u64,
        learned: judge(&fitted.model, &holdout)?,
        by_hand: by_hand.map_or(Ok(None), |model| judge(model, &holdout))?,
        statistics: statistics(plan, stages, &examples, &fitted.model, &holdout, progress)?,
        coefficients_digest: Some(fitted.model.digest()),
        tree,
        stages: fitted.stages,
    };
    let unseen = if holdout.columns.rows() == 0 { train } else { holdout };
    Ok(Fitted { model: fitted.model, record, unseen })
}

/// The same where some features are codes of patterns: tables are made of them
/// first, from half of the games that are not held out, and the model is fitted
/// to the tables' features in the other half.
fn fit_tabled(
    game: &str,
    stages: usize,
    table: &FeatureTable,
    plan: &FitPlan,
    by_hand: Option<&Model>,
    data_digest: String,
    progress: &dyn Progress,
) -> Result<Fitted, LabError> {
    let (train, holdout) = table.split(plan.holdout, plan.seed);
    let examples = Examples {
        features: &train.columns,
        stages: &train.stages,
        points: &train.points,
        games: &train.games,
    };
    let tables = Tables::fit(stages, &examples)?;
    let judged_by_hand = by_hand.map_or(Ok(None), |model| judge(model, &holdout))?;
    // Games with odd numbers, and those held out, whatever their number.
    let kept = |row: usize| table.games[row] % 2 == 1;
    let held: std::collections::HashSet<u32> = holdout.games.iter().copied().collect();
    let mut made = table.filter(|row| kept(row) || held.contains(&table.games[row]));
    made.columns = tables.columns(&made.columns, &made.stages);
    let mut fitted = fit_table(game, stages, &made, plan, None, data_digest, progress)?;
    fitted.model = Tabled::new(tables, fitted.model)?.into();
    fitted.record.coefficients_digest = Some(fitted.model.digest());
    fitted.record.by_hand = judged_by_hand;
    fitted.unseen = if holdout.is_empty() { train } else { holdout };
    Ok(fitted)
}

/// What each position is fitted to: the result of its game, mixed with the
/// search's opinion where the plan asks for it and the dataset has it.
///
/// A result is the truth about a game and mostly noise about a position; a
/// search's opinion is the reverse. Its log-odds are first set to the scale that
/// fits the results of these games best.
fn targets(
    table: &FeatureTable,
    plan: &FitPlan,
    progress: &dyn Progress,
) -> Result<Vec<f32>, LabError> {
    if !(0.0..=1.0).contains(&plan.searched) {
        let message = format!("a share lies between 0 and 1, not {}", plan.searched);
        return Err(LabError::Settings(message));
    }
    let known = table.filter(|row| table.searched[row].is_some());
    if plan.searched == 0.0 || known.is_empty() {
        return Ok(table.points.clone());
    }
    // Beyond this a game is decided, and how far beyond says nothing.
    let opinion = |log_odds: f32| log_odds.clamp(-8.0, 8.0);
    let mut column = Columns::new(vec!["search".into()]);
    known.searched.iter().flatten().for_each(|&value| column.push(&[opinion(value)]));
    let scale = Examples {
        features: &column,
        stages: &vec![Stage(0); known.len()],
        points: &known.points,
        games: &known.games,
    };
    let scale = fit_logistic(&plan.logistic, 1, &scale, progress)?.model;
    let mixed = |(&points, &value): (&f32, &Option<f32>)| {
        let Some(value) = value else { return points };
        let log_odds = scale.log_odds(Stage(0), |_| opinion(value)).0;
        let opinion = 1.0 / (1.0 + (-log_odds).exp());
        (plan.searched * opinion + (1.0 - plan.searched) * f64::from(points)) as f32
    };
    Ok(table.points.iter().zip(&table.searched).map(mixed).collect())
}

/// The features of a dataset: of its positions as they were played, or at rest
/// by the function's quiescence search.
pub(crate) fn table(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    raw: bool,
    progress: &dyn Progress,
) -> Result<FeatureTable, LabError> {
    Ok(if raw {
        features(game, dataset, progress)?
    } else {
        features_at_rest(game, dataset, function, progress)?
    })
}

/// Writes the features of every position of a dataset, as it was played (`raw`) or at rest
/// by the hand-weighted function, as one Parquet file; how many there are.
///
/// # Errors
/// When a file fails, or the job is stopped.
pub fn export_features(
    game: &DynGame,
    dataset: &Dataset,
    out: &Path,
    raw: bool,
    progress: &dyn Progress,
) -> Result<u64, LabError> {
    let table = table(game, dataset, &game.function_by_hand()?, raw, progress)?;
    write_feature_table(&table, out)?;
    Ok(table.columns.rows() as u64)
}

/// How well a model tells the results of a table; none for an empty table.
fn judge(model: &impl DenseModel, table: &FeatureTable) -> Result<Option<Quality>, LabError> {
    if table.is_empty() {
        return Ok(None);
    }
    Ok(Some(quality(&table.points, &values(model, table), &table.games)?))
}

/// The positions of a dataset with what a function of any kind says of them.
pub(crate) fn valued(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    raw: bool,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, FeatureTable), LabError> {
    let table = evalsmith_data::values(game, dataset, function, raw, progress)?;
    Ok((table.columns.column(0).iter().map(|&value| f64::from(value)).collect(), table))
}

/// The log-odds a model gives to every row of a table.
pub(crate) fn values(model: &impl DenseModel, table: &FeatureTable) -> Vec<f64> {
    let value = |(row, &stage): (usize, &Stage)| {
        model.log_odds(stage, |feature| table.columns.column(feature)[row]).0
    };
    table.stages.iter().enumerate().map(value).collect()
}

fn distinct(games: &[u32]) -> u64 {
    let mut sorted = games.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() as u64
}

/// How a curve is drawn; without a width, about forty bins over nearly all values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePlan {
    /// The width of a bin in log-odds.
    pub bin_width: Option<f64>,
    /// Bins with fewer positions are left out.
    pub min_count: u64,
    /// What becomes of drawn games.
    pub draws: Draws,
    /// Takes the positions as they were played; otherwise the quiet ones that
    /// the function's exchanges lead to.
    pub raw: bool,
}

/// The total curve of a model over a table, in the first player's view; without a
/// model all values are even.
///
/// # Errors
/// When no bin holds enough positions.
pub fn draw_curve(
    model: Option<&Model>,
    table: &FeatureTable,
    plan: &CurvePlan,
) -> Result<Curve, LabError> {
    let values = model.map_or_else(|| vec![0.0; table.len()], |model| values(model, table));
    curve_of_values(&values, table, plan)
}

/// The total curve of a function over a dataset.
///
/// # Errors
/// When a file fails, no bin holds enough positions, or the job is stopped.
pub fn dataset_curve(
    game: &DynGame,
    dataset: &Dataset,
    function: &DynFunction,
    plan: &CurvePlan,
    progress: &dyn Progress,
) -> Result<Curve, LabError> {
    let (values, table) = valued(game, dataset, function, plan.raw, progress)?;
    curve_of_values(&values, &table, plan)
}

/// The total curve of values that something gave to the rows of a table.
///
/// # Errors
/// When no bin holds enough positions.
pub(crate) fn curve_of_values(
    values: &[f64],
    table: &FeatureTable,
    plan: &CurvePlan,
) -> Result<Curve, LabError> {
    let bin_width = if let Some(width) = plan.bin_width {
        width
    } else {
        let (low, high) = bulk(values);
        CurveParams::auto(low, high)?.bin_width
    };
    let observed = |row: usize| {
        let mine = table.sides[row] == Side::First;
        let points = table.points[row];
        Observation {
            value: if mine { values[row] } else { -values[row] },
            points: if mine { points } else { 1.0 - points },
            game: table.games[row],
        }
    };
    let params = CurveParams { bin_width, min_count: plan.min_count, draws: plan.draws };
    Ok(curve(&params, (0..values.len()).map(observed))?)
}

/// Limits between which all but two in a hundred values lie, on either side of zero.
pub(crate) fn bulk(values: &[f64]) -> (f64, f64) {
    let mut sizes: Vec<f64> = values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let limit = sizes.get(sizes.len() * 98 / 100).copied().unwrap_or_default();
    (-limit, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Quiet;

    /// Values of four sizes; the better side wins three games of four, and the
    /// last row has no opinion.
    fn table() -> FeatureTable {
        let mut table = FeatureTable::new(vec!["x".into()]);
        for game in 0..400_u32 {
            let value = [-2.0, -1.0, 1.0, 2.0][game as usize % 4];
            let won = (value > 0.0) == (game % 16 < 12);
            table.columns.push(&[value]);
            table.stages.push(Stage(0));
            table.points.push(f32::from(u8::from(won)));
            table.scores.push(0);
            table.searched.push((game < 399).then_some(3.0 * value));
            table.sides.push(Side::First);
            table.games.push(game);
        }
        table
    }

    #[test]
    fn targets_mix_results_and_opinions_on_the_scale_of_the_results() {
        let table = table();
        let mut plan = FitPlan::new(&Defaults::default());
        assert_eq!(targets(&table, &plan, &Quiet).unwrap(), table.points);
        plan.searched = 1.0;
        let opinions = targets(&table, &plan, &Quiet).unwrap();
        assert_eq!(opinions[399], table.points[399], "nobody asked the search");
        // Three of four and no more, though the search was as good as certain.
        assert!(opinions[..399].iter().all(|&p| (0.1..0.9).contains(&p)));
        assert!(
            opinions[3] > opinions[2] && opinions[2] > opinions[1] && opinions[1] > opinions[0]
        );
        plan.searched = 0.5;
        let mixed = targets(&table, &plan, &Quiet).unwrap();
        for ((m, o), p) in mixed.iter().zip(&opinions).zip(&table.points) {
            assert!((m - (o + p) / 2.0).abs() < 1e-6);
        }
        plan.searched = 1.5;
        assert!(targets(&table, &plan, &Quiet).unwrap_err().to_string().contains("1.5"));
    }
}
