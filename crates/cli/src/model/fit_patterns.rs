//! `evalsmith model fit --learner patterns`: weights of patterns, group by group.

use crate::failure::{Usage, command_line};
use crate::options::{game, show};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    Dataset, LabError, Learner, LinkName, PatternFitPlan, TypeRule, fit_patterns, pattern_names,
};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Who learns: over features, patterns or configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LearnerName {
    Of(Learner),
    Patterns,
    Configurations,
}

const PATTERNS: &str = "patterns";
const CONFIGURATIONS: &str = "configurations";

impl FromStr for LearnerName {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            PATTERNS => Ok(Self::Patterns),
            CONFIGURATIONS => Ok(Self::Configurations),
            _ => {
                text.parse().map(Self::Of).map_err(|e| format!("{e}, {PATTERNS}, {CONFIGURATIONS}"))
            }
        }
    }
}

impl std::fmt::Display for LearnerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Of(learner) => write!(f, "{learner}"),
            Self::Patterns => f.write_str(PATTERNS),
            Self::Configurations => f.write_str(CONFIGURATIONS),
        }
    }
}

/// What only fits of patterns and configurations know.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Patterns and configurations")]
pub(super) struct PatternOptions {
    /// The patterns: a set by name (buro98, edax, evalsmith; buro98+A+B with large
    /// sparse ones of Fig. 8), or a TOML file
    #[arg(long, value_name = "SET")]
    patterns: Option<String>,
    /// What the weights of a position add up to: the final margin, log-odds
    /// (logistic), or what a sigmoid turns into a margin (range) [default: margin]
    #[arg(long, value_enum, value_name = "LINK")]
    link: Option<Link>,
    /// Begin with the weights of this model, and hold weights to them
    #[arg(long, value_name = "MODEL")]
    start_from: Option<PathBuf>,
    /// Stages that share weights [default: 4]
    #[arg(long, value_name = "STAGES", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) stage_width: Option<u16>,
    /// Groups of stages, at most, counted from the end of the game [default: 13]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) groups: Option<u16>,
    /// Give stages of even and of odd number weights of their own: in Othello, who has
    /// the last move
    #[arg(long)]
    parity: bool,
    /// How firmly weights are held to what they began with, in positions; the best of
    /// several on the games held out [default: 1,5,25,125]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(super) ridge: Vec<f64>,
    /// Where weights of states that a group has met seldom come from: its neighbours'
    /// positions pooled, nowhere (own), the paper's counts with neighbours merged or on a
    /// line, means over neighbours (smoothed), or the best of all on the games held out,
    /// which are compared in a table [default: pooled]
    #[arg(long, value_enum, value_name = "RULE")]
    types: Option<Types>,
    /// Take the paper's plain gradient, with this share of each step carried on into
    /// the next (0 to below 1), instead of conjugate gradients
    #[arg(long, value_name = "SHARE")]
    momentum: Option<f64>,
    /// Let no weight grow larger than this, in discs or log-odds as --link says
    #[arg(long, value_name = "WEIGHT")]
    most_weight: Option<f32>,
    /// Leave the weights of these patterns as they are in --start-from, or at zero
    #[arg(long, value_name = "PATTERN,...", value_delimiter = ',')]
    fix: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Types {
    Pooled,
    Own,
    Merged,
    Line,
    Smoothed,
    Best,
}

impl Types {
    fn rule(self) -> Option<TypeRule> {
        match self {
            Self::Pooled => Some(TypeRule::Pooled),
            Self::Own => Some(TypeRule::Own),
            Self::Merged => Some(TypeRule::Merged),
            Self::Line => Some(TypeRule::Line),
            Self::Smoothed => Some(TypeRule::Smoothed),
            Self::Best => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Link {
    Margin,
    Logistic,
    Range,
}

/// What a fit of patterns shares with others.
pub(super) struct Shared<'a> {
    pub(super) data: &'a Path,
    pub(super) output: &'a Path,
    pub(super) label: Option<&'a str>,
    pub(super) radius: Option<u8>,
    pub(super) holdout: Option<f64>,
    pub(super) seed: u64,
    pub(super) min_count: Option<u32>,
}

impl Shared<'_> {
    /// The labels named, in order.
    pub(super) fn labels(&self) -> Option<Vec<String>> {
        Some(self.label?.split(',').map(|label| label.trim().to_owned()).collect())
    }
}

impl PatternOptions {
    /// The first option given that configurations have no use for.
    pub(super) fn only_for_patterns(&self) -> Option<&'static str> {
        let given = [
            ("--patterns", self.patterns.is_some()),
            ("--start-from", self.start_from.is_some()),
            ("--parity", self.parity),
            ("--types", self.types.is_some()),
            ("--momentum", self.momentum.is_some()),
            ("--most-weight", self.most_weight.is_some()),
            ("--fix", !self.fix.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    pub(super) fn link(&self) -> LinkName {
        match self.link {
            None | Some(Link::Margin) => LinkName::Margin,
            Some(Link::Logistic) => LinkName::Logistic,
            Some(Link::Range) => LinkName::Range,
        }
    }

    /// The first option given, for fits that have no use for it.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--patterns", self.patterns.is_some()),
            ("--link", self.link.is_some()),
            ("--start-from", self.start_from.is_some()),
            ("--stage-width", self.stage_width.is_some()),
            ("--groups", self.groups.is_some()),
            ("--parity", self.parity),
            ("--ridge", !self.ridge.is_empty()),
            ("--types", self.types.is_some()),
            ("--momentum", self.momentum.is_some()),
            ("--most-weight", self.most_weight.is_some()),
            ("--fix", !self.fix.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    pub(super) fn fit(&self, shared: &Shared<'_>) -> anyhow::Result<()> {
        let Some(patterns) = &self.patterns else {
            let known = pattern_names().join(", ");
            let message = format!("name the patterns with --patterns: {known}, or a TOML file");
            return Err(Usage(message).into());
        };
        let mut plan = PatternFitPlan::new(patterns.clone().into());
        if let Some(labels) = shared.labels() {
            plan.labels = labels;
        }
        plan.link = self.link();
        plan.stage_width = self.stage_width.map_or(plan.stage_width, usize::from);
        plan.groups = self.groups.map_or(plan.groups, usize::from);
        plan.parity = self.parity;
        plan.radius = shared.radius.map_or(plan.radius, usize::from);
        plan.holdout = shared.holdout.unwrap_or(plan.holdout);
        plan.seed = shared.seed;
        if let Some(count) = shared.min_count {
            plan.min_count = u16::try_from(count).map_err(|_| {
                Usage(format!("--min-count {count}: states are counted up to 65535"))
            })?;
        }
        if let Some(types) = self.types {
            plan.types = types.rule();
        }
        plan.momentum = self.momentum;
        plan.most_weight = self.most_weight;
        plan.fix.clone_from(&self.fix);
        if !self.ridge.is_empty() {
            plan.ridges.clone_from(&self.ridge);
        }
        let dataset = Dataset::open(shared.data).map_err(LabError::from)?;
        let fitted = fit_patterns(
            &game(&dataset.manifest().game)?,
            &dataset,
            &plan,
            self.start_from.as_deref(),
            shared.output,
            &command_line(),
            &Terminal::resumable(),
        )?;
        if let Some(table) = fitted.compared_table() {
            show(&table.to_text())?;
        }
        show(&fitted.table().to_text())?;
        show(&fitted.in_words())
    }
}
