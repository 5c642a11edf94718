//! `evalsmith data label`: what positions are worth by other lights.

use super::by_engine::{self, EngineOptions, Thinking};
use crate::engine::ByFunction;
use crate::failure::{Usage, command_line};
use crate::options::{game, show, stages};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    Agreed, Dataset, DynGame, FunctionName, How, LabError, LabelOrder, Labels, MakeExpert, Shard,
    Stage, agreement, label_by_expert, label_dataset,
};
use evalsmith_othello::{Portable, X86V3, with_best_kernel};
use std::path::PathBuf;

/// Adds a label to every position of a dataset, beside its result.
///
/// The dataset is left as it is; another one is written with one column more.
/// Killed at any moment, the same command goes on behind the last finished part.
#[derive(Args)]
pub(crate) struct Label {
    /// The dataset's folder
    data: PathBuf,
    /// Folder for the labelled dataset
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How to label
    #[arg(long, value_enum)]
    by: By,
    /// The label's name [default: that of the way it is made; of `search`: searched]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// For `exact`, `verdict` and `engine`: solve positions with at most so many
    /// moves left [default: 12]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(0..=26))]
    moves_left: Option<u32>,
    /// For `search`, `engine` and `corrected`: plies searched [default: 6]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// For `search`, `engine` and `corrected`: who searches: `hand`, `trivial`,
    /// `shipped`, or a model file [default: hand; of `engine`: shipped]
    #[arg(long, value_name = "FUNCTION")]
    function: Option<FunctionName>,
    /// For `search`: label the positions of these stages only, as in 40-44; the
    /// others keep their place and have no label
    #[arg(long, value_name = "FIRST-LAST", value_parser = stages)]
    stages: Option<[Stage; 2]>,
    #[command(flatten)]
    engine: EngineOptions,
    /// For `corrected`: the log-odds from which a search is believed against the
    /// result [default: 3]
    #[arg(long, value_name = "LOG-ODDS")]
    sure: Option<f64>,
    /// For `mate`: nodes searched in each position [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    nodes: Option<u64>,
    /// For `tree`: a label whose values are exact margins and stand as they are
    #[arg(long, value_name = "LABEL")]
    exact: Option<String>,
    /// Add the position after the best move under the negated label, so that no
    /// false bonus for the side to move is learned
    #[arg(long)]
    successors: bool,
    /// Compare the new label with this one, by who wins
    #[arg(long, value_name = "LABEL")]
    compare: Option<String>,
    /// Label only this share of the games, the first of four as 1/4; `data merge`
    /// puts the shards together
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The margin under perfect play, by the game's solver
    Exact,
    /// Win, draw or loss under perfect play, by the game's solver
    Verdict,
    /// A search of fixed depth
    Search,
    /// The margin that the Othello engine expects, proven near the end; much faster
    /// than `search`
    Engine,
    /// Negamax over all games of the dataset, equal positions merged
    Tree,
    /// The result, turned where a search is sure that it was given away
    Corrected,
    /// The result, or the win of who first had a mate, where the game has a search for them
    Mate,
}

impl By {
    const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Verdict => "verdict",
            Self::Search => "searched",
            Self::Engine => "engine",
            Self::Tree => "tree",
            Self::Corrected => "corrected",
            Self::Mate => "mate",
        }
    }
}

impl Label {
    /// An option that the chosen way does not look at was meant for another.
    fn refuse_what_nobody_asks(&self) -> Result<(), Usage> {
        let options = [
            ("--moves-left", self.moves_left.is_some(), &[By::Exact, By::Verdict, By::Engine][..]),
            ("--depth", self.depth.is_some(), &[By::Search, By::Engine, By::Corrected]),
            ("--function", self.function.is_some(), &[By::Search, By::Engine, By::Corrected]),
            ("--selectivity", self.engine.selectivity.is_some(), &[By::Engine]),
            ("--probcut", self.engine.probcut.is_some(), &[By::Engine]),
            ("--stages", self.stages.is_some(), &[By::Search]),
            ("--sure", self.sure.is_some(), &[By::Corrected]),
            ("--nodes", self.nodes.is_some(), &[By::Mate]),
            ("--exact", self.exact.is_some(), &[By::Tree]),
        ];
        let idle = options.iter().find(|(_, given, of)| *given && !of.contains(&self.by));
        idle.map_or(Ok(()), |(option, _, of)| {
            let ways = of.iter().filter_map(ValueEnum::to_possible_value);
            let ways: Vec<_> = ways.map(|way| way.get_name().to_owned()).collect();
            Err(Usage(format!("{option} goes with --by {}", ways.join(" or --by "))))
        })
    }

    pub(super) fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        self.refuse_what_nobody_asks()?;
        let known = |name: &str| dataset.manifest().labels.iter().any(|label| label.name == name);
        if let Some(reference) = self.compare.as_deref().filter(|name| !known(name)) {
            let names: Vec<_> =
                dataset.manifest().labels.iter().map(|label| label.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Usage(format!(
                "--compare {reference}: {} has no such label; it has {names}",
                self.data.display()
            ))
            .into());
        }
        let (moves_left, depth) = (self.moves_left.unwrap_or(12), self.depth.unwrap_or(6));
        let usual = if self.by == By::Engine { FunctionName::Shipped } else { FunctionName::Hand };
        let function = self.function.clone().unwrap_or(usual);
        let thinking = match self.by {
            By::Engine => {
                by_engine::check_game(&dataset.manifest().game)?;
                Some(Thinking::new(&self.engine, &function, depth, moves_left)?)
            }
            _ => None,
        };
        let how = match self.by {
            By::Engine => thinking.as_ref().map(Thinking::how).expect("it was just made"),
            By::Exact => How::Exact { moves_left },
            By::Verdict => How::Verdict { moves_left },
            By::Search => How::Search { depth, stages: self.stages },
            By::Tree => How::GameTree { exact: self.exact.clone() },
            By::Mate => How::Mate { nodes: self.nodes.unwrap_or(10_000) },
            By::Corrected => How::Corrected { depth, sure: self.sure.unwrap_or(3.0) },
        };
        let order = LabelOrder {
            name: self.name.clone().unwrap_or_else(|| self.by.name().to_owned()),
            how,
            successors: self.successors,
            shard: self.shard,
            function: function.to_string(),
        };
        let labels = match &thinking {
            Some(thinking) => self.label_by_engine(thinking, &function, &order, &dataset)?,
            None => label_dataset(
                &game(&dataset.manifest().game)?,
                &self.data,
                &function,
                &order,
                &command_line(),
                &self.out,
                &Terminal::resumable(),
            )?,
        };
        show(&super::written(&labels.written, &self.out))?;
        if labels.labelled > 0 {
            let of = labels.written.positions - labels.successors;
            let successors = match labels.successors {
                0 => String::new(),
                added => format!(", and {added} successors"),
            };
            let tree = labels.nodes.map_or_else(String::new, |nodes| {
                format!("; {nodes} different positions in the tree")
            });
            let (labelled, name) = (labels.labelled, &order.name);
            let line =
                format!("{labelled} of {of} positions have the label {name}{successors}{tree}");
            show(&line)?;
        }
        let made = Dataset::open(&self.out).map_err(LabError::from)?;
        let agreed =
            agreement(&made, &order.name, self.compare.as_deref()).map_err(LabError::from)?;
        tell(&agreed, &order.name, self.compare.as_deref())
    }

    fn label_by_engine(
        &self,
        thinking: &Thinking,
        function: &FunctionName,
        order: &LabelOrder,
        data: &Dataset,
    ) -> anyhow::Result<Labels> {
        let order = LabelOrder { function: ByFunction::identity(function)?, ..order.clone() };
        let (out, command, terminal) = (&self.out, command_line(), Terminal::resumable());
        let label = |game: &DynGame, lend: &MakeExpert<'_>| {
            label_by_expert(game, lend, data, &order, &command, out, &terminal)
        };
        let labels = with_best_kernel(
            |game| label(&DynGame::new(game), &|| thinking.lend::<Portable>()),
            |game| label(&DynGame::new(game), &|| thinking.lend::<X86V3>()),
        );
        Ok(labels.map_err(LabError::from)?)
    }
}

fn tell(agreed: &Agreed, label: &str, reference: Option<&str>) -> anyhow::Result<()> {
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    if agreed.rows > 0 {
        show(&format!(
            "{label} names another winner than the result in {} of {} positions ({:.2} %)",
            agreed.changed,
            agreed.rows,
            share(agreed.changed, agreed.rows)
        ))?;
    }
    if let Some(reference) = reference {
        let Agreed { compared, label: of_label, result, .. } = *agreed;
        show(&format!(
            "of {compared} positions with {reference}: {label} names its winner in {of_label} \
             ({:.2} %), the result in {result} ({:.2} %)",
            share(of_label, compared),
            share(result, compared)
        ))?;
    }
    Ok(())
}
