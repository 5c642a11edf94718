//! Fits a table stored as raw numbers and prints the fit with its cost as JSON:
//! our side of `bench/peers/`, and a way in for tables from elsewhere.
//!
//! The folder holds `names.txt` (one feature a line), `features.f32` (row by
//! row), `points.f32` and `games.u32`, all little-endian.
//!
//! ```text
//! cargo run --release -p evalsmith-learn --example fit_table -- FOLDER [LEARNER]
//! ```
#![expect(clippy::print_stdout, reason = "the JSON is this program's result")]

use cpu_time::ProcessTime;
use evalsmith_core::{Columns, Quiet, Stage};
use evalsmith_learn::{Examples, Learner, LogisticParams, fit};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: fit_table FOLDER [LEARNER]")?;
    let learner = std::env::args().nth(2).map_or(Ok(Learner::Logistic), |name| name.parse())?;
    let folder = Path::new(&folder);
    let names = fs::read_to_string(folder.join("names.txt"))?;
    let mut features = Columns::new(names.lines().map(String::from).collect());
    let mut rows = BufReader::new(open(&folder.join("features.f32"))?);
    let mut bytes = vec![0; 4 * features.width()];
    while !rows.fill_buf()?.is_empty() {
        rows.read_exact(&mut bytes)?;
        let row: Vec<f32> = bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect();
        features.push(&row);
    }
    let points = words(&folder.join("points.f32"), f32::from_le_bytes)?;
    let games = words(&folder.join("games.u32"), u32::from_le_bytes)?;
    let stages = vec![Stage(0); points.len()];
    let examples =
        Examples { features: &features, stages: &stages, points: &points, games: &games };

    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let fit = fit(learner, &LogisticParams::default(), 1, &examples, &[], &Quiet)?;
    let (cpu, wall) = (cpu.elapsed(), wall.elapsed());
    let report = serde_json::json!({
        "cpu_seconds": cpu.as_secs_f64(),
        "wall_seconds": wall.as_secs_f64(),
        "peak_bytes": peak_bytes(),
        "fit": fit.stages.first(),
        "coefficients": fit.model.coefficients(),
    });
    println!("{report}");
    Ok(())
}

/// The file's four-byte words.
fn words<T>(path: &Path, of: impl Fn([u8; 4]) -> T) -> Result<Vec<T>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|&word| of(word)).collect())
}

fn open(path: &Path) -> Result<File, Box<dyn Error>> {
    Ok(File::open(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?)
}

/// The most memory the process held, where the system tells (Linux).
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
