//! Speed of the rules: plies a second of random play, and positions a second
//! whose moves are counted, whose features and keys are computed.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use evalsmith_core::{Features, Game, Position, rng};
use evalsmith_go::{Board, Go};
use rand::RngExt;

const GAMES: u64 = 64;

fn main() {
    divan::main();
}

/// Plays a random game until two passes or the bound; calls `visit` before each ply.
fn random_game(index: u64, mut visit: impl FnMut(&Board)) {
    let mut random = rng::stream(1, "bench", index);
    let mut board = Go::new().start();
    for _ in 0..Go::new().max_plies() {
        let mut moves = board.moves();
        let count = moves.len();
        if count == 0 {
            break;
        }
        visit(&board);
        let m = moves.nth(random.random_range(0..count)).expect("a move below the count");
        board = board.play(m);
    }
    black_box(board);
}

fn positions() -> Vec<Board> {
    let mut found = Vec::new();
    (0..GAMES).for_each(|index| random_game(index, |board| found.push(*board)));
    found
}

#[divan::bench]
fn plies_played(bencher: Bencher) {
    let plies = positions().len();
    bencher
        .counter(ItemsCount::new(plies))
        .bench(|| (0..GAMES).for_each(|index| random_game(index, |_| ())));
}

#[divan::bench]
fn moves_counted(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().fold(0, |sum, board| sum ^ board.move_count()));
}

#[divan::bench]
fn all_features(bencher: Bencher) {
    let positions = positions();
    let features = Go::new().features();
    let mut row = Vec::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        positions.iter().fold(0.0, |sum, board| {
            row.clear();
            features.append_all(board, &mut row);
            sum + row[4]
        })
    });
}

#[divan::bench]
fn keys(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().fold(0, |sum, board| sum ^ board.key()));
}

/// Superko asked at the end of a long game.
#[divan::bench]
fn repetitions_sought(bencher: Bencher) {
    let positions = positions();
    let earlier: Vec<u64> = positions.iter().take(100).map(Position::key).collect();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        positions.iter().filter(|board| board.repeated(black_box(&earlier)).is_some()).count()
    });
}
