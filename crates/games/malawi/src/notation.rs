//! Positions and moves as people write them.
//!
//! A position is one line: the rows from rank 6 down to rank 1, where `w2` is a
//! white tile with two balls, `bA` a black one with ten, and a digit a run of
//! empty squares; then the side to move; then the half-moves played:
//! `b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w 0`. Squares are named from White's side
//! whoever moves: `a1-a3` steps, `a1xa4` captures, `a1>b1c1` distributes.

use crate::board::{Board, HALF_MOVES};
use crate::moves::{Move, MoveKind};
use crate::square::Square;
use evalsmith_core::{Malformed, Position, Side};
use std::fmt::Write;

const EXAMPLE: &str = "b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w 0";

pub(crate) fn name(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

fn letter(side: Side) -> char {
    match side {
        Side::First => 'w',
        Side::Second => 'b',
    }
}

/// A square of the mover's view in White's, or back.
fn turned(square: Square, to_move: Side) -> Square {
    if to_move == Side::First { square } else { square.flipped() }
}

/// The tile on each square, row by row from rank 1.
fn squares(board: &Board) -> [Option<(Side, u8)>; 36] {
    let mut squares = [None; 36];
    for side in [Side::First, Side::Second] {
        for (square, balls) in board.tiles(side) {
            let square = turned(square, board.to_move());
            squares[usize::from(6 * square.row() + square.column())] = Some((side, balls));
        }
    }
    squares
}

pub(crate) fn format(board: &Board) -> String {
    let squares = squares(board);
    let rows: Vec<String> = squares.chunks(6).rev().map(format_row).collect();
    format!("{} {} {}", rows.join("/"), letter(board.to_move()), board.half_moves())
}

fn format_row(row: &[Option<(Side, u8)>]) -> String {
    let mut text = String::new();
    let mut run = 0;
    for square in row {
        if let Some((side, balls)) = square {
            if run > 0 {
                let _ = write!(text, "{run}");
                run = 0;
            }
            let _ = write!(text, "{}{balls:X}", letter(*side));
        } else {
            run += 1;
        }
    }
    if run > 0 {
        let _ = write!(text, "{run}");
    }
    text
}

pub(crate) fn draw(board: &Board) -> String {
    let squares = squares(board);
    let files = "    a  b  c  d  e  f\n";
    let mut text = files.to_owned();
    for (rank, row) in squares.chunks(6).enumerate().rev() {
        let _ = write!(text, "{} ", rank + 1);
        for square in row {
            match square {
                Some((side, balls)) => {
                    let _ = write!(text, " {}{balls:X}", letter(*side));
                }
                None => text.push_str("  ."),
            }
        }
        let _ = writeln!(text, "  {}", rank + 1);
    }
    text.push_str(files);
    let _ = write!(text, "{} to move, half-move {}", name(board.to_move()), board.half_moves());
    text
}

pub(crate) fn parse(text: &str) -> Result<Board, Malformed> {
    let wrong = |reason: String| Malformed::new("Malawi position", text, reason);
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[rows, mover, count] = fields.as_slice() else {
        return Err(wrong(format!("it has {} fields instead of three: {EXAMPLE}", fields.len())));
    };
    let half_moves =
        count.parse::<u16>().ok().filter(|&n| n <= HALF_MOVES).ok_or_else(|| {
            wrong(format!("{count:?} is no count of half-moves, 0 to {HALF_MOVES}"))
        })?;
    let to_move = match mover {
        "w" => Side::First,
        "b" => Side::Second,
        _ => return Err(wrong(format!("the side to move is {mover:?} instead of w or b"))),
    };
    if to_move != Side::First.after(usize::from(half_moves)) {
        return Err(wrong("White moves at even counts of half-moves, Black at odd ones".into()));
    }
    let mut tiles = [Vec::new(), Vec::new()];
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != 6 {
        return Err(wrong(format!("the board has {} rows instead of six", rows.len())));
    }
    for (row, text) in (0..6).rev().zip(rows) {
        parse_row(row, text, |square, side, balls| {
            tiles[side.index()].push((turned(square, to_move), balls));
        })
        .map_err(|reason| wrong(format!("rank {}: {reason}", row + 1)))?;
    }
    let [own, enemy] = [&tiles[to_move.index()], &tiles[to_move.other().index()]];
    Board::assemble(own, enemy, half_moves).map_err(wrong)
}

fn parse_row(row: u8, text: &str, mut put: impl FnMut(Square, Side, u8)) -> Result<(), String> {
    let mut column = 0_u8;
    let mut characters = text.chars();
    let outside = || format!("{text:?} holds more than six squares");
    while let Some(c) = characters.next() {
        let side = match c {
            'w' => Side::First,
            'b' => Side::Second,
            '1'..='6' => {
                column += c as u8 - b'0';
                if column > 6 {
                    return Err(outside());
                }
                continue;
            }
            _ => {
                return Err(format!("{c:?} is neither a tile (w2, b0) nor a run of squares (1-6)"));
            }
        };
        let balls = match characters.next() {
            Some(digit @ '0'..='9') => digit as u8 - b'0',
            Some(digit @ 'A'..='C') => digit as u8 - b'A' + 10,
            other => {
                let found = other.map_or_else(|| "nothing".to_owned(), |c| format!("{c:?}"));
                return Err(format!(
                    "after {c:?} stands {found} instead of a count of balls (0-9, A-C)"
                ));
            }
        };
        let square = Square::new(row, column).ok_or_else(outside)?;
        put(square, side, balls);
        column += 1;
    }
    if column < 6 {
        return Err(format!("{text:?} holds {column} squares instead of six"));
    }
    Ok(())
}

pub(crate) fn format_move(board: &Board, m: Move) -> String {
    let to_move = board.to_move();
    let sign = match m.kind() {
        MoveKind::Step => '-',
        MoveKind::Capture => 'x',
        MoveKind::Distribution => '>',
    };
    let mut targets: Vec<Square> = m.to().map(|square| turned(square, to_move)).collect();
    targets.sort_unstable();
    let mut text = format!("{}{sign}", turned(m.from(), to_move));
    for square in targets {
        let _ = write!(text, "{square}");
    }
    text
}

pub(crate) fn parse_move(board: &Board, text: &str) -> Result<Move, Malformed> {
    let wrong = |reason: String| Malformed::new("Malawi move", text, reason);
    let shape =
        || wrong("a move is a1-a3 (step), a1xa4 (capture) or a1>b1c1 (distribution)".into());
    let lower = text.trim().to_ascii_lowercase();
    let bytes = lower.as_bytes();
    if bytes.len() < 5 || bytes.len().is_multiple_of(2) {
        return Err(shape());
    }
    let kind = match bytes[2] {
        b'-' => MoveKind::Step,
        b'x' => MoveKind::Capture,
        b'>' => MoveKind::Distribution,
        _ => return Err(shape()),
    };
    let square = |name: &[u8]| {
        let &[file, rank] = name else { return Err(shape()) };
        let square = Square::new(rank.wrapping_sub(b'1'), file.wrapping_sub(b'a'));
        let square = square.ok_or_else(|| {
            wrong(format!("{:?} is no square, a1 to f6", String::from_utf8_lossy(name)))
        })?;
        Ok(turned(square, board.to_move()))
    };
    let from = square(&bytes[..2])?;
    let mut targets = 0;
    for name in bytes[3..].chunks(2) {
        let bit = square(name)?.set();
        if targets & bit != 0 {
            return Err(wrong(format!("{} is named twice", String::from_utf8_lossy(name))));
        }
        targets |= bit;
    }
    if kind != MoveKind::Distribution && bytes.len() != 5 {
        return Err(wrong("a step or capture names one square after its sign".into()));
    }
    let m = Move::new(kind, from, targets);
    if board.moves().any(|legal| legal == m) {
        return Ok(m);
    }
    Err(wrong(illegal(board, from, kind)))
}

/// Why a well-written move is not legal.
fn illegal(board: &Board, from: Square, kind: MoveKind) -> String {
    let side = board.to_move();
    if board.outcome().is_some() {
        return "the game is over".into();
    }
    let here = turned(from, side);
    let Some((_, balls)) = board.tiles(side).find(|&(square, _)| square == from) else {
        return format!("{} has no tile on {here}", name(side));
    };
    match kind {
        _ if balls == 0 => format!("the tile on {here} has no balls"),
        MoveKind::Step => {
            format!(
                "the tile on {here} steps exactly {balls} squares, over empty ones, to an empty one"
            )
        }
        MoveKind::Capture => format!(
            "the tile on {here} captures exactly {balls} squares away, over empty ones, \
             an enemy tile that has balls"
        ),
        MoveKind::Distribution => format!(
            "the tile on {here} gives one ball to each of {} other tiles of {}",
            balls.min(5),
            name(side)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn boards_are_drawn_with_white_below() {
        let board = parse("b2b2b2b2b2b0/4bA1/6/w25/6/1w2w2w2w2w2 w 2");
        assert!(board.is_err(), "seven black tiles");
        let board = parse("b0b0b0b0b01/4bA1/6/w25/6/1w2w2w2w2w2 b 3").unwrap();
        let expected = "    a  b  c  d  e  f
6  b0 b0 b0 b0 b0  .  6
5   .  .  .  . bA  .  5
4   .  .  .  .  .  .  4
3  w2  .  .  .  .  .  3
2   .  .  .  .  .  .  2
1   . w2 w2 w2 w2 w2  1
    a  b  c  d  e  f
Black to move, half-move 3";
        assert_eq!(draw(&board), expected);
    }

    #[test]
    fn broken_positions_are_named() {
        for (text, reason) in [
            ("", "0 fields"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w", "2 fields"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w 501", "0 to 500"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w -2", "0 to 500"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 b 0", "odd"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 x 0", "w or b"),
            ("b2b2b2b2b2b2/6/6/6/w2w2w2w2w2w2 w 0", "5 rows"),
            ("b2b2b2b2b2b2/6/6/6/7/w2w2w2w2w2w2 w 0", "rank 2"),
            ("b2b2b2b2b2b2/6/6/6/5/w2w2w2w2w2w2 w 0", "5 squares"),
            ("b2b2b2b2b2b2/6/6/6/51b0/w2w2w2w2w2w2 w 0", "more than six"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w w 0", "nothing"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2wD w 0", "'D'"),
            ("b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w21 w 0", "5 tiles"),
            ("b2b2b2b2b2b2/6/6/6/6/w3w2w2w2w2w2 w 0", "twelve"),
            ("b0b0b0b0b0b0/6/6/6/6/w2w2w2w2w2w2 w 0", "must have a ball"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn broken_moves_are_named() {
        let board = parse("b2b2b2b2b2b2/6/6/w25/6/1w2w2w0w2w2 w 2").unwrap();
        assert!(parse_move(&board, " A3-A5 ").is_ok());
        assert!(parse_move(&board, "a3>e1b1").is_ok(), "recipients in any order");
        for (text, reason) in [
            ("", "a move is"),
            ("a3", "a move is"),
            ("a3-a55", "a move is"),
            ("a3=a5", "a move is"),
            ("a3-g5", "no square"),
            ("a3-a5a4", "one square"),
            ("a3>b1b1", "twice"),
            ("a1-a3", "no tile on a1"),
            ("a6-a4", "no tile on a6"),
            ("d1-d2", "no balls"),
            ("a3-a4", "exactly 2"),
            ("a3xa6", "exactly 2"),
            ("a3>b1", "each of 2 other"),
        ] {
            let error = parse_move(&board, text).unwrap_err();
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "[wb0-9A-C/ ]{0,60}", m in "[a-f1-6x>é-]{0,12}") {
            let _ = (parse(&text), parse(&like), parse_move(&Board::start(), &text));
            let _ = parse_move(&Board::start(), &m);
        }

        #[test]
        fn any_position_is_read_as_it_was_written(
            squares in Just(Square::all().collect::<Vec<_>>()).prop_shuffle(),
            balls in prop::collection::vec(0_u8..=2, 12),
            half_moves in 0..=HALF_MOVES,
        ) {
            let tiles: Vec<_> = squares.into_iter().zip(balls).collect();
            if let Ok(board) = Board::assemble(&tiles[..6], &tiles[6..], half_moves) {
                prop_assert_eq!(parse(&format(&board)), Ok(board));
                prop_assert_eq!(crate::packing::unpack(&crate::packing::pack(&board)), Ok(board));
            }
        }
    }
}
