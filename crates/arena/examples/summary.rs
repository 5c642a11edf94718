//! Prints how long ten million finished games take to be summarised: first from
//! a log without a table, then from the table that this leaves beside it.
//!
//! ```text
//! cargo run --release -p evalsmith-arena --example summary [GAMES]
//! ```

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use evalsmith_arena::{ArenaError, read_match};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let games = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 10_000_000,
    };
    let dir = tempfile::tempdir()?;
    let log = dir.path().join("log");
    write_log(&log, games)?;
    summarise("from the log", &log)?;
    summarise("from the table", &log)?;
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// Games without moves, which a summary does not read.
fn write_log(log: &Path, games: u32) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(log)?);
    writeln!(
        out,
        "{{\"match_log\":2,\"game\":\"othello\",\"plan\":{{\"pairs\":{},\"seed\":1,\
         \"names\":[\"a\",\"b\"],\"max_faults\":3,\"conditions\":null}}}}",
        games.div_ceil(2)
    )?;
    for index in 0..games {
        writeln!(
            out,
            "{{\"index\":{index},\"opening\":\"f5 d6 c3 d3\",\"first\":{},\"margin\":{},\
             \"points\":1.0,\"plies\":60,\"reason\":\"rules\",\"nodes\":[310,305],\"moves\":[],\
             \"notes\":{{\"value\":[],\"depth\":[],\"nodes\":[]}}}}",
            index % 2,
            index % 40 + 1
        )?;
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
