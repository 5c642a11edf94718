//! Engines of other people, where this machine has them.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]
#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, Player, Protocol, Side};
use evalsmith_go::Go;
use evalsmith_othello::Othello;
use evalsmith_protocol::{Budget, Engine, EnginePlayer, Mark, Patience, check, locate};
use evalsmith_shogi::Shogi;
use std::time::Duration;

/// The name of a program that this machine has. It is started by its name alone, as it
/// may stand in Debian's games folder and not on the PATH.
fn find(name: &str) -> Option<&str> {
    let found = locate(name.as_ref());
    if found.is_none() {
        eprintln!("skipped: no {name} on this machine");
    }
    found.map(|_| name)
}

/// Checks the engine's manners, then lets it play.
fn behaves_and_plays<G: Game>(
    game: &G,
    engine: Engine,
    budget: &Budget,
    set_up: &[&str],
    plies: usize,
) {
    for finding in check(game, &engine, budget) {
        // GNU Chess 6.2.7 breaks down when it quits.
        assert!(finding.mark != Mark::Fail || finding.what == "quits", "{finding:?}");
        eprintln!("{:?}: {} ({})", finding.mark, finding.what, finding.detail);
    }
    plays(game, engine, budget, set_up, plies);
}

/// Lets the engine play both sides for some plies, from the start and from
/// positions set up, in three games; every move must be legal.
fn plays<G: Game>(game: &G, engine: Engine, budget: &Budget, set_up: &[&str], plies: usize) {
    let mut player = EnginePlayer::start(game.clone(), engine, budget.clone()).unwrap();
    let start = (game.start(), Side::First);
    let given = set_up.iter().map(|text| game.parse(text).unwrap());
    for (position, side) in [start.clone(), start].into_iter().chain(given) {
        player.new_game(1);
        let mut record = GameRecord::new(position, side, plies);
        while record.ending().is_none() {
            let choice = player.choose(&record).unwrap_or_else(|e| panic!("{e}\n{}", e.dialogue));
            record.play(choice.mv).unwrap();
            assert!(player.last_reply().is_some_and(|reply| reply.cpu.is_some()));
        }
        assert!(record.ply() > 0);
    }
    player.quit().unwrap_or_else(|e| panic!("{e}\n{}", e.dialogue));
}

const CHESS: &[&str] = &["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"];

#[test]
fn stockfish_plays_chess_over_uci() {
    let Some(program) = find("stockfish") else { return };
    let engine = Engine::new(Protocol::Uci, program).with_option("Hash", "1");
    behaves_and_plays(&Chess, engine, &Budget::nodes(200), CHESS, 30);
}

#[test]
fn fairy_stockfish_plays_shogi_over_usi() {
    let Some(program) = find("fairy-stockfish") else { return };
    let engine = Engine::new(Protocol::Usi, program)
        .with_option("USI_Hash", "1")
        .with_option("UCI_Variant", "shogi");
    let late = "4k4/9/4P4/9/9/9/9/9/4K4 w G2r 1";
    behaves_and_plays(&Shogi, engine, &Budget::depth(3), &[late], 30);
}

#[test]
fn gnugo_plays_go_over_gtp() {
    let Some(program) = find("gnugo") else { return };
    let mut engine = Engine::new(Protocol::Gtp, program).with_option("level", "1");
    engine.arguments = vec!["--mode".into(), "gtp".into()];
    behaves_and_plays(
        &Go::new(),
        engine,
        &Budget::default(),
        &["9/9/2X3O2/9/4X4/9/2O6/9/9 w - 0"],
        20,
    );
}

#[test]
fn rhino_plays_othello_over_gtp() {
    let Some(program) = find("gtp-rhino") else { return };
    behaves_and_plays(
        &Othello::new(),
        Engine::new(Protocol::Gtp, program),
        &Budget::default(),
        &[],
        20,
    );
}

#[test]
fn gnuchess_plays_over_uci() {
    let Some(program) = find("gnuchess") else { return };
    let mut engine = Engine::new(Protocol::Uci, program);
    engine.arguments = vec!["--uci".into()];
    behaves_and_plays(&Chess, engine, &Budget::depth(2), CHESS, 12);
}

/// It dies of words that it does not know.
#[test]
fn hoichess_plays_over_xboard() {
    let Some(program) = find("hoichess") else { return };
    plays(&Chess, Engine::new(Protocol::Xboard, program), &Budget::depth(2), CHESS, 12);
}

/// An engine that knows no `sd`, and takes whole seconds.
#[test]
fn phalanx_plays_over_xboard() {
    let Some(program) = find("phalanx") else { return };
    let patience = Patience { margin: Duration::from_secs(20), ..Patience::default() };
    let engine = Engine::new(Protocol::Xboard, program).with_patience(patience);
    behaves_and_plays(&Chess, engine, &Budget::move_time(Duration::from_secs(1)), CHESS, 2);
}

/// It refuses to hear of a pass.
#[test]
fn rhino_goes_on_after_a_pass() {
    let Some(program) = find("gtp-rhino") else { return };
    let game = Othello::new();
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let moves = "D3 C5 F6 F5 E6 E3 C3 F3 C4 B4 B3 D2 A4 D6 C6 B5 G5 A3 A2 C7 F4 G4 E2 F1 C1 F2 \
                 E1 D1 G1 B2 H3 H4 H5 G2 A5 D7 B6 A7 A1 B1 H1 G3 H2 B7 C2 A6 C8 E8 D8 F7 A8 H6 \
                 H7 B8 G7 G6 F8 E7 pass";
    for text in moves.split_whitespace() {
        record.play(game.parse_move(record.position(), text).unwrap()).unwrap();
    }
    let engine = Engine::new(Protocol::Gtp, program);
    let mut player = EnginePlayer::start(game, engine, Budget::default()).unwrap();
    player.new_game(1);
    let choice = player.choose(&record).unwrap_or_else(|e| panic!("{e}\n{}", e.dialogue));
    record.play(choice.mv).unwrap();
}
