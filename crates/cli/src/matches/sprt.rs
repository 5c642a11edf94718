//! `evalsmith match sprt`.

use super::play;
use super::terms::TermsOptions;
use crate::options::{Format, game_name};
use clap::Args;
use evalsmith_lab::prelude::{MatchOrder, OpeningSource, Sprt};
use std::path::PathBuf;

/// Where a test ends undecided unless its user says otherwise.
const MOST_PAIRS: u32 = 50_000;

/// Plays A against B until a sequential test has decided between two strengths.
///
/// The test is the generalised sequential probability ratio test on pairs of
/// games. It is decided in the order of the pairs, so its end depends neither on
/// the threads nor on interruptions. Players, openings and limits as for `match
/// run`; --max-pairs bounds the test, which by default is all openings of a list
/// and 50,000 random ones.
#[derive(Args)]
pub(crate) struct SprtRun {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// First player: H1 says that it is the stronger by --elo1
    a: String,
    /// Second player
    b: String,
    /// File for the games, one JSON line each
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    #[command(flatten)]
    test: TestOptions,
    #[command(flatten)]
    terms: TermsOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
pub(crate) struct TestOptions {
    /// The difference in Elo under H0
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// The difference in Elo under H1
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Both are normalised Elo
    #[arg(long)]
    normalised: bool,
    /// The rate of accepting H1 under H0
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// The rate of accepting H0 under H1
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,
}

impl TestOptions {
    pub(super) fn test(&self) -> anyhow::Result<Sprt> {
        Ok(evalsmith_lab::prelude::sprt(
            [self.elo0, self.elo1],
            self.normalised,
            self.alpha,
            self.beta,
        )?)
    }
}

impl SprtRun {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let sprt = Some(self.test.test()?);
        let mut terms = self.terms.terms(&self.game)?;
        if matches!(terms.openings, OpeningSource::Random(_)) {
            terms.pairs = terms.pairs.or(Some(MOST_PAIRS));
        }
        let players = self.terms.two_players(&[self.a, self.b])?;
        play(&self.game, &MatchOrder { players, terms, sprt }, &self.log, self.format)
    }
}
