//! `evalsmith learn`: from the rules to a proven evaluation function.

mod bootstrap;

use crate::failure::Usage;
use crate::options::{game, game_name, holdout, share, show};
use crate::progress::Terminal;
use bootstrap::Bootstrap;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{DynGame, Game, LearnPlan, bootstrap, learn};
use std::path::PathBuf;

/// Learns an evaluation function for GAME by self-play.
///
/// Plays games against itself with the hand-weighted function (with the trivial
/// one, which knows the rules only, where a game has no hand weights), labels
/// every position by its game's result, fits a logistic regression for each
/// stage of the game, draws the evaluation curve on games held out, plays the
/// learned function against the hand-weighted one at equal depth and at equal
/// CPU time and against the trivial one, and writes one page about it. Killed
/// at any moment, the same command goes on where it stopped and ends with the
/// same result.
///
/// With `--method bootstrap` nothing but the rules is known at first: rounds of
/// games by the last function, labels by a search with it, and a new function
/// fitted to them, beginning with the trivial one, until a sequential test in a
/// match finds no further improvement.
#[derive(Args)]
pub(crate) struct Learn {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// How to learn
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// Folder for everything the run makes [default: learn-GAME, bootstrap-GAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games of self-play; of a bootstrap, in each round [default: set by the game, 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: Option<u32>,
    /// Plies searched for a move, in self-play and in the equal-depth match [default: set by the game]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Random half-moves before positions are recorded [default: set by the game]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<u16>,
    /// Probability that a self-play move is random instead of searched [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    chance: Option<f64>,
    /// Solve the game exactly at this many moves left; 0 plays on [default: set by the game]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(0..=18))]
    solve_at: Option<u32>,
    /// End a game once both players think it decided by this many log-odds; 0
    /// plays on [default: set by the game]
    #[arg(long, value_name = "LOG-ODDS")]
    decided_at: Option<f64>,
    /// Stage N is fitted to the positions of stages N-R to N+R [default: set by the game]
    #[arg(long, value_name = "R")]
    radius: Option<u8>,
    /// Share of a position's target that is the search's opinion; the rest is
    /// the game's result [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    searched: Option<f64>,
    /// Share of the games held out to judge the fit
    #[arg(long, value_name = "SHARE", value_parser = holdout, default_value_t = 0.2)]
    holdout: f64,
    /// Pairs of games in each match: every opening is played with both colours [default: set by the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pairs: Option<u32>,
    /// Milliseconds of CPU time a move in the equal-time match [default: set by the game]
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    cpu_ms: Option<f64>,
    /// Use this stored calibration (nanoseconds a node) instead of measuring
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Decides all chance in the run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    bootstrap: Bootstrap,
}

/// How to learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// One walk: games by hand weights, one fit, matches
    #[default]
    Walk,
    /// Rounds from the rules alone
    Bootstrap,
}

impl Learn {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let game = game(&self.game)?;
        if self.method == Method::Bootstrap {
            let plan = self.bootstrap_plan(&game)?;
            let out = self.out.unwrap_or_else(|| format!("bootstrap-{}", self.game).into());
            let summary = bootstrap(&game, &plan, &out, &Terminal::resumable())?;
            return show(&summary.to_text(&out));
        }
        if let Some(flag) = self.bootstrap.given() {
            let message = format!("{flag} is about the bootstrap: add --method bootstrap");
            return Err(Usage(message).into());
        }
        self.bootstrap.check_for_walk()?;
        let plan = self.plan(&game);
        let out = self.out.unwrap_or_else(|| format!("learn-{}", self.game).into());
        let calibration = self.calibration.as_deref();
        let summary = learn(&game, &plan, &out, calibration, &Terminal::resumable())?;
        show(&summary.to_text(&out))
    }

    fn plan(&self, game: &DynGame) -> LearnPlan {
        let mut plan = LearnPlan::new(&game.defaults());
        let play = &mut plan.self_play;
        play.seed = self.seed;
        play.chance = self.chance.unwrap_or(play.chance);
        play.games = self.games.unwrap_or(play.games);
        play.depth = self.depth.unwrap_or(play.depth);
        play.opening_plies = self.opening_plies.unwrap_or(play.opening_plies);
        play.solve_at = self.solve_at.unwrap_or(play.solve_at);
        play.decided_at = self.decided_at.unwrap_or(play.decided_at);
        let fit = &mut plan.fit;
        fit.searched = self.searched.unwrap_or(fit.searched);
        fit.logistic.stages.radius = self.radius.unwrap_or(fit.logistic.stages.radius);
        plan.fit.holdout = self.holdout;
        plan.fit.seed = self.seed;
        plan.pairs = self.pairs.unwrap_or(plan.pairs);
        if let Some(ms) = self.cpu_ms {
            plan.cpu_micros = (ms * 1000.0).round() as u64;
        }
        plan
    }
}

/// A positive number of milliseconds, a minute at most.
pub(crate) fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if (0.001..=60_000.0).contains(&ms) => Ok(ms),
        _ => Err("milliseconds are a number from 0.001 to 60000".into()),
    }
}
