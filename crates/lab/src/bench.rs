//! Fixed searches whose nodes never change unless the search does.

use crate::LabError;
use evalsmith_arena::Openings;
use evalsmith_core::Game;
use evalsmith_rules::DynGame;
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits, Search};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Openings searched.
const OPENINGS: u32 = 16;

/// What a benchmark of the search measured.
#[derive(Clone, Copy, Debug)]
pub struct BenchSearch {
    /// Positions visited; the same on every machine.
    pub nodes: u64,
    /// CPU time of the searching thread.
    pub cpu: Duration,
}

/// Fixed searches with the hand-weighted function: nodes and CPU time.
///
/// # Errors
/// When the game's hand weights do not fit its features.
pub fn bench_search(game: &DynGame) -> Result<BenchSearch, LabError> {
    let defaults = game.defaults();
    let openings = Openings::random(game, defaults.match_plies, OPENINGS, 1)?;
    let mut search = game.function_by_hand()?.search(DEFAULT_TABLE_BYTES);
    let mut total = BenchSearch { nodes: 0, cpu: Duration::ZERO };
    for record in &openings.first(OPENINGS as usize) {
        search.clear();
        let limits = Limits::depth(defaults.depth + 3);
        let found = search.search(record, &limits, &AtomicBool::new(false));
        total.nodes += found.nodes;
        total.cpu += found.cpu;
    }
    Ok(total)
}
