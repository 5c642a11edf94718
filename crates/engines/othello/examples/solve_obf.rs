//! Solves the positions of OBF files and prints nodes and processor time.
//!
//! `cargo run --release --example solve_obf -- FILE... [--threads N] [--mib N] [--verdict]`
#![expect(clippy::print_stdout, reason = "figures")]

use cpu_time::ProcessTime;
use evalsmith_core::Game;
use evalsmith_engine_othello::{Question, Solver, Watch};
use evalsmith_othello::Othello;
use std::time::Instant;

fn main() {
    let mut files = Vec::new();
    let (mut threads, mut mib, mut question) = (1, 512, Question::Score);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok()).expect("a number");
        match word.as_str() {
            "--threads" => threads = number(),
            "--mib" => mib = number(),
            "--verdict" => question = Question::Verdict,
            _ => files.push(word),
        }
    }
    let mut solver = Solver::new(mib, threads);
    let (mut all_nodes, mut all_cpu, mut all_wall) = (0, 0.0, 0.0);
    let mut count = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("an OBF file");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (board, _) = Othello::new().parse(line).expect("an OBF line");
            let (cpu, wall) = (ProcessTime::now(), Instant::now());
            let answer = solver.ask(&board, question, &Watch::new());
            let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
            let moves: Vec<_> = answer.line.iter().take(8).map(ToString::to_string).collect();
            println!(
                "{count:3} {:2} empties {:+3}..{:+3} {:>13} nodes {cpu:8.3} s {wall:8.3} s {:6.1} M/s {}",
                board.empty().count_ones(),
                answer.bounds.lower,
                answer.bounds.upper,
                answer.nodes,
                answer.nodes as f64 / cpu / 1e6,
                moves.join(" ")
            );
            let best =
                line.split(';').nth(1).and_then(|s| s.split(':').nth(1)?.trim().parse::<i8>().ok());
            if let Some(best) = best
                && answer.bounds.exact().is_some_and(|score| score != best)
            {
                println!("    WRONG: {best} expected");
            }
            count += 1;
            all_nodes += answer.nodes;
            all_cpu += cpu;
            all_wall += wall;
        }
    }
    println!(
        "{count} positions, {all_nodes} nodes, {all_cpu:.3} CPU s, {all_wall:.3} s, {:.1} M nodes/s",
        all_nodes as f64 / all_cpu / 1e6
    );
}
