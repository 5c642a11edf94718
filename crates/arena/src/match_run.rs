//! A match: every opening twice, colours reversed, in parallel, logged game by
//! game.
//!
//! Invariant: a game depends on the plan, its index and the players, never on
//! what was played before it or on which thread; and the result on the games in
//! the order of their indices. So it is the same for any number of threads and
//! after any interruption.

mod runner;

use crate::log::{LogReader, MatchLog};
use crate::scoreboard::{Ended, Scoreboard, TestState, Totals};
use crate::table::ResultTable;
use crate::{ArenaError, LogHeader, MatchPlan, Openings, PlayedGame};
use evalsmith_core::{Game, Outcome, PlayerError, Progress};
use evalsmith_rules::{DynGame, MatchSeat, Record};
use evalsmith_stats::elo::MatchStats;
use runner::{MatchRunner, Queue, Standing};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Makes players of one kind, one for each thread that plays.
pub type Seat<'a> = &'a (dyn Fn() -> Result<MatchSeat, PlayerError> + Sync);

/// A match, as far as it has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// What was ordered.
    pub plan: MatchPlan,
    /// The result for player 0, by whole pairs.
    pub stats: MatchStats,
    /// Where the sequential test stands, if there is one.
    pub test: Option<TestState>,
    /// Sums over the games.
    pub totals: Totals,
}

impl MatchResult {
    fn new(plan: MatchPlan, board: &Scoreboard) -> Self {
        Self { plan, stats: board.stats(), test: board.test(), totals: board.totals().clone() }
    }
}

/// Plays the match that `plan` orders between two players, or goes on with the
/// one begun in `log`, on the threads of the current rayon pool.
///
/// A player that fails or breaks the rules loses its game. Only one that cannot
/// be set up, or fails in `plan.max_faults` games running, ends the match.
///
/// # Errors
/// When there are too few openings, the log belongs to another match or cannot
/// be written, a player is not fit to play, or `progress` asks to stop. Whatever
/// happens, finished games stay in the log, and the same call goes on from there.
pub fn run_match(
    game: &DynGame,
    plan: &MatchPlan,
    openings: &Openings,
    seats: [Seat<'_>; 2],
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, ArenaError> {
    let total = plan.pairs.checked_mul(2).ok_or(ArenaError::TooManyPairs { pairs: plan.pairs })?;
    if openings.len() < plan.pairs as usize {
        return Err(ArenaError::TooFewOpenings {
            game: game.name().to_owned(),
            what: "openings".into(),
            wanted: plan.pairs,
            found: openings.len() as u32,
        });
    }
    if plan.adjudication.solve_at > 0 && game.solver().is_none() {
        return Err(ArenaError::NoSolver { game: game.name().to_owned() });
    }

    let mut done = vec![false; total as usize];
    let mut board = Scoreboard::new(plan.sprt);
    let hear = |played: &PlayedGame| {
        let beginning = Beginning::of(game, openings, played.index / 2);
        check_logged(played, beginning.as_ref(), &mut done)?;
        board.enter(Ended::from(played));
        Ok(())
    };
    let opened = MatchLog::open(log, game.name(), plan, hear, progress)?;
    board.forgive();

    progress.begin(&plan.names.join(" - "), u64::from(total), "games");
    progress.resume(u64::from(board.counted()) + board.waiting() as u64);
    let pending = (0..total).filter(|&index| !done[index as usize] && !board.decided()).collect();
    let runner = MatchRunner {
        game,
        plan,
        seats,
        openings,
        log_path: log,
        pending,
        standing: Standing::new(opened, board),
        queue: Queue::default(),
        progress,
    };
    let played = runner.play_pending();
    progress.end();
    let (board, mut log) = played?;
    if board.counted() < total && !board.decided() {
        let done = board.counted() + board.waiting() as u32;
        return Err(ArenaError::Stopped { done, total });
    }
    log.put_in_order(board.counted())?;
    Ok(MatchResult::new(plan.clone(), &board))
}

/// What a log says so far: from its table as far as that goes, and from its lines
/// beyond, which are added to the table.
///
/// # Errors
/// When the file cannot be read or is no match log.
pub fn read_match(log: &Path) -> Result<(LogHeader, MatchResult), ArenaError> {
    let (header, board) = tally(log)?;
    let result = MatchResult::new(header.plan.clone(), &board);
    Ok((header, result))
}

/// The score of a log, by whole pairs.
pub(crate) fn tally(log: &Path) -> Result<(LogHeader, Scoreboard), ArenaError> {
    let (header, mut reader) = LogReader::open(log)?;
    let total = header.plan.pairs.saturating_mul(2);
    let mut board = Scoreboard::new(header.plan.sprt);
    let mut enter = |game: Ended| match game.index {
        index if index >= total => Err(format!("game {index} of {total}")),
        index if !board.enter(game) => Err(format!("game {index} stands in the log twice")),
        _ => Ok(()),
    };

    let mut table = ResultTable::of(log, reader.line());
    loop {
        let (before, block) = (table.games(), table.next_block(reader.file()));
        if block.is_empty() {
            break;
        }
        for (line, game) in (before as usize + 2..).zip(block) {
            enter(game).map_err(|reason| ArenaError::corrupt(log, line, reason))?;
        }
    }
    reader.skip(table.games(), table.end())?;
    while let Some(game) = reader.next_result()? {
        enter(game).map_err(|reason| reader.corrupt(reason))?;
        if reader.is_broken() {
            table.add(&game, reader.line());
        }
    }
    board.settle();
    Ok((header, board))
}

/// How a pair begins, in words.
#[derive(Clone, Debug, PartialEq)]
struct Beginning {
    start: Option<String>,
    moves: String,
}

impl Beginning {
    /// The beginning of a pair; none where there is no such pair.
    fn of(game: &DynGame, openings: &Openings, pair: u32) -> Option<Self> {
        let pair = pair as usize;
        (pair < openings.len()).then(|| Self::of_record(game, &openings.get(pair)))
    }

    fn of_record(game: &DynGame, opening: &Record) -> Self {
        let (begin, first) = (&opening.positions()[0], opening.first());
        let at_start = *begin == game.start() && first == evalsmith_core::Side::First;
        let steps = opening.positions().iter().zip(opening.moves());
        let moves: Vec<_> = steps.map(|(position, &m)| game.format_move(position, m)).collect();
        Self { start: (!at_start).then(|| game.format(begin, first)), moves: moves.join(" ") }
    }
}

/// Refuses a logged game that this match cannot have played.
fn check_logged(
    played: &PlayedGame,
    beginning: Option<&Beginning>,
    done: &mut [bool],
) -> Result<(), String> {
    let index = played.index as usize;
    let games = done.len();
    let (Some(seen), Some(beginning)) = (done.get_mut(index), beginning) else {
        return Err(format!("game {index} of {games}"));
    };
    if *seen {
        return Err(format!("game {index} stands in the log twice"));
    }
    let same = played.opening == beginning.moves && played.start == beginning.start;
    if !same || played.first != index % 2 {
        return Err(format!("game {index} has another opening or other colours than planned"));
    }
    if played.points != Outcome::by(played.margin).points() {
        return Err(format!("{} points for a margin of {}", played.points, played.margin));
    }
    if played.fault.as_ref().is_some_and(|fault| fault.player > 1) {
        return Err("a fault of neither player".into());
    }
    *seen = true;
    Ok(())
}

#[cfg(test)]
mod tests;
