//! How fast records are read, replayed and written.
//!
//! Othello is made up: random games as WTHOR keeps them. Chess is a random game
//! in PGN with comments, over and over.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use evalsmith_chess::Chess;
use evalsmith_core::{Game, Quiet, Side, rng};
use evalsmith_data::{Headers, Import, InputFormat, RecordFormat, import, scan, write_record};
use evalsmith_othello::{Othello, X86V3};
use evalsmith_rules::{DynGame, Record};
use rand::RngExt;
use std::io::Cursor;

fn main() {
    divan::main();
}

fn random_game(game: &DynGame, seed: u64, plies: usize) -> Record {
    use evalsmith_core::{GameRecord, Position};
    let mut random = rng::stream(seed, "bench", 0);
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    while record.ending().is_none() && record.ply() < plies {
        let legal: Vec<_> = record.position().moves().collect();
        let m = legal[random.random_range(0..legal.len())];
        record.play(m).expect("a legal move");
    }
    record
}

/// Games as WTHOR keeps them, and the number of their positions.
fn wthor() -> (Vec<u8>, u64) {
    const GAMES: u32 = 5000;
    let mut bytes = vec![20, 24, 1, 1];
    bytes.extend(GAMES.to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(2024_u16.to_le_bytes());
    bytes.extend([8, 0, 24, 0]);
    let mut positions = 0;
    let othello = DynGame::new(Othello::new());
    for seed in 0..GAMES {
        let game = random_game(&othello, u64::from(seed), 200);
        positions += game.ply() as u64;
        let margin = game.outcome_for(Side::First).map_or(0, evalsmith_core::Outcome::margin);
        let discs = i16::midpoint(margin, 64) as u8;
        bytes.extend([1, 0, 2, 0, 3, 0, discs, discs]);
        let moves = game.positions().iter().zip(game.moves());
        let names = moves.map(|(position, &m)| othello.format_move(position, m));
        let code = |name: String| match name.as_bytes() {
            [column, row] => Some(10 * (row - b'0') + (column - b'a') + 1),
            _ => None, // a pass
        };
        let mut codes: Vec<u8> = names.filter_map(code).collect();
        codes.resize(60, 0);
        bytes.extend(codes);
    }
    (bytes, positions)
}

fn pgn() -> Vec<u8> {
    let headers = Headers { players: ["A".into(), "B".into()], ..Headers::default() };
    let chess = DynGame::new(Chess);
    let write = |seed| {
        let game = random_game(&chess, seed, 80);
        write_record(&chess, RecordFormat::Pgn, &game, &headers, &[]).expect("a game of Chess")
    };
    (0..2000).map(write).collect::<String>().into_bytes()
}

fn othello() -> DynGame {
    Othello::<X86V3>::detect().map_or_else(|| DynGame::new(Othello::new()), DynGame::new)
}

#[divan::bench]
fn wthor_read_and_replayed(bencher: Bencher<'_, '_>) {
    let (bytes, positions) = wthor();
    let game = othello();
    bencher.counter(ItemsCount::new(positions)).bench(|| {
        let input = Cursor::new(bytes.clone());
        scan(&game, InputFormat::Wthor, input, true).expect("readable bytes")
    });
}

#[divan::bench]
fn wthor_into_a_dataset(bencher: Bencher<'_, '_>) {
    let (bytes, positions) = wthor();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("games.wtb");
    std::fs::write(&file, bytes).expect("a writable folder");
    let order = Import { files: vec![file], ..Import::default() };
    let game = othello();
    bencher
        .counter(ItemsCount::new(positions))
        .with_inputs(|| tempfile::tempdir().expect("a temporary folder"))
        .bench_values(|out| import(&game, &order, "bench", out.path(), &Quiet).expect("an import"));
}

#[divan::bench(args = [false, true])]
fn pgn_read(bencher: Bencher<'_, '_>, legally: bool) {
    let (game, bytes) = (DynGame::new(Chess), pgn());
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        scan(&game, InputFormat::Pgn, Cursor::new(bytes.clone()), legally).expect("readable bytes")
    });
}
