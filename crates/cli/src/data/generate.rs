//! `evalsmith data generate`: self-play.

use crate::failure::command_line;
use crate::options::{game, game_name, share, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{
    FunctionName, Game, LearnPlan, SelfPlayOpenings, SelfPlayOrder, Shard, self_play,
};
use std::path::PathBuf;

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
    /// The opponent, where it is another function; they change sides with every game
    #[arg(long, value_name = "FUNCTION")]
    against: Option<FunctionName>,
    /// Games to play [default: set by the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: Option<u32>,
    /// Plies searched for a move [default: set by the game]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Random half-moves before positions are recorded [default: set by the game]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<u16>,
    /// Begin with all different positions after --opening-plies, in turn, instead
    /// of random ones
    #[arg(long, conflicts_with = "openings")]
    enumerate: bool,
    /// Begin with the openings of this file, in turn: a line each, as moves or as
    /// a position
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    openings: Option<PathBuf>,
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
    /// Share of games in which one player searches only --weaker-depth plies
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = 0.0)]
    weaker: f64,
    /// Plies searched by the weaker player
    #[arg(long, value_name = "PLIES", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=60))]
    weaker_depth: u8,
    /// Write, instead of the games' own positions, so many of those that each
    /// player's searches evaluated in a game: without a result, to be labelled
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=100_000))]
    from_search: u32,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play only this share of the games, the first of four as 1/4; `data merge`
    /// puts the shards together
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
}

impl Generate {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let game = game(&self.game)?;
        let mut plan = LearnPlan::new(&game.defaults()).self_play;
        plan.seed = self.seed;
        plan.shard = self.shard;
        plan.chance = self.chance.unwrap_or(plan.chance);
        plan.games = self.games.unwrap_or(plan.games);
        plan.depth = self.depth.unwrap_or(plan.depth);
        plan.opening_plies = self.opening_plies.unwrap_or(plan.opening_plies);
        plan.solve_at = self.solve_at.unwrap_or(plan.solve_at);
        plan.decided_at = self.decided_at.unwrap_or(plan.decided_at);
        plan.weaker = self.weaker;
        plan.weaker_depth = self.weaker_depth;
        plan.from_search = self.from_search;
        let openings = match self.openings {
            Some(file) => SelfPlayOpenings::List(file),
            None if self.enumerate => SelfPlayOpenings::Enumerated,
            None => SelfPlayOpenings::Random,
        };
        let order = SelfPlayOrder { function: self.function, against: self.against, openings };
        let (command, progress) = (command_line(), Terminal::resumable());
        let made = self_play(&game, &order, &plan, &command, &self.out, &progress)?;
        show(&format!(
            "{} positions of {} games in {}",
            made.positions,
            made.games,
            self.out.display()
        ))
    }
}
