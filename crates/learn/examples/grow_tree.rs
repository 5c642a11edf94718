//! Grows a tree on a table stored as raw numbers, prunes and chooses it on another,
//! and prints what each step cost as JSON: our side of `bench/peers/trees.py`.
//!
//! The folder holds `features.f32` (row by row) and `labels.f32` of the vectors to
//! grow on, and `test_features.f32` and `test_labels.f32`, all little-endian.
//!
//! ```text
//! cargo run --release -p evalsmith-learn --example grow_tree -- FOLDER WIDTH
//! ```
#![expect(clippy::print_stdout, reason = "the JSON is this program's result")]

use cpu_time::ProcessTime;
use evalsmith_core::Columns;
use evalsmith_learn::{Criterion, PrunePath, TreeParams, Vectors, choose, grow};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: grow_tree FOLDER WIDTH";
    let folder = arguments.next().ok_or(usage)?;
    let width: usize = arguments.next().ok_or(usage)?.parse()?;
    let folder = Path::new(&folder);
    let table = |name: &str| -> Result<Columns, Box<dyn Error>> {
        let mut columns = Columns::new((0..width).map(|i| format!("x{i}")).collect());
        words(&folder.join(name))?.chunks_exact(width).for_each(|row| columns.push(row));
        Ok(columns)
    };
    let (features, tests) = (table("features.f32")?, table("test_features.f32")?);
    let (labels, truth) =
        (words(&folder.join("labels.f32"))?, words(&folder.join("test_labels.f32"))?);
    let games: Vec<u32> = (0..labels.len().max(truth.len()) as u32).collect();
    let learn = Vectors {
        features: &features,
        stages: None,
        labels: &labels,
        games: &games[..labels.len()],
    };
    let test =
        Vectors { features: &tests, stages: None, labels: &truth, games: &games[..truth.len()] };
    let params = TreeParams { min_size: 2, min_share: 0.0, ..TreeParams::default() };

    let begun = ProcessTime::now();
    let growth = grow(&params, &learn)?;
    let grown = begun.elapsed();
    let path = PrunePath::new(&growth);
    let pruned = begun.elapsed();
    let steps = path.judge(&test)?;
    let best = choose(&path, &steps, &test, Criterion::Squared, false);
    let chosen = path.tree(best);
    let all = begun.elapsed();

    let accuracy = |tree: &evalsmith_learn::Growth| {
        let right = (0..truth.len()).filter(|&row| {
            let leaf = tree.leaf(|feature| tests.column(feature)[row]);
            (tree.nodes()[leaf].mean() > 0.0) == (truth[row] > 0.0)
        });
        right.count() as f64 / truth.len() as f64
    };
    let report = serde_json::json!({
        "grow_cpu": grown.as_secs_f64(),
        "path_cpu": pruned.saturating_sub(grown).as_secs_f64(),
        "choice_cpu": all.saturating_sub(pruned).as_secs_f64(),
        "all_cpu": all.as_secs_f64(),
        "peak_bytes": peak_bytes(),
        "leaves": growth.leaves(),
        "trees": path.len(),
        "chosen_leaves": chosen.leaves(),
        "full_accuracy": accuracy(&growth),
        "chosen_accuracy": accuracy(&chosen),
    });
    println!("{report}");
    Ok(())
}

/// The file's numbers.
fn words(path: &Path) -> Result<Vec<f32>, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    Ok(bytes.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect())
}

/// The most memory the process held, where the system tells (Linux).
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
