//! Node totals of fixed searches in games without noisy moves: quiescence, or any
//! other change that is none of their business, must leave them as they are.

use crate::toys::{Noise, record, wander};
use crate::{Limits, Searcher};
use evalsmith_core::{Evaluate, Game, Trivial};
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use std::sync::atomic::AtomicBool;

/// Positions visited by searches along one game, by one searcher.
fn nodes<G: Game>(game: &G, function: impl Evaluate<G::Position>, bytes: usize, depth: u8) -> u64 {
    let mut searcher = Searcher::new(function, bytes);
    let mut total = 0;
    for plies in [0, 5, 10, 20, 30, 40, 50] {
        let mut record = record(game.start(), game.max_plies());
        wander(&mut record, plies, 3);
        total += searcher.search(&record, &Limits::depth(depth), &AtomicBool::new(false)).nodes;
        total += searcher.fixed_depth(&record, depth - 1).nodes;
    }
    total
}

#[test]
fn games_without_noise_are_searched_as_ever() {
    let noise = Noise { seed: 1, spread: 40, early: true, mixed: false };
    let known = [
        (0, [88_054, 233_531], [50_024, 762_228]),
        (1 << 20, [74_457, 168_580], [50_020, 711_401]),
    ];
    for (bytes, othello, malawi) in known {
        let board = Othello::new();
        let found = [nodes(&board, Trivial, bytes, 7), nodes(&board, noise, bytes, 6)];
        assert_eq!(found, othello, "othello with a table of {bytes} bytes");
        let found = [nodes(&Malawi, Trivial, bytes, 4), nodes(&Malawi, noise, bytes, 4)];
        assert_eq!(found, malawi, "malawi with a table of {bytes} bytes");
    }
}
