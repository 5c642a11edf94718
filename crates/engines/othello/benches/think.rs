//! Positions a second of the midgame search: once with a judge that costs nothing,
//! which shows the driver alone, and once with the pattern judge.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_core::{Game, Position, rng};
use evalsmith_engine_othello::{
    DISC, Engine, Judge, Limits, ProbCut, Selectivity, SmallPatterns, Watch,
};
use evalsmith_othello::{Board, Kernel, Othello, Portable};
use rand::RngExt;

fn main() {
    divan::main();
}

/// Counts moves.
struct Mobility;

impl Judge for Mobility {
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        DISC * (moves.count_ones() as i32 - board.own().count_ones() as i32 / 4)
    }
}

fn positions() -> Vec<Board<Portable>> {
    let random_position = |index| {
        let mut random = rng::stream(6, "bench positions", index);
        let mut board = Othello::new().start();
        while board.empty().count_ones() > 36 {
            let moves: Vec<_> = board.moves().collect();
            board = board.play(*moves.get(random.random_range(0..moves.len().max(1)))?);
        }
        Some(board)
    };
    (0..8).filter_map(random_position).collect()
}

fn run<J: Judge>(bencher: Bencher<'_, '_>, judge: J, selectivity: Selectivity, depth: u32) {
    let mut engine = Engine::with_judge(4, 1, judge, ProbCut::of_small_patterns().clone());
    let boards = positions();
    let limits = Limits { selectivity, ..Limits::depth(depth) };
    let mut all = || -> u64 {
        boards
            .iter()
            .map(|board| {
                engine.forget();
                engine.think(board, limits, &Watch::new(), |_| {}).nodes
            })
            .sum()
    };
    let nodes = all();
    bencher.counter(ItemsCount::new(nodes)).bench_local(all);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn trivial_judge(bencher: Bencher<'_, '_>) {
    run(bencher, Mobility, Selectivity::Full, 7);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn patterns(bencher: Bencher<'_, '_>) {
    run(bencher, SmallPatterns, Selectivity::Full, 7);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn patterns_selective(bencher: Bencher<'_, '_>) {
    run(bencher, SmallPatterns, Selectivity::Careful, 9);
}
