//! Our games as engines, driven by our clients, over real pipes.
//!
//! The engine is this very program: started again with a variable that names game
//! and protocol, the first test below serves. What the test harness prints around
//! it is noise that clients must bear.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, Player, PlayerError, Position, Protocol, Score, Side};
use evalsmith_go::Go;
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use evalsmith_protocol::{
    Budget, Engine, EnginePlayer, Info, Mark, ServeError, Sureness, Thinker, Thought, check, serve,
};
use evalsmith_shogi::Shogi;
use std::env;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const SERVES: &str = "EVALSMITH_TEST_SERVES";

/// Plays by the position's key; thinks without end only when it is told to.
struct Keyed;

impl<P: Position> Thinker<P> for Keyed {
    fn name(&self) -> String {
        "Keyed".into()
    }

    fn think(
        &mut self,
        record: &GameRecord<P>,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<P::Move>),
    ) -> Result<Thought<P::Move>, PlayerError> {
        let moves: Vec<_> = record.position().moves().collect();
        let best = moves[record.position().key() as usize % moves.len()];
        let (nodes, time) = (moves.len() as u64, Duration::from_millis(1));
        tell(Info {
            place: 1,
            depth: 1,
            value: Score(100),
            sureness: Sureness::Estimated,
            nodes,
            time,
            line: vec![best],
        });
        while budget.infinite && !stop.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        Ok(Thought { best: Some(best), value: Some(Score(100)) })
    }
}

fn speak<G: Game>(game: &G, protocol: Protocol) {
    // The harness has begun a line.
    io::stdout().write_all(b"\n").unwrap();
    serve(game, protocol, &mut Keyed, BufReader::new(io::stdin()), io::stdout()).unwrap();
}

#[test]
fn engine() {
    let Ok(wanted) = env::var(SERVES) else { return };
    let (game, protocol) = wanted.split_once(' ').unwrap();
    let protocol = protocol.parse().unwrap();
    match game {
        "chess" => speak(&Chess, protocol),
        "shogi" => speak(&Shogi, protocol),
        "malawi" => speak(&Malawi, protocol),
        "go" => speak(&Go::new(), protocol),
        _ => speak(&Othello::new(), protocol),
    }
}

fn ourselves<G: Game>(game: &G, protocol: Protocol) -> Engine {
    let mut engine = Engine::new(protocol, env::current_exe().unwrap());
    engine.arguments =
        ["--exact", "engine", "--nocapture", "--test-threads=1"].map(String::from).into();
    engine.environment.insert(SERVES.into(), format!("{} {protocol}", game.name()));
    engine
}

fn plays_itself<G: Game>(game: &G, protocol: Protocol, budget: &Budget) {
    let mut player =
        EnginePlayer::start(game.clone(), ourselves(game, protocol), budget.clone()).unwrap();
    assert!(player.name().starts_with("Keyed"), "{}", player.name());
    for plies in [1, 60] {
        player.new_game(1);
        let mut record = GameRecord::new(game.start(), Side::First, plies);
        while record.ending().is_none() {
            let choice = player.choose(&record).unwrap_or_else(|e| panic!("{e}\n{}", e.dialogue));
            let moves: Vec<_> = record.position().moves().collect();
            assert_eq!(choice.mv, moves[record.position().key() as usize % moves.len()]);
            record.play(choice.mv).unwrap();
        }
    }
    player.quit().unwrap();

    for finding in check(game, &ourselves(game, protocol), budget) {
        let infinite = matches!(protocol, Protocol::Uci | Protocol::Usi);
        let expected = match finding.what {
            "stops when told" if !infinite => Mark::Skipped,
            "moves in positions set up" if game.name() != "go" && protocol == Protocol::Gtp => {
                Mark::Skipped
            }
            _ => Mark::Pass,
        };
        assert_eq!(finding.mark, expected, "{finding:?}");
    }
}

#[test]
fn chess_over_uci() {
    plays_itself(&Chess, Protocol::Uci, &Budget::depth(1));
}

#[test]
fn chess_over_xboard() {
    plays_itself(&Chess, Protocol::Xboard, &Budget::depth(1));
}

#[test]
fn shogi_over_usi() {
    plays_itself(&Shogi, Protocol::Usi, &Budget::depth(1));
}

#[test]
fn go_over_gtp() {
    plays_itself(&Go::new(), Protocol::Gtp, &Budget::default());
}

/// GTP's commands around the moves of another game, whose first player is White.
#[test]
fn malawi_over_gtp() {
    plays_itself(&Malawi, Protocol::Gtp, &Budget::default());
}

#[test]
fn othello_over_gtp() {
    plays_itself(&Othello::new(), Protocol::Gtp, &Budget::default());
}

#[test]
fn othello_over_nboard() {
    plays_itself(&Othello::new(), Protocol::NBoard, &Budget::depth(1));
}

/// A server on a thread, and the two pipes to it.
fn served(protocol: Protocol) -> (PipeWriter, BufReader<PipeReader>, thread::JoinHandle<()>) {
    let (input, commands) = pipe().unwrap();
    let (answers, output) = pipe().unwrap();
    let server = thread::spawn(move || {
        serve(&Chess, protocol, &mut Keyed, BufReader::new(input), output).unwrap();
    });
    (commands, BufReader::new(answers), server)
}

fn until(answers: &mut impl BufRead, wanted: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert!(answers.read_line(&mut line).unwrap() > 0, "no {wanted} among {lines:?}");
        lines.push(line.trim_end().to_owned());
        if line.starts_with(wanted) {
            return lines;
        }
    }
}

#[test]
fn words_are_heard_in_the_middle_of_a_search() {
    let (mut commands, mut answers, server) = served(Protocol::Uci);
    commands.write_all(b"go infinite\nisready\n").unwrap();
    until(&mut answers, "readyok");
    // A position must wait; the stop behind it must not.
    commands.write_all(b"position startpos moves e2e4\nstop\ngo depth 1\n").unwrap();
    until(&mut answers, "bestmove");
    until(&mut answers, "bestmove");
    commands.write_all(b"go infinite\nquit\n").unwrap();
    server.join().unwrap();
}

#[test]
fn the_end_of_the_input_is_the_end() {
    for protocol in [Protocol::Uci, Protocol::Xboard] {
        let (mut commands, _answers, server) = served(protocol);
        commands.write_all(b"go infinite\n").unwrap();
        drop(commands);
        server.join().unwrap();
    }
}

#[test]
fn bytes_that_are_no_words_are_borne() {
    for (protocol, ask, wanted) in
        [(Protocol::Uci, "isready\n", "readyok"), (Protocol::Xboard, "ping 1\n", "pong 1")]
    {
        let (mut commands, mut answers, server) = served(protocol);
        commands.write_all(&[0xFF, 0, b'\r', b'\n', b'\n']).unwrap();
        commands.write_all(&vec![b'x'; 3 << 20]).unwrap();
        commands.write_all(format!("\n{ask}").as_bytes()).unwrap();
        let lines = until(&mut answers, wanted);
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() < 200), "{lines:?}");
        drop(commands);
        server.join().unwrap();
    }
}

#[test]
fn a_game_is_served_only_in_its_protocols() {
    let refused = serve(&Chess, Protocol::Gtp, &mut Keyed, io::empty(), io::sink()).unwrap_err();
    assert!(matches!(refused, ServeError::NotSpoken { .. }));
    assert!(refused.to_string().contains("uci, xboard"), "{refused}");
}

#[test]
fn a_thinker_that_panics_is_an_answer() {
    struct Panics;
    impl<P: Position> Thinker<P> for Panics {
        fn name(&self) -> String {
            "Panics".into()
        }

        fn think(
            &mut self,
            _record: &GameRecord<P>,
            _budget: &Budget,
            _stop: &AtomicBool,
            _tell: &mut dyn FnMut(Info<P::Move>),
        ) -> Result<Thought<P::Move>, PlayerError> {
            panic!("on purpose");
        }
    }
    let mut output = Vec::new();
    let input = io::Cursor::new("go depth 1\nisready\n");
    serve(&Chess, Protocol::Uci, &mut Panics, input, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("panicked") && text.contains("bestmove 0000"), "{text}");
}
