//! `evalsmith data label`: what positions are worth by other lights.

use crate::failure::{Usage, command_line};
use crate::options::{game, show};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    Agreed, Dataset, FunctionName, How, LabError, LabelOrder, Shard, agreement,
};
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
    /// The label's name [default: that of the way it is made]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// For `exact` and `verdict`: solve positions with at most so many moves left
    #[arg(long, value_name = "MOVES", default_value_t = 12,
          value_parser = clap::value_parser!(u32).range(0..=26))]
    moves_left: u32,
    /// For `search` and `corrected`: plies searched
    #[arg(long, value_name = "PLIES", default_value_t = 6,
          value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// For `search` and `corrected`: who searches: `hand`, `trivial`, `shipped`, or
    /// a model file
    #[arg(long, value_name = "FUNCTION", default_value = "hand")]
    function: FunctionName,
    /// For `corrected`: the log-odds from which a search is believed against the result
    #[arg(long, value_name = "LOG-ODDS", default_value_t = 3.0)]
    sure: f64,
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
    /// Negamax over all games of the dataset, equal positions merged
    Tree,
    /// The result, turned where a search is sure that it was given away
    Corrected,
}

impl By {
    const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Verdict => "verdict",
            Self::Search => "searched",
            Self::Tree => "tree",
            Self::Corrected => "corrected",
        }
    }
}

impl Label {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        if self.exact.is_some() && self.by != By::Tree {
            return Err(Usage("--exact goes with --by tree".into()).into());
        }
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
        let how = match self.by {
            By::Exact => How::Exact { moves_left: self.moves_left },
            By::Verdict => How::Verdict { moves_left: self.moves_left },
            By::Search => How::Search { depth: self.depth },
            By::Tree => How::GameTree { exact: self.exact },
            By::Corrected => How::Corrected { depth: self.depth, sure: self.sure },
        };
        let order = LabelOrder {
            name: self.name.unwrap_or_else(|| self.by.name().to_owned()),
            how,
            successors: self.successors,
            shard: self.shard,
            function: self.function.to_string(),
        };
        let game = game(&dataset.manifest().game)?;
        let labels = game.data().label(
            &self.data,
            &self.function,
            &order,
            &command_line(),
            &self.out,
            &Terminal::new(),
        )?;
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
