//! What a match reads: its log, openings and stored measurements of speed.

use crate::scratch::with_file;
use evalsmith_arena::{
    Calibration, LogReader, Openings, PlayedGame, Totals, read_course, read_match,
};
use evalsmith_chess::Chess;
use evalsmith_othello::Othello;
use evalsmith_rules::DynGame;
use std::fs;
use std::path::Path;

/// The log of a match. The summary must be the same without and with the table of
/// results that the first reading writes beside the log.
pub(crate) fn log(bytes: &[u8]) {
    // A table of results outlives its log in a folder that is used again.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, bytes).expect("room for a temporary file");
    let totals = || -> Option<Totals> { Some(read_match(&path).ok()?.1.totals) };
    assert_eq!(totals(), totals());
    let _ = read_course(&path);
    if let Ok((_, mut reader)) = LogReader::open(&path) {
        while let Ok(Some(_)) = reader.next_game::<PlayedGame>() {}
    }
}

/// A stored calibration, which must survive being written.
pub(crate) fn calibration(bytes: &[u8]) {
    with_file("calibration.json", bytes, |path| {
        if let Ok(stored) = Calibration::load(path) {
            stored.save(path).expect("room for a temporary file");
            assert_eq!(Calibration::load(path).ok(), Some(stored));
        }
    });
}

/// A list of openings, for a game that writes squares and for one that writes PGN.
pub(crate) fn openings(bytes: &[u8]) {
    with_file("openings.txt", bytes, |path| {
        check_openings(&DynGame::new(Othello::new()), path);
        check_openings(&DynGame::new(Chess), path);
    });
}

fn check_openings(game: &DynGame, path: &Path) {
    for plies in [None, Some(6)] {
        let Ok((openings, _)) = Openings::from_file(game, path, plies) else { continue };
        assert!(!openings.is_empty());
        for index in 0..openings.len() {
            assert!(openings.get(index).ending().is_none());
        }
    }
}
