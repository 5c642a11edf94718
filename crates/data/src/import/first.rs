//! The first record of a text: what somebody pastes.

use super::InputFormat;
use super::replay::Replay;
use super::script::{Fault, Script};
use evalsmith_core::Malformed;
use evalsmith_rules::{DynGame, Record};
use std::io::Cursor;
use std::path::Path;

/// The first game that a text tells in a format, as far as the rules let it go on.
///
/// # Errors
/// When there is none, or it cannot be read, with its place.
pub fn first_record(game: &DynGame, format: InputFormat, text: &str) -> Result<Record, Malformed> {
    let refuse = |reason: String| Malformed::new(format.name(), text, reason);
    let fault = |fault: Fault| refuse(format!("{}: {}", fault.place, fault.reason));
    let input = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let mut script = Script::new();
    let mut reader = format.reader(input, Path::new("-"), game);
    if !reader.next(&mut script).map_err(fault)? {
        return Err(refuse("it holds no record".to_owned()));
    }
    let mut replay = Replay::new(game);
    replay.play(&script).map_err(fault)?;
    Ok(replay.record())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::tests::{chess, othello};
    use evalsmith_core::{Position, Side};

    #[test]
    fn the_first_game_is_read_with_its_start() {
        let text = "[Event \"x\"]\n\n1. e4 {best} e5 2. Nf3 (2. f4 exf4) Nc6 $1 1-0\n\n[Event \"y\"]\n\n1. d4 *\n";
        let record = first_record(&chess(), InputFormat::Pgn, text).unwrap();
        assert_eq!((record.ply(), record.side()), (4, Side::First));
        let text = "[FEN \"6k1/8/6K1/8/8/8/8/R7 b - - 0 1\"]\n\n1... Kh8 2. Ra8# 1-0\n";
        let record = first_record(&chess(), InputFormat::Pgn, text).unwrap();
        assert_eq!((record.ply(), record.positions()[0].move_count()), (2, 2));
    }

    #[test]
    fn what_is_none_is_refused_with_the_place() {
        let reason =
            first_record(&chess(), InputFormat::Pgn, "1. e4 Ke4 *").unwrap_err().to_string();
        assert!(reason.contains("Ke4"), "{reason}");
        for text in ["", "hello", "(;"] {
            assert!(first_record(&othello(), InputFormat::Sgf, text).is_err(), "{text:?}");
        }
    }
}
