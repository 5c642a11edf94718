//! The options that all matches share.

use crate::engine::seconds;
use crate::failure::Usage;
use crate::learn::milliseconds;
use crate::options::game;
use clap::Args;
use evalsmith_lab::prelude::{
    Adjudication, Contender, Even, FunctionName, Game, OpeningSource, Pace, Roster, Terms,
};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct TermsOptions {
    /// Pairs of games [default: all openings of a list, else set by the game]
    #[arg(long, visible_alias = "max-pairs", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: Option<u32>,
    /// A TOML file that orders it all: the words before the options as `game` and
    /// `players`, options by their long names, and tables of players as in
    /// --engines; options given here win
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// A TOML file of players: a table for each, with `protocol`, `command`,
    /// `arguments`, `folder`, `environment`, `options`, `patience`, or `function`; and `pace`
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    #[command(flatten)]
    openings: OpeningOptions,
    #[command(flatten)]
    even: EvenOptions,
    #[command(flatten)]
    pace: PaceOptions,
    /// Games end with the solver's outcome at this many moves left; 0 never
    #[arg(long, value_name = "MOVES", default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=18))]
    solve_at: u32,
    /// Games end once both players have thought them decided by this many
    /// log-odds for four moves; 0 never
    #[arg(long, value_name = "LOGODDS", default_value_t = 0.0, value_parser = log_odds)]
    decided_at: f64,
    /// Seconds that an engine may think of a move when depth or nodes are its only
    /// limits; then it forfeits the game [default: 60, or its `patience`]
    #[arg(long, value_name = "S", value_parser = seconds)]
    move_timeout: Option<Duration>,
    /// The match stops when a player has failed in this many games running
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max_faults: u32,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
struct OpeningOptions {
    /// Openings of so many random half-moves [default: set by the game]; with
    /// --openings, the half-moves kept of each [default: all]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<u16>,
    /// All positions after so many half-moves, up to symmetry
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["opening_plies", "openings"])]
    enumerate: Option<u16>,
    /// A PGN file, or one with an opening a line: moves, a position (FEN, SFEN,
    /// EPD, OBF) or a `position` command of UCI or USI
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
}

#[derive(Args)]
struct EvenOptions {
    /// Only openings whose value is within so many log-odds of zero
    #[arg(long, value_name = "LOGODDS", value_parser = log_odds)]
    even: Option<f64>,
    /// Plies searched for that value
    #[arg(long, value_name = "PLIES", default_value_t = 4, requires = "even", value_parser = clap::value_parser!(u8).range(0..=20))]
    even_depth: u8,
    /// The function that gives that value
    #[arg(long, value_name = "FUNCTION", default_value = "shipped", requires = "even")]
    even_by: FunctionName,
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
    /// Equal CPU time: milliseconds a move, which functions count in calibrated nodes
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    cpu_ms: Option<f64>,
    /// Any limit: depth=N, nodes=N, cpu=TIME, wall=TIME, cpu=TIME+TIME (a game
    /// and each move), wall=TIME+TIME; a player's own follows its name: hand@depth=3
    #[arg(long, value_name = "LIMIT")]
    pace: Option<Pace>,
}

impl TermsOptions {
    /// The terms of matches of this game.
    pub(crate) fn terms(&self, name: &str) -> anyhow::Result<Terms> {
        let defaults = game(name)?.defaults();
        let OpeningOptions { opening_plies, enumerate, openings } = &self.openings;
        let openings = match (enumerate, openings) {
            (Some(plies), _) => OpeningSource::Enumerated(*plies),
            (_, Some(file)) => OpeningSource::File { path: file.clone(), plies: *opening_plies },
            _ => OpeningSource::Random(opening_plies.unwrap_or(defaults.match_plies)),
        };
        let EvenOptions { even, even_depth, even_by } = &self.even;
        let even =
            even.map(|within| Even { within, depth: *even_depth, function: even_by.clone() });
        let PaceOptions { depth, nodes, cpu_ms, pace } = &self.pace;
        let pace = match (pace, nodes, cpu_ms) {
            (Some(pace), ..) => *pace,
            (_, Some(nodes), _) => Pace::Nodes(*nodes),
            (.., Some(ms)) => Pace::cpu_micros((ms * 1000.0).round() as u64),
            _ => Pace::Depth(depth.unwrap_or(defaults.depth)),
        };
        let adjudication = Adjudication { solve_at: self.solve_at, decided_at: self.decided_at };
        let (pairs, seed, max_faults) = (self.pairs, self.seed, self.max_faults);
        Ok(Terms { pairs, openings, even, seed, pace, adjudication, max_faults })
    }

    /// Whether a limit was given for all players.
    pub(crate) fn limits_all(&self) -> bool {
        let PaceOptions { depth, nodes, cpu_ms, pace } = &self.pace;
        depth.is_some() || nodes.is_some() || cpu_ms.is_some() || pace.is_some()
    }

    /// The players that these texts name; all that the file has, where none does.
    pub(crate) fn players(&self, texts: &[String]) -> anyhow::Result<Vec<Contender>> {
        let roster = match self.engines.as_ref().or(self.plan.as_ref()) {
            None => Roster::default(),
            Some(file) => Roster::load(file)?,
        };
        let all = roster.names();
        let texts = if texts.is_empty() { &all[..] } else { texts };
        let mut players: Vec<Contender> =
            texts.iter().map(|text| roster.player(text)).collect::<Result<_, _>>()?;
        if let Some(timeout) = self.move_timeout {
            for player in &mut players {
                player.wait_at_most(timeout);
            }
        }
        Ok(players)
    }

    /// The two players of a match.
    pub(crate) fn two_players(&self, texts: &[String; 2]) -> anyhow::Result<[Contender; 2]> {
        self.players(texts)?.try_into().map_err(|_| Usage("a match has two players".into()).into())
    }
}

fn log_odds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.0..=1000.0).contains(&x) => Ok(x),
        _ => Err("log-odds are a number from 0 to 1000".into()),
    }
}
