//! `evalsmith curve`: evaluation curves.

use crate::failure::Usage;
use crate::options::{game, may_write, show};
use crate::progress::Terminal;
use anyhow::Context;
use clap::{Args, Subcommand};
use evalsmith_lab::prelude::{CurvePlan, Dataset, Draws, FunctionName, curve_file, files};
use std::io::Write;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Curve {
    Draw(Draw),
}

impl Curve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Draw(job) => job.run(),
        }
    }
}

/// Draws how often the first player wins at each value of a function.
///
/// Values are log-odds of the first player; bands are 95 % intervals clustered
/// by game; the histogram below counts positions. The output's ending decides
/// its form: .svg, .html, .csv or .json.
#[derive(Args)]
pub(crate) struct Draw {
    /// The dataset's folder
    data: PathBuf,
    /// The function: `hand`, `trivial`, `shipped`, or a model file
    #[arg(long, value_name = "FUNCTION")]
    function: FunctionName,
    /// The file to write: .svg, .html, .csv or .json
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width of a bin in log-odds [default: a round number that gives about 40 bins]
    #[arg(long, value_name = "WIDTH")]
    bin_width: Option<f64>,
    /// Bins with fewer positions are left out of the curve
    #[arg(long, value_name = "N", default_value_t = 1000)]
    min_count: u64,
    /// Count a draw as half a win instead of leaving it out
    #[arg(long)]
    draws_half: bool,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Draw {
    fn run(self) -> anyhow::Result<()> {
        let ending =
            self.output.extension().and_then(|e| e.to_str()).unwrap_or_default().to_owned();
        if !["svg", "html", "csv", "json"].contains(&ending.as_str()) {
            let output = self.output.display();
            return Err(
                Usage(format!("{output}: end the name in .svg, .html, .csv or .json")).into()
            );
        }
        may_write(&self.output, self.force)?;
        let dataset = Dataset::open(&self.data)?;
        let draws = if self.draws_half { Draws::Half } else { Draws::LeftOut };
        let plan = CurvePlan {
            bin_width: self.bin_width,
            min_count: self.min_count,
            draws,
            raw: self.raw,
        };
        let game = game(&dataset.manifest().game)?;
        let curve = game.curve(&self.data, &self.function, &plan, &Terminal::new())?;
        let source =
            format!("{} of {}, {}", self.function, dataset.manifest().game, self.data.display());
        let text = curve_file(&curve, &source, &ending)?;
        files::write_atomically(&self.output, |file| file.write_all(text.as_bytes()))
            .with_context(|| self.output.display().to_string())?;
        show(&format!(
            "{} positions of {} games, {} bins drawn, {}: {}",
            curve.bins.iter().map(|b| b.count).sum::<u64>(),
            curve.games,
            curve.drawn().count(),
            if curve.monotone { "monotone" } else { "NOT monotone" },
            self.output.display()
        ))
    }
}
