//! A match of two evaluation functions of one game, at an equal pace.
//!
//! "Equal CPU time" is played by nodes: nanoseconds a node are measured once,
//! stored beside the match, and turned into a budget of nodes, so that a loaded
//! machine does not decide games and a resumed match equals an undisturbed one.

use crate::LabError;
use crate::function::Function;
use evalsmith_arena::{Calibration, MatchPlan, MatchResult, Openings, calibrate, run_match};
use evalsmith_core::{Evaluate, Game, GameRecord, Player, Position, Progress, Side};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits, SearchPlayer, Searcher};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What both players get alike for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Plies of search.
    Depth(u8),
    /// Positions visited.
    Nodes(u64),
    /// Microseconds of CPU time, played by calibrated nodes.
    CpuMicros(u64),
}

impl Pace {
    /// In words, for tables.
    pub fn describe(self) -> String {
        match self {
            Self::Depth(depth) => format!("equal depth, {depth} plies"),
            Self::Nodes(nodes) => format!("equal nodes, {nodes} a move"),
            Self::CpuMicros(micros) => {
                format!("equal CPU time, {} ms a move by calibrated nodes", micros as f64 / 1000.0)
            }
        }
    }
}

/// A match between two functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelPlan {
    /// Pairs of games: each opening is played twice, with colours reversed.
    pub pairs: u32,
    /// Random half-moves of an opening.
    pub opening_plies: u16,
    /// Draws the openings.
    pub seed: u64,
    /// What both players get alike.
    pub pace: Pace,
}

/// A function that plays, with the name it has in tables and a digest of what it is.
pub struct Contender<'a, F> {
    /// The name in tables.
    pub name: &'a str,
    /// The function.
    pub function: &'a Function<F>,
    /// Tells one set of weights from another; kept in the log's header.
    pub identity: &'a str,
}

impl<F> Clone for Contender<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Contender<'_, F> {}

/// Plays, or goes on with, the match logged at `log`; a calibration is read
/// from `calibration`, or made and stored there.
///
/// # Errors
/// When the log belongs to another match, a file fails, or the job is stopped.
pub fn duel<G: Game>(
    game: &G,
    contenders: [Contender<'_, G::Features>; 2],
    plan: &DuelPlan,
    log: &Path,
    calibration: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, LabError> {
    let limits = match plan.pace {
        Pace::Depth(depth) => [Limits::depth(depth), Limits::depth(depth)],
        Pace::Nodes(nodes) => [Limits::nodes(nodes), Limits::nodes(nodes)],
        Pace::CpuMicros(micros) => {
            let measured = calibration_at(game, &contenders, plan, calibration)?;
            let budget = Duration::from_micros(micros);
            [0, 1].map(|player| Limits::nodes(measured.nodes_for(player, budget)))
        }
    };
    let names = contenders.map(|c| c.name.to_owned());
    let match_plan = MatchPlan {
        pairs: plan.pairs,
        opening_plies: plan.opening_plies,
        seed: plan.seed,
        names,
        conditions: json!({
            "game": G::NAME,
            "pace": plan.pace,
            "nodes": [limits[0].nodes, limits[1].nodes],
            "functions": contenders.map(|c| c.identity),
        }),
    };
    let seat = |i: usize| {
        let Contender { name, function, .. } = contenders[i];
        let limits = limits[i].clone();
        move || -> Box<dyn Player<G::Position>> {
            Box::new(SearchPlayer::new(name, function.clone(), limits.clone(), DEFAULT_TABLE_BYTES))
        }
    };
    let seats = [seat(0), seat(1)];
    Ok(run_match(game, &match_plan, &[&seats[0], &seats[1]], log, progress)?)
}

/// Nanoseconds a node of both functions, from the file or measured now.
fn calibration_at<G: Game>(
    game: &G,
    contenders: &[Contender<'_, G::Features>; 2],
    plan: &DuelPlan,
    path: &Path,
) -> Result<Calibration, LabError> {
    const SAMPLES: u32 = 24;
    const NODES: u64 = 5_000;
    const ROUNDS: u32 = 5;
    let players = contenders.map(|c| c.identity);
    let measure = || {
        let samples = SAMPLES.min(plan.pairs);
        let openings = Openings::random(game, plan.opening_plies, samples, plan.seed)?;
        let [mut first, mut second] = contenders.map(|c| timed_search(c.function, NODES));
        calibrate(players, openings.records(), [&mut first, &mut second], ROUNDS)
    };
    Ok(Calibration::stored_or(path, players, measure)?)
}

/// A search of a fixed number of nodes that reports its nodes and CPU time.
fn timed_search<P: Position, E: Evaluate<P> + Clone>(
    function: &E,
    nodes: u64,
) -> impl FnMut(&GameRecord<P>) -> (u64, Duration) + use<P, E> {
    let mut searcher = Searcher::new(function.clone(), DEFAULT_TABLE_BYTES);
    move |game| {
        searcher.clear();
        let found = searcher.search(game, &Limits::nodes(nodes), &AtomicBool::new(false));
        (found.nodes, found.cpu)
    }
}

/// A record that begins at the game's start position.
pub(crate) fn fresh_record<G: Game>(game: &G) -> GameRecord<G::Position> {
    GameRecord::new(game.start(), Side::First, game.max_plies())
}
