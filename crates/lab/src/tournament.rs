//! Many players: a round robin, or a gauntlet of one against all others.
//!
//! Every two meet in a match of their own, with a log of its own in one folder
//! and the same openings for all; ratings come from all pairs of games at once.

use crate::LabError;
use crate::contender::Contender;
use crate::duel::{DuelPlan, duel_calibrated, nanoseconds};
use crate::match_order::{OpenContender, Terms};
use crate::run_folder::RunFolder;
use evalsmith_arena::{MatchResult, Totals, read_match};
use evalsmith_core::{Game, Progress};
use evalsmith_rules::DynGame;
use evalsmith_stats::ratings::{Anchor, CrossTable, Ratings};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Every two.
    RoundRobin,
    /// The first meets each of the others.
    Gauntlet,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentOrder {
    /// Who plays.
    pub players: Vec<Contender>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// The rules of each match.
    pub terms: Terms,
}

/// What the folder of a tournament calls its job, before the game's name.
const JOB: &str = "tournament ";

impl TournamentOrder {
    /// The game and the order of the tournament in a folder.
    ///
    /// # Errors
    /// When the folder holds none.
    pub fn of_folder(folder: &Path) -> Result<(String, Self), LabError> {
        let (job, order): (String, Self) = RunFolder::read(folder)?;
        let game = job.strip_prefix(JOB).ok_or_else(|| LabError::Unreadable {
            path: folder.to_owned(),
            reason: format!("it holds the run {job:?} and no tournament"),
        })?;
        Ok((game.to_owned(), order))
    }
}

/// What a tournament says.
#[derive(Clone, Debug, Serialize)]
pub struct Standings {
    /// Who scored what against whom.
    pub table: CrossTable,
    /// The ratings, their mean zero; none as long as some have not met the others.
    pub ratings: Option<Ratings>,
    /// What each player spent and forfeited.
    pub spent: Vec<Spent>,
}

/// What a player spent in all its games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Games played.
    pub games: u64,
    /// Positions visited.
    pub nodes: u64,
    /// Games lost by a failure of its own.
    pub faults: u64,
}

impl Spent {
    fn add(&mut self, totals: &Totals, place: usize) {
        self.games += totals.games;
        self.nodes = self.nodes.saturating_add(totals.nodes[place]);
        self.faults += totals.faults[place];
    }
}

/// Plays, or goes on with, a tournament in `folder`.
///
/// # Errors
/// When two players share a name, the folder holds another tournament, a match
/// fails, or the job is stopped.
pub fn play_tournament(
    game: &DynGame,
    order: &TournamentOrder,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Standings, LabError> {
    let mut standings = Standings::of(order)?;
    let opened: Vec<_> = order
        .players
        .iter()
        .map(|player| OpenContender::new(game, player))
        .collect::<Result<_, _>>()?;
    let entrants: Vec<_> = opened.iter().map(|player| player.entrant(order.terms.pace)).collect();
    let openings = order.terms.openings(game, progress)?;
    let folder = RunFolder::claim(folder, &format!("{JOB}{}", game.name()), order)?;
    let ns = nanoseconds(&entrants, &openings, &folder.join("calibration.json"))?;
    for (i, j) in order.schedule.meetings(entrants.len()) {
        let log = folder.join(&log_name(i, j));
        let plan = DuelPlan {
            order: json!({ "terms": order.terms, "meeting": [i, j] }),
            ..order.terms.duel_plan(openings.len())
        };
        let pair = [entrants[i], entrants[j]];
        let result: MatchResult =
            duel_calibrated(game, pair, [ns[i], ns[j]], &plan, &openings, &log, progress)?;
        standings.add(i, j, &result)?;
    }
    standings.ratings = Some(Ratings::fit(&standings.table, Anchor::Mean)?);
    Ok(standings)
}

/// What the logs in the folder of a tournament say so far.
///
/// # Errors
/// When two players share a name, or a log is none.
pub fn standings_so_far(order: &TournamentOrder, folder: &Path) -> Result<Standings, LabError> {
    let mut standings = Standings::of(order)?;
    for (i, j) in order.schedule.meetings(order.players.len()) {
        let log = folder.join(log_name(i, j));
        if log.exists() {
            let (_, result) = read_match(&log)?;
            standings.add(i, j, &result)?;
        }
    }
    standings.ratings = Ratings::fit(&standings.table, Anchor::Mean).ok();
    Ok(standings)
}

fn log_name(i: usize, j: usize) -> String {
    format!("{:02}-{:02}.jsonl", i + 1, j + 1)
}

impl Standings {
    /// Before the first game.
    fn of(order: &TournamentOrder) -> Result<Self, LabError> {
        let table = CrossTable::new(order.players.iter().map(|player| player.name.as_str()))?;
        let spent = vec![Spent::default(); order.players.len()];
        Ok(Self { table, ratings: None, spent })
    }

    fn add(&mut self, i: usize, j: usize, result: &MatchResult) -> Result<(), LabError> {
        self.table.add(i, j, &result.stats.pairs)?;
        self.spent[i].add(&result.totals, 0);
        self.spent[j].add(&result.totals, 1);
        Ok(())
    }

    /// Whether anybody has played.
    pub fn has_games(&self) -> bool {
        self.spent.iter().any(|spent| spent.games > 0)
    }
}

impl Schedule {
    /// The meetings of so many players, each once.
    fn meetings(self, players: usize) -> Vec<(usize, usize)> {
        let all = (0..players).flat_map(|i| (i + 1..players).map(move |j| (i, j)));
        all.filter(|&(i, _)| self == Self::RoundRobin || i == 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_whom_they_should_once() {
        assert_eq!(Schedule::RoundRobin.meetings(4).len(), 6);
        assert_eq!(Schedule::Gauntlet.meetings(4), [(0, 1), (0, 2), (0, 3)]);
        assert!(Schedule::RoundRobin.meetings(1).is_empty());
    }
}
