//! Plays the games of one match on all threads, and logs those that fail.

use super::{Beginning, Seat};
use crate::log::MatchLog;
use crate::scoreboard::{Ended, Scoreboard};
use crate::{ArenaError, End, LoggedFault, MatchPlan, Openings, PlayedGame};
use evalsmith_core::files::write_atomically;
use evalsmith_core::seal::line_of;
use evalsmith_core::{FaultKind, Outcome, PlayerError, Progress, rng};
use evalsmith_rules::{DynGame, GameResult, MatchGameConfig, MatchTable, PlayedOut};
use rand::RngExt;
use rayon::prelude::*;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the score is reported.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// One match at play.
pub(super) struct MatchRunner<'a> {
    pub(super) game: &'a DynGame,
    pub(super) plan: &'a MatchPlan,
    pub(super) seats: [Seat<'a>; 2],
    pub(super) openings: &'a Openings,
    pub(super) log_path: &'a Path,
    /// Indices of the games to play, in order.
    pub(super) pending: Vec<u32>,
    pub(super) standing: Mutex<Standing>,
    pub(super) queue: Queue,
    pub(super) progress: &'a dyn Progress,
}

/// Which games the threads take next.
#[derive(Default)]
pub(super) struct Queue {
    /// How many pending games have been handed out.
    next: AtomicUsize,
    halted: AtomicBool,
}

/// Log and score, which one thread writes at a time.
pub(super) struct Standing {
    log: MatchLog,
    board: Scoreboard,
    /// The last failure of each player in this run.
    faults: [Option<LoggedFault>; 2],
    /// When the score was last reported.
    reported: Instant,
}

impl Standing {
    pub(super) fn new(log: MatchLog, board: Scoreboard) -> Mutex<Self> {
        Mutex::new(Self { log, board, faults: [None, None], reported: Instant::now() })
    }
}

impl MatchRunner<'_> {
    /// Plays until nothing is pending, the test has decided, somebody asks to
    /// stop, or a player proves unfit.
    ///
    /// Games are handed out in order and a failure lets those under way finish, so the
    /// first failing game is always among the played ones: its error is reported,
    /// whatever the number of threads. A stop abandons the games under way.
    pub(super) fn play_pending(self) -> Result<(Scoreboard, MatchLog), ArenaError> {
        let workers = rayon::current_num_threads().min(self.pending.len());
        let failures: Vec<_> =
            (0..workers).into_par_iter().with_max_len(1).filter_map(|_| self.work()).collect();
        if let Some((_, error)) = failures.into_iter().min_by_key(|&(index, _)| index) {
            return Err(error);
        }
        let standing = self.standing.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((standing.board, standing.log))
    }

    /// One thread's share of the games; the failure that ended it.
    fn work(&self) -> Option<(u32, ArenaError)> {
        let mut table = None;
        while !self.queue.halted.load(Ordering::Relaxed) && !self.progress.stopped() {
            let &index = self.pending.get(self.queue.next.fetch_add(1, Ordering::Relaxed))?;
            if let Err(error) = self.play_and_log(index, &mut table) {
                self.queue.halted.store(true, Ordering::Relaxed);
                return Some((index, error));
            }
        }
        None
    }

    fn play_and_log(
        &self,
        index: u32,
        table: &mut Option<Box<dyn MatchTable>>,
    ) -> Result<(), ArenaError> {
        if table.is_none() {
            *table = Some(self.table()?);
        }
        let table = table.as_mut().expect("made just now");
        match self.play(index, &mut **table)? {
            Some(played) => self.record(&played),
            None => Ok(()),
        }
    }

    fn table(&self) -> Result<Box<dyn MatchTable>, ArenaError> {
        let seat = |player: usize| {
            (self.seats[player])().map_err(|error| self.cannot_play(player, &error))
        };
        let seats = [seat(0)?, seat(1)?];
        let adjudication = self.plan.adjudication;
        let config = MatchGameConfig {
            time: self.plan.time,
            solve_at: adjudication.solve_at,
            decided_at: adjudication.decided_at,
        };
        Ok(self.game.match_table(seats, config))
    }

    fn cannot_play(&self, player: usize, error: &PlayerError) -> ArenaError {
        let file = format!("player-{player}.txt");
        match self.keep_dialogue(&file, error) {
            Ok(dialogue) => ArenaError::CannotPlay {
                name: self.plan.names[player].clone(),
                player,
                reason: error.reason.clone(),
                dialogue,
            },
            Err(failed) => failed,
        }
    }

    fn record(&self, played: &PlayedGame) -> Result<(), ArenaError> {
        let (game, line) = (Ended::from(played), line_of(played));
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.log.append_game(&game, &line)?;
        standing.board.enter(game);
        self.progress.advance(1);
        if standing.reported.elapsed() >= STATUS_EVERY {
            standing.reported = Instant::now();
            self.progress.status(&standing.board.status());
        }
        if standing.board.decided() {
            self.queue.halted.store(true, Ordering::Relaxed);
        }
        if let Some(fault) = &played.fault {
            standing.faults[fault.player] = Some(fault.clone());
        }
        let Some(player) = standing.board.faulty(self.plan.max_faults) else { return Ok(()) };
        let fault = standing.faults[player].clone();
        let (reason, dialogue) = fault.map(|f| (f.reason, f.dialogue)).unwrap_or_default();
        Err(ArenaError::Faulty {
            name: self.plan.names[player].clone(),
            player,
            games: self.plan.max_faults,
            reason,
            dialogue: dialogue.map(|name| self.log_path.with_file_name(name)),
        })
    }

    /// Plays a game; none where a stop cut it short.
    fn play(
        &self,
        index: u32,
        table: &mut dyn MatchTable,
    ) -> Result<Option<PlayedGame>, ArenaError> {
        let first = (index % 2) as usize;
        let seed = |player: u64| {
            rng::stream(self.plan.seed, "match", 2 * u64::from(index) + player).random()
        };
        let opening = self.openings.get((index / 2) as usize);
        let played = table.play(&opening, [seed(0), seed(1)], first, self.progress);
        let PlayedOut { moves, plies, notes, cost, result } = played;
        let (outcome, reason, fault) = match result {
            GameResult::Stopped => return Ok(None),
            GameResult::Ended { outcome, end } => (outcome, End::from(end), None),
            GameResult::Failed { player, error, .. }
                if matches!(error.kind, FaultKind::NotStarted | FaultKind::Misconfigured) =>
            {
                return Err(self.cannot_play(player, &error));
            }
            GameResult::Failed { player, error, position } => {
                let outcome = if player == 0 { Outcome::LOSS } else { Outcome::WIN };
                (outcome, End::Forfeit, Some(self.fault(index, player, position, error)?))
            }
        };
        let beginning = Beginning::of_record(self.game, &opening);
        Ok(Some(PlayedGame {
            index,
            start: beginning.start,
            opening: beginning.moves,
            first,
            margin: outcome.margin(),
            points: outcome.points(),
            plies: plies as u32,
            reason,
            nodes: cost.nodes,
            cpu_micros: cost.cpu_micros(),
            wall_micros: cost.wall_micros(),
            fault,
            moves,
            notes,
        }))
    }

    fn fault(
        &self,
        index: u32,
        player: usize,
        position: String,
        error: PlayerError,
    ) -> Result<LoggedFault, ArenaError> {
        let kept = self.keep_dialogue(&format!("game-{index}.txt"), &error)?;
        let beside = |path: PathBuf| -> Option<String> {
            let folder = path.parent()?.file_name()?.to_string_lossy().into_owned();
            Some(format!("{folder}/{}", path.file_name()?.to_string_lossy()))
        };
        Ok(LoggedFault {
            player,
            kind: error.kind,
            reason: error.reason,
            position,
            dialogue: kept.and_then(beside),
        })
    }

    /// Writes an outside engine's last words into the folder of faults beside
    /// the log.
    fn keep_dialogue(
        &self,
        file: &str,
        error: &PlayerError,
    ) -> Result<Option<PathBuf>, ArenaError> {
        if error.dialogue.is_empty() {
            return Ok(None);
        }
        let mut folder: OsString = self.log_path.file_name().unwrap_or_default().to_owned();
        folder.push(".faults");
        let folder = self.log_path.with_file_name(folder);
        fs::create_dir_all(&folder).map_err(ArenaError::io(&folder))?;
        let path = folder.join(file);
        write_atomically(&path, |out| {
            writeln!(out, "{}: {}\n", error.player, error.reason)?;
            out.write_all(error.dialogue.as_bytes())
        })
        .map_err(ArenaError::io(&path))?;
        Ok(Some(path))
    }
}
