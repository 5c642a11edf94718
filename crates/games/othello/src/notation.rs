//! How people write moves, games and boards.
//!
//! Moves are `f5` and `pass` (also `pa`, `--`), in either case. A transcript is
//! moves one after the other, spaces or not; passes are implied where they are
//! not written. A board is the OBF line: 64 squares from a1 to h8 row by row,
//! the side to move, and perhaps `;` with remarks. X is Black, who moves first.

use crate::{Board, Kernel, Move, Othello};
use evalsmith_core::{Game, GameRecord, Malformed, Position, Side};
use std::fmt::Write as _;

const LINE: &str = "Othello board";

/// The move that `text` names, legal or not.
pub(crate) fn read_move(text: &str) -> Option<Move> {
    let text = text.trim();
    match *text.as_bytes() {
        [column @ (b'a'..=b'h' | b'A'..=b'H'), row @ b'1'..=b'8'] => {
            Some(Move(8 * (row - b'1') + column.to_ascii_lowercase() - b'a'))
        }
        _ => ["pass", "pa", "--"]
            .into_iter()
            .any(|word| word.eq_ignore_ascii_case(text))
            .then_some(Move::PASS),
    }
}

/// The moves of `transcript`, cut at what looks like the beginning of the next.
fn words(transcript: &str) -> impl Iterator<Item = &str> {
    let mut rest = transcript;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let pass = ["pass", "pa"]
            .into_iter()
            .find(|word| rest.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word)));
        let second = rest[first.len_utf8()..].chars().next().filter(|c| !c.is_whitespace());
        let length = pass.map_or(first.len_utf8() + second.map_or(0, char::len_utf8), str::len);
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}

/// The game that a transcript tells from the start position.
pub(crate) fn read_transcript<K: Kernel>(
    game: &Othello<K>,
    text: &str,
) -> Result<GameRecord<Board<K>>, Malformed> {
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    for word in words(text) {
        let wrong = |reason: String| Malformed::new("transcript", text.trim(), reason);
        let m = read_move(word).ok_or_else(|| {
            let ply = record.ply() + 1;
            wrong(format!("{word:?} at ply {ply} is no move; write squares like f5, or pass"))
        })?;
        let must_pass = record.position().moves().next() == Some(Move::PASS);
        if must_pass && m != Move::PASS {
            record.play(Move::PASS).expect("the pass is the legal move");
        }
        record.play(m).map_err(|illegal| {
            let ply = illegal.ply + 1;
            wrong(format!(
                "{m} at ply {ply} is not legal there; look at it and the moves before it"
            ))
        })?;
    }
    Ok(record)
}

/// The moves as a transcript, passes left out.
pub(crate) fn write_transcript(moves: &[Move]) -> String {
    moves.iter().filter(|&&m| m != Move::PASS).map(Move::to_string).collect()
}

/// 64 squares with `X` for `x` and `O` for `o`.
pub(crate) fn squares(x: u64, o: u64) -> String {
    let name = |square: u32| match (x >> square & 1, o >> square & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    };
    (0..64).map(name).collect()
}

/// Black's and White's discs.
pub(crate) fn by_colour<K: Kernel>(board: &Board<K>, to_move: Side) -> (u64, u64) {
    match to_move {
        Side::First => (board.own(), board.opp()),
        Side::Second => (board.opp(), board.own()),
    }
}

/// The OBF line of a position.
pub(crate) fn write_line<K: Kernel>(board: &Board<K>, to_move: Side) -> String {
    let (black, white) = by_colour(board, to_move);
    let side = match to_move {
        Side::First => 'X',
        Side::Second => 'O',
    };
    format!("{} {side}", squares(black, white))
}

fn read_colour(sign: char) -> Option<Side> {
    match sign {
        'X' | 'x' | '*' | 'b' | 'B' => Some(Side::First),
        'O' | 'o' | 'w' | 'W' => Some(Side::Second),
        _ => None,
    }
}

/// Reads an OBF line: Black's discs, White's discs, the side to move.
pub(crate) fn read_line(text: &str) -> Result<(u64, u64, Side), Malformed> {
    let wrong = |reason: String| Malformed::new(LINE, text.trim(), reason);
    let mut signs = text.split(';').next().unwrap_or_default().trim().chars();
    let mut discs = [0_u64; 2];
    for square in 0..64 {
        let Some(sign) = signs.next() else {
            return Err(wrong(format!("{square} squares; a board has 64")));
        };
        if let Some(side) = read_colour(sign) {
            discs[side.index()] |= 1 << square;
        } else if !matches!(sign, '-' | '.') {
            let at = Move(square);
            return Err(wrong(format!("{sign:?} on {at}; write X, O or - for a square")));
        }
    }
    let side = signs.as_str().trim();
    let mut rest = side.chars();
    match (rest.next().and_then(read_colour), rest.next()) {
        (Some(to_move), None) => Ok((discs[0], discs[1], to_move)),
        _ => Err(wrong(format!("{side:?} for the side to move; write X or O after the squares"))),
    }
}

/// The board on ten lines, legal moves marked by dots.
pub(crate) fn draw<K: Kernel>(board: &Board<K>, to_move: Side) -> String {
    let (black, white) = by_colour(board, to_move);
    let squares = squares(black, white);
    let legal = board.mobility();
    let mut text = String::from("  a b c d e f g h\n");
    for (row, line) in squares.as_bytes().chunks(8).enumerate() {
        let _ = write!(text, "{}", row + 1);
        for (column, &sign) in line.iter().enumerate() {
            let dot = legal >> (8 * row + column) & 1 == 1;
            let _ = write!(text, " {}", if dot { '.' } else { char::from(sign) });
        }
        text.push('\n');
    }
    let name = ["Black", "White"][to_move.index()];
    let state = match board.outcome() {
        Some(_) => "game over".to_owned(),
        None if legal == 0 => format!("{name} must pass"),
        None => format!("{name} to move"),
    };
    let (black, white) = (black.count_ones(), white.count_ones());
    let _ = writeln!(text, "X Black {black}, O White {white}; {state}");
    text
}
