//! Game records in every format.

use evalsmith_chess::Chess;
use evalsmith_core::Game;
use evalsmith_data::{InputFormat, scan};
use evalsmith_go::Go;
use evalsmith_othello::Othello;
use evalsmith_rules::DynGame;
use evalsmith_shogi::Shogi;
use std::io::Cursor;

/// Scans records without and with the rules of the game. The strict scan must find the
/// same records and skip at least as many of them.
fn scan_both(game: impl Game, format: InputFormat, bytes: &[u8]) {
    let game = DynGame::new(game);
    let scanned = |legally| scan(&game, format, Cursor::new(bytes.to_vec()), legally);
    if let (Ok(lenient), Ok(strict)) = (scanned(false), scanned(true)) {
        assert_eq!(lenient.records, strict.records);
        assert!(lenient.skipped <= strict.skipped && lenient.skipped <= lenient.records);
    }
}

/// Shogi games in CSA.
pub(crate) fn csa(bytes: &[u8]) {
    scan_both(Shogi, InputFormat::Csa, bytes);
}

/// Chess positions with results.
pub(crate) fn epd(bytes: &[u8]) {
    scan_both(Chess, InputFormat::Epd, bytes);
}

/// Othello games in GGF.
pub(crate) fn ggf(bytes: &[u8]) {
    scan_both(Othello::new(), InputFormat::Ggf, bytes);
}

/// Othello positions with scores.
pub(crate) fn obf(bytes: &[u8]) {
    scan_both(Othello::new(), InputFormat::Obf, bytes);
}

/// Chess games in PGN.
pub(crate) fn pgn(bytes: &[u8]) {
    scan_both(Chess, InputFormat::Pgn, bytes);
}

/// Go games in SGF.
pub(crate) fn sgf(bytes: &[u8]) {
    scan_both(Go::new(), InputFormat::Sgf, bytes);
}

/// Othello transcripts.
pub(crate) fn transcript(bytes: &[u8]) {
    scan_both(Othello::new(), InputFormat::Txt, bytes);
}

/// Shogi move lists in USI notation.
pub(crate) fn usi(bytes: &[u8]) {
    scan_both(Shogi, InputFormat::Usi, bytes);
}

/// The WTHOR database of the French Othello federation.
pub(crate) fn wthor(bytes: &[u8]) {
    scan_both(Othello::new(), InputFormat::Wthor, bytes);
}
