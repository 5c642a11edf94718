//! `evalsmith data`: positions with labels.

use crate::failure::command_line;
use crate::options::{Format, game, game_name, may_write, print, share, show};
use crate::progress::Terminal;
use clap::{Args, Subcommand};
use evalsmith_lab::prelude::{Dataset, FunctionName, LearnPlan, Table};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Data {
    Generate(Generate),
    Info(Info),
    Features(Features),
}

impl Data {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Generate(job) => job.run(),
            Self::Info(job) => job.run(),
            Self::Features(job) => job.run(),
        }
    }
}

/// Plays games of GAME and writes every position with its game's result.
///
/// A dataset is a folder of Parquet parts. Killed at any moment, the same
/// command goes on and makes the same rows as an undisturbed run.
#[derive(Args)]
pub(crate) struct Generate {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// Folder for the dataset
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Who plays: `hand`, `trivial`, `shipped`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "hand")]
    function: FunctionName,
    /// Games to play [default: set by the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: Option<u32>,
    /// Plies searched for a move [default: set by the game]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Random half-moves before positions are recorded [default: set by the game]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<u16>,
    /// Probability that a move is random instead of searched [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    chance: Option<f64>,
    /// Solve the game exactly at this many moves left; 0 plays on [default: set by the game]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(0..=18))]
    solve_at: Option<u32>,
    /// End a game once both players think it decided by this many log-odds; 0
    /// plays on [default: set by the game]
    #[arg(long, value_name = "LOG-ODDS")]
    decided_at: Option<f64>,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Generate {
    fn run(self) -> anyhow::Result<()> {
        let game = game(&self.game)?;
        let mut plan = LearnPlan::new(&game.defaults()).self_play;
        plan.seed = self.seed;
        plan.chance = self.chance.unwrap_or(plan.chance);
        plan.games = self.games.unwrap_or(plan.games);
        plan.depth = self.depth.unwrap_or(plan.depth);
        plan.opening_plies = self.opening_plies.unwrap_or(plan.opening_plies);
        plan.solve_at = self.solve_at.unwrap_or(plan.solve_at);
        plan.decided_at = self.decided_at.unwrap_or(plan.decided_at);
        let made =
            game.generate(&self.function, &plan, &command_line(), &self.out, &Terminal::new())?;
        show(&format!(
            "{} positions of {} games in {}",
            made.positions,
            made.games,
            self.out.display()
        ))
    }
}

/// Counts games, positions, stages, results and duplicates of a dataset.
#[derive(Args)]
pub(crate) struct Info {
    /// The dataset's folder
    data: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Info {
    fn run(self) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data)?;
        let info = dataset.info()?;
        let mut table = Table::new(["", "value"]);
        let mut row = |name: &str, value: String| table.push([name.to_owned(), value]);
        let about = if info.exact { "" } else { "about " };
        row("game", info.game.clone());
        row("games", info.games.to_string());
        row("distinct games", format!("{about}{}", info.distinct_games));
        row("positions", info.positions.to_string());
        row("distinct positions", format!("{about}{}", info.distinct_positions));
        row("duplicates", format!("{:.2} %", 100.0 * info.duplicates));
        row("first player wins", info.wins.to_string());
        row("draws", info.draws.to_string());
        row("first player loses", info.losses.to_string());
        for (reason, count) in &info.endings {
            row(&format!("ended by {reason}"), count.to_string());
        }
        for label in &info.labels {
            row(&format!("label {}", label.name), label.made.clone());
        }
        row("parts", format!("{}, {} bytes", info.parts, info.bytes));
        row("made by", dataset.manifest().command.clone());
        row("digest", info.digest.to_string());
        for (stage, count) in &info.by_stage {
            row(&format!("stage {stage}"), count.to_string());
        }
        print(self.format, &table, &info)
    }
}

/// Writes a table that pandas, polars or DuckDB open: one row a position with
/// its game, stage, side to move, points (1, 1/2, 0), margin and every feature.
#[derive(Args)]
pub(crate) struct Features {
    /// The dataset's folder
    data: PathBuf,
    /// The Parquet file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Features {
    fn run(self) -> anyhow::Result<()> {
        may_write(&self.output, self.force)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let rows = game.export_features(&self.data, &self.output, self.raw, &Terminal::new())?;
        show(&format!("{rows} rows in {}", self.output.display()))
    }
}
