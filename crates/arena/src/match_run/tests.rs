use super::*;
use crate::testing::{
    Cheat, Gambler, Grabber, Heaps, Nim, StopAfter, on_threads, plan, play, play_between, seat,
};
use crate::{End, Meter, Notes, TimeBudget, TimeControl};
use evalsmith_core::{Choice, Clock, FaultKind, GameRecord, Player, Position, Quiet, Side};
use evalsmith_stats::elo::Elo;
use evalsmith_stats::sprt::{Sprt, Verdict};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// The result and the games in order.
fn played(threads: usize, plan: &MatchPlan) -> (MatchResult, Vec<PlayedGame>) {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let result = on_threads(threads, || play(plan, &log, &Quiet)).unwrap();
    (result, games(&log))
}

fn games(log: &Path) -> Vec<PlayedGame> {
    let (_, mut reader) = LogReader::open(log).unwrap();
    let mut games: Vec<PlayedGame> = Vec::new();
    while let Some(game) = reader.next_game().unwrap() {
        games.push(game);
    }
    games.sort_by_key(|game| game.index);
    games
}

#[test]
fn threads_do_not_change_the_result() {
    let alone = played(1, &plan(34));
    assert_eq!(played(2, &plan(34)), alone);
    assert_eq!(played(7, &plan(34)), alone);
    let other = MatchPlan { seed: 8, ..plan(34) };
    assert_ne!(played(2, &other).1, alone.1);
}

/// Replays every game by the rules and counts everything again.
#[test]
fn the_result_is_what_the_games_say() {
    let (result, games) = played(2, &plan(30));
    assert_eq!(games.len(), 60);
    let mut points = 0.0;
    let mut plies = 0;
    for (index, game) in (0..).zip(&games) {
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
        assert_eq!(game.reason, End::Rules);
        // The grabber, player 1, counts one node a move.
        let moves = (2..record.ply()).filter(|&ply| Side::First.after(ply) != ours).count();
        assert_eq!(game.nodes[1], moves as u64);
        assert_eq!(game.notes.nodes.len(), game.moves.len());
        assert_eq!(game.notes.nodes.iter().sum::<u64>(), game.nodes[0] + game.nodes[1]);
        points += game.points;
        plies += u64::from(game.plies);
    }
    for pair in games.chunks(2) {
        assert_eq!(pair[0].opening, pair[1].opening);
    }
    assert_eq!(result.stats.share, Some(points / 60.0));
    assert_eq!((result.stats.games(), result.totals.games), (60, 60));
    assert_eq!(result.totals.plies, plies);
    assert_eq!(result.totals.nodes[0], games.iter().map(|g| g.nodes[0]).sum::<u64>());
    assert_eq!(result.totals.ends[&End::Rules], 60);
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
        fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<(u8, u8)>, PlayerError> {
            Grabber.choose(game)
        }
    }
    static HEARD: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let dir = tempfile::tempdir().unwrap();
    let listener: Seat<'_> = &|| Ok(seat(Listener(&HEARD)));
    play_between([listener; 2], &plan(10), &dir.path().join("log"), &Quiet).unwrap();
    let mut heard = HEARD.lock().unwrap().clone();
    assert_eq!(heard.len(), 40);
    heard.sort_unstable();
    heard.dedup();
    assert_eq!(heard.len(), 40);
}

#[test]
fn an_empty_match_has_no_games_and_no_nan() {
    let (result, games) = played(2, &plan(0));
    assert_eq!((games.len(), result.totals.mean_plies()), (0, 0.0));
    assert_eq!(result.stats.elo, None);
}

/// An infinite rating is a word in JSON, which has no infinite numbers.
#[test]
fn results_survive_json() {
    let (mut result, _) = played(1, &plan(5));
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
    let error = play(&plan(35), &log, &Quiet).unwrap_err();
    assert!(matches!(error, ArenaError::TooFewOpenings { found: 34, .. }), "{error}");
    let error = play(&plan(u32::MAX), &log, &Quiet).unwrap_err();
    assert!(matches!(error, ArenaError::TooManyPairs { .. }), "{error}");
    let mut solved = plan(3);
    solved.adjudication.solve_at = 4;
    let error = play(&solved, &log, &Quiet).unwrap_err();
    assert!(matches!(error, ArenaError::NoSolver { .. }), "{error}");
    assert!(!log.exists());
}

#[test]
fn a_stop_keeps_the_games_and_the_same_call_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let (whole, _) = played(2, &plan(20));
    let mut before = 0;
    for _ in 0..40 {
        let stop = StopAfter::games(7);
        match on_threads(2, || play(&plan(20), &log, &stop)) {
            Err(ArenaError::Stopped { done, total }) => {
                assert_eq!(total, 40);
                assert!((before + 7..=before + 8).contains(&done), "{before} {done}");
                assert_eq!(stop.advanced(), u64::from(done));
                before = done;
            }
            Err(error) => panic!("{error}"),
            Ok(result) => {
                assert_eq!(result, whole);
                assert_eq!(read_match(&log).unwrap().1, whole, "the log read as a stream");
                return;
            }
        }
    }
    panic!("the match never ended");
}

#[test]
fn a_sequential_test_ends_alike_for_any_threads_and_interruptions() {
    let sprt = Sprt::logistic([Elo(-300.0), Elo(100.0)], 0.1, 0.1).unwrap();
    let plan = MatchPlan { sprt: Some(sprt), ..plan(34) };
    let (alone, _) = played(1, &plan);
    let test = alone.test.clone().unwrap();
    assert_ne!(test.verdict, Verdict::Continue, "{test:?}");
    assert!(alone.totals.games < 68, "{}", alone.totals.games);
    for threads in [2, 5] {
        assert_eq!(played(threads, &plan).0, alone);
    }
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let result = loop {
        match on_threads(3, || play(&plan, &log, &StopAfter::games(2))) {
            Err(ArenaError::Stopped { .. }) => {}
            ended => break ended.unwrap(),
        }
    };
    assert_eq!(result, alone);
    assert_eq!(play(&plan, &log, &StopAfter::games(0)).unwrap(), alone, "nothing more is played");
    assert_eq!(read_match(&log).unwrap().1, alone);
}

type Answer = fn(&GameRecord<Heaps>) -> Option<Result<(u8, u8), FaultKind>>;

/// Plays the gambler against a cheat in the second seat.
fn against(answer: Answer, threads: usize, log: &Path) -> Result<MatchResult, ArenaError> {
    let gambler: Seat<'_> = &|| Ok(seat(Gambler::new()));
    let cheat = move || Ok(seat(Cheat(answer)));
    on_threads(threads, || play_between([gambler, &cheat], &plan(20), log, &Quiet))
}

#[test]
fn a_failure_costs_the_game_and_the_match_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let sometimes: Answer = |game| {
        let counters: u8 = game.position().heaps.iter().sum();
        (game.ply() < 4 && counters.is_multiple_of(6)).then_some(Ok((1, 9)))
    };
    let result = against(sometimes, 1, &log).unwrap();
    let games = games(&log);
    let forfeited: Vec<_> = games.iter().filter(|game| game.fault.is_some()).collect();
    assert!((1..20).contains(&forfeited.len()), "{}", forfeited.len());
    assert_eq!(result.totals.faults, [0, forfeited.len() as u64]);
    for game in forfeited {
        let fault = game.fault.as_ref().unwrap();
        assert_eq!((fault.player, fault.kind), (1, FaultKind::Illegal));
        assert!(fault.reason.contains("illegal move (1, 9)"), "{fault:?}");
        assert_eq!((game.margin, game.points, game.reason), (1, 1.0, End::Forfeit));
        let moves = game.plies as usize - 2;
        assert_eq!((game.moves.len(), game.notes.depth.len()), (moves, moves));
    }
    let again = dir.path().join("again");
    assert_eq!(against(sometimes, 3, &again).unwrap(), result);
}

#[test]
fn resigning_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let result = against(|_| Some(Err(FaultKind::Resigned)), 2, &log).unwrap();
    assert_eq!((result.stats.wins, result.totals.ends[&End::Resigned]), (40, 40));
    assert_eq!(result.totals.faults, [0, 0]);
    assert!(!dir.path().join("log.faults").exists());
}

#[test]
fn a_player_that_fails_again_and_again_ends_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let error = against(|_| Some(Err(FaultKind::Died)), 1, &log).unwrap_err();
    assert!(error.is_fault());
    let ArenaError::Faulty { name, player: 1, games: 3, reason, dialogue } = &error else {
        panic!("{error}");
    };
    assert_eq!((name.as_str(), reason.as_str()), ("grabber", "as told"));
    assert_eq!(dialogue.as_ref(), Some(&dir.path().join("log.faults/game-2.txt")));
    let words = fs::read_to_string(dialogue.as_ref().unwrap()).unwrap();
    assert_eq!(words, "somebody else: as told\n\n> your move\n< no\n");
    let logged = games(&log);
    assert_eq!(logged.len(), 3);
    let fault = logged[1].fault.as_ref().unwrap();
    assert_eq!(fault.dialogue.as_deref(), Some("log.faults/game-1.txt"));
    let (_, result) = read_match(&log).unwrap();
    assert_eq!((result.stats.wins, result.totals.faults), (2, [0, 3]));

    // Mended, it goes on, and what is forfeited stays so.
    let whole = against(|_| None, 2, &log).unwrap();
    assert_eq!((whole.totals.games, whole.totals.faults), (40, [0, 3]));
}

#[test]
fn a_player_that_cannot_play_ends_the_match_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let error = against(|_| Some(Err(FaultKind::NotStarted)), 2, &log).unwrap_err();
    assert!(matches!(&error, ArenaError::CannotPlay { player: 1, .. }), "{error}");
    assert!(error.to_string().contains("log.faults"), "{error}");
    assert_eq!(games(&log).len(), 0);
    let unseated: Seat<'_> = &|| Err(PlayerError::new("x", "no such program"));
    let seats = [&|| Ok(seat(Grabber)), unseated];
    let error = play_between(seats, &plan(3), &log.with_extension("b"), &Quiet).unwrap_err();
    assert!(error.to_string().starts_with("grabber (player 1) cannot play: no such program"));
}

/// Takes two milliseconds a move, and says so.
struct Slow(Mutex<Vec<Clock>>);

impl Player<Heaps> for &'static Slow {
    fn name(&self) -> &'static str {
        "slow"
    }
    fn set_clock(&mut self, clock: &Clock) {
        self.0.lock().unwrap().push(*clock);
    }
    fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<(u8, u8)>, PlayerError> {
        let fewest = game.position().moves().min_by_key(|&(_, counters)| counters);
        let time = Some(Duration::from_millis(2));
        Ok(Choice { cpu: time, wall: time, ..Choice::blind(fewest.unwrap()) })
    }
}

#[test]
fn clocks_run_and_flags_fall() {
    static SLOW: Slow = Slow(Mutex::new(Vec::new()));
    let dir = tempfile::tempdir().unwrap();
    let slow: Seat<'_> = &|| Ok(seat(&SLOW));
    let budget = TimeBudget::Game { base: Duration::from_millis(6), increment: Duration::ZERO };
    let control = TimeControl { meter: Meter::Cpu, budget, margin: Duration::from_millis(1) };
    let plan = MatchPlan { time: [None, Some(control)], max_faults: 99, ..plan(2) };
    let log = dir.path().join("log");
    let result = on_threads(1, || play_between([slow, slow], &plan, &log, &Quiet)).unwrap();
    assert_eq!((result.stats.wins, result.totals.faults), (4, [0, 4]));
    for game in games(&log) {
        let fault = game.fault.unwrap();
        assert_eq!(fault.kind, FaultKind::LostOnTime);
        assert_eq!(fault.reason, "lost on time: used 2ms of 0ns of CPU time");
        assert!(game.notes.micros.iter().all(|&time| time == 2000));
    }
    let heard = SLOW.0.lock().unwrap();
    let side_of_player_1 = 1;
    let remaining: Vec<_> =
        heard[..4].iter().map(|c| c.remaining[side_of_player_1].as_millis()).collect();
    assert_eq!(remaining, [6, 4, 2, 0]);
}

#[test]
fn decided_games_end_where_both_agree() {
    struct Sure(f64);
    impl Player<Heaps> for Sure {
        fn name(&self) -> &'static str {
            "sure"
        }
        fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<(u8, u8)>, PlayerError> {
            let fewest = game.position().moves().min_by_key(|&(_, counters)| counters).unwrap();
            let value = Some(evalsmith_core::LogOdds(self.0).into());
            Ok(Choice { value, ..Choice::blind(fewest) })
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let [wins, loses]: [Seat<'_>; 2] = [&|| Ok(seat(Sure(5.0))), &|| Ok(seat(Sure(-5.0)))];
    let mut plan = plan(2);
    plan.adjudication.decided_at = 4.0;
    let log = dir.path().join("log");
    let result = play_between([loses, wins], &plan, &log, &Quiet).unwrap();
    assert_eq!((result.stats.losses, result.totals.ends[&End::Agreed]), (4, 4));
    assert!(games(&log).iter().all(|game| game.moves.len() == 4));
}

#[test]
fn logged_games_must_fit_the_plan() {
    let beginning = Beginning { start: None, moves: "2-3 0-7".into() };
    let good = PlayedGame {
        index: 3,
        start: None,
        opening: "2-3 0-7".into(),
        first: 1,
        margin: -4,
        points: Outcome::LOSS.points(),
        plies: 4,
        reason: End::Rules,
        nodes: [0, 0],
        cpu_micros: [None; 2],
        wall_micros: [None; 2],
        fault: None,
        moves: Vec::new(),
        notes: Notes::default(),
    };
    let check = |game: &PlayedGame| check_logged(game, Some(&beginning), &mut [false; 4]);
    assert_eq!(check(&good), Ok(()));
    assert!(check_logged(&good, Some(&beginning), &mut [true; 4]).is_err());
    assert!(check_logged(&good, None, &mut [false; 4]).is_err());
    let spoilt = [
        PlayedGame { index: 4, ..good.clone() },
        PlayedGame { opening: "2-3".into(), ..good.clone() },
        PlayedGame { start: Some("0/0/1 4 first".into()), ..good.clone() },
        PlayedGame { first: 0, ..good.clone() },
        PlayedGame { points: 1.0, ..good.clone() },
    ];
    for game in spoilt {
        assert!(check(&game).is_err(), "{game:?}");
    }
}

#[test]
fn a_log_read_while_it_is_written_ends_at_its_last_whole_line() {
    let dir = tempfile::tempdir().unwrap();
    let log: PathBuf = dir.path().join("log");
    play(&plan(3), &log, &Quiet).unwrap();
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 9]).unwrap();
    assert_eq!(read_match(&log).unwrap().1.stats.games(), 4);
    let text = String::from_utf8(bytes).unwrap().replacen("{\"index\":", "{\"index\":9", 3);
    fs::write(&log, text).unwrap();
    let error = read_match(&log).unwrap_err();
    assert!(matches!(error, ArenaError::Corrupt { line: 2, .. }), "{error}");
    fs::write(&log, "{}\n").unwrap();
    assert!(matches!(read_match(&log).unwrap_err(), ArenaError::NotALog { .. }));
}
