//! Speed of the rules through the house's traits, beside cozy-chess's own in the
//! same run; and positions a second by features.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use evalsmith_chess::{Board, Chess};
use evalsmith_core::{Features, Game, Position, perft, perft_by_bulk};

fn main() {
    divan::main();
}

/// Kiwipete: many captures, castlings, pins and promotions.
const BUSY: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn busy() -> Board {
    Chess.parse(BUSY).expect("a legal position").0
}

/// The positions of a few games that wander without a plan.
fn positions() -> Vec<Board> {
    let mut found = Vec::new();
    for game in 0..32_usize {
        let mut board = Chess.start();
        for ply in 0..200 {
            let count = board.move_count();
            if count == 0 {
                break;
            }
            let choice = (ply * 31 + game * 97) % count;
            let next = board.play(board.moves().nth(choice).expect("a move below the count"));
            found.push(std::mem::replace(&mut board, next));
        }
    }
    found
}

/// What cozy-chess's own example does.
fn cozy(board: &cozy_chess::Board, depth: u32, bulk: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    board.generate_moves(|group| {
        if bulk && depth == 1 {
            leaves += group.len() as u64;
        } else {
            for m in group {
                let mut next = board.clone();
                next.play_unchecked(m);
                leaves += cozy(&next, depth - 1, bulk);
            }
        }
        false
    });
    leaves
}

#[divan::bench]
fn every_leaf_visited(bencher: Bencher) {
    let start = busy();
    bencher.counter(ItemsCount::new(perft(&start, 3))).bench(|| perft(black_box(&start), 3));
}

#[divan::bench]
fn every_leaf_visited_by_cozy_chess(bencher: Bencher) {
    let start: cozy_chess::Board = BUSY.parse().expect("a legal position");
    bencher
        .counter(ItemsCount::new(cozy(&start, 3, false)))
        .bench(|| cozy(black_box(&start), 3, false));
}

#[divan::bench]
fn last_ply_counted(bencher: Bencher) {
    let start = busy();
    bencher
        .counter(ItemsCount::new(perft_by_bulk(&start, 4)))
        .bench(|| perft_by_bulk(black_box(&start), 4));
}

#[divan::bench]
fn last_ply_counted_by_cozy_chess(bencher: Bencher) {
    let start: cozy_chess::Board = BUSY.parse().expect("a legal position");
    bencher
        .counter(ItemsCount::new(cozy(&start, 4, true)))
        .bench(|| cozy(black_box(&start), 4, true));
}

#[divan::bench]
fn all_features(bencher: Bencher) {
    let positions = positions();
    let features = Chess.features();
    let mut row = Vec::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        positions.iter().fold(0.0, |sum, board| {
            row.clear();
            features.append_all(board, &mut row);
            sum + row[5]
        })
    });
}

#[divan::bench]
fn outcomes(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().filter(|board| board.outcome().is_some()).count());
}

#[divan::bench]
fn keys(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().fold(0, |sum, board| sum ^ board.key()));
}
