//! `evalsmith model discover`: patterns that a model misses.

use crate::failure::Usage;
use crate::options::{Format, game, holdout, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, DiscoverPlan, LabError, discover};
use std::path::PathBuf;

/// Proposes patterns that a pattern model misses, by the drop of its error on games held
/// out for each nanosecond of an evaluation, and draws them.
///
/// Tables of candidates are fitted to what the model leaves unexplained. Candidates grow
/// square by square from all pairs; the best --beam of each size grow further. The lines
/// below a board belong into a file for `model fit --learner patterns --patterns FILE`.
#[derive(Args)]
pub(crate) struct Discover {
    /// The pattern model
    model: PathBuf,
    /// The dataset's folder
    data: PathBuf,
    /// Labels by name, the first that a position has counts [default: result]
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    label: Vec<String>,
    /// The most atoms of a pattern
    #[arg(long, value_name = "N", default_value_t = DiscoverPlan::default().max_length)]
    max_length: usize,
    /// Candidates of each size that grow further
    #[arg(long, value_name = "N", default_value_t = DiscoverPlan::default().beam)]
    beam: usize,
    /// Proposals to make
    #[arg(long, value_name = "N", default_value_t = DiscoverPlan::default().most)]
    most: usize,
    /// Positions to look at, at most, evenly spread
    #[arg(long, value_name = "N", default_value_t = DiscoverPlan::default().positions)]
    positions: usize,
    /// Share of the games held out
    #[arg(long, value_name = "SHARE", value_parser = holdout, default_value_t = DiscoverPlan::default().holdout)]
    holdout: f64,
    /// Chooses the games held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Discover {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.format == Format::Csv {
            return Err(Usage("a board is no table; use --format json".into()).into());
        }
        let mut plan = DiscoverPlan {
            max_length: self.max_length,
            beam: self.beam,
            most: self.most,
            positions: self.positions,
            holdout: self.holdout,
            seed: self.seed,
            ..DiscoverPlan::default()
        };
        if !self.label.is_empty() {
            plan.labels = self.label;
        }
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        let game = game(&dataset.manifest().game)?;
        let found = discover(&game, &self.model, &dataset, &plan, &Terminal::new())?;
        match self.format {
            Format::Json => show(&serde_json::to_string_pretty(&found)?),
            _ => show(&found.to_text()),
        }
    }
}
