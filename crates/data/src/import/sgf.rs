//! SGF: Go on 9x9 and Othello, the main line of each game.
//!
//! Stones that are laid out (`AB`, `AW`, a handicap) make the first position, in
//! the game's own text. A pass is empty or, on boards up to 19x19, `tt`. The
//! result is the record's own: dead stones stay on the board when both pass.

use super::properties::{Event, Properties};
use super::script::{Fault, Place, Reader, Script, Start, Why};
use crate::records::sgf_number;
use crate::source::Lines;
use evalsmith_core::{Game, Outcome, Side};
use evalsmith_rules::DynGame;

pub(crate) struct Sgf {
    properties: Properties,
    board: Board,
}

/// The board that a game is played on.
#[derive(Clone, Copy)]
struct Board {
    number: u32,
    size: u8,
    /// Margins to a point.
    unit: f64,
}

impl Sgf {
    pub(crate) fn new(lines: Lines, game: &DynGame) -> Self {
        let number = sgf_number(game.name()).unwrap_or_default();
        let size = if number == 1 { 9 } else { 8 };
        let unit = if game.margin_unit() == Some("half points") { 2.0 } else { 1.0 };
        Self { properties: Properties::new(lines, true), board: Board { number, size, unit } }
    }

    fn record(&mut self, script: &mut Script) -> Result<bool, Fault> {
        if !self.properties.begin()? {
            return Ok(false);
        }
        script.clear(self.properties.place());
        let mut game = Told::default();
        while let Some(event) = self.properties.next()? {
            let Event::Property(name, values) = event else { continue };
            let place = self.properties.place();
            game.property(&name, &values, self.board, place, script)
                .map_err(|(why, reason)| Fault::new(why, place, reason))?;
        }
        game.finish(self.board, script)
            .map_err(|(why, reason)| Fault::new(why, script.place, reason))?;
        Ok(true)
    }
}

impl Reader for Sgf {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let read = self.record(script);
        if read.is_err() {
            self.properties.give_up();
        }
        read
    }
}

#[derive(Default)]
struct Told {
    stones: Vec<(Side, [u8; 2])>,
    to_move: Option<Side>,
    first: Option<Side>,
    numbered: bool,
    sized: bool,
}

type Wrong = (Why, String);

fn malformed(reason: String) -> Wrong {
    (Why::Malformed, reason)
}

impl Told {
    fn property(
        &mut self,
        name: &str,
        values: &[String],
        board: Board,
        place: Place,
        script: &mut Script,
    ) -> Result<(), Wrong> {
        let value = values.first().map_or("", |value| value.trim());
        match name {
            "GM" => {
                self.numbered = true;
                if value.parse() != Ok(board.number) {
                    return Err((Why::Variant, format!("GM[{value}] is another game")));
                }
            }
            "SZ" => {
                self.sized = true;
                let square = value.split_once(':').filter(|(a, b)| a == b);
                if square.map_or(value, |(side, _)| side).trim().parse() != Ok(board.size) {
                    let size = board.size;
                    let reason = format!("a board of {value}; {size}x{size} is read");
                    return Err((Why::Variant, reason));
                }
            }
            "KM" => script.komi = value.parse().ok().filter(|komi: &f32| komi.abs() < 1000.0),
            "RE" => script.told = result(value, board.unit),
            "PB" | "PW" => {
                if !script.whose.is_empty() {
                    script.whose.push_str(" - ");
                }
                script.whose.push_str(value);
            }
            "BR" | "WR" => script.ratings[usize::from(name == "WR")] = value.parse().ok(),
            "PL" => self.to_move = side(value),
            "AB" | "AW" | "AE" if script.ply() > 0 => {
                let reason = "stones are laid out in the middle of the game";
                return Err((Why::Variant, reason.to_owned()));
            }
            "AB" | "AW" => {
                let side = if name == "AB" { Side::First } else { Side::Second };
                for value in values {
                    self.lay_out(side, value.trim(), board)?;
                }
            }
            "B" | "W" => {
                let side = if name == "B" { Side::First } else { Side::Second };
                self.first.get_or_insert(side);
                let text = match value.as_bytes() {
                    [] | b"tt" => "pass".to_owned(),
                    _ => board.vertex(point(value, board)?),
                };
                script.push_move(&text, Some(side), place);
            }
            _ => {}
        }
        Ok(())
    }

    /// A point, or a rectangle by its corners.
    fn lay_out(&mut self, side: Side, value: &str, board: Board) -> Result<(), Wrong> {
        let (from, to) = value.split_once(':').unwrap_or((value, value));
        let (from, to) = (point(from, board)?, point(to, board)?);
        for row in from[1]..=to[1] {
            self.stones.extend((from[0]..=to[0]).map(|column| (side, [column, row])));
        }
        Ok(())
    }

    fn finish(&self, board: Board, script: &mut Script) -> Result<(), Wrong> {
        if !self.numbered && board.number != 1 {
            return Err((Why::Variant, "without GM it is a game of Go".to_owned()));
        }
        if !self.sized && board.number == 1 {
            return Err((Why::Variant, "without SZ it is a board of 19x19".to_owned()));
        }
        script.binding = board.number == 1;
        script.implied_passes = board.number == 2;
        let to_move = self.first.or(self.to_move);
        if self.stones.is_empty() && to_move != Some(Side::Second) {
            return Ok(());
        }
        if board.number == 2 && self.stones.is_empty() {
            return Err((Why::Illegal, "White moves first".to_owned()));
        }
        let handicap = !self.stones.iter().any(|(side, _)| *side == Side::Second);
        let usual = if handicap && !self.stones.is_empty() { Side::Second } else { Side::First };
        script.start = Start::Own(board.position(&self.stones, to_move.unwrap_or(usual)));
        Ok(())
    }
}

fn side(value: &str) -> Option<Side> {
    match value.bytes().next()?.to_ascii_uppercase() {
        b'B' => Some(Side::First),
        b'W' => Some(Side::Second),
        _ => None,
    }
}

/// Column and row from the upper left corner, from 0.
fn point(value: &str, board: Board) -> Result<[u8; 2], Wrong> {
    match *value.as_bytes() {
        [column, row] => {
            let [column, row] = [column, row].map(|letter| letter.wrapping_sub(b'a'));
            (column < board.size && row < board.size).then_some([column, row])
        }
        _ => None,
    }
    .ok_or_else(|| {
        let last = char::from(b'a' + board.size - 1);
        malformed(format!("{value:?} is no point from aa to {last}{last}"))
    })
}

/// The outcome for Black.
fn result(value: &str, unit: f64) -> Option<Outcome> {
    let value = value.trim();
    if ["0", "draw", "jigo"].iter().any(|word| value.eq_ignore_ascii_case(word)) {
        return Some(Outcome::DRAW);
    }
    let (winner, by) = value.split_once('+')?;
    let sign = match side(winner.trim())? {
        Side::First => 1,
        Side::Second => -1,
    };
    let by = by.trim().parse::<f64>().ok().filter(|points| (0.0..1000.0).contains(points));
    let margin = by.map_or(1, |points| ((unit * points).round() as i16).max(1));
    Some(Outcome::by(sign * margin))
}

impl Board {
    /// The point as people write it: Othello's rows count down, Go's count up and
    /// its columns leave out I.
    fn vertex(self, [column, row]: [u8; 2]) -> String {
        if self.number == 2 {
            return format!("{}{}", char::from(b'a' + column), row + 1);
        }
        let letter = b'A' + column + u8::from(column >= 8);
        format!("{}{}", char::from(letter), self.size - row)
    }

    fn position(self, stones: &[(Side, [u8; 2])], to_move: Side) -> String {
        let size = usize::from(self.size);
        let mut rows = vec![vec![b'-'; size]; size];
        for &(side, [column, row]) in stones {
            rows[usize::from(row)][usize::from(column)] = b"XO"[side.index()];
        }
        if self.number == 2 {
            let squares = String::from_utf8_lossy(&rows.concat()).into_owned();
            return format!("{squares} {}", ["X", "O"][to_move.index()]);
        }
        let rows: Vec<String> = rows.iter().map(|row| runs(row)).collect();
        format!("{} {} - 0", rows.join("/"), ["b", "w"][to_move.index()])
    }
}

/// A row with digits for runs of empty points.
fn runs(row: &[u8]) -> String {
    let piece = |run: &[u8]| match run[0] {
        b'-' => run.len().to_string(),
        _ => String::from_utf8_lossy(run).into_owned(),
    };
    row.chunk_by(|a, b| (*a == b'-') == (*b == b'-')).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::super::InputFormat;
    use super::super::trial::{Read, fault, read_one};
    use super::*;
    use crate::records::tests::{go, othello};
    use evalsmith_core::Position;

    fn read_go(text: &str) -> Read {
        read_one(&go(), InputFormat::Sgf, text)
    }

    #[test]
    fn the_main_line_is_the_first_branch_at_every_fork() {
        let text = "junk (;GM[1]FF[4]\nSZ[9]KM[6.5]C[a \\] b]RE[W+3.5];B[ee];W[cc]\
                    (;B[gc](;W[tt])(;W[aa]))(;B[bb];W[aa])) trailer";
        let game = read_go(text);
        assert_eq!(game.names(&go()), ["E5", "C7", "G7", "pass"]);
        assert_eq!(game.outcome, Some(Outcome::by(-7)));
    }

    #[test]
    fn stones_are_laid_out() {
        let game = read_go("(;SZ[9]HA[2]AB[cc][gg]RE[B+R];W[ee];B[])");
        assert_eq!((game.first, game.outcome), (Side::Second, Some(Outcome::WIN)));
        assert_eq!(
            format!("{:?}", go().format(&game.positions[0], Side::Second)),
            "\"9/9/2X6/9/9/9/6X2/9/9 w - 0\""
        );
        let game = read_go("(;SZ[9]AB[aa:bb]AW[ii]PL[B])");
        assert_eq!(game.first, Side::First);
        assert_eq!(go().format(&game.positions[0], Side::First), "XX7/XX7/9/9/9/9/9/9/8O b - 0");
        assert_eq!(read_go("(;SZ[9];W[ee])").first, Side::Second);
    }

    #[test]
    fn results_are_read_in_half_points() {
        for (value, margin) in [
            ("B+0.5", Some(1)),
            ("W+12", Some(-24)),
            ("B+Resign", Some(1)),
            ("W+T", Some(-1)),
            ("0", Some(0)),
            ("Jigo", Some(0)),
            ("Void", None),
            ("?", None),
            ("", None),
            ("B+", Some(1)),
        ] {
            assert_eq!(result(value, 2.0), margin.map(Outcome::by), "{value}");
        }
    }

    #[test]
    fn two_passes_do_not_overrule_the_record() {
        let game = read_go("(;SZ[9]RE[B+2];B[ee];W[];B[])");
        assert_eq!(game.outcome, Some(Outcome::by(4)));
        assert!(game.positions.last().unwrap().outcome().is_some());
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, why, line, word) in [
            ("(;SZ[19];B[aa])", Why::Variant, 1, "19"),
            ("(;B[aa])", Why::Variant, 1, "19x19"),
            ("(;GM[2]SZ[8];B[aa])", Why::Variant, 1, "GM[2]"),
            ("(;SZ[9]\n;B[zz])", Why::Malformed, 2, "zz"),
            ("(;SZ[9]\n;B[aa]\n;W[aa])", Why::Illegal, 3, "stone"),
            ("(;SZ[9]\n;B[aa]\n;B[bb])", Why::Illegal, 3, "white's turn"),
            ("(;SZ[9];B[aa];AB[bb])", Why::Variant, 1, "middle"),
            ("(;SZ[9];B[aa", Why::Truncated, 1, "ends"),
            ("(;SZ[9] 7)", Why::Malformed, 1, "'7'"),
        ] {
            let found = fault(&go(), InputFormat::Sgf, text);
            assert_eq!((found.why, found.place), (why, Place::Line(line)), "{text}: {found:?}");
            assert!(found.reason.contains(word), "{text}: {found:?}");
        }
        let found = fault(&othello(), InputFormat::Sgf, "(;SZ[8];B[aa])");
        assert_eq!(found.why, Why::Variant);
    }
}
