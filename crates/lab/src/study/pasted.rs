//! What people paste: moves or a position, the record of a game from another program,
//! the `position` command of an engine, or a board in rows.

use crate::LabError;
use crate::study::line::{self, Line};
use evalsmith_core::{Game, Malformed};
use evalsmith_data::{InputFormat, first_record};
use evalsmith_rules::{DynGame, Record};

/// Reads whatever tells a game or a position.
pub(super) fn read(game: &DynGame, text: &str) -> Result<Line, LabError> {
    let text = text.trim();
    if let Some(command) = text.strip_prefix("position ") {
        return commanded(game, command);
    }
    if let Some(format) = record_format(game, text) {
        // A record that breaks off is read as far as it goes.
        let open = format == InputFormat::Csa && !text.lines().any(|line| line.starts_with('%'));
        let text = if open { format!("{text}\n%CHUDAN\n") } else { text.to_owned() };
        return Ok(told(game, &first_record(game, format, &text)?));
    }
    let plain = line::read(game, text);
    Ok(plain.or_else(|reason: Malformed| {
        let rows = rows(text).and_then(|joined| line::read(game, &joined).ok());
        rows.filter(|line| line.from.is_some()).ok_or(reason)
    })?)
}

/// The format of a record by its first signs; none of plain moves and positions.
fn record_format(game: &DynGame, text: &str) -> Option<InputFormat> {
    let csa = |line: &str| {
        let line = line.as_bytes();
        line.len() >= 7 && b"+-".contains(&line[0]) && line[1..5].iter().all(u8::is_ascii_digit)
    };
    let formats: &[InputFormat] = if text.starts_with("(;") && text.contains("GM[Othello]") {
        &[InputFormat::Ggf, InputFormat::Sgf]
    } else if text.starts_with("(;") {
        &[InputFormat::Sgf]
    } else if text.lines().any(csa) {
        &[InputFormat::Csa]
    } else if text.starts_with('[') || text.contains('{') || text.contains('$') {
        &[InputFormat::Pgn]
    } else {
        &[]
    };
    formats.iter().copied().find(|format| format.fits(game))
}

/// `startpos moves ...`, `fen FEN moves ...`, `sfen SFEN moves ...`.
fn commanded(game: &DynGame, command: &str) -> Result<Line, LabError> {
    let (from, moves) = command.split_once("moves").unwrap_or((command, ""));
    let from = from.trim();
    let from = from.strip_prefix("sfen ").or_else(|| from.strip_prefix("fen ")).unwrap_or(from);
    let from = (from != "startpos").then(|| from.to_owned());
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    Ok(told(game, &line::record(game, &Line { from, moves })?))
}

/// A record as a line, in the game's own spelling.
fn told(game: &DynGame, record: &Record) -> Line {
    let first = &record.positions()[0];
    let text = game.format(first, record.first());
    let usual = game.format(&game.start(), evalsmith_core::Side::First);
    let played = record.positions().iter().zip(record.moves());
    Line {
        from: (text != usual).then_some(text),
        moves: played.map(|(position, &m)| game.format_move(position, m)).collect(),
    }
}

/// A board of one row a line, with spaces perhaps, as one line: rows, then who moves.
fn rows(text: &str) -> Option<String> {
    let bare = |line: &str| line.split_whitespace().collect::<String>().replace('.', "-");
    let lines: Vec<String> = text.lines().map(bare).filter(|line| !line.is_empty()).collect();
    let width = lines.first()?.chars().count();
    let (rows, rest) = lines.split_at_checked(width)?;
    let square = rows.iter().all(|row| row.chars().count() == width);
    let mover = rest.first().map_or("X", String::as_str);
    (square && rest.len() <= 1).then(|| format!("{} {mover}", rows.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_othello::Othello;

    fn moves(game: &DynGame, text: &str) -> Vec<String> {
        read(game, text).unwrap().moves
    }

    #[test]
    fn records_of_other_programs_are_read() {
        let pgn = "[Event \"x\"]\n\n1. e4 {best} e5 2. Nf3 (2. f4 exf4) Nc6 $1 1-0";
        assert_eq!(moves(&DynGame::new(Chess), pgn), ["e4", "e5", "Nf3", "Nc6"]);
        assert_eq!(moves(&DynGame::new(Chess), "1. e4 {best} e5 *"), ["e4", "e5"]);
        assert_eq!(moves(&DynGame::new(Chess), "position startpos moves e2e4 e7e5"), ["e4", "e5"]);
        let fen = "6k1/8/6K1/8/8/8/8/R7 w - - 0 1";
        let line = read(&DynGame::new(Chess), &format!("position fen {fen} moves a1a8")).unwrap();
        assert_eq!((line.from.as_deref(), line.moves), (Some(fen), vec!["Ra8#".to_owned()]));
        let ggf = "(;GM[Othello]PC[x]PB[a]PW[b]RE[0]TI[15:00]TY[8]BO[8 -------- -------- -------- \
                   ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6]B[c3];)";
        assert_eq!(moves(&DynGame::new(Othello::new()), ggf), ["f5", "d6", "c3"]);
        assert_eq!(moves(&DynGame::new(Othello::new()), "f5d6c3"), ["f5", "d6", "c3"]);
    }

    #[test]
    fn a_board_in_rows_is_a_position() {
        let row = ". . . . . . . .\n";
        let board = format!("{}. . . O X . . .\n. . . X O . . .\n{}", row.repeat(3), row.repeat(3));
        let start = "---------------------------OX------XO--------------------------- ";
        for (text, mover) in [(board.clone(), 'X'), (format!("{board}O"), 'O')] {
            let line = read(&DynGame::new(Othello::new()), &text).unwrap();
            assert_eq!(line.from, Some(format!("{start}{mover}")), "{text}");
        }
        assert!(read(&DynGame::new(Othello::new()), &row.repeat(7)).is_err());
        assert!(read(&DynGame::new(Othello::new()), &format!("{board}O\nO")).is_err());
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        for text in ["hello", "[", "(;", "position", "position x moves y", "é", "+7776FU"] {
            assert!(read(&DynGame::new(Chess), text).is_err(), "{text:?}");
        }
        let reason = read(&DynGame::new(Chess), "1. e4 {x} Ke4 *").unwrap_err().to_string();
        assert!(reason.contains("Ke4"), "{reason}");
    }
}
