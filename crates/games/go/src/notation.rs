//! Positions and moves as people write them.
//!
//! Moves are GTP vertices: `E5`, `J9` (there is no I), `pass`, in either case. A
//! position is one line: the rows from 9 down to 1, where `X` is Black, `O` White
//! and a digit a run of empty points; the side to move; the ko point or `-`; the
//! passes since the last stone: `9/9/9/9/4X4/9/9/9/9 w - 0`. The komi belongs to
//! the game and is not written.

use crate::board::Board;
use crate::moves::Move;
use crate::point::{Point, Set};
use evalsmith_core::{Malformed, Position, Side};
use std::fmt::Write;

const EXAMPLE: &str = "9/9/9/9/4X4/9/9/9/9 w - 0";

const fn name(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}

fn sign(board: &Board, point: Point) -> char {
    match board.stone(point) {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    }
}

fn row(board: &Board, row: u8) -> impl Iterator<Item = char> {
    (0..9).map(move |column| {
        sign(board, Point::new(row, column).expect("rows and columns of the board"))
    })
}

pub(crate) fn format(board: &Board) -> String {
    let rows: Vec<String> = (0..9).rev().map(|r| format_row(row(board, r))).collect();
    let mover = match board.to_move() {
        Side::First => 'b',
        Side::Second => 'w',
    };
    let ko = board.ko().map_or_else(|| "-".to_owned(), |point| point.to_string());
    format!("{} {mover} {ko} {}", rows.join("/"), board.passes())
}

fn format_row(signs: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    let mut run = 0;
    for sign in signs.chain(['\n']) {
        if sign == '.' {
            run += 1;
            continue;
        }
        if run > 0 {
            let _ = write!(text, "{run}");
            run = 0;
        }
        if sign != '\n' {
            text.push(sign);
        }
    }
    text
}

pub(crate) fn parse(text: &str, komi: i8) -> Result<Board, Malformed> {
    let wrong = |reason: String| Malformed::new("Go position", text, reason);
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[rows, mover, ko, passes] = fields.as_slice() else {
        return Err(wrong(format!("it has {} fields instead of four: {EXAMPLE}", fields.len())));
    };
    let to_move = match mover {
        "b" => Side::First,
        "w" => Side::Second,
        _ => return Err(wrong(format!("the side to move is {mover:?} instead of b or w"))),
    };
    let ko = match ko {
        "-" => None,
        _ => Some(parse_point(ko).ok_or_else(|| {
            wrong(format!("the ko is {ko:?} instead of a vertex like E5, or - for none"))
        })?),
    };
    let passes = passes
        .parse::<u8>()
        .ok()
        .filter(|&n| n <= 2)
        .ok_or_else(|| wrong(format!("{passes:?} passes instead of 0, 1 or 2")))?;
    let mut stones: [Set; 2] = [0; 2];
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != 9 {
        return Err(wrong(format!("the board has {} rows instead of nine", rows.len())));
    }
    for (row, text) in (0..9).rev().zip(rows) {
        parse_row(row, text, |point, side| stones[side.index()] |= point.set())
            .map_err(|reason| wrong(format!("row {}: {reason}", row + 1)))?;
    }
    Board::assemble(stones, to_move, ko, passes, komi).map_err(wrong)
}

fn parse_row(row: u8, text: &str, mut put: impl FnMut(Point, Side)) -> Result<(), String> {
    let mut column = 0_u8;
    let outside = || format!("{text:?} holds more than nine points");
    for c in text.chars() {
        let side = match c {
            'X' => Side::First,
            'O' => Side::Second,
            '1'..='9' => {
                column += c as u8 - b'0';
                if column > 9 {
                    return Err(outside());
                }
                continue;
            }
            _ => return Err(format!("{c:?} is neither a stone (X, O) nor a run of points (1-9)")),
        };
        put(Point::new(row, column).ok_or_else(outside)?, side);
        column += 1;
    }
    if column < 9 {
        return Err(format!("{text:?} holds {column} points instead of nine"));
    }
    Ok(())
}

pub(crate) fn draw(board: &Board) -> String {
    let columns = "  A B C D E F G H J\n";
    let mut text = columns.to_owned();
    for r in (0..9).rev() {
        let _ = write!(text, "{}", r + 1);
        for sign in row(board, r) {
            let _ = write!(text, " {sign}");
        }
        let _ = writeln!(text, " {}", r + 1);
    }
    text.push_str(columns);
    let [black, white] = board.by_colour().map(Set::count_ones);
    let _ = write!(text, "X Black {black}, O White {white}; ");
    let mover = name(board.to_move());
    let _ = match (board.ko(), board.passes()) {
        (Some(point), _) => write!(text, "{mover} to move, not at {point} (ko)"),
        (None, 0) => write!(text, "{mover} to move"),
        (None, 1) => write!(text, "{mover} to move after a pass"),
        (None, _) => write!(text, "game over"),
    };
    text
}

/// The point that `text` names, legal to play or not.
fn parse_point(text: &str) -> Option<Point> {
    let &[letter, row] = text.as_bytes() else { return None };
    let column = match letter.to_ascii_uppercase() {
        letter @ b'A'..=b'H' => letter - b'A',
        b'J' => 8,
        _ => return None,
    };
    Point::new(row.wrapping_sub(b'1'), column)
}

pub(crate) fn parse_move(board: &Board, text: &str) -> Result<Move, Malformed> {
    let wrong = |reason: String| Malformed::new("Go move", text, reason);
    let word = text.trim();
    let m = if word.eq_ignore_ascii_case("pass") {
        Move::PASS
    } else {
        let point = parse_point(word).ok_or_else(|| {
            wrong("write a vertex from A1 to J9 (there is no column I), or pass".into())
        })?;
        Move::on(point)
    };
    if board.moves().any(|legal| legal == m) {
        return Ok(m);
    }
    Err(wrong(match m.point() {
        _ if board.passes() >= 2 => "two passes have ended the game".into(),
        Some(point) if board.stone(point).is_some() => format!("there is a stone at {point}"),
        point if point == board.ko() => "ko: play elsewhere first".into(),
        _ => "suicide: the stone would have no liberty".into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reason(text: &str) -> String {
        parse(text, 14).unwrap_err().reason
    }

    #[test]
    fn what_is_wrong_with_a_position_is_named() {
        assert!(parse(EXAMPLE, 14).is_ok());
        assert!(reason("9/9/9 b").contains("2 fields instead of four"));
        assert!(reason("9/9/9/9/9/9/9/9 b - 0").contains("8 rows"));
        assert!(reason("9/9/9/9/8/9/9/9/9 b - 0").contains("row 5: \"8\" holds 8 points"));
        assert!(reason("9/9/9/9/9X/9/9/9/9 b - 0").contains("more than nine"));
        assert!(reason("9/9/9/9/99/9/9/9/9 b - 0").contains("more than nine"));
        assert!(reason("9/9/9/9/4x4/9/9/9/9 b - 0").contains("'x' is neither"));
        assert!(reason("9/9/9/9/9/9/9/9/9 x - 0").contains("\"x\" instead of b or w"));
        assert!(reason("9/9/9/9/9/9/9/9/9 b I5 0").contains("\"I5\" instead of a vertex"));
        assert!(reason("9/9/9/9/9/9/9/9/9 b - 3").contains("\"3\" passes"));
        assert!(reason("9/9/9/9/9/9/9/O8/XO7 b - 0").contains("black chain at A1 has no liberty"));
        assert!(reason("9/9/9/9/9/9/9/9/9 b E5 0").contains("no ko at E5"));
        let ko = "9/9/9/9/3XO4/2X1XO3/3XO4/9/9";
        assert!(parse(&format!("{ko} w D4 0"), 14).is_ok());
        assert!(reason(&format!("{ko} b D4 0")).contains("no ko at D4"));
        assert!(reason(&format!("{ko} w D4 1")).contains("after a pass"));
    }

    #[test]
    fn why_a_move_is_refused_is_named() {
        let (ko, suicide) = ("9/9/9/9/3XO4/2X1XO3/3XO4/9/9 w D4 0", "9/9/9/9/9/9/9/X8/1X7 w - 0");
        let refused = |position: &str, text: &str| {
            parse_move(&parse(position, 14).unwrap(), text).unwrap_err().reason
        };
        assert!(refused(ko, "d4").contains("ko"));
        assert!(refused(ko, "D5").contains("a stone at D5"));
        assert!(refused(suicide, "A1").contains("suicide"));
        assert!(refused("9/9/9/9/9/9/9/9/9 b - 2", "A1").contains("ended"));
        assert!(refused("9/9/9/9/9/9/9/9/9 b - 2", "pass").contains("ended"));
        for text in ["", "I1", "A0", "K1", "A10", "resign", "é1", "E"] {
            assert!(refused(EXAMPLE, text).contains("A1 to J9"), "{text}");
        }
        let board = parse(EXAMPLE, 14).unwrap();
        assert_eq!(parse_move(&board, " j9 "), parse_move(&board, "J9"));
        assert_eq!(parse_move(&board, "PASS"), Ok(Move::PASS));
    }

    #[test]
    fn boards_are_drawn_from_above() {
        let board = parse("8X/9/9/9/3XO4/2X1XO3/3XO4/9/O8 w D4 0", 14).unwrap();
        let expected = "  A B C D E F G H J
9 . . . . . . . . X 9
8 . . . . . . . . . 8
7 . . . . . . . . . 7
6 . . . . . . . . . 6
5 . . . X O . . . . 5
4 . . X . X O . . . 4
3 . . . X O . . . . 3
2 . . . . . . . . . 2
1 O . . . . . . . . 1
  A B C D E F G H J
X Black 5, O White 4; White to move, not at D4 (ko)";
        assert_eq!(draw(&board), expected);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,60}", near in "[XO1-9/]{9,40} [bw] [A-K-][1-9]? [0-3]") {
            let _ = parse(&text, 14);
            let _ = parse(&near, 14);
            let _ = parse_move(&Board::start(14), &text);
        }

        #[test]
        fn boards_that_are_read_are_written_the_same(rows in prop::collection::vec("[XO.]{9}", 9)) {
            let rows: Vec<_> = rows.iter().map(|row| format_row(row.chars())).collect();
            let text = format!("{} b - 0", rows.join("/"));
            if let Ok(board) = parse(&text, 14) {
                prop_assert_eq!(format(&board), text);
            }
        }
    }
}
