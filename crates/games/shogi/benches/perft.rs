//! Speed of the rules: leaves a second by perft through the trait and by `haitaka`
//! alone, positions a second by features.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use evalsmith_core::{Features, Game, Position, perft, perft_by_bulk};
use evalsmith_shogi::{Board, Shogi};

fn main() {
    divan::main();
}

/// The start position, and one with many drops.
const POSITIONS: [(&str, u32); 2] = [
    ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 4),
    ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3),
];

fn read(sfen: &str) -> Board {
    Shogi.parse(sfen).expect("a legal position").0
}

/// As the examples of `haitaka` count, each leaf visited.
fn haitaka_perft(board: &haitaka::Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    board.generate_moves(|moves| {
        for m in moves {
            let mut next = board.clone();
            next.play_unchecked(m);
            leaves += haitaka_perft(&next, depth - 1);
        }
        false
    });
    leaves
}

/// The same with the last ply counted.
fn haitaka_by_bulk(board: &haitaka::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.into_iter().len() as u64;
        } else {
            for m in moves {
                let mut next = board.clone();
                next.play_unchecked(m);
                leaves += haitaka_by_bulk(&next, depth - 1);
            }
        }
        false
    });
    leaves
}

#[divan::bench(args = [0, 1])]
fn every_leaf_visited(bencher: Bencher, which: usize) {
    let (sfen, depth) = POSITIONS[which];
    let (board, depth) = (read(sfen), depth - 1);
    bencher
        .counter(ItemsCount::new(perft(&board, depth)))
        .bench(|| perft(black_box(&board), depth));
}

#[divan::bench(args = [0, 1])]
fn every_leaf_visited_by_haitaka(bencher: Bencher, which: usize) {
    let (sfen, depth) = POSITIONS[which];
    let (board, depth) = (haitaka::Board::from_sfen(sfen).expect("a legal position"), depth - 1);
    bencher
        .counter(ItemsCount::new(haitaka_perft(&board, depth)))
        .bench(|| haitaka_perft(black_box(&board), depth));
}

#[divan::bench(args = [0, 1])]
fn last_ply_counted(bencher: Bencher, which: usize) {
    let (sfen, depth) = POSITIONS[which];
    let board = read(sfen);
    bencher
        .counter(ItemsCount::new(perft_by_bulk(&board, depth)))
        .bench(|| perft_by_bulk(black_box(&board), depth));
}

#[divan::bench(args = [0, 1])]
fn last_ply_counted_by_haitaka(bencher: Bencher, which: usize) {
    let (sfen, depth) = POSITIONS[which];
    let board = haitaka::Board::from_sfen(sfen).expect("a legal position");
    bencher
        .counter(ItemsCount::new(haitaka_by_bulk(&board, depth)))
        .bench(|| haitaka_by_bulk(black_box(&board), depth));
}

/// The positions of a few games that wander without a plan.
fn positions() -> Vec<Board> {
    let mut found = Vec::new();
    for game in 0..32_usize {
        let mut board = Shogi.start();
        for ply in 0..200 {
            let count = board.move_count();
            if count == 0 {
                break;
            }
            found.push(board.clone());
            let choice = (ply * 31 + game * 97) % count;
            board = board.play(board.moves().nth(choice).expect("a move below the count"));
        }
    }
    found
}

#[divan::bench]
fn all_features(bencher: Bencher) {
    let positions = positions();
    let features = Shogi.features();
    let mut row = Vec::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        positions.iter().fold(0.0, |sum, board| {
            row.clear();
            features.append_all(board, &mut row);
            sum + row[13]
        })
    });
}

#[divan::bench]
fn unpacked(bencher: Bencher) {
    let packed: Vec<_> = positions().iter().map(|p| Shogi.pack(p, p.to_move())).collect();
    bencher
        .counter(ItemsCount::new(packed.len()))
        .bench(|| packed.iter().filter(|bytes| Shogi.unpack(black_box(bytes)).is_ok()).count());
}
