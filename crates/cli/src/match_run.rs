//! `evalsmith match`: evaluation functions against each other.

use crate::learn::milliseconds;
use crate::options::{Format, game, game_name, print};
use crate::progress::Terminal;
use clap::{Args, Subcommand};
use evalsmith_lab::prelude::{DuelPlan, FunctionName, Pace, match_table};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Match {
    Run(Run),
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Run(job) => job.run(),
        }
    }
}

/// Plays A against B: every random opening twice, with colours reversed.
///
/// Results are from A's side. The unit of the error is the pair. The log holds
/// every game; with the same log the same command goes on after a kill.
#[derive(Args)]
pub(crate) struct Run {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// First function: `hand`, `trivial`, `shipped`, or a model file
    a: FunctionName,
    /// Second function
    b: FunctionName,
    /// File for the games, one JSON line each
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// Pairs of games [default: set by the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: Option<u32>,
    /// Random half-moves of an opening [default: set by the game]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<u16>,
    #[command(flatten)]
    pace: PaceOptions,
    /// Draws the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
#[group(multiple = false)]
struct PaceOptions {
    /// Equal depth: plies searched for a move [default: set by the game]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Equal nodes: positions visited for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Equal CPU time: milliseconds a move, played by calibrated nodes
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    cpu_ms: Option<f64>,
}

impl Run {
    fn run(self) -> anyhow::Result<()> {
        let game = game(&self.game)?;
        let defaults = game.defaults();
        let pace = match (self.pace.depth, self.pace.nodes, self.pace.cpu_ms) {
            (_, Some(nodes), _) => Pace::Nodes(nodes),
            (_, _, Some(ms)) => Pace::CpuMicros((ms * 1000.0).round() as u64),
            (depth, None, None) => Pace::Depth(depth.unwrap_or(defaults.depth)),
        };
        let plan = DuelPlan {
            pairs: self.pairs.unwrap_or(defaults.pairs),
            opening_plies: self.opening_plies.unwrap_or(defaults.match_plies),
            seed: self.seed,
            pace,
        };
        let mut calibration = self.log.clone().into_os_string();
        calibration.push(".calibration.json");
        let calibration = PathBuf::from(calibration);
        let functions = [self.a, self.b];
        let result = game.duel(&functions, &plan, &self.log, &calibration, &Terminal::new())?;
        print(self.format, &match_table(pace, &result), &result.stats)
    }
}
