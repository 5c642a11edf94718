//! Professional games replay by the rules, and collected positions are read.
//!
//! The records are no part of the project; without them the tests say so and pass.
#![expect(clippy::print_stderr, reason = "says what was skipped")]

use evalsmith_core::{Game, GameRecord, Position, Reason, Side};
use evalsmith_shogi::Shogi;
use std::path::{Path, PathBuf};

fn find(name: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here
        .ancestors()
        .map(|folder| folder.join("shared/data/shogi").join(name))
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: {name} is not at hand");
    }
    found
}

fn unzipped(path: &Path) -> String {
    let bytes = zstd::decode_all(std::fs::File::open(path).expect("a readable file"));
    String::from_utf8(bytes.expect("a zstd stream")).expect("text")
}

#[test]
fn every_professional_game_replays() {
    let Some(path) = find("pro_games_1830.usi.tsv.zst") else { return };
    let (mut games, mut plies, mut mates, mut played_on) = (0, 0, 0, 0);
    for line in unzipped(&path).lines().filter(|line| !line.starts_with('#')) {
        let source = line.split('\t').next().expect("a first column");
        let moves = line.rsplit('\t').next().expect("a last column");
        let mut board = Shogi.start();
        let mut record = GameRecord::new(board.clone(), Side::First, Shogi.max_plies());
        for (ply, text) in moves.split_whitespace().enumerate() {
            let m = Shogi
                .parse_move(&board, text)
                .unwrap_or_else(|e| panic!("{source}, ply {ply}: {e}"));
            board = board.play(m);
            if let Some(end) = record.ending() {
                assert_eq!(end.reason, Reason::Repetition, "{source}, ply {ply}");
            } else {
                record.play(m).unwrap_or_else(|e| panic!("{source}: {e}"));
            }
            plies += 1;
        }
        games += 1;
        mates += usize::from(board.outcome().is_some());
        played_on += usize::from(record.ply() < moves.split_whitespace().count());
    }
    assert_eq!(games, 1830);
    eprintln!("{plies} plies, {mates} mates, {played_on} past a fourth occurrence");
    assert!(plies > 100 * games && mates < games / 10 && played_on < games / 100);
}

#[test]
fn every_collected_position_is_read_and_written() {
    let mut count = 0;
    if let Some(path) = find("gps_values.tsv.zst") {
        for line in unzipped(&path).lines().skip(1) {
            check(line.split('\t').next().expect("a first column"));
            count += 1;
        }
    }
    if let Some(path) = find("near_even_ply25.sfen") {
        for line in std::fs::read_to_string(path).expect("text").lines() {
            check(line);
            count += 1;
        }
    }
    eprintln!("{count} positions read");
}

fn check(sfen: &str) {
    let (board, side) = Shogi.parse(sfen).unwrap_or_else(|e| panic!("{e}"));
    let (written, _) = sfen.rsplit_once(' ').expect("a move number");
    assert_eq!(Shogi.format(&board, side), format!("{written} 1"));
    assert_eq!(Shogi.unpack(&Shogi.pack(&board, side)), Ok((board, side)));
}
