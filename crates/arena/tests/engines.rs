//! Matches against outside engines that misbehave: shell scripts, each with one
//! vice. The other player takes the first legal move.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_arena::{
    Adjudication, ArenaError, End, LogReader, MatchPlan, MatchResult, Meter, Openings, PlayedGame,
    Seat, TimeBudget, TimeControl, run_match,
};
use evalsmith_chess::Chess;
use evalsmith_core::{
    Choice, FaultKind, Game, GameRecord, Player, PlayerError, Position, Protocol, Quiet,
};
use evalsmith_protocol::{Budget, Engine, EnginePlayer};
use std::path::Path;
use std::time::Duration;

type Board = <Chess as Game>::Position;

struct Hasty;

impl Player<Board> for Hasty {
    fn name(&self) -> &'static str {
        "hasty"
    }
    fn choose(
        &mut self,
        game: &GameRecord<Board>,
    ) -> Result<Choice<<Board as Position>::Move>, PlayerError> {
        Ok(Choice::blind(game.position().moves().next().unwrap()))
    }
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

fn against(
    engine: &Engine,
    plan: &MatchPlan,
    log: &Path,
) -> (Result<MatchResult, ArenaError>, Vec<PlayedGame>) {
    let openings = Openings::random(&Chess, 2, plan.pairs, 1).unwrap();
    let seat: Seat<'_, Board> = &|| {
        let player = EnginePlayer::start(Chess, engine.clone(), Budget::depth(1))?;
        Ok(Box::new(player))
    };
    let hasty: Seat<'_, Board> = &|| Ok(Box::new(Hasty));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let result = pool.install(|| run_match(&Chess, plan, &openings, [hasty, seat], log, &Quiet));
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
