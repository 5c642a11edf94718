//! Lists of positions: FEN, EPD, SFEN, or any game's own text, one to a line.
//!
//! After the position may stand its game's result, as `1-0`, `0-1` or `1/2-1/2`
//! anywhere, or as `[1.0]`, `[0.5]`, `[0.0]`, `| 1.0`, `c9 "1-0"`: White's share
//! of the point. EPD's `ce` is a value in hundredths of a pawn for the side to
//! move. White means the side that the game calls so.

use super::script::{Fault, Place, Reader, Script, Start};
use crate::source::Lines;
use evalsmith_core::{Game, Outcome, Side};
use evalsmith_rules::DynGame;

/// No game's text of a position has more fields.
const FIELDS: usize = 8;

pub(crate) struct Epd {
    lines: Lines,
    game: DynGame,
}

impl Epd {
    pub(crate) fn new(lines: Lines, game: &DynGame) -> Self {
        Self { lines, game: game.clone() }
    }

    fn read(&self, line: &str, script: &mut Script) -> Result<(), String> {
        let cut = line.find([';', '[', '|', '"', '\t', ',']).unwrap_or(line.len());
        let head = &line[..cut];
        let mut ends: Vec<usize> = head
            .split_ascii_whitespace()
            .take(FIELDS)
            .map(|word| word.as_ptr() as usize - line.as_ptr() as usize + word.len())
            .collect();
        ends.reverse();
        // The longest beginning that is a position; the rest is remarks.
        let longest = ends.iter().find_map(|&end| {
            let (_, side) = self.game.parse(&head[..end]).ok()?;
            Some((end, side))
        });
        let Some((end, side)) = longest else {
            return Err(match self.game.parse(head.trim()) {
                Err(e) => e.to_string(),
                Ok(_) => format!("{line:?} is no position"),
            });
        };
        script.start = Start::Own(head[..end].trim().to_owned());
        let remarks = &line[end..];
        let white = if self.game.side_names()[0] == "black" { Side::Second } else { Side::First };
        let told = result(remarks).or_else(|| share(remarks));
        script.told = told.map(|outcome| outcome.seen_by(white, Side::First));
        script.binding = true;
        if let Some(value) = centipawns(remarks) {
            let log_odds = crate::records::log_odds(value / 100.0);
            script.note_value(if side == Side::First { log_odds } else { -log_odds });
        }
        Ok(())
    }
}

/// White's outcome by its usual name.
pub(crate) fn named_result(word: &str) -> Option<Outcome> {
    match word {
        "1-0" => Some(Outcome::WIN),
        "0-1" => Some(Outcome::LOSS),
        "1/2-1/2" | "1/2" => Some(Outcome::DRAW),
        _ => None,
    }
}

fn result(remarks: &str) -> Option<Outcome> {
    let apart = |c: char| c.is_whitespace() || ";[]|\",()".contains(c);
    remarks.split(apart).find_map(named_result)
}

/// A share of the point in brackets or after a stroke.
fn share(remarks: &str) -> Option<Outcome> {
    let bracketed = || Some(remarks.split_once('[')?.1.split_once(']')?.0);
    let last = || remarks.rsplit_once('|').map(|(_, last)| last);
    match bracketed().or_else(last)?.trim() {
        "1.0" | "1" => Some(Outcome::WIN),
        "0.5" => Some(Outcome::DRAW),
        "0.0" | "0" => Some(Outcome::LOSS),
        _ => None,
    }
}

fn centipawns(remarks: &str) -> Option<f64> {
    let mut words = remarks.split([' ', ';', '\t']).filter(|word| !word.is_empty());
    words.find(|word| *word == "ce")?;
    words.next()?.parse().ok().filter(|value: &f64| value.is_finite())
}

impl Reader for Epd {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        loop {
            let line = match self.lines.next() {
                Ok(Some(line)) => String::from_utf8_lossy(line).into_owned(),
                Ok(None) => return Ok(false),
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            script.clear(Place::Line(self.lines.number()));
            self.read(line, script).map_err(|reason| Fault::malformed(script.place, reason))?;
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{fault, read_one};
    use super::super::{InputFormat, Why};
    use super::*;
    use crate::records::log_odds;
    use crate::records::tests::chess;

    #[test]
    fn remarks_of_many_kinds_are_understood() {
        let fen = "4k3/p7/8/8/8/8/P7/4K3 b - -";
        for (remark, outcome, value) in [
            ("", None, None),
            (" 0 1", None, None),
            (" 12 34 1-0", Some(Outcome::WIN), None),
            (" bm a5; id \"x.1\";", None, None),
            (" 0 1; ce -35; c9 \"1/2-1/2\";", Some(Outcome::DRAW), Some(log_odds(0.35))),
            (" 0 1 [0.0]", Some(Outcome::LOSS), None),
            (" 0 1 | 55 | 1.0", Some(Outcome::WIN), None),
            ("\t0-1\tg17", Some(Outcome::LOSS), None),
            (",1/2-1/2", Some(Outcome::DRAW), None),
        ] {
            let game = read_one(&chess(), InputFormat::Epd, &format!("{fen}{remark}"));
            assert_eq!((game.outcome, game.first), (outcome, Side::Second), "{remark}");
            let value: Vec<_> = value.map(|value| (0, value)).into_iter().collect();
            assert_eq!(game.values, value, "{remark}");
        }
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let found = fault(&chess(), InputFormat::Epd, "\n# remark\nnonsense 1-0\n");
        assert_eq!((found.why, found.place), (Why::Malformed, Place::Line(3)));
    }
}
