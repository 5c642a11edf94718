//! `evalsmith learn GAME --method bootstrap`: what only the bootstrap is told.

use super::Learn;
use crate::failure::Usage;
use crate::tree_options::TreeOptions;
use clap::Args;
use evalsmith_lab::prelude::{BootstrapPlan, DynGame, Game, Learner};

/// Options of the bootstrap.
#[derive(Args)]
#[command(next_help_heading = "Bootstrap")]
pub(crate) struct Bootstrap {
    /// Who learns: tree, logistic, fisher, quadratic, least-squares [default: tree]
    #[arg(long)]
    learner: Option<Learner>,
    /// The features to use, by name [default: the game's own]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    features: Vec<String>,
    /// Rounds at most [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,
    /// Plies searched for a label [default: 2]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    label_depth: Option<u8>,
    /// Expand the last round's tree instead of growing a new one
    #[arg(long)]
    expand: bool,
    /// Share of the old counts that an expanded tree keeps [default: 0.9]
    #[arg(long, value_name = "SHARE", requires = "expand")]
    memory: Option<f64>,
    /// Rounds from one match to the next; 0 plays none [default: 5]
    #[arg(long, value_name = "N")]
    match_every: Option<u32>,
    /// Matches running without shown improvement that end the run; 0 plays all
    /// rounds [default: 3]
    #[arg(long, value_name = "N")]
    patience: Option<u32>,
    #[command(flatten)]
    tree: TreeOptions,
}

impl Bootstrap {
    /// The option that was given although the walk has no use for it.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--learner", self.learner.is_some()),
            ("--features", !self.features.is_empty()),
            ("--rounds", self.rounds.is_some()),
            ("--label-depth", self.label_depth.is_some()),
            ("--expand", self.expand),
            ("--match-every", self.match_every.is_some()),
            ("--patience", self.patience.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// Refuses tree options where no tree is grown.
    pub(super) fn check_for_walk(&self) -> Result<(), Usage> {
        self.tree.only_for(Learner::Logistic)
    }
}

impl Learn {
    /// The plan of a bootstrap.
    pub(super) fn bootstrap_plan(&self, game: &DynGame) -> Result<BootstrapPlan, Usage> {
        let of_the_walk = [
            ("--solve-at", self.solve_at.is_some()),
            ("--decided-at", self.decided_at.is_some()),
            ("--searched", self.searched.is_some()),
            ("--cpu-ms", self.cpu_ms.is_some()),
            ("--calibration", self.calibration.is_some()),
        ];
        if let Some((flag, _)) = of_the_walk.into_iter().find(|(_, given)| *given) {
            return Err(Usage(format!("{flag} has no use in a bootstrap; leave it out")));
        }
        let own = &self.bootstrap;
        let usual = BootstrapPlan::new(&game.defaults());
        let learner = own.learner.unwrap_or(usual.learner);
        own.tree.only_for(learner)?;
        let mut plan = BootstrapPlan {
            learner,
            features: own.features.clone(),
            rounds: own.rounds.unwrap_or(usual.rounds),
            games: self.games.unwrap_or(usual.games),
            depth: self.depth.unwrap_or(usual.depth),
            label_depth: own.label_depth.unwrap_or(usual.label_depth),
            chance: self.chance.unwrap_or(usual.chance),
            opening_plies: self.opening_plies.unwrap_or(usual.opening_plies),
            expand: own.expand,
            memory: own.memory.unwrap_or(usual.memory),
            tree: own.tree.params(&usual.tree, self.seed),
            holdout: self.holdout,
            match_every: own.match_every.unwrap_or(usual.match_every),
            pairs: self.pairs.unwrap_or(usual.pairs),
            patience: own.patience.unwrap_or(usual.patience),
            seed: self.seed,
            ..usual
        };
        plan.logistic.stages.radius = self.radius.unwrap_or(plan.logistic.stages.radius);
        Ok(plan)
    }
}
