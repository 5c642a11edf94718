//! The `evalsmith` program: one file per noun. Results go to stdout, progress
//! and notes to stderr; exit code 0 is success, 1 a failure, 2 a wrong call,
//! 130 a stop on request.

mod analyze;
mod bench;
mod book;
mod curve;
mod data;
mod engine;
mod failure;
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

use clap::{Parser, Subcommand};
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

fn main() -> ExitCode {
    let words = match matches::plan::expand(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => return failure::report(&error),
    };
    let done = run(Arguments::parse_from(words));
    stop::returned();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    // Those who talk to somebody end as their partner or the system wishes.
    if !matches!(arguments.command, Command::Play(_) | Command::Engine(_) | Command::Serve(_)) {
        stop::listen();
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
