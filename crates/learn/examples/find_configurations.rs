//! Finds all valid configurations of positions stored as raw bytes, and prints their
//! number and the cost as JSON: our side of `bench/peers/configurations.py`.
//!
//! ```text
//! cargo run --release -p evalsmith-learn --example find_configurations -- \
//!     FILE ATOMS RANGE MIN_COUNT MAX_LENGTH [CHUNK CONFIDENCE]
//! ```
//!
//! With a chunk and a confidence, `MatchHeuristic` finds them first, and both times and
//! their agreement are printed.
#![expect(clippy::print_stdout, reason = "the JSON is this program's result")]

use cpu_time::ProcessTime;
use evalsmith_learn::{
    Agreement, ConfigurationParams, MatchHeuristic, Relation, configurations,
    probable_configurations,
};
use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::ops::ControlFlow::Continue;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, atoms, range, min_count, max_length, heuristic @ ..] = &arguments[..] else {
        return Err("usage: find_configurations FILE ATOMS RANGE MIN_COUNT MAX_LENGTH".into());
    };
    let positions = fs::read(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let ranges = vec![range.parse()?; atoms.parse()?];
    let params =
        ConfigurationParams { min_count: min_count.parse()?, max_length: max_length.parse()? };
    let cpu = ProcessTime::now();
    let mut sets = 0_u64;
    configurations(&positions, &ranges, &params, |_, _| {
        sets += 1;
        Continue(())
    })?;
    let mut report = serde_json::json!({ "cpu": cpu.elapsed().as_secs_f64(), "sets": sets });
    if let [chunk, confidence] = heuristic {
        let heuristic = MatchHeuristic {
            chunk: chunk.parse()?,
            confidence: confidence.parse()?,
            ..MatchHeuristic::default()
        };
        let (mut found, mut valid) = (HashSet::new(), HashSet::new());
        let mut guessed = 0_u64;
        let cpu = ProcessTime::now();
        probable_configurations(&positions, &ranges, &params, &heuristic, |_, _| {
            guessed += 1;
            Continue(())
        })?;
        report["heuristic_cpu"] = cpu.elapsed().as_secs_f64().into();
        let keep = |all: &mut HashSet<Vec<Relation>>, relations: &[Relation]| {
            all.insert(relations.to_vec());
            Continue(())
        };
        configurations(&positions, &ranges, &params, |r, _| keep(&mut valid, r))?;
        probable_configurations(&positions, &ranges, &params, &heuristic, |r, _| {
            keep(&mut found, r)
        })?;
        let Agreement { both, missed, wrong } = Agreement::of(&found, &valid);
        report["agreement"] = serde_json::json!({ "both": both, "missed": missed, "wrong": wrong });
    }
    println!("{report}");
    Ok(())
}
