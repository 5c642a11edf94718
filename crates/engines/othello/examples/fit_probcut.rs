//! Makes `data/probcut.txt`, the errors of Multi-ProbCut's checks.
//!
//! `cargo run --release -p evalsmith-engine-othello --example fit_probcut -- COUNT
//! DEPTH FILE` plays games from random openings, takes COUNT positions of them,
//! searches each to every depth up to DEPTH without selectivity (positions of at
//! most 18 empty squares also to the end), and fits the errors of all checks that
//! the engine may make. It prints every cell of the fit. The file here is of COUNT
//! 1500 and DEPTH 8.
#![expect(clippy::print_stdout, reason = "figures")]

use evalsmith_core::{Game, Position, rng};
use evalsmith_engine_othello::probcut::{ProbCutSample, fit_probcut};
use evalsmith_engine_othello::{Certainty, Engine, Limits, Selectivity, Watch};
use evalsmith_othello::{Board, Othello, Portable};
use rand::RngExt;

/// With at most so many empty squares, positions are searched to the end.
const TO_END: u32 = 18;

/// A position as it comes up when a weak player plays itself from a random opening.
fn position(engine: &mut Engine, index: u64) -> Option<Board<Portable>> {
    let mut random = rng::stream(5, "probcut positions", index);
    let mut board = Othello::new().start();
    let empties = random.random_range(11..=54);
    while board.empty().count_ones() > empties {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            return None;
        }
        let opening = board.empty().count_ones() > 50 || random.random_bool(0.1);
        let m = if opening {
            moves[random.random_range(0..moves.len())]
        } else {
            engine.think(&board, Limits::depth(2), &Watch::new(), |_| {}).best?
        };
        board = board.play(m);
    }
    board.outcome().is_none().then_some(board)
}

/// The values by depth, from nought; the last is the score where it was searched for.
fn values(engine: &mut Engine, board: &Board<Portable>, depth: u32) -> Vec<(u32, f64)> {
    engine.forget();
    let empties = board.empty().count_ones();
    let mut values = Vec::new();
    // Not quite to the end, else depths are leapt over.
    let limits = Limits { selectivity: Selectivity::Full, ..Limits::depth(depth.min(empties - 1)) };
    engine.think(board, limits, &Watch::new(), |t| values.push((t.depth, t.value.discs())));
    if empties <= TO_END {
        let thought = engine.think(board, Limits::depth(empties), &Watch::new(), |_| {});
        assert_eq!(thought.certainty, Certainty::Exact, "nobody stops it");
        values.push((empties, thought.value.discs()));
    }
    values
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let [count, depth, file] = &words[..] else { return Err("see the head of this file".into()) };
    let (count, depth) = (count.parse::<u64>()?, depth.parse::<u32>()?);
    let mut engine = Engine::new(8, 1);
    let mut samples = Vec::new();
    for index in 0..count {
        let Some(board) = position(&mut engine, index) else { continue };
        let empties = board.empty().count_ones();
        let values = values(&mut engine, &board, depth);
        for &(deep_at, deep) in &values {
            for &(check, shallow) in &values {
                if deep_at >= 3 && check < deep_at && check % 2 == deep_at % 2 {
                    samples.push(ProbCutSample { empties, depth: deep_at, check, deep, shallow });
                }
            }
        }
    }
    let fit = fit_probcut(&samples)?;
    println!("{} samples", samples.len());
    println!("kind   empties depth check count  slope offset  sigma model");
    for c in &fit.cells {
        println!(
            "{:6} {:7.1} {:5.1} {:5} {:5} {:6.2} {:6.2} {:6.2} {:5.2}",
            if c.to_end { "end" } else { "middle" },
            c.empties,
            c.depth,
            c.check,
            c.count,
            c.slope,
            c.offset,
            c.sigma,
            c.modelled
        );
    }
    let text = format!(
        "# ln sigma in discs: constant, per ply, per ply of the check, per empty square.\n\
         # Made by examples/fit_probcut.rs from {} samples.\n{}",
        samples.len(),
        fit.model
    );
    print!("{text}");
    let beside = format!("{file}.part");
    std::fs::write(&beside, text)?;
    std::fs::rename(beside, file)?;
    Ok(())
}
