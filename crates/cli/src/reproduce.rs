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
        let mut unfinished = Vec::new();
        for experiment in &chosen {
            let folder = out.join(&experiment.id);
            let game = game(&experiment.game)?;
            match experiment.run(&game, extent, self.seed, &folder, &Terminal::resumable()) {
                Ok(made) => {
                    show(&made.to_text())?;
                    show(&format!("The page: {}", folder.join("report.html").display()))?;
                }
                // The others do not depend on this one.
                Err(error) if chosen.len() > 1 && !error.is_stop() => {
                    show(&format!("{paper} {}: not finished: {error}", experiment.id))?;
                    unfinished.push(experiment.id.as_str());
                }
                Err(error) => return Err(error.into()),
            }
        }
        if unfinished.is_empty() {
            return Ok(());
        }
        let ids = unfinished.join(", ");
        anyhow::bail!("not finished: {ids}; once that is mended, the same command goes on")
    }
}

fn list(all: &[Experiment]) -> anyhow::Result<()> {
    for e in all {
        show(&format!("{} {}  {}", e.paper, e.id, e.title))?;
    }
    Ok(())
}
