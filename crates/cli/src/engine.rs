//! `evalsmith engine`: our games as engines, and the manners of other engines.

mod by_function;
mod fit_probcut;
mod opening;
mod othello;
mod serve_othello;

use crate::failure::Usage;
use crate::options::{Format, game, game_name, print};
use crate::stop::{self, Kept};
pub(crate) use by_function::ByFunction;
use clap::{Args, Subcommand};
use evalsmith_lab::prelude::{
    Budget, Engine as Outside, EngineSetup, FunctionName, Mark, Protocol, Table, check, protocols,
    speak,
};
pub(crate) use opening::BookName;
use serve_othello::OthelloOptions;
pub(crate) use serve_othello::{IN_PLAY, function_with_errors, read_probcut};
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::time::Duration;

/// Speaks as an engine that plays GAME, for a graphical program or an arena.
///
/// The dialogue is on standard input and output, and ends with `quit` or the end
/// of the input. All limits hold that are given here or by the client; where
/// neither gives one, a move takes a second. Othello has an engine of its own, which
/// thinks with one thread unless --threads says more. The command `check` tests
/// another engine's manners, `fit-probcut` fits what the Othello engine's search
/// leaves out.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Engine {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Subcommand)]
enum Verb {
    Check(Check),
    FitProbcut(fit_probcut::FitProbCut),
}

#[derive(Args)]
struct Serve {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name, required = true)]
    game: Option<String>,
    /// What is spoken: uci, usi, gtp, nboard or xboard [default: the game's first]
    #[arg(long, value_name = "P")]
    protocol: Option<Protocol>,
    /// The evaluation function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    #[command(flatten)]
    limits: Limits,
    /// Memory for the transposition tables
    #[arg(long, value_name = "MIB", default_value_t = EngineSetup::HASH as u64,
        value_parser = clap::value_parser!(u64).range(1..=EngineSetup::MOST_HASH as u64))]
    hash: u64,
    #[command(flatten)]
    othello: OthelloOptions,
}

#[derive(Args)]
struct Limits {
    /// Plies searched for a move at most
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Positions visited for a move at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seconds for a move at most
    #[arg(long, value_name = "S", value_parser = seconds)]
    move_time: Option<Duration>,
}

impl Limits {
    fn budget(&self) -> Budget {
        let Self { depth, nodes, move_time } = *self;
        Budget { depth, nodes, move_time, ..Budget::default() }
    }
}

/// Tests whether an engine keeps to its protocol, before a long match does.
///
/// Ends with exit code 0 only when no test failed. Tests that a protocol has no
/// words for are skipped.
#[derive(Args)]
struct Check {
    /// What the engine speaks: uci, usi, gtp, nboard or xboard
    #[arg(long, value_name = "P")]
    protocol: Protocol,
    /// The game it plays [default: the protocol's own]
    #[arg(long, value_name = "GAME", value_parser = game_name)]
    game: Option<String>,
    /// An option to set, as often as need be
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    #[command(flatten)]
    limits: Limits,
    /// How to write the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The engine's program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Engine {
    pub(crate) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        match self.verb {
            Some(Verb::Check(check)) => check.run(),
            Some(Verb::FitProbcut(fit)) => fit.run(threads),
            None => self.serve.run(threads),
        }
    }
}

impl Serve {
    fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let name = self.game.ok_or_else(|| Usage("name a game to play".into()))?;
        let game = game(&name)?;
        let spoken = protocols(&game);
        let protocol = self.protocol.or(spoken.first().copied()).ok_or_else(|| {
            Usage(format!("{name} is spoken in no protocol; play it with `evalsmith play {name}`"))
        })?;
        let setup = EngineSetup {
            function: self.function,
            limits: self.limits.budget(),
            hash: usize::try_from(self.hash)?,
        };
        if name == "othello" {
            return self.othello.serve(protocol, &setup, threads.map_or(1, usize::from));
        }
        if self.othello != OthelloOptions::default() {
            let only = "--selectivity, --probcut, --corner-quiescence, --without, --clock, --book, \
                        --variety and --seed are the Othello engine's alone";
            return Err(Usage(only.into()).into());
        }
        let input = Box::new(BufReader::new(io::stdin()));
        Ok(speak(&game, protocol, &setup, input, &mut io::stdout().lock())?)
    }
}

impl Check {
    fn run(self) -> anyhow::Result<()> {
        let name = self.game.unwrap_or_else(|| own_game(self.protocol).to_owned());
        let game = game(&name)?;
        let [program, arguments @ ..] = &self.command[..] else {
            return Err(Usage("name the engine's program after --".into()).into());
        };
        let mut engine = Outside::new(self.protocol, PathBuf::from(program));
        engine.arguments = arguments.to_vec();
        engine.options = self.options;
        let mut budget = self.limits.budget();
        if budget == Budget::default() {
            budget = quick(self.protocol);
        }
        stop::keeps(Kept::Nothing);
        let findings = check(&game, &engine, &budget);
        let mut table = Table::new(["test", "", "seen"]);
        for finding in &findings {
            let mark = match finding.mark {
                Mark::Pass => "pass",
                Mark::Fail => "FAIL",
                Mark::Skipped => "skipped",
            };
            table.push([finding.what, mark, &finding.detail]);
        }
        print(self.format, &table, &findings)?;
        let failed = findings.iter().filter(|finding| finding.mark == Mark::Fail).count();
        anyhow::ensure!(failed == 0, "{program} failed {failed} of {} tests", findings.len());
        Ok(())
    }
}

/// The game for which a protocol was made.
fn own_game(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Uci | Protocol::Xboard => "chess",
        Protocol::Usi => "shogi",
        Protocol::Gtp => "go",
        Protocol::NBoard => "othello",
    }
}

/// Limits that each protocol has words for and that cost little.
fn quick(protocol: Protocol) -> Budget {
    match protocol {
        Protocol::Gtp => Budget::default(),
        _ => Budget::depth(2),
    }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.001..=86_400.0).contains(&s) => Ok(Duration::from_secs_f64(s)),
        _ => Err("seconds are a number from 0.001 to 86400".into()),
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
