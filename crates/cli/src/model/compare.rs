//! `evalsmith model compare`: several learners on the same data, one table.

use crate::options::{Format, game, print};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{
    ComparePlan, Dataset, FitPlan, Game, Learner, compare, comparison_table,
};
use std::path::PathBuf;

/// Fits several learners to the same dataset and lets the others play the first.
///
/// One table: how well each tells results of games held out, how far its
/// probabilities are off, how fast a search with it is, and its Elo against the
/// first at equal depth and at equal CPU time, all with 95 % intervals. Models,
/// match logs and measured speeds stay in the folder; the same command goes on
/// where it stopped.
#[derive(Args)]
pub(crate) struct Compare {
    /// The dataset's folder
    data: PathBuf,
    /// Who learns; the others play against the first
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "logistic,fisher,quadratic,least-squares"
    )]
    learners: Vec<Learner>,
    /// The folder for models and matches
    #[arg(long, value_name = "DIR", default_value = "compare")]
    out: PathBuf,
    /// The features to use, by name [default: the game's own]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    features: Vec<String>,
    /// Pairs of games in each match; 0 plays none
    #[arg(long, default_value_t = 100)]
    pairs: u32,
    /// Plies of the matches at equal depth
    #[arg(long, default_value_t = 3)]
    depth: u8,
    /// Milliseconds of CPU time a move in the matches at equal time
    #[arg(long, value_name = "MS", default_value_t = 1.0)]
    cpu_ms: f64,
    /// Decides the games held out and the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Compare {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if !(self.cpu_ms >= 0.01 && self.cpu_ms <= 60_000.0) {
            let message =
                format!("--cpu-ms is {}, but must lie between 0.01 and 60000", self.cpu_ms);
            return Err(crate::failure::Usage(message).into());
        }
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let defaults = game.defaults();
        let mut fit = FitPlan::new(&defaults);
        fit.features = self.features;
        fit.seed = self.seed;
        let plan = ComparePlan {
            learners: self.learners,
            fit,
            pairs: self.pairs,
            opening_plies: defaults.match_plies,
            depth: self.depth,
            cpu_micros: (self.cpu_ms * 1000.0).round() as u64,
            seed: self.seed,
        };
        let compared = compare(&game, &dataset, &plan, &self.out, &Terminal::resumable())?;
        print(self.format, &comparison_table(&compared, &plan), &compared)
    }
}
