//! Leaves per second of perft 11 with the last ply counted, on one thread.
//!
//! The first lines give the best of five runs for each kernel and check the count;
//! divan's table follows for a shallower depth.
#![expect(clippy::print_stdout, reason = "figures")]

use evalsmith_core::{Game, perft_by_bulk};
use evalsmith_othello::{Kernel, Othello};
use std::time::Instant;

const DEPTH: u32 = 9;

fn main() {
    timed("portable", &Othello::new());
    if let Some(game) = Othello::detect() {
        timed("x86-64-v3", &game);
    }
    divan::main();
}

fn timed<K: Kernel>(name: &str, game: &Othello<K>) {
    let (depth, &expected) = (1..).zip(game.perft_table()).last().expect("a table");
    let mut seconds = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        assert_eq!(perft_by_bulk(&game.start(), depth), expected, "perft {depth}");
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let rate = expected as f64 / seconds / 1e6;
    println!("{name}: perft {depth} = {expected} in {seconds:.3} s, {rate:.0} M leaves/s");
}

#[divan::bench]
fn portable(bencher: divan::Bencher) {
    let start = Othello::new().start();
    bencher.bench(|| perft_by_bulk(&start, DEPTH));
}

#[divan::bench]
fn x86_v3(bencher: divan::Bencher) {
    if let Some(game) = Othello::detect() {
        bencher.bench(|| perft_by_bulk(&game.start(), DEPTH));
    }
}
