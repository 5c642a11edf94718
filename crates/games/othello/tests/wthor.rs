//! Every game of the FFO's WTHOR base replays by the rules.
//!
//! The base is no part of the project; without it the test says so and passes.
#![expect(clippy::print_stderr, reason = "says what was skipped")]

use evalsmith_core::{Game, GameRecord, Position, Side};
use evalsmith_othello::{Move, Othello};
use std::path::{Path, PathBuf};

/// One 68-byte record: Black's discs as stored, and the squares played.
struct Stored {
    black: u8,
    moves: Vec<Move>,
}

fn read(path: &Path) -> Vec<Stored> {
    let bytes = std::fs::read(path).expect("a readable file");
    let (header, records) = bytes.split_at(16);
    let count = u32::from_le_bytes(header[4..8].try_into().expect("four bytes"));
    let records = records.chunks_exact(68);
    assert!(records.remainder().is_empty(), "{}", path.display());
    assert_eq!(records.len(), count as usize, "{}", path.display());
    records
        .map(|record| Stored {
            black: record[6],
            moves: record[8..]
                .iter()
                .take_while(|&&code| code != 0)
                .map(|&code| Move(8 * (code / 10 - 1) + (code % 10 - 1)))
                .collect(),
        })
        .collect()
}

fn files() -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/othello/wthor");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a listed file").path())
        .filter(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("wtb")))
        .collect();
    files.sort();
    files
}

#[test]
fn every_game_replays() {
    let files = files();
    if files.is_empty() {
        eprintln!("skipped: no WTHOR files at hand");
        return;
    }
    let game = Othello::new();
    let (mut games, mut finished, mut with_empties) = (0, 0, 0);
    for path in &files {
        for (index, stored) in read(path).iter().enumerate() {
            let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
            for &m in &stored.moves {
                if record.position().moves().next() == Some(Move::PASS) {
                    record.play(Move::PASS).expect("the pass is legal");
                }
                record.play(m).unwrap_or_else(|e| panic!("{path:?} game {index}: {e}"));
            }
            games += 1;
            if let Some(outcome) = record.outcome_for(Side::First) {
                // The base, too, gives the empty squares to the winner.
                let stored = 2 * i32::from(stored.black) - 64;
                assert_eq!(i32::from(outcome.margin()), stored, "{path:?} game {index}");
                finished += 1;
                with_empties += u32::from(record.position().empty() != 0);
            }
        }
    }
    assert!(with_empties > 0, "games that end early tell the conventions apart");
    if files.len() == 39 {
        // The years 1977 to 2015; the other 413 games were given up or ran out of time.
        assert_eq!((games, finished), (117_435, 117_022));
    }
}
