//! A match: every opening twice, colours reversed, in parallel, logged game by
//! game.
//!
//! Invariant: a game depends on the plan, its index and the players, never on
//! what was played before it or on which thread. So the result, sorted by
//! index, is the same for any number of threads and after any interruption.

use crate::log::{MatchLog, line_of};
use crate::{ArenaError, MatchPlan, Openings, PlayedGame};
use evalsmith_core::{Game, GameRecord, Player, Position, Progress, Side, play_out, rng};
use evalsmith_stats::elo::MatchStats;
use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Makes players of one kind, one for each thread that plays.
pub type Seat<'a, P> = &'a (dyn Fn() -> Box<dyn Player<P>> + Sync);

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// What was played.
    pub plan: MatchPlan,
    /// The result for player 0.
    pub stats: MatchStats,
    /// All games, by index.
    pub games: Vec<PlayedGame>,
    /// Half-moves of a game on average, openings included; zero without games.
    pub mean_plies: f64,
    /// Positions visited by each player in the whole match.
    pub nodes: [u64; 2],
}

impl MatchResult {
    /// `games` holds every game of the plan once.
    fn of_games(plan: MatchPlan, mut games: Vec<PlayedGame>) -> Self {
        games.sort_unstable_by_key(|game| game.index);
        let plies: u64 = games.iter().map(|game| u64::from(game.plies)).sum();
        let nodes = [0, 1].map(|player| {
            games.iter().fold(0_u64, |sum, game| sum.saturating_add(game.nodes[player]))
        });
        Self {
            plan,
            stats: MatchStats::of_pairs(games.chunks_exact(2).map(|g| [g[0].margin, g[1].margin])),
            mean_plies: plies as f64 / games.len().max(1) as f64,
            nodes,
            games,
        }
    }
}

/// Plays the match that `plan` orders between two players, or goes on with the
/// one begun in `log`, on the threads of the current rayon pool.
///
/// # Errors
/// When the game lacks openings, the log belongs to another match or cannot be
/// written, a player fails or cheats, or `progress` asks to stop. Whatever
/// happens, finished games stay in the log, and the same call goes on from there.
pub fn run_match<G: Game>(
    game: &G,
    plan: &MatchPlan,
    players: &[Seat<'_, G::Position>; 2],
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, ArenaError> {
    let total = plan.pairs.checked_mul(2).ok_or(ArenaError::TooManyPairs { pairs: plan.pairs })?;
    let openings = Openings::random(game, plan.opening_plies, plan.pairs, plan.seed)?;
    let opening_texts: Vec<String> =
        openings.records().iter().map(|opening| move_names(game, opening, 0).join(" ")).collect();

    let mut done = vec![false; total as usize];
    let check = |played: &PlayedGame| check_logged(played, &opening_texts, &mut done);
    let (log, mut games) = MatchLog::open(log, G::NAME, plan, check, progress)?;

    let hall = Hall {
        game,
        plan,
        seats: players,
        openings: openings.records(),
        opening_texts: &opening_texts,
        pending: (0..total).filter(|&index| !done[index as usize]).collect(),
        next: AtomicUsize::new(0),
        halted: AtomicBool::new(false),
        log: Mutex::new(log),
        progress,
    };
    progress.begin(&plan.names.join(" - "), u64::from(total), "games");
    progress.advance(games.len() as u64);
    let played = hall.play_pending();
    progress.end();
    games.extend(played?);
    if games.len() < total as usize {
        return Err(ArenaError::Stopped { done: games.len() as u32, total });
    }
    Ok(MatchResult::of_games(plan.clone(), games))
}

/// Refuses a logged game that this match cannot have played.
fn check_logged(
    played: &PlayedGame,
    opening_texts: &[String],
    done: &mut [bool],
) -> Result<(), String> {
    let index = played.index as usize;
    let Some(seen) = done.get_mut(index) else {
        return Err(format!("game {index} of {}", 2 * opening_texts.len()));
    };
    if *seen {
        return Err(format!("game {index} stands in the log twice"));
    }
    if played.opening != opening_texts[index / 2] || played.first != index % 2 {
        return Err(format!("game {index} has another opening or other colours than planned"));
    }
    if played.points != evalsmith_core::Outcome::by(played.margin).points() {
        return Err(format!("{} points for a margin of {}", played.points, played.margin));
    }
    *seen = true;
    Ok(())
}

/// The moves of a record from `ply` on, as people write them.
fn move_names<G: Game>(game: &G, record: &GameRecord<G::Position>, ply: usize) -> Vec<String> {
    let steps = record.positions().iter().zip(record.moves());
    steps.skip(ply).map(|(position, &m)| game.format_move(position, m)).collect()
}

/// Where the games of one match are played.
struct Hall<'a, G: Game> {
    game: &'a G,
    plan: &'a MatchPlan,
    seats: &'a [Seat<'a, G::Position>; 2],
    openings: &'a [GameRecord<G::Position>],
    opening_texts: &'a [String],
    /// Indices of the games to play, in order.
    pending: Vec<u32>,
    /// How many of them have been handed out.
    next: AtomicUsize,
    halted: AtomicBool,
    log: Mutex<MatchLog>,
    progress: &'a dyn Progress,
}

type Players<P> = [Box<dyn Player<P>>; 2];

impl<G: Game> Hall<'_, G> {
    /// Plays until nothing is pending, somebody asks to stop, or a game fails.
    ///
    /// Games are handed out in order and those under way are finished, so the
    /// first failing game is always among the played ones: its error is told,
    /// whatever the number of threads.
    fn play_pending(&self) -> Result<Vec<PlayedGame>, ArenaError> {
        let workers = rayon::current_num_threads().min(self.pending.len());
        let shifts: Vec<_> =
            (0..workers).into_par_iter().with_max_len(1).map(|_| self.work()).collect();
        let mut games = Vec::new();
        let mut failures = Vec::new();
        for (played, failure) in shifts {
            games.extend(played);
            failures.extend(failure);
        }
        match failures.into_iter().min_by_key(|&(index, _)| index) {
            Some((_, error)) => Err(error),
            None => Ok(games),
        }
    }

    /// One thread's share of the games, and the failure that ended it.
    fn work(&self) -> (Vec<PlayedGame>, Option<(u32, ArenaError)>) {
        let mut games = Vec::new();
        let mut players = None;
        while !self.halted.load(Ordering::Relaxed) && !self.progress.stopped() {
            let Some(&index) = self.pending.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            let players = players.get_or_insert_with(|| self.seats.map(|make| make()));
            match self.play(index, players).and_then(|played| self.record(played)) {
                Ok(played) => games.push(played),
                Err(error) => {
                    self.halted.store(true, Ordering::Relaxed);
                    return (games, Some((index, error)));
                }
            }
        }
        (games, None)
    }

    fn record(&self, played: PlayedGame) -> Result<PlayedGame, ArenaError> {
        let line = line_of(&played);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).append(&line)?;
        self.progress.advance(1);
        Ok(played)
    }

    fn play(
        &self,
        index: u32,
        players: &mut Players<G::Position>,
    ) -> Result<PlayedGame, ArenaError> {
        let pair = (index / 2) as usize;
        let first = (index % 2) as usize;
        for (player, number) in players.iter_mut().zip(0..) {
            let stream = 2 * u64::from(index) + number;
            player.new_game(rng::stream(self.plan.seed, "match", stream).random());
        }
        let [a, b] = players;
        let mut seated: [&mut dyn Player<G::Position>; 2] = [a.as_mut(), b.as_mut()];
        seated.rotate_left(first);
        let player_of = |side: Side| side.index() ^ first;

        let opening = &self.openings[pair];
        let mut record = opening.clone();
        let mut nodes = [0_u64; 2];
        let watch = |record: &GameRecord<G::Position>, choice: &Choice<G>| {
            let spent = &mut nodes[player_of(record.side())];
            *spent = spent.saturating_add(choice.nodes);
        };
        if let Err(error) = play_out(&mut record, &mut seated, |_| None, watch) {
            let player = player_of(record.side());
            return Err(ArenaError::Player {
                name: self.plan.names[player].clone(),
                player,
                game: index,
                ply: record.ply(),
                position: self.game.format(record.position(), record.side()),
                reason: error.reason,
            });
        }
        let ending = record.ending().expect("a game is played out to its end");
        let side_of_player_0 = if first == 0 { Side::First } else { Side::Second };
        let outcome = ending.outcome.seen_by(record.side(), side_of_player_0);
        Ok(PlayedGame {
            index,
            opening: self.opening_texts[pair].clone(),
            first,
            margin: outcome.margin(),
            points: outcome.points(),
            plies: record.ply() as u32,
            reason: ending.reason,
            moves: move_names(self.game, &record, opening.ply()),
            nodes,
        })
    }
}

type Choice<G> = evalsmith_core::Choice<<<G as Game>::Position as Position>::Move>;
