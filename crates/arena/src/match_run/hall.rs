//! Where the games of one match are played, and what becomes of those that fail.

use super::claims::{self, Heard, Offers};
use super::{Beginning, Seat, move_names};
use crate::log::MatchLog;
use crate::scoreboard::{Ended, Scoreboard};
use crate::seal::line_of;
use crate::time_control::{Clocks, Timed};
use crate::{ArenaError, End, LoggedFault, MatchPlan, Notes, Openings, PlayedGame};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{
    Agreement, Choice, Ending, FaultKind, Game, GameRecord, Outcome, Player, PlayerError, Position,
    Progress, Reason, Side, Solve, play_out, rng,
};
use rand::RngExt;
use rayon::prelude::*;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the score is told.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// One match at play.
pub(super) struct Hall<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) plan: &'a MatchPlan,
    pub(super) seats: [Seat<'a, G::Position>; 2],
    pub(super) openings: &'a Openings<G>,
    pub(super) log_path: &'a Path,
    /// Indices of the games to play, in order.
    pub(super) pending: Vec<u32>,
    pub(super) office: Mutex<Office>,
    pub(super) course: Course,
    pub(super) progress: &'a dyn Progress,
}

/// How far the match has come.
#[derive(Default)]
pub(super) struct Course {
    /// How many pending games have been handed out.
    next: AtomicUsize,
    halted: AtomicBool,
}

/// What only one thread may write at a time.
pub(super) struct Office {
    log: MatchLog,
    board: Scoreboard,
    /// The last failure of each player in this run.
    faults: [Option<LoggedFault>; 2],
    told: Instant,
}

impl Office {
    pub(super) fn new(log: MatchLog, board: Scoreboard) -> Mutex<Self> {
        Mutex::new(Self { log, board, faults: [None, None], told: Instant::now() })
    }
}

/// Those who sit at one thread's table.
struct Table<P: Position> {
    players: [Box<dyn Player<P>>; 2],
    solver: Option<Box<dyn Solve<P>>>,
}

/// What a game cost each player.
#[derive(Default)]
struct Bill {
    notes: Notes,
    nodes: [u64; 2],
    cpu: [Option<Duration>; 2],
    wall: [Option<Duration>; 2],
}

impl Bill {
    fn add<M>(&mut self, player: usize, choice: &Choice<M>) {
        let add = |sum: &mut Option<Duration>, time: Option<Duration>| {
            if let Some(time) = time {
                *sum = Some(sum.unwrap_or_default().saturating_add(time));
            }
        };
        self.nodes[player] = self.nodes[player].saturating_add(choice.nodes);
        add(&mut self.cpu[player], choice.cpu);
        add(&mut self.wall[player], choice.wall);
        let Notes { value, depth, nodes, micros: times } = &mut self.notes;
        if let Some(time) = choice.wall.or(choice.cpu) {
            times.resize(value.len(), 0);
            times.push(micros(time));
        } else if !times.is_empty() {
            times.push(0);
        }
        value.push(choice.value);
        depth.push(choice.depth);
        nodes.push(choice.nodes);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl<G: Game> Hall<'_, G> {
    /// Plays until nothing is pending, the test has decided, somebody asks to
    /// stop, or a player proves unfit.
    ///
    /// Games are handed out in order and a failure lets those under way finish, so the
    /// first failing game is always among the played ones: its error is told,
    /// whatever the number of threads. A stop abandons the games under way.
    pub(super) fn play_pending(self) -> Result<(Scoreboard, MatchLog), ArenaError> {
        let workers = rayon::current_num_threads().min(self.pending.len());
        let failures: Vec<_> =
            (0..workers).into_par_iter().with_max_len(1).filter_map(|_| self.work()).collect();
        if let Some((_, error)) = failures.into_iter().min_by_key(|&(index, _)| index) {
            return Err(error);
        }
        let office = self.office.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((office.board, office.log))
    }

    /// One thread's share of the games; the failure that ended it.
    fn work(&self) -> Option<(u32, ArenaError)> {
        let mut table = None;
        while !self.course.halted.load(Ordering::Relaxed) && !self.progress.stopped() {
            let &index = self.pending.get(self.course.next.fetch_add(1, Ordering::Relaxed))?;
            if let Err(error) = self.serve(index, &mut table) {
                self.course.halted.store(true, Ordering::Relaxed);
                return Some((index, error));
            }
        }
        None
    }

    fn serve(&self, index: u32, table: &mut Option<Table<G::Position>>) -> Result<(), ArenaError> {
        if table.is_none() {
            *table = Some(self.lay()?);
        }
        let table = table.as_mut().expect("laid just now");
        match self.play(index, table)? {
            Some(played) => self.record(&played),
            None => Ok(()),
        }
    }

    fn lay(&self) -> Result<Table<G::Position>, ArenaError> {
        let seat = |player: usize| {
            (self.seats[player])().map_err(|error| self.cannot_play(player, &error))
        };
        let solves = self.plan.adjudication.solve_at > 0;
        let solver = if solves { self.game.solver() } else { None };
        Ok(Table { players: [seat(0)?, seat(1)?], solver })
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
        let mut office = self.office.lock().unwrap_or_else(PoisonError::into_inner);
        office.log.append_game(&game, &line)?;
        office.board.enter(game);
        self.progress.advance(1);
        if office.told.elapsed() >= TOLD_EVERY {
            office.told = Instant::now();
            self.progress.status(&office.board.status());
        }
        if office.board.decided() {
            self.course.halted.store(true, Ordering::Relaxed);
        }
        if let Some(fault) = &played.fault {
            office.faults[fault.player] = Some(fault.clone());
        }
        let Some(player) = office.board.faulty(self.plan.max_faults) else { return Ok(()) };
        let fault = office.faults[player].clone();
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
        table: &mut Table<G::Position>,
    ) -> Result<Option<PlayedGame>, ArenaError> {
        let first = (index % 2) as usize;
        let player_of = |side: Side| side.index() ^ first;
        for (player, number) in table.players.iter_mut().zip(0..) {
            let stream = 2 * u64::from(index) + number;
            player.new_game(rng::stream(self.plan.seed, "match", stream).random());
        }
        let opening = self.openings.get((index / 2) as usize);
        let mut record = opening.clone();
        let (mut bill, offers) = (Bill::default(), Offers::default());
        let ended = self.play_on(&mut record, table, first, &mut bill, &offers);
        // What was noted of an illegal move is no note of a move.
        bill.notes.truncate(record.ply() - opening.ply());
        let player_to_move = player_of(record.side());
        let (outcome, reason, fault) = match ended {
            Ok(()) => {
                let ending = record.ending().expect("a game is played out to its end");
                (ending.outcome, End::from(ending.reason), None)
            }
            Err(_) if self.progress.stopped() => return Ok(None),
            Err(error)
                if matches!(error.kind, FaultKind::NotStarted | FaultKind::Misconfigured) =>
            {
                return Err(self.cannot_play(player_to_move, &error));
            }
            Err(mut error) => match claims::judge(self.game, &record, &offers, error.kind) {
                Some(Ok((outcome, end))) => (outcome, end, None),
                refused => {
                    if let Some(Err(why)) = refused {
                        error.reason = format!("{}: {why}", error.reason);
                    }
                    let fault = self.fault(index, player_to_move, &record, error)?;
                    (Outcome::LOSS, End::Forfeit, Some(fault))
                }
            },
        };
        let side_of_player_0 = if first == 0 { Side::First } else { Side::Second };
        let outcome = outcome.seen_by(record.side(), side_of_player_0);
        let Beginning { start, moves } = Beginning::told(self.game, &opening);
        let Bill { notes, nodes, cpu, wall } = bill;
        Ok(Some(PlayedGame {
            index,
            start,
            opening: moves,
            first,
            margin: outcome.margin(),
            points: outcome.points(),
            plies: record.ply() as u32,
            reason,
            nodes,
            cpu_micros: cpu.map(|time| time.map(micros)),
            wall_micros: wall.map(|time| time.map(micros)),
            fault,
            moves: move_names(self.game, &record, opening.ply()),
            notes,
        }))
    }

    /// Plays a record on to its end, or to the failure of the player to move.
    fn play_on(
        &self,
        record: &mut GameRecord<G::Position>,
        table: &mut Table<G::Position>,
        first: usize,
        bill: &mut Bill,
        offers: &Offers,
    ) -> Result<(), PlayerError> {
        let adjudication = self.plan.adjudication;
        let agreement = Agreement::new(adjudication.decided_at);
        let solver = &mut table.solver;
        let judge = |record: &GameRecord<G::Position>| {
            if let Some(outcome) = agreement.outcome(record.side()) {
                return Some(Ending { outcome, reason: Reason::Agreed });
            }
            if offers.both() {
                return Some(Ending { outcome: Outcome::DRAW, reason: Reason::Agreed });
            }
            let solver = solver.as_mut()?;
            let position = record.position();
            (solver.moves_left(position) <= adjudication.solve_at)
                .then(|| Ending { outcome: solver.solve(position).outcome, reason: Reason::Solved })
        };
        let watch = |record: &GameRecord<G::Position>, choice: &Choice<_>| {
            agreement.hear(record.side(), choice.value);
            bill.add(record.side().index() ^ first, choice);
        };
        let progress = self.progress;
        let mut heard = table.players.each_mut().map(|player| Heard {
            player: &mut **player,
            offers,
            progress,
        });
        let [a, b] = &mut heard;
        let mut seated: [&mut dyn Player<G::Position>; 2] = [a, b];
        seated.rotate_left(first);
        if self.plan.time == [None, None] {
            return play_out(record, &mut seated, judge, watch);
        }
        let mut controls = self.plan.time;
        controls.rotate_left(first);
        let clocks = Clocks::new(controls);
        let [one, two] = seated;
        let mut one = Timed { player: one, clocks: &clocks };
        let mut two = Timed { player: two, clocks: &clocks };
        play_out(record, &mut [&mut one, &mut two], judge, watch)
    }

    fn fault(
        &self,
        index: u32,
        player: usize,
        record: &GameRecord<G::Position>,
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
            position: self.game.format(record.position(), record.side()),
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
