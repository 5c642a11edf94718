//! Fits sparse rows stored as raw numbers, stage by stage, and prints the cost as JSON:
//! our side of `bench/peers/patterns.py`.
//!
//! The folder holds `tables.u32` (size and number of copies of each table), `rows.u16`
//! (the active weight of every column, row by row, stage after stage), `targets.f32`
//! and `stages.u32` (rows to fit and rows held out of each stage, in that order).
//!
//! ```text
//! cargo run --release -p evalsmith-learn --example fit_rows -- FOLDER
//! ```
#![expect(clippy::print_stdout, reason = "the JSON is this program's result")]

use cpu_time::ProcessTime;
use evalsmith_learn::{Prior, SparseParams, SparseRows, fit_sparse};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: fit_rows FOLDER")?;
    let folder = Path::new(&folder);
    let tables = words(&folder.join("tables.u32"), u32::from_le_bytes)?;
    let (mut bases, mut sizes, mut base) = (Vec::new(), Vec::new(), 0);
    for table in tables.chunks_exact(2) {
        bases.extend(std::iter::repeat_n(base, table[1] as usize));
        sizes.extend(std::iter::repeat_n(table[0], table[1] as usize));
        base += table[0];
    }
    let stages = words(&folder.join("stages.u32"), u32::from_le_bytes)?;
    let targets = words(&folder.join("targets.f32"), f32::from_le_bytes)?;
    let mut file = BufReader::new(File::open(folder.join("rows.u16"))?);
    let (mut bytes, mut targets) = (vec![0; 2 * sizes.len()], targets.into_iter());
    let mut active = Vec::with_capacity(sizes.len());
    let mut take = |count: u32| -> io::Result<SparseRows> {
        let mut rows = SparseRows::with_tables(bases.clone(), sizes.clone(), base as usize);
        for target in targets.by_ref().take(count as usize) {
            file.read_exact(&mut bytes)?;
            active.clear();
            active.extend(bytes.as_chunks().0.iter().map(|&b| u32::from(u16::from_le_bytes(b))));
            rows.push(&active, target);
        }
        Ok(rows)
    };

    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let mut data = Vec::new();
    for stage in stages.chunks_exact(2) {
        data.push((take(stage[0])?, take(stage[1])?));
    }
    let in_memory = cpu.elapsed();
    let params = SparseParams::default();
    let prior = vec![0.0; base as usize];
    let (mut squares, mut held, mut passes) = (0.0, 0, 0);
    for (train, holdout) in &data {
        let fit = fit_sparse(&[train], holdout, Prior::free(&prior), &params, |_| true);
        squares += fit.trace[fit.best].holdout.unwrap_or_default() * holdout.len() as f64;
        held += holdout.len();
        passes += fit.trace.len() - 1;
    }
    let (cpu, wall) = (cpu.elapsed(), wall.elapsed());
    let report = serde_json::json!({
        "cpu": cpu.as_secs_f64(),
        "reading": in_memory.as_secs_f64(),
        "wall": wall.as_secs_f64(),
        "peak": peak_bytes(),
        "error": (squares / f64::from(held as u32)).sqrt(),
        "iterations": passes as f64 / (stages.len() / 2) as f64,
    });
    println!("{report}");
    Ok(())
}

/// The file's four-byte words.
fn words<T>(path: &Path, of: impl Fn([u8; 4]) -> T) -> Result<Vec<T>, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    Ok(bytes.as_chunks().0.iter().map(|&word| of(word)).collect())
}

/// The most memory the process held, where the system tells (Linux).
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
