//! `evalsmith model fit --learner configurations`: conjunctions that a game's positions
//! often match, found and weighted.

use super::fit_patterns::{PatternOptions, Shared};
use crate::failure::{Usage, command_line};
use crate::options::{game, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{ConfigurationPlan, Dataset, LabError, fit_configurations};

/// What only a fit of configurations knows.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Configurations")]
pub(super) struct ConfigurationOptions {
    /// Matching positions that make a configuration valid, or a state of a sparse
    /// pattern [default: 500; patterns: 75]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) min_count: Option<u32>,
    /// The most relations of a configuration [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    max_length: Option<u16>,
    /// The most configurations there is room for [default: 200000]
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Keep only configurations whose labels differ from the mean of all by so many
    /// standard errors [default: keep all]
    #[arg(long, value_name = "Z")]
    significance: Option<f64>,
    /// Decide on random chunks of so many positions whether a configuration is valid
    #[arg(long, value_name = "N", requires = "confidence")]
    chunk: Option<usize>,
    /// The confidence of such a decision, in standard deviations
    #[arg(long, value_name = "T", requires = "chunk")]
    confidence: Option<f64>,
    /// Features with a weight that multiplies their value
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    terms: Vec<String>,
}

impl ConfigurationOptions {
    /// The first option given, for fits that have no use for it.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--max-length", self.max_length.is_some()),
            ("--most", self.most.is_some()),
            ("--significance", self.significance.is_some()),
            ("--chunk", self.chunk.is_some()),
            ("--terms", !self.terms.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    pub(super) fn fit(&self, shared: &Shared<'_>, common: &PatternOptions) -> anyhow::Result<()> {
        if let Some(flag) = common.only_for_patterns() {
            return Err(Usage(format!("{flag} goes with --learner patterns")).into());
        }
        let mut plan = ConfigurationPlan::default();
        plan.min_count = self.min_count.unwrap_or(plan.min_count);
        plan.max_length = self.max_length.map_or(plan.max_length, usize::from);
        plan.most = self.most.unwrap_or(plan.most);
        plan.significance = self.significance.unwrap_or(plan.significance);
        plan.heuristic = self.chunk.zip(self.confidence);
        plan.terms.clone_from(&self.terms);
        if let Some(labels) = shared.labels() {
            plan.labels = labels;
        }
        plan.link = common.link();
        plan.stage_width = common.stage_width.map_or(plan.stage_width, usize::from);
        plan.groups = common.groups.map_or(plan.groups, usize::from);
        plan.radius = shared.radius.map_or(plan.radius, usize::from);
        plan.holdout = shared.holdout.unwrap_or(plan.holdout);
        plan.seed = shared.seed;
        if !common.ridge.is_empty() {
            plan.ridges.clone_from(&common.ridge);
        }
        let dataset = Dataset::open(shared.data).map_err(LabError::from)?;
        let fitted = fit_configurations(
            &game(&dataset.manifest().game)?,
            &dataset,
            &plan,
            shared.output,
            &command_line(),
            &Terminal::new(),
        )?;
        show(&fitted.table().to_text())?;
        show(&fitted.in_words())
    }
}
