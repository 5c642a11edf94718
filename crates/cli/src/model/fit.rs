//! `evalsmith model fit`: from a dataset, or a user's own table, to a model.

use super::columns::Columns;
use super::fit_configurations::ConfigurationOptions;
use super::fit_path;
use super::fit_patterns::{LearnerName, PatternOptions, Shared};
use crate::failure::{Usage, command_line, say};
use crate::options::{game, holdout, may_write, may_write_from, share, show};
use crate::progress::Terminal;
use crate::tree_options::TreeOptions;
use clap::Args;
use evalsmith_lab::prelude::{
    Dataset, Defaults, FeatureCosts, FitPlan, Fitted, Game, LabError, Learner, OwnTable, Reduction,
    fit_table, read_own_table,
};
use std::path::PathBuf;

/// Fits weights for the features of a dataset's game, stage by stage.
///
/// Standard errors are clustered by game, since positions of one game are not
/// independent. Beside the model FILE a FILE.fit.json keeps what the fit knows:
/// errors, z, p, covariances, deviances, correlations, and the quality on games
/// held out.
///
/// DATA may also be a table of features and results, of any game or none: .csv or
/// .tsv (perhaps with .zst) or .parquet. Then --label names the column of results
/// (1, 0.5, 0), --game-id that of the game a row belongs to, --stage-column that of
/// the stage, --score that of the final score, and every other column is a feature
/// unless --features names some. Tables that `data features` wrote need no names.
///
/// --learner patterns fits tables of weights for patterns of the game's atoms instead,
/// in groups of stages, with --label naming the labels of the dataset to fit: the
/// first that a position has counts, and `result` is that of its game. Killed at any
/// moment, the same command goes on behind the last finished group.
///
/// --learner configurations finds conjunctions of relations `atom = value` that
/// --min-count positions match, with at most --max-length relations, and fits a weight
/// for each, of which only the most specific active ones count; --terms names features
/// with a weight that multiplies their value. For any game that names atoms.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Fit {
    /// The dataset's folder, or a table (.csv, .tsv, .parquet)
    data: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Who learns: logistic, fisher, quadratic, least-squares, tree, patterns,
    /// configurations
    #[arg(long, default_value_t = LearnerName::Of(Learner::default()))]
    learner: LearnerName,
    /// The features to use, by name [default: the game's own, or all columns]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    features: Vec<String>,
    /// Make features fewer before the fit: pca=N for N principal components, or
    /// fisher for the one direction of Fisher's discriminant; the model still
    /// has weights of the features
    #[arg(long, value_name = "HOW")]
    reduce: Option<Reduction>,
    /// Stage N is fitted to the positions of stages N-R to N+R [default: set by the
    /// game]; for patterns so many groups of stages [default: 1]
    #[arg(long, value_name = "R")]
    radius: Option<u8>,
    /// Let features of a weighted sum count no further than in the positions of the
    /// fit: values are computed faster, since a search may stop adding where the rest
    /// cannot matter
    #[arg(long)]
    bounded: bool,
    /// Share of a position's target that is the search's opinion; the rest is
    /// the game's result [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    searched: Option<f64>,
    /// Share of the games held out to judge the fit [default: 0.2; patterns: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = holdout)]
    holdout: Option<f64>,
    /// Chooses the games held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    columns: Columns,
    /// Write over existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    tree: TreeOptions,
    /// What features cost, for --price: `measured`, or NAME=NUMBER,... [default: all
    /// alike]; measured costs are kept beside the model
    #[arg(long, value_name = "COSTS", requires = "price")]
    cost: Option<FeatureCosts>,
    /// A tree of final scores instead of results (in a table, of --score)
    #[arg(long)]
    of_scores: bool,
    #[command(flatten)]
    patterns: PatternOptions,
    #[command(flatten)]
    configurations: ConfigurationOptions,
}

/// The game of a model that was fitted to a table of no game.
const TABLE: &str = "table";

impl Fit {
    pub(super) fn run(self) -> anyhow::Result<()> {
        may_write_from(&self.output, self.force, &self.data)?;
        let learner = match self.learner {
            LearnerName::Patterns | LearnerName::Configurations => return self.fit_sparse(),
            LearnerName::Of(learner) => learner,
        };
        if let Some(flag) = self.patterns.given() {
            return Err(Usage(format!("{flag} goes with --learner patterns")).into());
        }
        let min_count = self.configurations.min_count.map(|_| "--min-count");
        if let Some(flag) = self.configurations.given().or(min_count) {
            return Err(Usage(format!("{flag} goes with --learner configurations")).into());
        }
        self.tree.only_for(learner)?;
        if self.of_scores && learner != Learner::Tree {
            return Err(Usage("--of-scores is about trees: add --learner tree".into()).into());
        }
        if self.reduce.is_some() && learner == Learner::Tree {
            let message = "--reduce is not for trees, which leave out what they do not need";
            return Err(Usage(message.into()).into());
        }
        let beside = fit_path(&self.output);
        may_write(&beside, self.force)?;
        let is_table = OwnTable::is_at(&self.data);
        let fitted = if is_table { self.fit_table(learner)? } else { self.fit_dataset(learner)? };
        fitted.save(&self.output, &beside, &command_line())?;
        show(&fitted.record.to_text())
    }

    fn fit_sparse(&self) -> anyhow::Result<()> {
        let learner = self.learner;
        let of_others = [
            ("--features", !self.features.is_empty()),
            ("--reduce", self.reduce.is_some()),
            ("--searched", self.searched.is_some()),
            ("--raw", self.raw),
            ("--of-scores", self.of_scores),
            ("--bounded", self.bounded),
            ("--game-id", self.columns.game_id.is_some()),
            ("--stage-column", self.columns.stage_column.is_some()),
            ("--score", self.columns.score.is_some()),
        ];
        if let Some((flag, _)) = of_others.iter().find(|(_, given)| *given) {
            return Err(Usage(format!("{flag} has no meaning for --learner {learner}")).into());
        }
        self.tree.only_for(Learner::default())?;
        let shared = Shared {
            data: &self.data,
            output: &self.output,
            label: self.columns.label.as_deref(),
            radius: self.radius,
            holdout: self.holdout,
            seed: self.seed,
            min_count: self.configurations.min_count,
        };
        if learner == LearnerName::Configurations {
            return self.configurations.fit(&shared, &self.patterns);
        }
        if let Some(flag) = self.configurations.given() {
            return Err(Usage(format!("{flag} goes with --learner configurations")).into());
        }
        self.patterns.fit(&shared)
    }

    fn plan(&self, learner: Learner, defaults: &Defaults) -> FitPlan {
        let mut plan = FitPlan::new(defaults);
        plan.learner = learner;
        plan.features.clone_from(&self.features);
        plan.holdout = self.holdout.unwrap_or(plan.holdout);
        plan.seed = self.seed;
        plan.raw = self.raw;
        plan.searched = self.searched.unwrap_or(plan.searched);
        plan.logistic.stages.reduce = self.reduce;
        plan.tree = self.tree.params(&plan.tree, self.seed);
        plan.tree_of_scores = self.of_scores;
        plan.bounded = self.bounded;
        plan.costs = self.cost.clone().unwrap_or_default();
        plan.logistic.stages.radius = self.radius.unwrap_or(plan.logistic.stages.radius);
        plan
    }

    fn fit_dataset(&self, learner: Learner) -> anyhow::Result<Fitted> {
        self.columns.refuse_for(&self.data)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let plan = self.plan(learner, &game.defaults());
        Ok(evalsmith_lab::prelude::fit(&game, &dataset, &plan, &Terminal::new())?)
    }

    fn fit_table(&self, learner: Learner) -> anyhow::Result<Fitted> {
        if self.searched.is_some() || self.raw {
            let message = "--searched and --raw are about a dataset; a table has neither";
            return Err(Usage(message.into()).into());
        }
        let wants_scores = learner == Learner::LeastSquares || self.of_scores;
        let columns = self.columns.with_features(&self.features);
        let unnamed = "this fit predicts the final score: name its column with --score";
        // Who names columns names this one too; our own tables have it.
        if wants_scores && columns.label.is_some() && columns.score.is_none() {
            return Err(Usage(unnamed.into()).into());
        }
        let own = read_own_table(&self.data, &columns).map_err(LabError::from)?;
        if wants_scores && !own.has_scores {
            return Err(Usage(unnamed.into()).into());
        }
        if !own.has_games {
            say("without --game-id every row counts as a game of its own; errors are too small \
                 where rows of one game resemble each other");
        }
        let plan = self.plan(learner, &Defaults::default());
        Ok(fit_table(TABLE, own.stages, &own.table, &plan, None, own.digest, &Terminal::new())?)
    }
}
