//! What a ply with an outside engine costs beside its thinking: a game of a
//! hundred plies with Stockfish at one node a move, where there is one.

use divan::Bencher;
use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, Player, Protocol, Side};
use evalsmith_protocol::{Budget, Engine, EnginePlayer};
use std::path::Path;

fn main() {
    divan::main();
}

#[divan::bench]
fn hundred_plies_at_one_node(bencher: Bencher<'_, '_>) {
    let found = ["/usr/games/stockfish", "/usr/bin/stockfish", "/usr/local/bin/stockfish"]
        .into_iter()
        .find(|path| Path::new(path).is_file());
    let Some(path) = found else { return };
    let engine = Engine::new(Protocol::Uci, path).with_option("Hash", "1");
    let mut player =
        EnginePlayer::start(Chess, engine, Budget::nodes(1)).expect("Stockfish starts");
    bencher.bench_local(|| {
        player.new_game(0);
        let mut record = GameRecord::new(Chess.start(), Side::First, 100);
        while record.ending().is_none() {
            let choice = player.choose(&record).expect("Stockfish answers");
            record.play(choice.mv).expect("its moves are legal");
        }
        record.ply()
    });
}
