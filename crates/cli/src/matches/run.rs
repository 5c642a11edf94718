//! `evalsmith match run`.

use super::play;
use super::terms::TermsOptions;
use crate::options::{Format, game_name};
use clap::Args;
use evalsmith_lab::prelude::MatchOrder;
use std::path::PathBuf;

/// Plays A against B: every opening twice, with colours reversed.
///
/// A player is `hand`, `trivial`, `shipped` or a model file;
/// `engine:PROTOCOL:COMMAND LINE`; a name from --engines; or `@FILE#NAME`. Its
/// own limits may follow after `@`. Results are from A's side. The unit of the
/// error is the pair. A player that fails loses its game; its last words are
/// kept in `LOG.faults`. The log holds every game; with the same log the same
/// command, or `match resume`, goes on after a kill.
#[derive(Args)]
pub(crate) struct Run {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// First player
    a: String,
    /// Second player
    b: String,
    /// File for the games, one JSON line each
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    #[command(flatten)]
    terms: TermsOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Run {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let terms = self.terms.terms(&self.game)?;
        let players = self.terms.two_players(&[self.a, self.b])?;
        let order = MatchOrder { players, terms, sprt: None };
        play(&self.game, &order, &self.log, self.format)
    }
}
