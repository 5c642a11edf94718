//! `evalsmith match time-factor`.

use super::terms::TermsOptions;
use crate::options::{Format, game, game_name, print, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{FactorOrder, time_factor, time_factor_table};
use std::path::PathBuf;

/// Finds how much of B's time makes A its equal.
///
/// Batches of pairs are played with A's time stretched by factors chosen as the
/// results come in, until the interval is narrow enough. The limits must be
/// times (--cpu-ms, or --pace with cpu= or wall=).
#[derive(Args)]
pub(crate) struct TimeFactor {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// The player whose time is stretched
    a: String,
    /// The player it shall equal
    b: String,
    /// Folder for the logs
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Batches at most; --pairs are those of a batch
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    batches: u32,
    /// The least factor allowed
    #[arg(long, value_name = "FACTOR", default_value_t = 0.0625)]
    low: f64,
    /// The greatest factor allowed
    #[arg(long, value_name = "FACTOR", default_value_t = 16.0)]
    high: f64,
    /// The ratio by which the ends of the 95 % interval may differ
    #[arg(long, value_name = "RATIO", default_value_t = 1.35)]
    precision: f64,
    #[command(flatten)]
    terms: TermsOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl TimeFactor {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let terms = self.terms.terms(&self.game)?;
        let players = self.terms.two_players(&[self.a, self.b])?;
        let Self { batches, low, high, precision, .. } = self;
        let order = FactorOrder { players, terms, batches, low, high, precision };
        let found = time_factor(&game(&self.game)?, &order, &self.out, &Terminal::resumable())?;
        let names = order.players.each_ref().map(|player| player.name.as_str());
        let (table, answer) = time_factor_table(&found, names);
        print(self.format, &table, &found)?;
        if self.format == Format::Table { show(&answer) } else { Ok(()) }
    }
}
