//! A match as it is ordered, in words that a log keeps: everything to go on
//! with it from the log alone.

use crate::LabError;
use crate::contender::{Contender, Mind};
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::function::{FunctionName, open};
use crate::pace::Pace;
use evalsmith_arena::{Adjudication, LogReader, MatchResult, Openings, Wanted};
use evalsmith_core::{Game, LogOdds, Progress, Score, handing_on_stop};
use evalsmith_rules::{DynFunction, DynGame, Record};
use evalsmith_search::Limits;
use evalsmith_stats::elo::{Elo, NormalisedElo};
use evalsmith_stats::sprt::Sprt;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a table that is made anew for every opening judged.
const SMALL_TABLE: usize = 1 << 16;

/// Remarks on a list that are told one by one.
const MOST_REMARKS: usize = 10;

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningSource {
    /// So many random half-moves.
    Random(u16),
    /// All positions after so many half-moves, up to symmetry.
    Enumerated(u16),
    /// The lines of a list or the games of a PGN file, cut after so many half-moves.
    File {
        /// The file.
        path: PathBuf,
        /// The half-moves kept of each; all without.
        plies: Option<u16>,
    },
}

/// Only openings that a function thinks even.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Even {
    /// The largest value, in log-odds, for either side.
    pub within: f64,
    /// Plies searched for it.
    pub depth: u8,
    /// Who thinks so.
    pub function: FunctionName,
}

/// The rules that matches of any players share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Pairs of games at most; without, as many as the openings, or as the game
    /// suggests where they are random.
    pub pairs: Option<u32>,
    /// Where the games begin.
    pub openings: OpeningSource,
    /// Only even ones.
    pub even: Option<Even>,
    /// Decides all chance.
    pub seed: u64,
    /// The limits of players without their own.
    pub pace: Pace,
    /// What ends games early.
    pub adjudication: Adjudication,
    /// The match stops when one player has failed in so many games running.
    pub max_faults: u32,
}

/// A match of two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchOrder {
    /// Who plays.
    pub players: [Contender; 2],
    /// The rules.
    pub terms: Terms,
    /// What ends the match early.
    pub sprt: Option<Sprt>,
}

impl MatchOrder {
    /// The game and the order of the match that a log holds.
    ///
    /// # Errors
    /// When the file is no log, or was not written by an order.
    pub fn of_log(log: &Path) -> Result<(String, Self), LabError> {
        let (header, _) = LogReader::open(log)?;
        let order = header.plan.conditions["order"].clone();
        let order = serde_json::from_value(order).map_err(|e| LabError::Unreadable {
            path: log.to_owned(),
            reason: format!(
                "its match cannot be ordered again ({e}); repeat the command it came from"
            ),
        })?;
        Ok((header.game, order))
    }
}

/// The sequential test between two differences in Elo, or in normalised Elo.
///
/// # Errors
/// When the second is not above the first, or the rates are no rates of a test.
pub fn sprt(elo: [f64; 2], normalised: bool, alpha: f64, beta: f64) -> Result<Sprt, LabError> {
    Ok(if normalised {
        Sprt::normalised(elo.map(NormalisedElo), alpha, beta)?
    } else {
        Sprt::logistic(elo.map(Elo), alpha, beta)?
    })
}

/// A player whose function is open.
pub(crate) struct OpenContender<'a> {
    contender: &'a Contender,
    function: Option<(DynFunction, String)>,
}

impl<'a> OpenContender<'a> {
    pub(crate) fn new(game: &DynGame, contender: &'a Contender) -> Result<Self, LabError> {
        let function = match &contender.mind {
            Mind::Engine(_) => None,
            Mind::Function(name) => {
                let opened = open(game, name)?;
                let identity = opened.identity(name);
                Some((opened, identity))
            }
        };
        Ok(Self { contender, function })
    }

    pub(crate) fn entrant(&self, pace: Pace) -> Entrant<'_> {
        let opened = match (&self.contender.mind, &self.function) {
            (_, Some((function, identity))) => Opened::Function(function, identity),
            (Mind::Engine(engine), None) => Opened::Engine(engine),
            (Mind::Function(_), None) => unreachable!("a function is opened with its contender"),
        };
        let pace = self.contender.pace.unwrap_or(pace);
        Entrant { name: &self.contender.name, opened, pace }
    }
}

impl Terms {
    /// The openings, with remarks on lines left out told to `progress`.
    pub(crate) fn openings(
        &self,
        game: &DynGame,
        progress: &dyn Progress,
    ) -> Result<Openings, LabError> {
        let judge = match &self.even {
            None => None,
            Some(even) => Some((open(game, &even.function)?, even)),
        };
        let stop = AtomicBool::new(false);
        let wanted = |record: &Record| {
            judge.as_ref().is_none_or(|(function, even)| {
                let mut searcher = function.search(SMALL_TABLE);
                let found = searcher.search(record, &Limits::depth(even.depth), &stop);
                !found.stopped && found.value.0.abs() <= Score::from(LogOdds(even.within)).0
            })
        };
        let raise = || stop.store(true, Ordering::Relaxed);
        let chosen = handing_on_stop(progress, raise, || self.choose(game, &wanted, progress));
        if stop.into_inner() { Err(LabError::Stopped) } else { chosen }
    }

    fn choose(
        &self,
        game: &DynGame,
        wanted: Wanted<'_>,
        progress: &dyn Progress,
    ) -> Result<Openings, LabError> {
        Ok(match &self.openings {
            OpeningSource::Random(plies) => {
                let pairs = self.pairs.unwrap_or(game.defaults().pairs);
                Openings::random_where(game, *plies, pairs, self.seed, wanted)?
            }
            OpeningSource::Enumerated(plies) => {
                Openings::enumerated(game, *plies, self.pairs, self.seed, wanted)?
            }
            OpeningSource::File { path, plies } => {
                let (listed, remarks) = Openings::from_file(game, path, *plies)?;
                for remark in remarks.iter().take(MOST_REMARKS) {
                    progress.note(&format!("{}: {remark}", path.display()));
                }
                if let Some(more @ 1..) = remarks.len().checked_sub(MOST_REMARKS) {
                    progress.note(&format!("{}: {more} more are left out", path.display()));
                }
                listed.select(self.pairs, wanted)?
            }
        })
    }

    /// The plan of one match under these terms.
    pub(crate) fn duel_plan(&self, pairs: usize) -> DuelPlan {
        DuelPlan {
            adjudication: self.adjudication,
            max_faults: self.max_faults,
            ..DuelPlan::new(pairs as u32, self.seed)
        }
    }
}

/// Plays, or goes on with, the match logged at `log`.
///
/// # Errors
/// As [`duel`], and when a player or the openings cannot be had.
pub fn play_match(
    game: &DynGame,
    order: &MatchOrder,
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, LabError> {
    let [a, b] = &order.players;
    let opened = [OpenContender::new(game, a)?, OpenContender::new(game, b)?];
    let entrants = opened.each_ref().map(|player| player.entrant(order.terms.pace));
    let openings = order.terms.openings(game, progress)?;
    let plan = DuelPlan {
        sprt: order.sprt,
        order: serde_json::to_value(order).unwrap_or_default(),
        ..order.terms.duel_plan(openings.len())
    };
    duel(game, entrants, &plan, &openings, log, &beside(log, ".calibration.json"), progress)
}

/// The file of this ending beside another.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
