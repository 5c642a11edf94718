//! How fast records are read, replayed and written.
//!
//! Othello is made up: random games as WTHOR keeps them. Chess is a random game
//! in PGN with comments, over and over.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, Quiet, Side, rng};
use evalsmith_data::{Headers, Import, InputFormat, RecordFormat, import, scan, write_record};
use evalsmith_othello::{Move, Othello, X86V3};
use rand::RngExt;
use std::io::Cursor;

fn main() {
    divan::main();
}

fn random_game<G: Game>(game: &G, seed: u64, plies: usize) -> GameRecord<G::Position> {
    use evalsmith_core::Position;
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
    for seed in 0..GAMES {
        let game = random_game(&Othello::new(), u64::from(seed), 200);
        positions += game.ply() as u64;
        let margin = game.outcome_for(Side::First).map_or(0, evalsmith_core::Outcome::margin);
        let discs = i16::midpoint(margin, 64) as u8;
        bytes.extend([1, 0, 2, 0, 3, 0, discs, discs]);
        let squares = game.moves().iter().filter(|&&m| m != Move::PASS);
        let mut codes: Vec<u8> = squares.map(|m| 10 * (m.0 / 8 + 1) + m.0 % 8 + 1).collect();
        codes.resize(60, 0);
        bytes.extend(codes);
    }
    (bytes, positions)
}

fn pgn() -> Vec<u8> {
    let headers = Headers { players: ["A".into(), "B".into()], ..Headers::default() };
    let write = |seed| {
        let game = random_game(&Chess, seed, 80);
        write_record(&Chess, RecordFormat::Pgn, &game, &headers, &[]).expect("a game of Chess")
    };
    (0..2000).map(write).collect::<String>().into_bytes()
}

fn othello<R>(act: impl Fn(Result<&Othello<X86V3>, &Othello>) -> R) -> R {
    match Othello::<X86V3>::detect() {
        Some(game) => act(Ok(&game)),
        None => act(Err(&Othello::new())),
    }
}

#[divan::bench]
fn wthor_read_and_replayed(bencher: Bencher<'_, '_>) {
    let (bytes, positions) = wthor();
    bencher.counter(ItemsCount::new(positions)).bench(|| {
        let input = Cursor::new(bytes.clone());
        othello(|game| match game {
            Ok(game) => scan(game, InputFormat::Wthor, input.clone(), true),
            Err(game) => scan(game, InputFormat::Wthor, input.clone(), true),
        })
        .expect("readable bytes")
    });
}

#[divan::bench]
fn wthor_into_a_dataset(bencher: Bencher<'_, '_>) {
    let (bytes, positions) = wthor();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("games.wtb");
    std::fs::write(&file, bytes).expect("a writable folder");
    let order = Import { files: vec![file], ..Import::default() };
    bencher
        .counter(ItemsCount::new(positions))
        .with_inputs(|| tempfile::tempdir().expect("a temporary folder"))
        .bench_values(|out| {
            othello(|game| match game {
                Ok(game) => import(game, &order, "bench", out.path(), &Quiet),
                Err(game) => import(game, &order, "bench", out.path(), &Quiet),
            })
            .expect("an import")
        });
}

#[divan::bench(args = [false, true])]
fn pgn_read(bencher: Bencher<'_, '_>, legally: bool) {
    let bytes = pgn();
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        scan(&Chess, InputFormat::Pgn, Cursor::new(bytes.clone()), legally).expect("readable bytes")
    });
}
