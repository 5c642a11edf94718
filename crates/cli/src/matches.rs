//! `evalsmith match`: functions and engines against each other, one file a verb.

mod ladder;
pub(crate) mod plan;
mod records;
mod report;
mod resume;
mod run;
mod sprt;
mod stats;
mod terms;
mod time_factor;
mod tournament;

use crate::options::{Format, game, print};
use crate::progress::Terminal;
use clap::Subcommand;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    MatchOrder, MatchResult, games_table, match_table, play_match, read_match, test_table,
};
use std::io::Write;
use std::path::Path;

#[derive(Subcommand)]
pub(crate) enum Match {
    Run(run::Run),
    Sprt(sprt::SprtRun),
    Tournament(tournament::Tournament),
    Gauntlet(tournament::Gauntlet),
    Ladder(ladder::Ladder),
    TimeFactor(time_factor::TimeFactor),
    Resume(resume::Resume),
    Report(report::Report),
    Records(records::Records),
    Stats(stats::Stats),
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Run(job) => job.run(),
            Self::Sprt(job) => job.run(),
            Self::Tournament(job) => job.run(),
            Self::Gauntlet(job) => job.run(),
            Self::Ladder(job) => job.run(),
            Self::TimeFactor(job) => job.run(),
            Self::Resume(job) => job.run(),
            Self::Report(job) => job.run(),
            Self::Records(job) => job.run(),
            Self::Stats(job) => job.run(),
        }
    }
}

/// Plays an ordered match and prints what came of it; where a player's failure
/// ended it, what stands so far.
fn play(name: &str, order: &MatchOrder, log: &Path, format: Format) -> anyhow::Result<()> {
    match play_match(&game(name)?, order, log, &Terminal::resumable()) {
        Ok(result) => show(&result, format),
        Err(error) => {
            if let LabError::Arena(fault) = &error
                && fault.is_fault()
                && let Ok((_, result)) = read_match(log)
                && result.totals.games > 0
            {
                show(&result, format)?;
            }
            Err(error.into())
        }
    }
}

/// A match on stdout.
fn show(result: &MatchResult, format: Format) -> anyhow::Result<()> {
    print(format, &match_table(result), result)?;
    if format == Format::Table {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{}", games_table(result).to_text())?;
        if let Some(test) = &result.test {
            write!(out, "{}", test_table(test).to_text())?;
        }
    }
    Ok(())
}
