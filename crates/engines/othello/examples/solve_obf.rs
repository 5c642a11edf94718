//! Solves the problems of OBF files: nodes, processor time and best play of each.
//!
//! `cargo run --release -p evalsmith-engine-othello --example solve_obf -- FILE...
//! [--threads N] [--mib N] [--verdict]`
#![expect(clippy::print_stdout, reason = "figures")]

use cpu_time::ProcessTime;
use evalsmith_engine_othello::{DEFAULT_TABLE_MIB, Question, Solver, Watch, obf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    let (mut threads, mut mib, mut question) = (1, DEFAULT_TABLE_MIB, Question::Score);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().unwrap_or_default().parse();
        match word.as_str() {
            "--threads" => threads = number()?,
            "--mib" => mib = number()?,
            "--verdict" => question = Question::Verdict,
            _ => files.push(word),
        }
    }
    let mut solver = Solver::new(mib, threads);
    let (mut count, mut wrong, mut nodes, mut cpu, mut wall) = (0, 0, 0, 0.0, 0.0);
    for file in &files {
        for problem in obf::read(&std::fs::read_to_string(file)?)? {
            let (cpu_start, wall_start) = (ProcessTime::now(), Instant::now());
            let answer = solver.ask(&problem.board, question, &Watch::new());
            let seconds = cpu_start.elapsed().as_secs_f64();
            count += 1;
            nodes += answer.nodes;
            cpu += seconds;
            wall += wall_start.elapsed().as_secs_f64();
            let right = problem
                .best()
                .is_none_or(|best| (answer.bounds.lower..=answer.bounds.upper).contains(&best));
            wrong += i32::from(!right);
            let moves: Vec<_> = answer.line.iter().take(8).map(ToString::to_string).collect();
            println!(
                "{count:3}: {} empty, {:+3} to {:+3}{} {:13} nodes {seconds:8.3} s {:5.1} M/s  {}",
                problem.board.empty().count_ones(),
                answer.bounds.lower,
                answer.bounds.upper,
                if right { "" } else { " WRONG" },
                answer.nodes,
                answer.nodes as f64 / seconds / 1e6,
                moves.join(" ")
            );
        }
    }
    println!(
        "{count} positions, {nodes} nodes, {cpu:.3} CPU s, {wall:.3} s, {:.1} M nodes/s, {wrong} wrong",
        nodes as f64 / cpu / 1e6
    );
    Ok(())
}
