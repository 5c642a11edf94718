//! `evalsmith match tournament` and `match gauntlet`.

use super::terms::TermsOptions;
use crate::options::{Format, game, game_name, print};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    Schedule, Standings, TournamentOrder, play_tournament, standings_so_far, standings_tables,
};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Plays a round robin: every two players meet, from the same openings.
///
/// Players, openings and limits as for `match run`. Ratings come from all pairs
/// of games at once, their mean zero, with errors from the variance between
/// pairs. The folder holds a log a match; the same command goes on after a kill.
#[derive(Args)]
pub(crate) struct Tournament {
    #[command(flatten)]
    field: Field,
}

/// Plays the first player against each of the others.
///
/// All else as for `match tournament`.
#[derive(Args)]
pub(crate) struct Gauntlet {
    #[command(flatten)]
    field: Field,
}

#[derive(Args)]
struct Field {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// The players, two or more; without, all of --engines
    players: Vec<String>,
    /// Folder for the logs
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    terms: TermsOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Tournament {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.field.run(Schedule::RoundRobin)
    }
}

impl Gauntlet {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.field.run(Schedule::Gauntlet)
    }
}

impl Field {
    fn run(self, schedule: Schedule) -> anyhow::Result<()> {
        let terms = self.terms.terms(&self.game)?;
        let players = self.terms.players(&self.players)?;
        let order = TournamentOrder { players, schedule, terms };
        play(&self.game, &order, &self.out, self.format)
    }
}

/// Plays a tournament and prints its standings; where a player's failure ended
/// it, those so far.
pub(super) fn play(
    name: &str,
    order: &TournamentOrder,
    out: &Path,
    format: Format,
) -> anyhow::Result<()> {
    match play_tournament(&game(name)?, order, out, &Terminal::resumable()) {
        Ok(standings) => show(&standings, format),
        Err(error) => {
            if let LabError::Arena(fault) = &error
                && fault.is_fault()
                && let Ok(standings) = standings_so_far(order, out)
                && standings.has_games()
            {
                show(&standings, format)?;
            }
            Err(error.into())
        }
    }
}

/// A tournament on stdout.
pub(super) fn show(standings: &Standings, format: Format) -> anyhow::Result<()> {
    let [ratings, scores] = standings_tables(standings);
    print(format, &ratings, standings)?;
    if format == Format::Table {
        write!(std::io::stdout().lock(), "\n{}", scores.to_text())?;
    }
    Ok(())
}
