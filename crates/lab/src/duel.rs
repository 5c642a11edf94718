//! A match of two players of one game, each at its pace.
//!
//! Players in this process count time in nodes: nanoseconds a node are measured
//! once, stored beside the match, and turn every budget of time into one of
//! nodes, so that a loaded machine does not decide games and a resumed match
//! equals an undisturbed one. Outside engines play by real time.

use crate::LabError;
use crate::pace::Pace;
use evalsmith_arena::{
    Adjudication, Calibration, MatchPlan, MatchResult, Measure, Meter, Openings, TimeBudget,
    TimeControl, calibrate, run_match,
};
use evalsmith_core::{Game, GameRecord, PlayerError, Progress, Side};
use evalsmith_protocol::{Budget, Engine, EnginePlayer, Patience};
use evalsmith_rules::{DynFunction, DynGame, MatchSeat, Record};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits};
use evalsmith_stats::sprt::Sprt;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a match is played, but for its players and openings.
#[derive(Clone, Debug, PartialEq)]
pub struct DuelPlan {
    /// Pairs of games at most: each opening is played twice, with colours reversed.
    pub pairs: u32,
    /// Seeds the players.
    pub seed: u64,
    /// What ends the match early.
    pub sprt: Option<Sprt>,
    /// What ends games early.
    pub adjudication: Adjudication,
    /// The match stops when one player has failed in so many games running.
    pub max_faults: u32,
    /// What was ordered, for the log.
    pub order: serde_json::Value,
}

impl DuelPlan {
    /// Games to their end, so many pairs of them.
    pub fn new(pairs: u32, seed: u64) -> Self {
        Self {
            pairs,
            seed,
            sprt: None,
            adjudication: Adjudication::default(),
            max_faults: 3,
            order: serde_json::Value::Null,
        }
    }
}

/// Who plays.
#[derive(Clone, Copy)]
pub enum Opened<'a> {
    /// A search with a function, and what tells its weights from others.
    Function(&'a DynFunction, &'a str),
    /// An outside engine.
    Engine(&'a Engine),
}

/// A player, ready to play.
#[derive(Clone, Copy)]
pub struct Entrant<'a> {
    /// The name in tables.
    pub name: &'a str,
    /// Who plays.
    pub opened: Opened<'a>,
    /// Its limits.
    pub pace: Pace,
}

impl<'a> Entrant<'a> {
    /// What tells it from others, in the log's header.
    fn identity(&self) -> serde_json::Value {
        match self.opened {
            Opened::Function(_, identity) => identity.into(),
            Opened::Engine(engine) => json!(engine),
        }
    }

    /// Its function and identity, where it counts time in nodes.
    fn timed(&self) -> Option<(&'a DynFunction, &'a str)> {
        match (self.opened, self.pace) {
            (Opened::Function(function, identity), Pace::Time(..)) => Some((function, identity)),
            _ => None,
        }
    }

    /// Its clock, where its time is limited.
    fn time(&self) -> Option<TimeControl> {
        let Pace::Time(meter, budget) = self.pace else { return None };
        let margin = match self.opened {
            Opened::Function(..) => Patience::default().margin,
            Opened::Engine(engine) => engine.patience.margin,
        };
        Some(TimeControl { meter, budget, margin })
    }

    /// A new player of this kind; `ns_per_node` where it counts time in nodes.
    fn seat(&self, game: &DynGame, ns_per_node: Option<f64>) -> Result<MatchSeat, PlayerError> {
        let engine = match self.opened {
            Opened::Function(function, _) => {
                let (name, function) = (self.name.to_owned(), function.clone());
                let table_bytes = DEFAULT_TABLE_BYTES;
                let limits = match self.pace {
                    Pace::Depth(depth) => Limits::depth(depth),
                    Pace::Nodes(nodes) => Limits::nodes(nodes),
                    Pace::Time(_, budget) => {
                        let ns_per_node = ns_per_node
                            .ok_or_else(|| PlayerError::new(self.name, "it was not calibrated"))?;
                        let move_time = match budget {
                            TimeBudget::Move(time) => Some(time),
                            TimeBudget::Game { .. } => None,
                        };
                        return Ok(MatchSeat::Calibrated {
                            name,
                            function,
                            ns_per_node,
                            move_time,
                            table_bytes,
                        });
                    }
                };
                return Ok(MatchSeat::Search { name, function, limits, table_bytes });
            }
            Opened::Engine(engine) => engine,
        };
        let mut engine = engine.clone();
        let budget = match self.pace {
            Pace::Depth(depth) => Budget::depth(depth.into()),
            Pace::Nodes(nodes) => Budget::nodes(nodes),
            Pace::Time(_, TimeBudget::Move(time)) => Budget::move_time(time),
            Pace::Time(_, TimeBudget::Game { .. }) => Budget::default(),
        };
        if matches!(self.pace, Pace::Time(Meter::Cpu, _)) {
            // The wall's clock must not forfeit whom the processor's judges,
            // however many others are at work on the machine.
            engine.patience.margin = engine.patience.unclocked_move.saturating_mul(10);
        }
        Ok(MatchSeat::Outside(Box::new(EnginePlayer::start(game.clone(), engine, budget)?)))
    }
}

/// Plays, or goes on with, the match logged at `log`; a calibration is read
/// from `calibration`, or made and stored there, where a function plays by time.
///
/// # Errors
/// When the log belongs to another match, a file fails, a player is unfit to
/// play, or the job is stopped.
pub fn duel(
    game: &DynGame,
    entrants: [Entrant<'_>; 2],
    plan: &DuelPlan,
    openings: &Openings,
    log: &Path,
    calibration: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, LabError> {
    let ns = nanoseconds(&entrants, openings, calibration)?;
    duel_calibrated(game, entrants, [ns[0], ns[1]], plan, openings, log, progress)
}

/// The same, with the nanoseconds a node of those who count time in nodes.
pub(crate) fn duel_calibrated(
    game: &DynGame,
    entrants: [Entrant<'_>; 2],
    ns_per_node: [Option<f64>; 2],
    plan: &DuelPlan,
    openings: &Openings,
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, LabError> {
    let match_plan = MatchPlan {
        pairs: plan.pairs,
        seed: plan.seed,
        names: entrants.map(|entrant| entrant.name.to_owned()),
        time: entrants.map(|entrant| entrant.time()),
        sprt: plan.sprt,
        adjudication: plan.adjudication,
        max_faults: plan.max_faults,
        conditions: json!({
            "paces": entrants.map(|entrant| entrant.pace),
            "ns_per_node": ns_per_node,
            "players": entrants.map(|entrant| entrant.identity()),
            "order": plan.order,
        }),
    };
    let seat = |i: usize| move || entrants[i].seat(game, ns_per_node[i]);
    let (first, second) = (seat(0), seat(1));
    Ok(run_match(game, &match_plan, openings, [&first, &second], log, progress)?)
}

/// Nanoseconds a node of every function that plays by time, from the file or
/// measured now; none for the others.
pub(crate) fn nanoseconds(
    entrants: &[Entrant<'_>],
    openings: &Openings,
    path: &Path,
) -> Result<Vec<Option<f64>>, LabError> {
    const SAMPLES: usize = 24;
    const NODES: u64 = 5_000;
    const ROUNDS: u32 = 5;
    let mut functions = Vec::new();
    let mut identities: Vec<&str> = Vec::new();
    for (function, identity) in entrants.iter().filter_map(Entrant::timed) {
        if !identities.contains(&identity) {
            functions.push(function);
            identities.push(identity);
        }
    }
    if identities.is_empty() {
        return Ok(vec![None; entrants.len()]);
    }
    let measure = || {
        let mut searches: Vec<_> = functions.iter().map(|f| timed_search(f, NODES)).collect();
        let mut searches: Vec<Measure<'_>> =
            searches.iter_mut().map(|search| search as Measure<'_>).collect();
        calibrate(&identities, &openings.first(SAMPLES), &mut searches, ROUNDS)
    };
    let measured = Calibration::stored_or(path, &identities, measure)?;
    let of = |entrant: &Entrant<'_>| {
        let (_, identity) = entrant.timed()?;
        let place = identities.iter().position(|known| *known == identity)?;
        Some(measured.ns_per_node[place])
    };
    Ok(entrants.iter().map(of).collect())
}

/// A search of a fixed number of nodes that reports its nodes and CPU time.
fn timed_search(
    function: &DynFunction,
    nodes: u64,
) -> impl FnMut(&Record) -> (u64, Duration) + use<> {
    let mut search = function.search(DEFAULT_TABLE_BYTES);
    move |game| {
        search.clear();
        let found = search.search(game, &Limits::nodes(nodes), &AtomicBool::new(false));
        (found.nodes, found.cpu)
    }
}

/// A record that begins at the game's start position.
pub(crate) fn fresh_record(game: &DynGame) -> Record {
    GameRecord::new(game.start(), Side::First, game.max_plies())
}
