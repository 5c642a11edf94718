//! `evalsmith reproduce`: the papers' tables and figures.

use crate::failure::Usage;
use crate::options::{game, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::reproduce::{Experiment, Extent, experiments};
use std::path::PathBuf;

/// Rebuilds tables and figures of the papers and prints them beside the
/// published ones. Without a paper, lists what can be rebuilt.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// The paper: lee86, ...
    paper: Option<String>,
    /// Only this table or figure, for instance T3-1
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// Use the paper's sizes instead of quick ones
    #[arg(long)]
    full: bool,
    /// Folder for everything the runs make [default: reproduce-PAPER]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Reproduce {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let all = experiments()?;
        let Some(paper) = &self.paper else { return list(&all) };
        let chosen: Vec<_> = all
            .iter()
            .filter(|e| e.paper == *paper && self.only.as_ref().is_none_or(|id| *id == e.id))
            .collect();
        if chosen.is_empty() {
            let only = self.only.map_or(String::new(), |id| format!(" {id}"));
            let known: Vec<_> = all.iter().map(|e| format!("{} {}", e.paper, e.id)).collect();
            let known = known.join(", ");
            return Err(
                Usage(format!("there is no experiment {paper}{only}; known are: {known}")).into()
            );
        }
        let out = self.out.unwrap_or_else(|| format!("reproduce-{paper}").into());
        let extent = if self.full { Extent::Full } else { Extent::Quick };
        for experiment in chosen {
            let folder = out.join(&experiment.id);
            let game = game(&experiment.game)?;
            let made = game.reproduce(experiment, extent, self.seed, &folder, &Terminal::new())?;
            show(&made.to_text())?;
            show(&format!("The page: {}", folder.join("report.html").display()))?;
        }
        Ok(())
    }
}

fn list(all: &[Experiment]) -> anyhow::Result<()> {
    for e in all {
        show(&format!("{} {}  {}", e.paper, e.id, e.title))?;
    }
    Ok(())
}
