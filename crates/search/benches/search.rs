//! Nodes a second: `cargo bench -p evalsmith-search`.
//!
//! A search that is repeated on a cleared searcher visits the same nodes every
//! time, so the throughput divan shows is nodes a second.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_core::{Evaluate, Game, GameRecord, Position, Side, Trivial};
use evalsmith_malawi::Malawi;
use evalsmith_othello::{Othello, with_best_kernel};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Searcher};

fn main() {
    divan::main();
}

fn run<G: Game, E: Evaluate<G::Position>>(
    bencher: Bencher<'_, '_>,
    game: &G,
    function: E,
    plies: usize,
    depth: u8,
    table_bytes: usize,
) {
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    for i in 0..plies {
        let moves: Vec<_> = record.position().moves().collect();
        record.play(moves[(i * 7 + 3) % moves.len()]).expect("a listed move is legal");
    }
    let mut searcher = Searcher::new(function, table_bytes);
    let nodes = searcher.fixed_depth(&record, depth).nodes;
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        searcher.clear();
        searcher.fixed_depth(&record, depth).nodes
    });
}

#[divan::bench(args = [0, DEFAULT_TABLE_BYTES])]
fn othello_trivial(bencher: Bencher<'_, '_>, table_bytes: usize) {
    let bencher = std::cell::Cell::new(Some(bencher));
    let take = || bencher.take().expect("one kernel runs");
    with_best_kernel(
        |game| run(take(), &game, Trivial, 12, 9, table_bytes),
        |game| run(take(), &game, Trivial, 12, 9, table_bytes),
    );
}

#[divan::bench]
fn othello_trivial_portable(bencher: Bencher<'_, '_>) {
    run(bencher, &Othello::new(), Trivial, 12, 9, DEFAULT_TABLE_BYTES);
}

#[divan::bench]
fn malawi_trivial(bencher: Bencher<'_, '_>) {
    run(bencher, &Malawi, Trivial, 6, 5, DEFAULT_TABLE_BYTES);
}
