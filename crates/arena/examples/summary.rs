//! Prints how long finished games of sixty half-moves take to be summarised: first from
//! a log without a table, then from the table that this leaves beside it.
//!
//! ```text
//! cargo run --release -p evalsmith-arena --example summary [GAMES]
//! ```

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use evalsmith_arena::{ArenaError, PlayedGame, read_match};
use evalsmith_core::seal;
use serde_json::json;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let games = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1_000_000,
    };
    let dir = tempfile::tempdir()?;
    let log = dir.path().join("log");
    write_log(&log, games)?;
    println!("{} MB", log.metadata()?.len() / 1_000_000);
    summarise("from the log", &log)?;
    summarise("from the table", &log)?;
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// A sealed log whose games have moves and notes.
fn write_log(log: &Path, games: u32) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(log)?);
    out.write_all(&seal::line_of(&json!({
        "match_log": 3,
        "game": "othello",
        "plan": {
            "pairs": games.div_ceil(2), "seed": 1, "names": ["a", "b"], "max_faults": 3,
            "conditions": null,
        },
    })))?;
    let mut game: PlayedGame = serde_json::from_value(json!({
        "index": 0, "opening": "f5 d6 c3 d3", "first": 0, "margin": 0, "points": 1.0,
        "plies": 60, "reason": "rules", "nodes": [310, 305],
        "notes": { "value": vec![125; 56], "depth": vec![1; 56], "nodes": vec![11; 56] },
        "moves": vec!["c4"; 56],
    }))?;
    for index in 0..games {
        game.index = index;
        game.first = index as usize % 2;
        game.margin = (index % 40) as i16 + 1;
        out.write_all(&seal::line_of(&game))?;
    }
    out.flush()
}

fn summarise(what: &str, log: &Path) -> Result<(), ArenaError> {
    let (begun, used) = (Instant::now(), cpu_seconds());
    let (_, result) = read_match(log)?;
    let (games, wall) = (result.totals.games, begun.elapsed().as_secs_f64());
    println!("{games} games {what}: {wall:.2} s, {:.2} s of the processor", cpu_seconds() - used);
    Ok(())
}

/// Time on the processor until now, where the system is Linux.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds =
        told.split_ascii_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}
