//! USI: a game to a line, as the `position` command of Shogi engines tells it.
//!
//! `position startpos moves 7g7f 3c3d`, with `sfen` and a position instead of
//! `startpos`, or the moves alone. In a table, columns parted by tabs and named
//! in a first line that begins with `#`, the moves stand in the column whose name
//! begins with `moves` and the winner (`b`, `w`, or `d` for a draw) in the one
//! whose name begins with `winner`; without such a line the last column is moves.

use super::script::{Fault, Place, Reader, Script, Start};
use crate::source::Lines;
use evalsmith_core::{Outcome, Protocol};

pub(crate) struct Usi {
    lines: Lines,
    moves: Option<usize>,
    winner: Option<usize>,
}

impl Usi {
    pub(crate) fn new(lines: Lines) -> Self {
        Self { lines, moves: None, winner: None }
    }

    fn read(&self, line: &str, script: &mut Script) -> Result<(), String> {
        let place = script.place;
        let mut columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        if let Some(at) = self.winner {
            let winner = columns.get(at).copied().unwrap_or_default();
            script.told = match winner {
                "b" => Some(Outcome::WIN),
                "w" => Some(Outcome::LOSS),
                "d" => Some(Outcome::DRAW),
                "" | "-" | "?" => None,
                _ => return Err(format!("the winner is {winner:?}; write b, w, d or -")),
            };
        }
        let last = columns.pop().unwrap_or_default();
        let told = match self.moves {
            Some(at) if at < columns.len() => columns[at],
            Some(at) if at > columns.len() => {
                return Err(format!(
                    "{} columns; the moves stand in no. {}",
                    columns.len(),
                    at + 1
                ));
            }
            _ => last,
        };
        let told = told.strip_prefix("position").map_or(told, str::trim_start);
        let moves = if let Some(rest) = told.strip_prefix("sfen ") {
            let (sfen, moves) = rest.split_once("moves").unwrap_or((rest, ""));
            script.start = Start::Spoken(Protocol::Usi, sfen.trim().to_owned());
            moves
        } else {
            let rest = told.strip_prefix("startpos").map_or(told, str::trim_start);
            rest.strip_prefix("moves").unwrap_or(rest)
        };
        for word in moves.split_ascii_whitespace() {
            script.push_move(word, None, place);
        }
        Ok(())
    }
}

impl Reader for Usi {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        loop {
            let line = match self.lines.next() {
                Ok(Some(line)) => String::from_utf8_lossy(line).into_owned(),
                Ok(None) => return Ok(false),
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            if let Some(names) = line.strip_prefix('#') {
                let named = |word: &str| {
                    names.split('\t').position(|name| name.trim_start().starts_with(word))
                };
                if names.contains('\t') {
                    (self.moves, self.winner) = (named("moves"), named("winner"));
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            script.clear(Place::Line(self.lines.number()));
            self.read(&line, script).map_err(|reason| Fault::malformed(script.place, reason))?;
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{fault, read, read_one};
    use super::super::{InputFormat, Why};
    use super::*;
    use crate::records::tests::shogi;

    #[test]
    fn lists_of_moves_come_in_several_ways() {
        for line in [
            "position startpos moves 7g7f 3c3d",
            "startpos moves 7g7f 3c3d",
            "7g7f 3c3d",
            "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d",
            "a.kif\tAnna\tBen\t7g7f 3c3d",
        ] {
            let game = read_one(&shogi(), InputFormat::Usi, line);
            let names = game.names(&shogi()).join(" ");
            assert_eq!((names.as_str(), game.outcome), ("7g7f 3c3d", None), "{line}");
        }
    }

    #[test]
    fn a_table_names_its_columns() {
        let text = "#src\twinner_inferred\tmoves(usi)\tremark\n1\tb\t7g7f\tx\n2\tw\t7g7f\tx\n\
                    3\td\t7g7f\tx\n4\t-\t\tx\n5\tx\t7g7f\tx\n6\tb\n";
        let found: Vec<_> = read(&shogi(), InputFormat::Usi, text)
            .into_iter()
            .map(|read| read.map(|game| game.outcome).map_err(|fault| (fault.why, fault.place)))
            .collect();
        let expected = [
            Ok(Some(Outcome::WIN)),
            Ok(Some(Outcome::LOSS)),
            Ok(Some(Outcome::DRAW)),
            Ok(None),
            Err((Why::Malformed, Place::Line(6))),
            Err((Why::Malformed, Place::Line(7))),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_illegal_move_is_named() {
        let found = fault(&shogi(), InputFormat::Usi, "\n7g7f 7g7f\n");
        assert_eq!((found.why, found.place), (Why::Illegal, Place::Line(2)));
        assert!(found.reason.contains("move 2"), "{}", found.reason);
    }
}
