//! Engines that behave as engines should not: shell scripts, each with one vice.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_chess::Chess;
use evalsmith_core::{FaultKind, Game, GameRecord, Player, Protocol, Score, Side};
use evalsmith_protocol::{
    Answer, Blame, Budget, Client, Clocks, Engine, EnginePlayer, Failure, Fault, Patience,
    Situation, Terms, Value,
};
use std::fs;
use std::time::Duration;

/// A UCI engine that runs `think` when it is asked for a move.
fn uci(think: &str) -> String {
    format!(
        "while read -r word rest; do case $word in
            uci) echo id name Fake; echo option name Hash type spin default 1 min 1 max 9; echo uciok;;
            isready) echo readyok;;
            ucinewgame) games=$((games+1));;
            go) {think};;
            quit) exit 0;;
        esac; done"
    )
}

fn engine(protocol: Protocol, script: &str) -> Engine {
    let mut engine = Engine::new(protocol, "/bin/sh").with_patience(Patience {
        start: Duration::from_secs(20),
        unclocked_move: Duration::from_secs(20),
        ..Patience::default()
    });
    engine.arguments = vec!["-c".into(), script.into()];
    engine
}

fn terms() -> Terms {
    Terms::of(&Chess, Chess.dialect(Protocol::Uci).unwrap().as_ref())
}

fn client(script: &str) -> Result<Client, Failure> {
    Client::start(&engine(Protocol::Uci, script), terms())
}

fn player(script: &str) -> EnginePlayer<Chess> {
    EnginePlayer::start(Chess, engine(Protocol::Uci, script), Budget::depth(1)).unwrap()
}

fn game() -> GameRecord<<Chess as Game>::Position> {
    GameRecord::new(Chess.start(), Side::First, 100)
}

#[test]
fn a_program_that_is_not_there() {
    let engine = Engine::new(Protocol::Uci, "/no/such/engine");
    let failure = Client::start(&engine, terms()).err().unwrap();
    assert!(matches!(*failure.fault, Fault::DidNotStart { .. }), "{failure}");
    assert_eq!(failure.fault.blame(), Blame::User);
    let engine = Engine::new(Protocol::Uci, "/no/such/gnuchess");
    let failure = Client::start(&engine, terms()).err().unwrap();
    assert!(failure.to_string().ends_with("apt-get install gnuchess"), "{failure}");
}

#[test]
fn one_that_dies_at_its_start() {
    let failure = client("echo cannot find my book >&2; exit 3").err().unwrap();
    let Fault::Died { status, stderr, .. } = &*failure.fault else { panic!("{failure}") };
    assert!(status.contains('3') && stderr.contains("book"), "{failure}");
    assert!(failure.dialogue.contains("> uci"), "{}", failure.dialogue);
}

#[test]
fn one_that_never_answers() {
    let mut engine = engine(Protocol::Uci, "while read -r x; do :; done");
    engine.patience.start = Duration::from_millis(50);
    let failure = Client::start(&engine, terms()).err().unwrap();
    assert!(matches!(*failure.fault, Fault::TimedOut { .. }), "{failure}");
    assert_eq!(failure.fault.blame(), Blame::Engine);
}

#[test]
fn one_that_floods() {
    let mut client = client(&uci("yes info string | tr -d '\\n'")).unwrap();
    let failure = client.think(&Situation::start(), &Budget::depth(1)).unwrap_err();
    assert!(matches!(*failure.fault, Fault::Flooded { .. }), "{failure}");
    let again = client.think(&Situation::start(), &Budget::depth(1)).unwrap_err();
    assert_eq!(*again.fault, Fault::NotRunning);
}

#[test]
fn one_that_thinks_too_long() {
    let mut client = client(&uci("sleep 30")).unwrap();
    let budget = Budget::move_time(Duration::from_millis(10));
    let failure = client.think(&Situation::start(), &budget).unwrap_err();
    assert!(matches!(*failure.fault, Fault::LostOnTime { .. }), "{failure}");
}

#[test]
fn one_that_lets_its_flag_fall() {
    let mut client = client(&uci("sleep 30")).unwrap();
    let remaining = [Duration::from_millis(10), Duration::from_mins(1)];
    let budget = Budget::clocks(Clocks { remaining, ..Clocks::default() });
    let failure = client.think(&Situation::start(), &budget).unwrap_err();
    assert_eq!(failure.fault.kind(), FaultKind::LostOnTime);
}

#[test]
fn one_that_answers_all_it_should() {
    let think = "echo info depth 5 score mate 2 nodes 77 pv e2e4 e7e5; echo bestmove e2e4";
    let mut player = player(&uci(think));
    assert_eq!(player.name(), "Fake");
    let choice = player.choose(&game()).unwrap();
    assert_eq!(Chess.format_move(&Chess.start(), choice.mv), "e4");
    assert_eq!((choice.depth, choice.nodes), (5, 77));
    assert!(choice.value.is_some_and(Score::is_decisive));
    let reply = player.last_reply().unwrap();
    assert_eq!(reply.report.value, Some(Value::Mate(2)));
    assert_eq!(reply.report.line, "e2e4 e7e5");
    assert_eq!(player.quit(), Ok(()));
}

#[test]
fn one_that_plays_what_it_must_not() {
    let mut player = player(&uci("echo bestmove e2e5"));
    let error = player.choose(&game()).unwrap_err();
    assert_eq!(error.kind, FaultKind::Illegal);
    assert!(error.dialogue.contains("< bestmove e2e5"), "{}", error.dialogue);
    let again = player.choose(&game()).unwrap_err();
    assert_eq!(again.kind, FaultKind::Illegal, "the dialogue goes on");
}

#[test]
fn one_that_has_no_move_or_says_nothing() {
    assert_eq!(
        player(&uci("echo bestmove '(none)'")).choose(&game()).unwrap_err().kind,
        FaultKind::Illegal
    );
    assert_eq!(player(&uci("echo bestmove")).choose(&game()).unwrap_err().kind, FaultKind::Garbled);
}

#[test]
fn one_that_resigns() {
    let error = player(&uci("echo bestmove resign")).choose(&game()).unwrap_err();
    assert_eq!(error.kind, FaultKind::Resigned);
}

#[test]
fn one_that_claims_a_draw() {
    let script = "while read -r word rest; do case $word in
        protover) echo 'feature ping=1 setboard=1 usermove=1 myname=\"Drawish\" done=1';;
        ping) echo pong $rest;;
        go) echo '1/2-1/2 {Draw by agreement}';;
        quit) exit 0;;
    esac; done";
    let mut player =
        EnginePlayer::start(Chess, engine(Protocol::Xboard, script), Budget::depth(2)).unwrap();
    assert_eq!(player.name(), "Drawish");
    assert_eq!(player.choose(&game()).unwrap_err().kind, FaultKind::ClaimedDraw);
}

#[test]
fn one_that_plays_a_single_game() {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts");
    let script = format!(
        "echo start >> {}; while read -r word rest; do case $word in
            protover) echo 'feature ping=1 reuse=0 usermove=1 done=1';;
            ping) echo pong $rest;;
            go) echo move e2e4;;
            quit) exit 0;;
        esac; done",
        starts.display()
    );
    let mut player =
        EnginePlayer::start(Chess, engine(Protocol::Xboard, &script), Budget::depth(2)).unwrap();
    for seed in 0..3 {
        player.new_game(seed);
        assert!(player.choose(&game()).is_ok());
    }
    assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 3);
}

#[test]
fn one_that_talks_out_of_turn() {
    let think = "echo info string about to move; echo bestmove e2e4; \
                 for i in 1 2 3; do echo info depth 40 score cp 900 pv a2a3; done; echo who reads this";
    let mut client = client(&uci(think)).unwrap();
    for _ in 0..3 {
        client.new_game().unwrap();
        let reply = client.think(&Situation::start(), &Budget::depth(1)).unwrap();
        assert_eq!(reply.answer, Answer::Move("e2e4".into()));
    }
    assert!(client.transcript().to_string().contains("who reads this"));
}

#[test]
fn one_that_dies_in_a_game_and_comes_back_for_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("died");
    let think = format!("[ -e {0} ] || {{ : > {0}; exit 9; }}; echo bestmove d2d4", mark.display());
    let mut player = player(&uci(&think));
    player.new_game(1);
    let first = player.choose(&game()).unwrap_err();
    assert_eq!(first.kind, FaultKind::Died);
    let second = player.choose(&game()).unwrap_err();
    assert_eq!(second.kind, FaultKind::Died, "it is not started again within a game");
    assert!(second.dialogue.contains("> go depth 1"), "{}", second.dialogue);
    player.new_game(2);
    assert!(player.choose(&game()).is_ok());
}

#[test]
fn one_that_dies_between_games() {
    let mut player = player(&uci("echo bestmove d2d4; exit 1"));
    for seed in 0..3 {
        player.new_game(seed);
        assert!(player.choose(&game()).is_ok());
    }
}

#[test]
fn options_are_checked_before_they_are_set() {
    let fake = engine(Protocol::Uci, &uci("echo bestmove e2e4"));
    let good = Client::start(&fake.clone().with_option("hash", "9"), terms()).unwrap();
    assert!(good.transcript().to_string().contains("> setoption name Hash value 9"));
    for (name, value) in [("Hash", "10"), ("Threads", "2")] {
        let failure = Client::start(&fake.clone().with_option(name, value), terms()).err().unwrap();
        assert_eq!(failure.fault.kind(), FaultKind::Misconfigured, "{failure}");
    }
}

#[test]
fn one_that_does_not_quit() {
    let script = uci("echo bestmove e2e4").replace("quit) exit 0", "quit) sleep 60");
    let mut engine = engine(Protocol::Uci, &script);
    engine.patience.quit = Duration::from_millis(50);
    let client = Client::start(&engine, terms()).unwrap();
    let failure = client.quit().unwrap_err();
    assert!(matches!(*failure.fault, Fault::TimedOut { .. }), "{failure}");
}

#[test]
fn a_search_is_stopped() {
    let think = "read -r word; [ $word = stop ] && echo bestmove g1f3";
    let mut client = client(&uci(think)).unwrap();
    client.go(&Situation::start(), &Budget::infinite()).unwrap();
    client.stop().unwrap();
    assert_eq!(client.wait().unwrap().answer, Answer::Move("g1f3".into()));
}

#[test]
fn its_last_words_go_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("echo first words >&2\n{}", uci("echo bestmove e2e4"));
    let mut engine = engine(Protocol::Uci, &script);
    let file = dir.path().join("errors.txt");
    engine.stderr_file = Some(file.clone());
    for _ in 0..2 {
        Client::start(&engine, terms()).unwrap().quit().unwrap();
    }
    // The thread that writes them may be a moment behind the engine's end.
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while fs::read_to_string(&file).unwrap() != "first words\n".repeat(2) {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    }
}
