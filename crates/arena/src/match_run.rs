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
    progress.resume(games.len() as u64);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Cheat, Gambler, Grabber, Heaps, Nim, StopAfter, on_threads, plan, seats};
    use evalsmith_core::{Outcome, Quiet, Reason};

    fn play(threads: usize, plan: &MatchPlan) -> MatchResult {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        on_threads(threads, || run_match(&Nim, plan, &seats(), &log, &Quiet)).unwrap()
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let alone = play(1, &plan(34));
        assert_eq!(play(2, &plan(34)), alone);
        assert_eq!(play(7, &plan(34)), alone);
        let other = MatchPlan { seed: 8, ..plan(34) };
        assert_ne!(play(2, &other).games, alone.games);
    }

    /// Replays every game by the rules and counts everything again.
    #[test]
    fn the_result_is_what_the_games_say() {
        let result = play(2, &plan(30));
        assert_eq!(result.games.len(), 60);
        let mut points = 0.0;
        let mut plies = 0;
        for (index, game) in (0..).zip(&result.games) {
            assert_eq!((game.index, game.first), (index, index as usize % 2));
            let mut record = GameRecord::new(Nim.start(), Side::First, Nim.max_plies());
            let names = game.opening.split(' ').chain(game.moves.iter().map(String::as_str));
            for name in names {
                record.play(Nim.parse_move(record.position(), name).unwrap()).unwrap();
            }
            assert_eq!(game.opening.split(' ').count(), 2);
            let ours = if game.first == 0 { Side::First } else { Side::Second };
            let outcome = record.outcome_for(ours).unwrap();
            assert_eq!((game.margin, game.points), (outcome.margin(), outcome.points()));
            assert_eq!(game.plies as usize, record.ply());
            assert_eq!(game.reason, Reason::Rules);
            // The grabber, player 1, counts one node a move.
            let moves = (2..record.ply()).filter(|&ply| Side::First.after(ply) != ours).count();
            assert_eq!(game.nodes[1], moves as u64);
            points += game.points;
            plies += game.plies;
        }
        for pair in result.games.chunks(2) {
            assert_eq!(pair[0].opening, pair[1].opening);
        }
        assert_eq!(result.stats.share, Some(points / 60.0));
        assert_eq!(result.stats.games(), 60);
        assert!((result.mean_plies - f64::from(plies) / 60.0).abs() < 1e-12);
        assert_eq!(result.nodes[0], result.games.iter().map(|g| g.nodes[0]).sum::<u64>());
        let quarters: u64 = (0..).zip(result.stats.pairs.0).map(|(i, n)| i * n).sum();
        assert_eq!(quarters as f64 / 2.0, points);
    }

    #[test]
    fn players_hear_a_seed_of_their_own_before_each_game() {
        struct Listener(&'static Mutex<Vec<u64>>);
        impl Player<Heaps> for Listener {
            fn name(&self) -> &'static str {
                "listener"
            }
            fn new_game(&mut self, seed: u64) {
                self.0.lock().unwrap().push(seed);
            }
            fn choose(
                &mut self,
                game: &GameRecord<Heaps>,
            ) -> Result<Choice<Nim>, evalsmith_core::PlayerError> {
                Grabber.choose(game)
            }
        }
        static HEARD: Mutex<Vec<u64>> = Mutex::new(Vec::new());
        let dir = tempfile::tempdir().unwrap();
        let listener = || -> Box<dyn Player<Heaps>> { Box::new(Listener(&HEARD)) };
        run_match(&Nim, &plan(10), &[&listener, &listener], &dir.path().join("log"), &Quiet)
            .unwrap();
        let mut heard = HEARD.lock().unwrap().clone();
        assert_eq!(heard.len(), 40);
        heard.sort_unstable();
        heard.dedup();
        assert_eq!(heard.len(), 40);
    }

    #[test]
    fn an_empty_match_has_no_games_and_no_nan() {
        let result = play(2, &plan(0));
        assert_eq!((result.games.len(), result.mean_plies), (0, 0.0));
        assert_eq!(result.stats.elo, None);
    }

    /// An infinite rating is a word in JSON, which has no infinite numbers.
    #[test]
    fn results_survive_json() {
        let mut result = play(1, &plan(5));
        result.stats = MatchStats::of_pairs([[3, 1], [7, 2]]);
        let text = serde_json::to_string(&result).unwrap();
        assert!(text.contains("\"elo\":\"inf\""), "{text}");
        assert_eq!(serde_json::from_str::<MatchResult>(&text).unwrap(), result);
        let spoilt = text.replace("\"elo\":\"inf\"", "\"elo\":\"much\"");
        assert!(serde_json::from_str::<MatchResult>(&spoilt).is_err());
    }

    #[test]
    fn impossible_plans_are_refused_before_a_log_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let long = MatchPlan { opening_plies: 30, ..plan(5) };
        let error = run_match(&Nim, &long, &seats(), &log, &Quiet).unwrap_err();
        assert!(matches!(error, ArenaError::TooFewOpenings { found: 0, .. }), "{error}");
        let error = run_match(&Nim, &plan(u32::MAX), &seats(), &log, &Quiet).unwrap_err();
        assert!(matches!(error, ArenaError::TooManyPairs { .. }), "{error}");
        assert!(!log.exists());
    }

    #[test]
    fn a_stop_keeps_the_games_and_the_same_call_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let whole = play(2, &plan(20));
        let mut before = 0;
        for _ in 0..40 {
            let stop = StopAfter::games(7);
            let stopped = on_threads(2, || run_match(&Nim, &plan(20), &seats(), &log, &stop));
            match stopped {
                Err(ArenaError::Stopped { done, total }) => {
                    assert_eq!(total, 40);
                    assert!((before + 7..=before + 8).contains(&done), "{before} {done}");
                    assert_eq!(stop.advanced(), u64::from(done));
                    before = done;
                }
                Err(error) => panic!("{error}"),
                Ok(result) => {
                    assert_eq!(result, whole);
                    return;
                }
            }
        }
        panic!("the match never ended");
    }

    type Answer = fn(&GameRecord<Heaps>) -> Option<Result<(u8, u8), String>>;

    /// Plays the gambler against a cheat in the second seat.
    fn against(answer: Answer, threads: usize, log: &Path) -> ArenaError {
        let gambler = || -> Box<dyn Player<Heaps>> { Box::new(Gambler::new()) };
        let cheat = move || -> Box<dyn Player<Heaps>> { Box::new(Cheat(answer)) };
        on_threads(threads, || {
            run_match(&Nim, &plan(20), &[&gambler, &cheat], log, &Quiet).unwrap_err()
        })
    }

    #[test]
    fn a_cheat_is_named_and_finished_games_stay() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let take_from_nothing: Answer =
            |game| (game.position().heaps[1] == 0 && game.ply() > 3).then_some(Ok((1, 1)));
        let error = against(take_from_nothing, 1, &log);
        let ArenaError::Player { name, player, game, ply, position, reason } = &error else {
            panic!("{error}");
        };
        assert_eq!((name.as_str(), *player), ("grabber", 1));
        assert!(*ply > 3 && reason.contains("illegal move (1, 1)"), "{error}");
        assert!(position.contains("/0/"), "{position}");

        let lines = std::fs::read_to_string(&log).unwrap();
        assert_eq!(lines.lines().count() as u32, 1 + game);
        let again = dir.path().join("again");
        assert_eq!(against(take_from_nothing, 2, &again).to_string(), error.to_string());
    }

    #[test]
    fn the_blame_goes_by_seat_not_by_what_a_player_says() {
        let dir = tempfile::tempdir().unwrap();
        let error = against(|_| Some(Err("out of memory".into())), 2, &dir.path().join("log"));
        let ArenaError::Player { name, player: 1, game: 0, reason, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!((name.as_str(), reason.as_str()), ("grabber", "out of memory"));
    }

    #[test]
    fn logged_games_must_fit_the_plan() {
        let openings = ["0-1 1-1".to_owned(), "2-3 0-7".to_owned()];
        let good = PlayedGame {
            index: 3,
            opening: openings[1].clone(),
            first: 1,
            margin: -4,
            points: Outcome::LOSS.points(),
            plies: 4,
            reason: Reason::Rules,
            moves: Vec::new(),
            nodes: [0, 0],
        };
        let check = |game: &PlayedGame| check_logged(game, &openings, &mut [false; 4]);
        assert_eq!(check(&good), Ok(()));
        assert!(check_logged(&good, &openings, &mut [true; 4]).is_err());
        let spoilt = [
            PlayedGame { index: 4, ..good.clone() },
            PlayedGame { index: 1, ..good.clone() },
            PlayedGame { first: 0, ..good.clone() },
            PlayedGame { points: 1.0, ..good.clone() },
        ];
        for game in spoilt {
            assert!(check(&game).is_err(), "{game:?}");
        }
    }
}
