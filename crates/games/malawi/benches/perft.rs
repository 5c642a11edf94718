//! Speed of the rules: leaves a second by perft, positions a second by features.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use evalsmith_core::{Features, Game, Position, perft, perft_by_bulk};
use evalsmith_malawi::{Board, Malawi};

fn main() {
    divan::main();
}

/// The positions of a few games that wander without a plan.
fn positions() -> Vec<Board> {
    let mut found = Vec::new();
    for game in 0..64_usize {
        let mut board = Malawi.start();
        for ply in 0.. {
            let count = board.move_count();
            if count == 0 {
                break;
            }
            found.push(board);
            let choice = (ply * 31 + game * 97) % count;
            board = board.play(board.moves().nth(choice).expect("a move below the count"));
        }
    }
    found
}

#[divan::bench]
fn every_leaf_visited(bencher: Bencher) {
    let start = Malawi.start();
    let leaves = perft(&start, 3);
    bencher.counter(ItemsCount::new(leaves)).bench(|| perft(black_box(&start), 3));
}

#[divan::bench]
fn last_ply_counted(bencher: Bencher) {
    let start = Malawi.start();
    let leaves = perft_by_bulk(&start, 4);
    bencher.counter(ItemsCount::new(leaves)).bench(|| perft_by_bulk(black_box(&start), 4));
}

#[divan::bench]
fn moves_listed(bencher: Bencher) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        positions.iter().flat_map(Position::moves).fold(0, |sum, m| sum ^ u32::from(Board::slot(m)))
    });
}

#[divan::bench]
fn all_features(bencher: Bencher) {
    let positions = positions();
    let features = Malawi.features();
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
