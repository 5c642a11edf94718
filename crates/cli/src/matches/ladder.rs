//! `evalsmith match ladder`.

use super::terms::TermsOptions;
use super::tournament;
use crate::failure::Usage;
use crate::options::{Format, game_name};
use clap::Args;
use evalsmith_lab::prelude::{Pace, Schedule, TournamentOrder};
use std::path::PathBuf;

/// Plays a function against itself at several depths: what is a ply worth?
///
/// A round robin of n-ply against m-ply searches (lee86, table 4-1).
#[derive(Args)]
pub(crate) struct Ladder {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// The player
    function: String,
    /// The depths, as in 1..6
    #[arg(long, value_name = "LOW..HIGH", default_value = "1..4", value_parser = depths)]
    depths: Depths,
    /// Folder for the logs
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    terms: TermsOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy)]
struct Depths(u8, u8);

fn depths(text: &str) -> Result<Depths, String> {
    let ends = text.split_once("..").and_then(|(low, high)| {
        Some((low.parse::<u8>().ok()?, high.trim_start_matches('=').parse::<u8>().ok()?))
    });
    match ends {
        Some((low, high)) if 1 <= low && low < high && high <= 60 => Ok(Depths(low, high)),
        _ => Err("depths are two rising numbers of plies, as in 1..6".into()),
    }
}

impl Ladder {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.terms.limits_all() {
            let remedy = "a ladder limits its players by --depths alone; leave out --depth, \
                          --nodes, --cpu-ms and --pace";
            return Err(Usage(remedy.into()).into());
        }
        let terms = self.terms.terms(&self.game)?;
        let [player]: [_; 1] = self
            .terms
            .players(&[self.function])?
            .try_into()
            .map_err(|_| Usage("a ladder has one player".into()))?;
        let Depths(low, high) = self.depths;
        let rung = |depth| {
            let mut rung = player.clone();
            let pace = Pace::Depth(depth);
            rung.name = format!("{}@{pace}", rung.name);
            rung.pace = Some(pace);
            rung
        };
        let players = (low..=high).map(rung).collect();
        let order = TournamentOrder { players, schedule: Schedule::RoundRobin, terms };
        tournament::play(&self.game, &order, &self.out, self.format)
    }
}
