//! Thinks about the positions of an OBF file: depth, value, nodes, processor time.
//!
//! `cargo run --release -p evalsmith-engine-othello --example think_obf -- FILE DEPTH
//! [PERCENT] [THREADS]`, PERCENT one of 73, 87, 95, 99, 100.
#![expect(clippy::print_stdout, reason = "figures")]

use cpu_time::ProcessTime;
use evalsmith_engine_othello::{Engine, Limits, Selectivity, Watch, obf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u32| words.get(at).map_or(Ok(default), |w| w.parse());
    let file = words.first().ok_or("see the head of this file")?;
    let (depth, percent, threads) = (number(1, 12)?, number(2, 95)?, number(3, 1)?);
    let level = Selectivity::ALL.into_iter().find(|level| u32::from(level.percent()) == percent);
    let limits = Limits { selectivity: level.ok_or("no such level")?, ..Limits::depth(depth) };
    let mut engine = Engine::new(256, threads as usize);
    let (mut nodes, mut cpu) = (0, 0.0);
    for problem in obf::read(&std::fs::read_to_string(file)?)? {
        engine.forget();
        let begun = ProcessTime::now();
        let thought = engine.think(&problem.board, limits, &Watch::new(), |_| {});
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
    Ok(())
}
