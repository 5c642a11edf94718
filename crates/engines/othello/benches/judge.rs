//! One estimate by the 46 patterns of buro98's Fig. 7 with made-up weights: of a board
//! from scratch, and of a child by what a move changes. Compiled for x86-64-v3, as the
//! search is; finding the moves is not part of it.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_core::{Game, Position, rng};
use evalsmith_engine_othello::{Judge, OfChildren, SquareJudge, SquareTables};
use evalsmith_othello::{Board, Kernel, Othello, mirror, transpose};
use rand::RngExt;
use std::hint::black_box;

fn main() {
    divan::main();
}

/// Diagonals of four to eight, rows two to four, the edge with its X squares, corner
/// blocks of 2x5 and 3x3.
const SHAPES: [u64; 11] = [
    0x0000_0000_0102_0408,
    0x0000_0001_0204_0810,
    0x0000_0102_0408_1020,
    0x0001_0204_0810_2040,
    0x0102_0408_1020_4080,
    0xFF00,
    0xFF_0000,
    0xFF00_0000,
    0x42FF,
    0x1F1F,
    0x07_0707,
];

fn judge() -> SquareJudge {
    let (mut instances, mut bases, mut base) = (Vec::new(), Vec::new(), 0);
    for shape in SHAPES {
        let four = [shape, mirror(shape), shape.swap_bytes(), mirror(shape).swap_bytes()];
        let mut copies = [four, four.map(transpose)].concat();
        copies.sort_unstable();
        copies.dedup();
        for copy in copies {
            instances.push((0..64).filter(|square| copy >> square & 1 == 1).collect());
            bases.push(base);
        }
        base += 3_u32.pow(shape.count_ones());
    }
    assert_eq!(instances.len(), 46);
    SquareJudge::new(SquareTables {
        names: instances.iter().map(|_| String::new()).collect(),
        instances,
        bases,
        moves: None,
        weights: (0..13 * base).map(|i| (i % 2001) as i16 - 1000).collect(),
        group_of_discs: std::array::from_fn(|discs| (discs / 5).min(12) as u8),
        discs_a_step: vec![0.01; 13],
    })
    .expect("they fit")
}

/// A move of a random game: the board before, the square, what it flips, the board after.
type Step<K> = (Board<K>, u8, u64, Board<K>);

fn steps<K: Kernel>(game: &Othello<K>) -> Vec<Step<K>> {
    let mut steps = Vec::new();
    for index in 0..40 {
        let mut random = rng::stream(9, "bench", index);
        let mut board = game.start();
        while board.outcome().is_none() {
            let moves: Vec<_> = board.moves().collect();
            let m = moves[random.random_range(0..moves.len())];
            let after = board.play(m);
            if board.mobility() != 0 {
                steps.push((
                    board,
                    m.0,
                    board.kernel().flips(board.own(), board.opp(), m.0),
                    after,
                ));
            }
            board = after;
        }
    }
    steps
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn all_from_scratch<K: Kernel>(judge: &SquareJudge, steps: &[Step<K>]) {
    for (board, ..) in steps {
        black_box(judge.value(board, 0));
    }
}

/// Four children to a board, which is about what a search asks for.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn all_of_children<K: Kernel>(judge: &SquareJudge, steps: &[Step<K>]) {
    for (board, square, flips, after) in steps {
        let children = judge.of_children(board);
        for _ in 0..CHILDREN {
            let (square, flips) = black_box((*square, *flips));
            black_box(children.value(square, flips, after, 0));
        }
    }
}

const CHILDREN: usize = 4;

#[divan::bench]
fn from_scratch(bencher: Bencher<'_, '_>) {
    let game = Othello::detect().expect("an x86-64-v3 machine");
    let (judge, steps) = (judge(), steps(&game));
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| {
        // SAFETY: the machine was found to be one above.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            all_from_scratch(&judge, &steps);
        }
    });
}

#[divan::bench]
fn of_a_child(bencher: Bencher<'_, '_>) {
    let game = Othello::detect().expect("an x86-64-v3 machine");
    let (judge, steps) = (judge(), steps(&game));
    bencher.counter(ItemsCount::new(CHILDREN * steps.len())).bench_local(|| {
        // SAFETY: the machine was found to be one above.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            all_of_children(&judge, &steps);
        }
    });
}
