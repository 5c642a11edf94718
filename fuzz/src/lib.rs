//! What the targets have in common.

use evalsmith_core::Game;
use evalsmith_data::{InputFormat, scan};
use std::io::Cursor;

/// Reads bytes as records, as they are told and by the rules, which are at least as
/// strict.
///
/// # Panics
/// When the rules find a record that reading did not, or let more moves pass.
pub fn read_all<G: Game>(game: &G, format: InputFormat, bytes: &[u8]) {
    let scanned = |legally| scan(game, format, Cursor::new(bytes.to_vec()), legally);
    if let (Ok(told), Ok(legal)) = (scanned(false), scanned(true)) {
        assert_eq!(told.records, legal.records);
        assert!(told.skipped <= legal.skipped && told.skipped <= told.records);
    }
}
