//! Endgames from random play, solved one after the other on one thread.
#![expect(clippy::print_stdout, reason = "figures")]

use evalsmith_core::{Game, Position, Solve, rng};
use evalsmith_othello::{Board, Endgame, Kernel, Othello};
use rand::RngExt;
use std::time::Instant;

const POSITIONS: u64 = 200;

fn main() {
    if let Some(game) = Othello::detect() {
        timed("x86-64-v3", &game);
    }
    timed("portable", &Othello::new());
    divan::main();
}

fn endgames<K: Kernel>(game: &Othello<K>, empties: u32) -> Vec<Board<K>> {
    (0..POSITIONS)
        .filter_map(|index| {
            let mut random = rng::stream(1, "endgames", index);
            let mut board = game.start();
            while board.empty().count_ones() > empties {
                let moves: Vec<_> = board.moves().collect();
                if moves.is_empty() {
                    return None;
                }
                board = board.play(moves[random.random_range(0..moves.len())]);
            }
            Some(board)
        })
        .collect()
}

fn timed<K: Kernel>(name: &str, game: &Othello<K>) {
    let mut solver = Endgame::new();
    for empties in [8, 10, 12, 14, 16] {
        let boards = endgames(game, empties);
        let start = Instant::now();
        let nodes: u64 = boards.iter().map(|board| solver.solve(board).nodes).sum();
        let seconds = start.elapsed().as_secs_f64();
        let each = seconds * 1e3 / boards.len() as f64;
        let per_position = nodes / boards.len() as u64;
        let rate = nodes as f64 / seconds / 1e6;
        println!(
            "{name}: {empties} empties {each:.3} ms and {per_position} nodes a position, \
             {rate:.1} M nodes/s"
        );
    }
}

#[divan::bench(args = [8, 10, 12])]
fn solve(bencher: divan::Bencher, empties: u32) {
    let Some(game) = Othello::detect() else { return };
    let boards = endgames(&game, empties);
    let mut solver = Endgame::new();
    bencher.bench_local(|| boards.iter().map(|b| solver.solve(b).nodes).sum::<u64>());
}
