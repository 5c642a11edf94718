//! Games of masters replay by the rules, every move written as they wrote it.
//!
//! The games are no part of the project; without them the test says so and passes.
#![expect(clippy::print_stderr, reason = "says what was skipped")]

use evalsmith_chess::Chess;
use evalsmith_core::{Game, Position};
use std::path::Path;

const GAMES: usize = 4000;

fn read() -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/chess/master_games_20k.pgn.zst"))
        .find(|path| path.is_file())?;
    let bytes = std::fs::read(file).expect("a readable file");
    let text = zstd::decode_all(bytes.as_slice()).expect("a file in zstd's format");
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The moves of every game's main line.
fn games(pgn: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut lines = pgn.lines().peekable();
    std::iter::from_fn(move || {
        while lines.next_if(|line| line.starts_with('[') || line.trim().is_empty()).is_some() {}
        let mut moves = Vec::new();
        lines.peek()?;
        while let Some(line) = lines.next_if(|line| !line.starts_with('[')) {
            let words = line.split_whitespace().map(|word| {
                word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.')
            });
            // `1-0` and its like lose their first digit above.
            moves.extend(words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())));
        }
        Some(moves)
    })
}

#[test]
fn games_replay_and_are_written_alike() {
    let Some(pgn) = read() else {
        eprintln!("skipped: shared/data with the masters' games is not there");
        return;
    };
    let (mut replayed, mut plies, mut drawn_before) = (0, 0, 0);
    for moves in games(&pgn).take(GAMES) {
        let mut board = Chess.start();
        for text in moves {
            // Players may play on where a draw could be claimed.
            if board.outcome().is_some() {
                drawn_before += 1;
                break;
            }
            let m = Chess
                .parse_move(&board, text)
                .unwrap_or_else(|e| panic!("game {replayed}, {board:?}: {e}"));
            let written = Chess.format_move(&board, m);
            assert_eq!(
                written.trim_end_matches(['+', '#']),
                text.trim_end_matches(['+', '#']),
                "game {replayed}, {board:?}"
            );
            let uci = Chess.format_uci(&board, m);
            assert_eq!(Chess.parse_move(&board, &uci), Ok(m), "game {replayed}, {board:?}");
            board = board.play(m);
            plies += 1;
        }
        replayed += 1;
    }
    eprintln!("{replayed} games, {plies} half-moves, {drawn_before} went on after a draw");
    assert_eq!(replayed, GAMES);
    assert!(plies > 50 * GAMES && drawn_before < GAMES / 100);
}
