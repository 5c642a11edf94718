//! Makes `data/patterns.bin`, the weights of the judge `SmallPatterns`.
//!
//! `fit_patterns collect WTHOR-FOLDER COUNT SAMPLES` writes positions with their
//! scores: those of every game at 24 empty squares, with the score that WTHOR
//! gives for perfect play; some later ones with the score as played; and COUNT
//! positions that random moves from the games and from the start lead to, solved.
//! `fit_patterns fit SAMPLES WEIGHTS` fits the weights by stochastic gradients. The
//! weights here are of COUNT 160000, with WTHOR's games of 1977 to 2015.
#![expect(clippy::print_stdout, reason = "figures")]

use evalsmith_core::{Game, Position, rng};
use evalsmith_engine_othello::patterns::{ACTIVE, COUNTS, SmallPatterns, WEIGHTS};
use evalsmith_engine_othello::{Question, Solver, Watch};
use evalsmith_othello::{Board, Kernel, Move, Othello};
use rand::RngExt;
use std::io::Write;
use std::path::Path;

fn main() {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["collect", folder, count, samples] => {
            let count = count.parse().expect("a number of positions");
            let game = Othello::detect().expect("an x86-64-v3 machine");
            collect(game, Path::new(folder), count, Path::new(samples));
        }
        ["fit", samples, weights] => fit(Path::new(samples), Path::new(weights)),
        _ => println!("see the head of this file"),
    }
}

/// A position and its score for the side to move.
struct Sample<K: Kernel> {
    board: Board<K>,
    score: i8,
}

/// The boards of a game in WTHOR's 60 bytes, with Black to move or not.
fn replay<K: Kernel>(game: Othello<K>, moves: &[u8]) -> Vec<(Board<K>, bool)> {
    let (mut board, mut black) = (game.start(), true);
    let mut boards = vec![(board, black)];
    for &byte in moves.iter().take_while(|&&byte| byte != 0) {
        // WTHOR counts rows and columns from one, tens for the row.
        let m = Move((byte / 10 - 1) * 8 + byte % 10 - 1);
        if board.moves().next() == Some(Move::PASS) {
            (board, black) = (board.passed(), !black);
        }
        if board.moves().all(|legal| legal != m) {
            break;
        }
        (board, black) = (board.play(m), !black);
        boards.push((board, black));
    }
    boards
}

fn collect<K: Kernel>(game: Othello<K>, folder: &Path, count: u64, out: &Path) {
    let mut samples = Vec::new();
    let mut starts = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("WTHOR's folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "wtb"))
        .collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(file).expect("a WTHOR file");
        for (index, record) in bytes[16..].chunks_exact(68).enumerate() {
            let (played, perfect) = (record[6], record[7]);
            for (board, black) in replay(game, &record[8..]) {
                let empties = board.empty().count_ones() as usize;
                let discs = match empties {
                    24 => perfect,
                    15..=22 if empties % 8 == index % 8 => played,
                    _ => continue,
                };
                if board.moves().count() == 0 || discs > 64 {
                    continue;
                }
                let margin = (2 * i32::from(discs) - 64) * if black { 1 } else { -1 };
                samples.push(Sample { board, score: margin as i8 });
                if empties < 22 {
                    starts.push(board);
                }
            }
        }
    }
    println!("{} positions of games", samples.len());
    let mut solver = Solver::new(64, 1);
    for index in 0..count {
        let mut random = rng::stream(1, "samples", index);
        let mut board = match index % 4 {
            0 => game.start(),
            _ => starts[random.random_range(0..starts.len())],
        };
        let empties = random.random_range(12..=14);
        while board.empty().count_ones() > empties {
            let moves: Vec<_> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            board = board.play(moves[random.random_range(0..moves.len())]);
        }
        if board.moves().next().is_none() {
            continue;
        }
        let answer = solver.ask(&board, Question::Score, &Watch::new());
        let score = answer.bounds.exact().expect("nobody stops it");
        samples.push(Sample { board, score });
    }
    let mut bytes = Vec::new();
    for Sample { board, score } in &samples {
        bytes.extend(board.own().to_le_bytes());
        bytes.extend(board.opp().to_le_bytes());
        bytes.push(*score as u8);
    }
    let mut file = std::fs::File::create(out).expect("a file to write");
    file.write_all(&bytes).expect("room for the samples");
    println!("{} samples", samples.len());
}

/// Passes over the samples.
const PASSES: usize = 40;
/// One sample in so many is held out.
const HELD_OUT: usize = 20;

/// A sample as the fit sees it.
struct Row {
    active: [u32; ACTIVE],
    counts: [f32; 2 * COUNTS],
    score: f32,
}

/// Linear least squares by stochastic gradients with falling steps; each pattern
/// weight is drawn towards zero, so that rare patterns say little.
fn fit(samples: &Path, out: &Path) {
    let game = Othello::detect().expect("an x86-64-v3 machine");
    let bytes = std::fs::read(samples).expect("the samples");
    let mut rows: Vec<_> = bytes
        .chunks_exact(17)
        .map(|record| {
            let word =
                |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().expect("eight"));
            let board = Board::new(word(0), word(8), game.start().kernel()).expect("a board");
            let (active, counts) = SmallPatterns::features(&board, board.mobility());
            let empties = board.empty().count_ones() as f32 / 16.0;
            let counts = std::array::from_fn(|i| {
                counts[i / 2] as f32 * if i % 2 == 0 { 1.0 } else { empties }
            });
            Row { active: active.map(|i| i as u32), counts, score: f32::from(record[16] as i8) }
        })
        .collect();
    let mut random = rng::stream(2, "fit", 0);
    for i in (1..rows.len()).rev() {
        rows.swap(i, random.random_range(0..=i));
    }
    let (test, train) = rows.split_at(rows.len() / HELD_OUT);
    let mut weights = vec![0_f32; WEIGHTS];
    let mut plain = [0_f32; 2 * COUNTS];
    let value = |weights: &[f32], plain: &[f32], row: &Row| -> f32 {
        row.active.iter().map(|&i| weights[i as usize]).sum::<f32>()
            + row.counts.iter().zip(plain).map(|(c, w)| c * w).sum::<f32>()
    };
    for pass in 0..PASSES {
        let step = 0.0015 * (1.0 - pass as f32 / PASSES as f32) + 0.0003;
        for row in train {
            let error = row.score - value(&weights, &plain, row);
            for &i in &row.active {
                let weight = &mut weights[i as usize];
                *weight += step * (error - 0.15 * *weight);
            }
            for (weight, count) in plain.iter_mut().zip(row.counts) {
                *weight += 0.002 * step * error * count;
            }
        }
        let error: f32 =
            test.iter().map(|row| (row.score - value(&weights, &plain, row)).powi(2)).sum();
        if pass % 5 == 4 {
            println!(
                "pass {pass}: {:.3} discs on the samples held out",
                (error / test.len() as f32).sqrt()
            );
        }
    }
    let mut bytes: Vec<u8> =
        weights.iter().map(|w| (w * 8.0).round().clamp(-127.0, 127.0) as i8 as u8).collect();
    for weight in plain {
        bytes.extend(((weight * 256.0).round() as i16).to_le_bytes());
    }
    println!("plain weights {plain:?}");
    std::fs::write(out, bytes).expect("room for the weights");
}
