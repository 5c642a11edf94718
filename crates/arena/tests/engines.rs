//! Matches against outside engines that misbehave: shell scripts, each with one
//! vice. The other player takes the first legal move.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_arena::{
    Adjudication, ArenaError, End, LogReader, MatchPlan, MatchResult, MatchSeat, Meter, Openings,
    PlayedGame, Seat, TimeBudget, TimeControl, run_match,
};
use evalsmith_chess::Chess;
use evalsmith_core::{Choice, FaultKind, Game, Player, PlayerError, Position, Protocol, Quiet};
use evalsmith_protocol::{Budget, Engine, EnginePlayer};
use evalsmith_rules::{DynGame, MoveId, Pos, Record};
use evalsmith_shogi::Shogi;
use std::path::Path;
use std::time::Duration;

/// Plays the first legal move.
struct Hasty;

impl Player<Pos> for Hasty {
    fn name(&self) -> &'static str {
        "hasty"
    }
    fn choose(&mut self, game: &Record) -> Result<Choice<MoveId>, PlayerError> {
        Ok(Choice::blind(game.position().moves().next().unwrap()))
    }
}

fn chess() -> DynGame {
    DynGame::new(Chess)
}

fn hasty() -> MatchSeat {
    MatchSeat::Outside(Box::new(Hasty))
}

fn started(game: DynGame, engine: &Engine) -> Result<MatchSeat, PlayerError> {
    let player = EnginePlayer::start(game, engine.clone(), Budget::depth(1))?;
    Ok(MatchSeat::Outside(Box::new(player)))
}

/// A UCI engine that runs `think` when it is asked for a move.
fn uci(think: &str) -> Engine {
    let script = format!(
        "while read -r word rest; do case $word in
            uci) echo id name Fake; echo uciok;;
            isready) echo readyok;;
            go) {think};;
            quit) exit 0;;
        esac; done"
    );
    let mut engine = Engine::new(Protocol::Uci, "/bin/sh");
    engine.arguments = vec!["-c".into(), script];
    engine
}

fn plan(time: Option<TimeControl>) -> MatchPlan {
    MatchPlan {
        pairs: 3,
        seed: 1,
        names: ["hasty".into(), "fake".into()],
        time: [None, time],
        sprt: None,
        adjudication: Adjudication::default(),
        max_faults: 3,
        conditions: serde_json::Value::Null,
    }
}

/// An xboard engine that runs `think` when it is asked for a move. `n` counts its
/// moves, `offered` tells of an offered draw, and shuffling knights is all it can.
fn xboard(think: &str) -> Engine {
    let script = format!(
        "n=0; offered=0; while read -r word rest; do case $word in
            protover) echo 'feature ping=1 setboard=1 usermove=1 myname=\"Fake\" done=1';;
            ping) echo pong $rest;;
            new) n=0; offered=0;;
            draw) offered=1;;
            go) n=$((n+1)); {think};;
            quit) exit 0;;
        esac; done"
    );
    let mut engine = Engine::new(Protocol::Xboard, "/bin/sh");
    engine.arguments = vec!["-c".into(), script];
    engine
}

fn against(
    engine: &Engine,
    plan: &MatchPlan,
    log: &Path,
) -> (Result<MatchResult, ArenaError>, Vec<PlayedGame>) {
    let openings = Openings::random(&chess(), 2, plan.pairs, 1).unwrap();
    let seat: Seat<'_> = &|| started(chess(), engine);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let result =
        pool.install(|| run_match(&chess(), plan, &openings, [&|| Ok(hasty()), seat], log, &Quiet));
    let mut games = Vec::new();
    if let Ok((_, mut reader)) = LogReader::open(log) {
        while let Some(game) = reader.next_game().unwrap() {
            games.push(game);
        }
    }
    (result, games)
}

/// The engine loses three games by this fault, and the match ends.
fn loses_by(engine: &Engine, plan: &MatchPlan, kind: FaultKind, words: &str) {
    let dir = tempfile::tempdir().unwrap();
    let (result, games) = against(engine, plan, &dir.path().join("log"));
    let error = result.unwrap_err();
    assert!(matches!(&error, ArenaError::Faulty { player: 1, games: 3, .. }), "{error}");
    assert_eq!(games.len(), 3);
    for game in games {
        let fault = game.fault.unwrap();
        assert_eq!((fault.player, fault.kind), (1, kind), "{fault:?}");
        assert_eq!((game.points, game.reason), (1.0, End::Forfeit));
        let told = dir.path().join(fault.dialogue.unwrap());
        let dialogue = std::fs::read_to_string(told).unwrap();
        assert!(dialogue.contains(words), "{dialogue}");
    }
}

#[test]
fn illegal_moves_and_nonsense_are_forfeits() {
    loses_by(&uci("echo bestmove e1e8"), &plan(None), FaultKind::Illegal, "< bestmove e1e8");
    loses_by(&uci("echo bestmove"), &plan(None), FaultKind::Garbled, "< bestmove");
}

#[test]
fn a_death_is_a_forfeit_and_the_next_game_starts_it_again() {
    loses_by(&uci("exit 9"), &plan(None), FaultKind::Died, "> go");
}

#[test]
fn a_fallen_flag_is_a_forfeit() {
    let budget = TimeBudget::Game { base: Duration::from_millis(20), increment: Duration::ZERO };
    let control = TimeControl { meter: Meter::Wall, budget, margin: Duration::from_millis(50) };
    let mut engine = uci("sleep 20");
    engine.patience.margin = control.margin;
    loses_by(&engine, &plan(Some(control)), FaultKind::LostOnTime, "> go");
}

#[test]
fn resignations_end_games_and_not_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let (result, games) =
        against(&uci("echo bestmove resign"), &plan(None), &dir.path().join("log"));
    assert_eq!(result.unwrap().stats.wins, 6);
    assert!(games.iter().all(|game| game.reason == End::Resigned && game.fault.is_none()));
}

#[test]
fn an_engine_that_is_not_there_is_named_before_any_game() {
    let dir = tempfile::tempdir().unwrap();
    let nothing = Engine::new(Protocol::Uci, "/no/such/engine");
    let (result, games) = against(&nothing, &plan(None), &dir.path().join("log"));
    let error = result.unwrap_err();
    assert!(matches!(error, ArenaError::CannotPlay { player: 1, .. }), "{error}");
    assert!(error.to_string().contains("/no/such/engine did not start"), "{error}");
    assert_eq!(games.len(), 0);
}

/// Moves its knights out and home again, and offers a draw with each move if told.
struct Shuffler {
    offers: bool,
}

impl Player<Pos> for Shuffler {
    fn name(&self) -> &'static str {
        "shuffler"
    }
    fn choose(&mut self, game: &Record) -> Result<Choice<MoveId>, PlayerError> {
        let text = ["b1c3", "b8c6", "c3b1", "c6b8"][game.ply() % 4];
        Ok(Choice::blind(chess().parse_move(game.position(), text).unwrap()))
    }
    fn offers_draw(&self) -> bool {
        self.offers
    }
}

/// One pair from the start position, the fake as Black and then as White.
fn against_shuffler(engine: &Engine, offers: bool, log: &Path) -> Vec<PlayedGame> {
    let openings = Openings::random(&chess(), 0, 1, 1).unwrap();
    let seat: Seat<'_> = &|| started(chess(), engine);
    let shuffler: Seat<'_> = &|| Ok(MatchSeat::Outside(Box::new(Shuffler { offers })));
    let plan = MatchPlan { pairs: 1, ..plan(None) };
    run_match(&chess(), &plan, &openings, [shuffler, seat], log, &Quiet).unwrap();
    let (_, mut reader) = LogReader::open(log).unwrap();
    let mut games: Vec<PlayedGame> = std::iter::from_fn(|| reader.next_game().unwrap()).collect();
    games.sort_by_key(|game| game.index);
    games
}

/// Answers the shuffler's moves in kind; `before` runs before each move.
fn knights(before: &str) -> Engine {
    xboard(&format!("{before}; if [ $((n%2)) = 1 ]; then echo move g8f6; else echo move f6g8; fi"))
}

#[test]
fn a_draw_is_had_by_a_claim_that_the_rules_give() {
    let dir = tempfile::tempdir().unwrap();
    // As Black: after its third move and White's fourth, g8 makes the third repetition.
    let claims = "if [ $n = 4 ]; then echo '1/2-1/2 {third repetition}'; continue; fi";
    let game = &against_shuffler(&knights(claims), false, &dir.path().join("log"))[0];
    assert_eq!((game.points, game.reason), (0.5, End::Claimed), "{game:?}");
    assert_eq!((game.plies, &game.fault), (7, &None));

    let early = "if [ $n = 3 ]; then echo '1/2-1/2 {I am tired}'; continue; fi";
    let game = &against_shuffler(&knights(early), false, &dir.path().join("early"))[0];
    assert_eq!((game.points, game.reason), (1.0, End::Forfeit));
    let fault = game.fault.clone().unwrap();
    assert_eq!(fault.kind, FaultKind::ClaimedDraw);
    assert!(fault.reason.contains("claims a draw: no move of it ends the game drawn"), "{fault:?}");
}

#[test]
fn a_draw_is_had_when_both_offer_it() {
    let dir = tempfile::tempdir().unwrap();
    let offers = knights("if [ $n = 2 ]; then echo 'offer draw'; fi");
    let game = &against_shuffler(&offers, true, &dir.path().join("both"))[0];
    assert_eq!((game.points, game.reason, game.plies), (0.5, End::Agreed, 4), "{game:?}");
    let game = &against_shuffler(&offers, false, &dir.path().join("alone"))[0];
    assert_eq!((game.reason, game.plies), (End::Repetition, 8), "an offer alone is passed over");
    let agrees = knights("if [ $offered = 1 ]; then echo 'offer draw'; fi; offered=0");
    let game = &against_shuffler(&agrees, true, &dir.path().join("told"))[0];
    assert_eq!((game.points, game.reason, game.plies), (0.5, End::Agreed, 2), "{game:?}");
    let game = &against_shuffler(&agrees, false, &dir.path().join("not told"))[0];
    assert_eq!((game.reason, game.plies), (End::Repetition, 8), "nothing was offered");
    let claims = knights("if [ $n = 2 ]; then echo '1/2-1/2 {agreed}'; continue; fi");
    let game = &against_shuffler(&claims, true, &dir.path().join("claimed"))[0];
    assert_eq!((game.points, game.reason, game.plies), (0.5, End::Agreed, 3), "{game:?}");
}

#[test]
fn a_win_that_is_not_due_is_a_forfeit() {
    let claims = "echo '1-0 {I win}'; echo '0-1 {I win}'";
    let dir = tempfile::tempdir().unwrap();
    let games = against_shuffler(&xboard(claims), false, &dir.path().join("log"));
    let ends: Vec<_> = games.iter().map(|g| (g.points, g.reason)).collect();
    // As Black it gives the game to White; as White it claims it.
    assert_eq!(ends, [(1.0, End::Resigned), (1.0, End::Forfeit)]);
    let fault = games[1].fault.clone().unwrap();
    assert!(fault.reason.contains("claims a win: the rules do not let it"), "{fault:?}");
    loses_by(&uci("echo bestmove win"), &plan(None), FaultKind::ClaimedWin, "< bestmove win");
}

#[test]
fn a_king_that_has_entered_wins_by_declaration() {
    let shogi = DynGame::new(Shogi);
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("list");
    let entered = "+P+P+P+P+P4/1K+P+P+P+P+P2/9/9/9/9/9/9/4k4 b 2R4G4S 1\n";
    std::fs::write(&list, entered).unwrap();
    let (openings, _) = Openings::from_file(&shogi, &list, None).unwrap();
    let mut engine = uci("echo bestmove win");
    let script = engine.arguments.pop().unwrap();
    engine.arguments.push(script.replace("uci) echo id name Fake; echo uciok", "usi) echo usiok"));
    engine.protocol = Protocol::Usi;
    let declarer: Seat<'_> = &|| started(shogi.clone(), &engine);
    let plan = MatchPlan { pairs: 1, ..plan(None) };
    let log = dir.path().join("log");
    let result =
        run_match(&shogi, &plan, &openings, [declarer, &|| Ok(hasty())], &log, &Quiet).unwrap();
    // As Black it declares at once; as White it has nothing to declare.
    assert_eq!((result.stats.wins, result.stats.losses), (1, 1));
    assert_eq!(result.totals.ends[&End::Claimed], 1);
    assert_eq!(result.totals.ends[&End::Forfeit], 1);
}
