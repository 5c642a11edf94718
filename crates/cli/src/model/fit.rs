//! `evalsmith model fit`: from a dataset, or a user's own CSV, to a model.

use super::fit_path;
use crate::failure::{Usage, command_line, say};
use crate::options::{game, holdout, may_write, share, show};
use crate::progress::Terminal;
use crate::tree_options::TreeOptions;
use clap::Args;
use evalsmith_lab::prelude::{
    CsvColumns, Dataset, Defaults, FeatureCosts, FitPlan, Fitted, Learner, Reduction, fit_table,
    read_csv,
};
use std::path::PathBuf;

/// Fits weights for the features of a dataset's game, stage by stage.
///
/// Standard errors are clustered by game, since positions of one game are not
/// independent. Beside the model FILE a FILE.fit.json keeps what the fit knows:
/// errors, z, p, covariances, deviances, correlations, and the quality on games
/// held out.
///
/// DATA may also be a CSV file of features and results, of any game or none: then
/// --label names the column of results (1, 0.5, 0), --game-id that of the game a
/// row belongs to, --stage-column that of the stage, --score that of the final
/// score, and every other column is a feature unless --features names some.
#[derive(Args)]
pub(crate) struct Fit {
    /// The dataset's folder, or a CSV file
    data: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Who learns: logistic, fisher, quadratic, least-squares, tree
    #[arg(long, default_value_t)]
    learner: Learner,
    /// The features to use, by name [default: the game's own, or all columns]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    features: Vec<String>,
    /// Make features fewer before the fit: pca=N for N principal components, or
    /// fisher for the one direction of Fisher's discriminant; the model still
    /// has weights of the features
    #[arg(long, value_name = "HOW")]
    reduce: Option<Reduction>,
    /// Stage N is fitted to the positions of stages N-R to N+R [default: set by the game]
    #[arg(long, value_name = "R")]
    radius: Option<u8>,
    /// Share of a position's target that is the search's opinion; the rest is
    /// the game's result [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    searched: Option<f64>,
    #[command(flatten)]
    tree: TreeOptions,
    /// What features cost, for --price: `measured`, or NAME=NUMBER,... [default: all
    /// alike]; measured costs are kept beside the model
    #[arg(long, value_name = "COSTS", requires = "price")]
    cost: Option<FeatureCosts>,
    /// A tree of final scores instead of results (in a CSV file, of --score)
    #[arg(long)]
    of_scores: bool,
    /// Share of the games held out to judge the fit
    #[arg(long, value_name = "SHARE", value_parser = holdout, default_value_t = 0.2)]
    holdout: f64,
    /// Chooses the games held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// CSV: the column of results
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// CSV: the column that tells games apart [default: every row is a game]
    #[arg(long, value_name = "COLUMN")]
    game_id: Option<String>,
    /// CSV: the column of the stage [default: one stage]
    #[arg(long, value_name = "COLUMN")]
    stage_column: Option<String>,
    /// CSV: the column of the final score, which least squares predicts
    #[arg(long, value_name = "COLUMN")]
    score: Option<String>,
    /// Write over existing files
    #[arg(long)]
    force: bool,
}

/// The game of a model that was fitted to a table of no game.
const TABLE: &str = "table";

impl Fit {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let beside = fit_path(&self.output);
        self.tree.only_for(self.learner)?;
        if self.of_scores && self.learner != Learner::Tree {
            return Err(Usage("--of-scores is about trees: add --learner tree".into()).into());
        }
        if self.reduce.is_some() && self.learner == Learner::Tree {
            let message = "--reduce is not for trees, which leave out what they do not need";
            return Err(Usage(message.into()).into());
        }
        may_write(&self.output, self.force)?;
        may_write(&beside, self.force)?;
        let is_csv = self.data.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let fitted = if is_csv { self.fit_csv()? } else { self.fit_dataset()? };
        fitted.save(&self.output, &beside, &command_line())?;
        show(&fitted.record.to_text())
    }

    fn plan(&self, defaults: &Defaults) -> FitPlan {
        let mut plan = FitPlan::new(defaults);
        plan.learner = self.learner;
        plan.features.clone_from(&self.features);
        plan.holdout = self.holdout;
        plan.seed = self.seed;
        plan.raw = self.raw;
        plan.searched = self.searched.unwrap_or(plan.searched);
        plan.logistic.stages.reduce = self.reduce;
        plan.tree = self.tree.params(&plan.tree, self.seed);
        plan.tree_of_scores = self.of_scores;
        plan.costs = self.cost.clone().unwrap_or_default();
        plan.logistic.stages.radius = self.radius.unwrap_or(plan.logistic.stages.radius);
        plan
    }

    fn fit_dataset(&self) -> anyhow::Result<Fitted> {
        let of_csv = [
            ("--label", &self.label),
            ("--game-id", &self.game_id),
            ("--stage-column", &self.stage_column),
            ("--score", &self.score),
        ];
        if let Some((flag, _)) = of_csv.iter().find(|(_, given)| given.is_some()) {
            let data = self.data.display();
            let message = format!("{flag} is about a CSV file, but {data} is not called .csv");
            return Err(Usage(message).into());
        }
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let plan = self.plan(&game.defaults());
        Ok(game.fit(&self.data, &plan, &Terminal::new())?)
    }

    fn fit_csv(&self) -> anyhow::Result<Fitted> {
        let Some(label) = self.label.clone() else {
            return Err(Usage("name the column of results with --label".into()).into());
        };
        if self.searched.is_some() || self.raw {
            let message = "--searched and --raw are about a dataset; a CSV file has neither";
            return Err(Usage(message.into()).into());
        }
        let wants_scores = self.learner == Learner::LeastSquares || self.of_scores;
        if wants_scores && self.score.is_none() {
            let message = "this fit predicts the final score: name its column with --score";
            return Err(Usage(message.into()).into());
        }
        let columns = CsvColumns {
            label,
            game: self.game_id.clone(),
            stage: self.stage_column.clone(),
            score: self.score.clone(),
            features: self.features.clone(),
        };
        let csv = read_csv(&self.data, &columns)?;
        if columns.game.is_none() {
            say("without --game-id every row counts as a game of its own; errors are too small \
                 where rows of one game resemble each other");
        }
        let plan = self.plan(&Defaults::default());
        Ok(fit_table(TABLE, csv.stages, &csv.table, &plan, None, csv.digest, &Terminal::new())?)
    }
}
