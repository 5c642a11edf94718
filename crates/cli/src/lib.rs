//! The `evalsmith` program, as a library: [`run`] is all of it, for any games.
//!
//! One file per noun. Results go to stdout, progress and notes to stderr; exit code 0 is
//! success, 1 a failure, 2 a wrong call, 130 a stop on request.
//!
//! ```no_run
//! # use evalsmith::prelude::*;
//! # fn main_of(my_game: impl Game) -> std::process::ExitCode {
//! let mut games = evalsmith::games();
//! games.push(DynGame::new(my_game));
//! evalsmith::run(games)
//! # }
//! ```

mod analyze;
mod bench;
mod book;
mod curve;
mod data;
mod engine;
mod failure;
mod games;
mod learn;
mod matches;
mod model;
mod options;
mod play;
mod progress;
mod reproduce;
mod serve;
mod solve;
mod stop;
mod tree_options;

pub use evalsmith_lab::prelude;

use clap::{Parser, Subcommand};
use evalsmith_lab::prelude::DynGame;
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// From the rules of a game to a fitted, explained and proven evaluation function.
#[derive(Parser)]
#[command(name = "evalsmith", version, propagate_version = true, max_term_width = 100)]
struct Arguments {
    /// Worker threads; what is made does not depend on it, the nodes of one search shared
    /// by several do [default: all cores; of an engine, one]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Stop as by Ctrl-C when stdin ends: whoever started the run has gone
    #[arg(long, global = true, hide = true)]
    until_stdin_closes: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Learn(learn::Learn),
    Play(play::Play),
    /// Make and inspect positions with labels
    #[command(subcommand)]
    Data(data::Data),
    /// Fit, show and compare evaluation functions
    #[command(subcommand)]
    Model(model::Model),
    /// Let evaluation functions and engines play each other, and tell who is stronger
    #[command(subcommand)]
    Match(matches::Match),
    Engine(engine::Engine),
    /// Draw evaluation curves, find where they split, and adjust values
    #[command(subcommand)]
    Curve(curve::Curve),
    Reproduce(reproduce::Reproduce),
    Bench(bench::Bench),
    Solve(solve::Solve),
    Analyze(analyze::Analyze),
    /// Build, extend, show and export opening books
    #[command(subcommand)]
    Book(book::BookVerb),
    Serve(serve::Serve),
    /// List the games, their features and the size of a first experiment
    Games,
}

/// The games that come with the program, in the order in which they are listed.
pub fn games() -> Vec<DynGame> {
    evalsmith_registry::games()
}

/// Runs the program that the command line asks for, with these games and no others.
///
/// # Panics
/// When it is called a second time.
pub fn run(games: Vec<DynGame>) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if !talks(&words) {
        stop::listen();
    }
    games::set(games);
    let words = match matches::plan::expand(words) {
        Ok(words) => words,
        Err(error) => return failure::report(&error),
    };
    let done = execute(Arguments::parse_from(words));
    stop::returned();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

/// Whether a command talks to somebody, and therefore ends as its partner or the system
/// wishes. It is known before the words are parsed, since parsing takes time.
fn talks(words: &[OsString]) -> bool {
    let is_option = |word: &&str| word.starts_with('-') || word.parse::<u64>().is_ok();
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    let mut next = || words.find(|word| !is_option(word));
    match next() {
        Some("play" | "serve") => true,
        Some("engine") => !matches!(next(), Some("check" | "fit-probcut")),
        _ => false,
    }
}

fn execute(arguments: Arguments) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    if arguments.until_stdin_closes {
        serve::stop_with_stdin();
    }
    match arguments.command {
        Command::Learn(job) => job.run(),
        Command::Play(job) => job.run(),
        Command::Data(job) => job.run(),
        Command::Model(job) => job.run(),
        Command::Match(job) => job.run(),
        Command::Engine(job) => job.run(arguments.threads),
        Command::Curve(job) => job.run(),
        Command::Reproduce(job) => job.run(),
        Command::Bench(job) => job.run(),
        Command::Solve(job) => job.run(arguments.threads),
        Command::Analyze(job) => job.run(arguments.threads),
        Command::Book(job) => job.run(arguments.threads),
        Command::Serve(job) => job.run(),
        Command::Games => options::list_games(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn talks_by(text: &str) -> bool {
        let words: Vec<_> = text.split(' ').map(OsString::from).collect();
        talks(&words)
    }

    #[test]
    fn every_command_listens_at_once_but_those_that_talk() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            let expected = ["engine", "play", "serve"].contains(&name);
            assert_eq!(talks_by(&format!("evalsmith --threads 2 {name} othello")), expected);
            for verb in command.get_subcommands() {
                let verb = format!("evalsmith {name} --threads 2 {}", verb.get_name());
                assert!(!talks_by(&verb), "{verb}");
            }
        }
        assert!(talks_by("evalsmith engine othello") && talks_by("evalsmith --threads=1 serve"));
        assert!(!talks_by("evalsmith") && !talks_by("evalsmith match run play engine"));
    }
}
