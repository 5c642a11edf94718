//! How trees are grown and chosen, for every command that grows one.

use crate::failure::Usage;
use clap::Args;
use evalsmith_lab::prelude::{Criterion, Learner, TreeParams};

/// What a tree may be told.
#[derive(Args)]
#[command(next_help_heading = "Trees")]
pub(crate) struct TreeOptions {
    /// Nodes with fewer vectors are not split [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    min_size: Option<u32>,
    /// Each child has at least this share of its parent's vectors [default: 0.01]
    #[arg(long, value_name = "SHARE")]
    min_share: Option<f64>,
    /// What a split must gain a vector to pay for a feature that is not yet known on
    /// its path; larger prices make trees that ask for fewer features [default: 0]
    #[arg(long, value_name = "GAIN")]
    price: Option<f64>,
    /// Share of the games on which a pruned tree is chosen [default: 0.3]
    #[arg(long, value_name = "SHARE")]
    test_share: Option<f64>,
    /// Choose the pruned tree by `squared` error (c - v)^2, or by the paper's
    /// `penalty` 1 - vc [default: squared; of a bootstrap, penalty]
    #[arg(long, value_name = "COST")]
    choose_by: Option<Criterion>,
    /// Choose the smallest tree within one standard error of the best
    #[arg(long)]
    one_standard_error: bool,
}

impl TreeOptions {
    /// The parameters, with the usual ones where nothing was said.
    pub(crate) fn params(&self, usual: &TreeParams, seed: u64) -> TreeParams {
        TreeParams {
            min_size: self.min_size.unwrap_or(usual.min_size),
            min_share: self.min_share.unwrap_or(usual.min_share),
            price: self.price.unwrap_or(usual.price),
            costs: Vec::new(),
            test_share: self.test_share.unwrap_or(usual.test_share),
            seed,
            criterion: self.choose_by.unwrap_or(usual.criterion),
            one_standard_error: self.one_standard_error,
        }
    }

    /// Refuses options for trees where none is grown.
    pub(crate) fn only_for(&self, learner: Learner) -> Result<(), Usage> {
        let given = [
            ("--min-size", self.min_size.is_some()),
            ("--min-share", self.min_share.is_some()),
            ("--price", self.price.is_some()),
            ("--test-share", self.test_share.is_some()),
            ("--choose-by", self.choose_by.is_some()),
            ("--one-standard-error", self.one_standard_error),
        ];
        match given.into_iter().find(|(_, given)| *given && learner != Learner::Tree) {
            Some((flag, _)) => Err(Usage(format!("{flag} is about trees: add --learner tree"))),
            None => Ok(()),
        }
    }
}
