//! OBF, the endgame suites of Othello: `board side; MOVE:score; ...`.
//!
//! The best score is the position's exact margin, and its move the one played.
//! Positions without scores have no result. A board may also be followed by the
//! side's name, the best square's number (-1 to pass) and the score.

use super::script::{Fault, Place, Reader, Script, Start};
use crate::source::Lines;
use evalsmith_core::{Outcome, Side, Stage};

pub(crate) struct Obf {
    lines: Lines,
}

impl Obf {
    pub(crate) fn new(lines: Lines) -> Self {
        Self { lines }
    }
}

impl Reader for Obf {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        loop {
            let line = match self.lines.next() {
                Ok(Some(line)) => String::from_utf8_lossy(line).into_owned(),
                Ok(None) => return Ok(false),
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with(['%', '#']) {
                continue;
            }
            script.clear(Place::Line(self.lines.number()));
            read(line, script).map_err(|reason| Fault::malformed(script.place, reason))?;
            return Ok(true);
        }
    }
}

fn read(line: &str, script: &mut Script) -> Result<(), String> {
    let (board, scores) = line.split_once(';').unwrap_or((line, ""));
    let mut words = board.split_ascii_whitespace();
    let squares = words.next().unwrap_or_default();
    let side = words.next().ok_or("no side to move; write X or O after the squares")?;
    let mover = match side.to_ascii_lowercase().as_str() {
        "x" | "*" | "black" | "b" => Side::First,
        "o" | "white" | "w" => Side::Second,
        _ => return Err(format!("{side:?} to move; write X or O after the squares")),
    };
    let sign = if mover == Side::First { 'X' } else { 'O' };
    script.start = Start::Own(format!("{squares} {sign}"));
    let mut best: Option<(i16, String)> = None;
    for entry in scores.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
        let odd = || format!("{entry:?}; write a move and its score, like G8:+18");
        let (m, score) = entry.split_once(':').ok_or_else(odd)?;
        if m.trim() == "--" {
            continue;
        }
        let score = margin(score).ok_or_else(odd)?;
        if best.as_ref().is_none_or(|(known, _)| *known < score) {
            best = Some((score, m.trim().to_owned()));
        }
    }
    let rest: Vec<&str> = words.collect();
    match rest[..] {
        [] => {}
        [square, score] => {
            let odd = || format!("{square} {score}; write a square from 0 to 63 and its score");
            let name = match square.parse::<i8>().ok().ok_or_else(odd)? {
                -1 => "pass".to_owned(),
                s @ 0..64 => format!("{}{}", char::from(b'a' + (s % 8) as u8), s / 8 + 1),
                _ => return Err(odd()),
            };
            best = Some((margin(score).ok_or_else(odd)?, name));
        }
        _ => return Err(format!("{:?} after the side to move", rest.join(" "))),
    }
    if let Some((margin, m)) = best {
        let for_first = if mover == Side::First { margin } else { -margin };
        let discs = squares.bytes().filter(|byte| !matches!(byte, b'-' | b'.')).count();
        script.told = Some(Outcome::by(for_first));
        script.binding = true;
        script.exact = Some((Stage(discs as u8), for_first));
        script.only_first = true;
        script.push_move(&m, None, script.place);
    }
    Ok(())
}

fn margin(text: &str) -> Option<i16> {
    text.trim().parse().ok().filter(|margin| (-64..=64).contains(margin))
}

#[cfg(test)]
mod tests {
    use super::super::trial::{fault, read_one};
    use super::super::{InputFormat, Why};
    use super::*;
    use crate::records::tests::othello;

    const FFO: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--";

    #[test]
    fn the_best_score_is_the_result() {
        let othello = othello();
        for (line, outcome, m) in [
            (format!("{FFO} X; A2:+6; G8:+18; H1:+12; --:-127;"), Some(18), "g8"),
            (format!("{FFO} Black 62 -4"), Some(-4), "g8"),
            (format!("{FFO} O; A4:-8; G2:-2;"), Some(2), "g2"),
        ] {
            let game = read_one(&othello, InputFormat::Obf, &line);
            assert_eq!(game.outcome, outcome.map(Outcome::by), "{line}");
            assert_eq!(game.names(&othello)[0], m, "{line}");
        }
        let bare = read_one(&othello, InputFormat::Obf, &format!("% title\n\n{FFO} X\n"));
        assert_eq!((bare.outcome, bare.moves.len()), (None, 0));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (line, why, word) in [
            (FFO.to_owned(), Why::Malformed, "side to move"),
            (format!("{FFO} Z;"), Why::Malformed, "\"Z\""),
            (format!("{FFO} X; G8"), Why::Malformed, "G8"),
            (format!("{FFO} X; G8:+99;"), Why::Malformed, "+99"),
            (format!("{FFO} X; A1:+2;"), Why::Illegal, "a1"),
            (format!("{} X", &FFO[1..]), Why::Illegal, "on h8"),
            (format!("{FFO} X what is this"), Why::Malformed, "what is this"),
        ] {
            let found = fault(&othello(), InputFormat::Obf, format!("\n{line}\n"));
            assert_eq!((found.why, found.place), (why, Place::Line(2)), "{line}: {found:?}");
            assert!(
                found.reason.to_lowercase().contains(&word.to_lowercase()),
                "{line}: {found:?}"
            );
        }
    }
}
