//! Thinks about the positions of an OBF file: depth, value, nodes, processor time.
//!
//! `cargo run --release -p evalsmith-engine-othello --example think_obf -- FILE DEPTH
//! [PERCENT] [THREADS] [mobility]`, PERCENT one of 73, 87, 95, 99, 100; `mobility` for a
//! judge that costs nothing, which shows the search alone.
#![expect(clippy::print_stdout, reason = "figures")]

use cpu_time::ProcessTime;
use evalsmith_engine_othello::{
    Certainty, DISC, Engine, Judge, Limits, ProbCut, Selectivity, SmallPatterns, Watch, obf,
};
use evalsmith_othello::{Board, Kernel};

/// Counts moves.
struct Mobility;

impl Judge for Mobility {
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        DISC * (moves.count_ones() as i32 - board.own().count_ones() as i32 / 4)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u32| words.get(at).map_or(Ok(default), |w| w.parse());
    let file = words.first().ok_or("see the head of this file")?;
    let (depth, percent, threads) = (number(1, 12)?, number(2, 95)?, number(3, 1)?);
    let level = Selectivity::ALL.into_iter().find(|level| u32::from(level.percent()) == percent);
    let limits = Limits { selectivity: level.ok_or("no such level")?, ..Limits::depth(depth) };
    let problems = obf::read(&std::fs::read_to_string(file)?)?;
    match words.get(4).map(String::as_str) {
        Some("mobility") => think(Mobility, threads as usize, &problems, limits),
        _ => think(SmallPatterns, threads as usize, &problems, limits),
    }
    Ok(())
}

fn think<J: Judge>(judge: J, threads: usize, problems: &[obf::Problem], limits: Limits) {
    let mut engine = Engine::with_judge(64, threads, judge, ProbCut::of_small_patterns().clone());
    let (mut nodes, mut cpu) = (0, 0.0);
    for problem in problems {
        engine.forget();
        let begun = ProcessTime::now();
        let thought = engine.think(&problem.board, limits, &Watch::new(), |t| {
            if !matches!(t.certainty, Certainty::Judged(_)) {
                println!("    {:?} {} after {} nodes", t.certainty, t.value, t.nodes);
            }
        });
        let seconds = begun.elapsed().as_secs_f64();
        nodes += thought.nodes;
        cpu += seconds;
        let line: Vec<_> = thought.line.iter().map(ToString::to_string).collect();
        println!(
            "depth {:2} {:>7} {:12} nodes {seconds:7.3} s  {}",
            thought.depth,
            thought.value,
            thought.nodes,
            line.join(" ")
        );
    }
    println!("{nodes} nodes, {cpu:.3} CPU s, {:.2} M nodes/s", nodes as f64 / cpu / 1e6);
}
