//! CSA: Shogi as computer tournaments keep it, games parted by a line `/`.
//!
//! A move names the piece as it is after the move, so the reader keeps track of
//! what stands where to tell whether it promotes: `+8822UM` is `8h2b+` where a
//! bishop leaves. It knows no other rule. A first position may be the usual one
//! (`PI`, with pieces left out), rows (`P1` to `P9`) or single pieces (`P+`, `P-`,
//! where `00AL` is everything that is left).

use super::script::{Fault, Place, Reader, Script, Start, Why};
use crate::records::CSA_PIECES;
use crate::source::Lines;
use evalsmith_core::{Outcome, Protocol, Side};
use std::fmt::Write as _;

/// The usual start, as rows from the first rank and the ninth file.
const USUAL: [&str; 9] = [
    "-KY-KE-GI-KI-OU-KI-GI-KE-KY",
    " * -HI *  *  *  *  * -KA * ",
    "-FU-FU-FU-FU-FU-FU-FU-FU-FU",
    " *  *  *  *  *  *  *  *  * ",
    " *  *  *  *  *  *  *  *  * ",
    " *  *  *  *  *  *  *  *  * ",
    "+FU+FU+FU+FU+FU+FU+FU+FU+FU",
    " * +KA *  *  *  *  * +HI * ",
    "+KY+KE+GI+KI+OU+KI+GI+KE+KY",
];
/// How many of each piece a set has, in the order of [`CSA_PIECES`].
const SET: [u8; 8] = [18, 4, 4, 4, 4, 2, 2, 2];

/// A piece by its place in [`CSA_PIECES`], and whether it is promoted.
type Piece = (Side, usize, bool);

pub(crate) struct Csa {
    lines: Lines,
    lost: bool,
}

impl Csa {
    pub(crate) fn new(lines: Lines) -> Self {
        Self { lines, lost: false }
    }

    fn record(&mut self, script: &mut Script) -> Result<bool, Fault> {
        script.clear(Place::Line(self.lines.number() + 1));
        let mut game = Told::default();
        let mut begun = false;
        loop {
            let line = match self.lines.next() {
                Ok(line) => line.map(|line| String::from_utf8_lossy(line).into_owned()),
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            let place = Place::Line(self.lines.number());
            let Some(line) = line else {
                if !begun || self.lost {
                    return Ok(false);
                }
                break;
            };
            let line = line.trim_end();
            if line == "/" {
                self.lost = false;
                if begun {
                    break;
                }
                continue;
            }
            if self.lost || line.is_empty() || line.starts_with('\'') {
                continue;
            }
            if !begun {
                script.clear(place);
                begun = true;
            }
            // Names and remarks may hold commas; moves and times are parted by them.
            let whole = line.starts_with(['N', '$', 'V']);
            let mut statements = line.split(if whole { '\n' } else { ',' });
            statements
                .try_for_each(|statement| game.statement(statement, place, script))
                .map_err(|reason| Fault::malformed(place, reason))?;
        }
        game.settle(game.to_move, script);
        if !game.ended && script.ply() > 0 {
            let reason = "the record ends without %TORYO or another end";
            return Err(Fault::new(Why::Truncated, Place::Line(self.lines.number()), reason));
        }
        Ok(true)
    }
}

impl Reader for Csa {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let read = self.record(script);
        if let Err(fault) = &read {
            self.lost = fault.why == Why::Malformed;
        }
        read
    }
}

#[expect(clippy::struct_excessive_bools, reason = "four independent facts of a record")]
struct Told {
    squares: [[Option<Piece>; 10]; 10],
    hands: [[u8; 7]; 2],
    usual: bool,
    /// Whether pieces were laid out, in whatever way.
    laid_out: bool,
    /// Whether the first move or the side to move was told.
    settled: bool,
    to_move: Side,
    ended: bool,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            squares: [[None; 10]; 10],
            hands: [[0; 7]; 2],
            usual: true,
            laid_out: false,
            settled: false,
            to_move: Side::First,
            ended: false,
        }
    }
}

fn side(sign: u8) -> Option<Side> {
    match sign {
        b'+' => Some(Side::First),
        b'-' => Some(Side::Second),
        _ => None,
    }
}

/// A piece by its name: its kind, and whether it is promoted.
fn named(name: &str) -> Option<(usize, bool)> {
    let find = |(kind, (_, plain, better)): (usize, &(char, &str, &str))| {
        if *plain == name { Some((kind, false)) } else { (*better == name).then_some((kind, true)) }
    };
    CSA_PIECES.iter().enumerate().find_map(find)
}

/// A square by file and rank; zeros are a hand.
fn square(text: &str) -> Option<(usize, usize)> {
    match *text.as_bytes() {
        [file @ b'0'..=b'9', rank @ b'0'..=b'9'] => {
            let (file, rank) = (usize::from(file - b'0'), usize::from(rank - b'0'));
            ((file == 0) == (rank == 0)).then_some((file, rank))
        }
        _ => None,
    }
}

impl Told {
    fn statement(&mut self, text: &str, place: Place, script: &mut Script) -> Result<(), String> {
        let text = text.trim();
        let odd = || format!("{text:?} is no statement of CSA");
        let Some((&sign, rest)) = text.as_bytes().split_first() else { return Ok(()) };
        if !text.is_ascii() {
            return if matches!(sign, b'N' | b'$' | b'\'') { Ok(()) } else { Err(odd()) };
        }
        match sign {
            b'N' => {
                if !script.whose.is_empty() {
                    script.whose.push_str(" - ");
                }
                script.whose.push_str(text.get(2..).unwrap_or_default());
                Ok(())
            }
            b'V' | b'$' | b'T' | b'\'' => Ok(()),
            b'P' => self.place(&text[1..]).ok_or_else(odd),
            b'+' | b'-' => {
                self.settle(side(sign).ok_or_else(odd)?, script);
                if rest.is_empty() {
                    return Ok(());
                }
                self.play(text, place, script).ok_or_else(odd)
            }
            b'%' => {
                self.ended = true;
                script.told = self.ending(text);
                script.binding = true;
                Ok(())
            }
            _ => Err(odd()),
        }
    }

    /// Nothing more is laid out; the first position is known.
    fn settle(&mut self, to_move: Side, script: &mut Script) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        if !self.laid_out {
            self.lay_out_usual();
        }
        self.to_move = to_move;
        if !self.usual || to_move == Side::Second {
            script.start = Start::Spoken(Protocol::Usi, self.sfen());
        }
    }

    fn lay_out_usual(&mut self) {
        for (rank, row) in (1..).zip(USUAL) {
            self.row(rank, row).expect("the usual rows are well formed");
        }
    }

    fn row(&mut self, rank: usize, row: &str) -> Option<()> {
        for (file, cell) in (1..=9).rev().zip(row.as_bytes().chunks(3)) {
            let cell = std::str::from_utf8(cell).ok()?;
            self.squares[rank][file] = match cell.trim() {
                "*" | "" => None,
                _ => {
                    let (kind, promoted) = named(cell.get(1..)?)?;
                    Some((side(cell.as_bytes()[0])?, kind, promoted))
                }
            };
        }
        Some(())
    }

    /// `PI82HI22KA`, `P1-KY...`, `P+00FU27FU`, `P-00AL`.
    fn place(&mut self, text: &str) -> Option<()> {
        if self.settled {
            return None;
        }
        self.laid_out = true;
        let (&first, _) = text.as_bytes().split_first()?;
        let entries = text.as_bytes()[1..].chunks(4);
        match first {
            b'I' => {
                self.lay_out_usual();
                self.usual = text.len() == 1;
                for entry in entries {
                    let entry = std::str::from_utf8(entry).ok()?;
                    let (file, rank) = square(entry.get(..2)?)?;
                    self.squares[rank][file].take()?;
                }
                Some(())
            }
            b'1'..=b'9' => {
                self.usual = false;
                self.row(usize::from(first - b'0'), &text[1..])
            }
            b'+' | b'-' => {
                self.usual = false;
                let side = side(first)?;
                for entry in entries {
                    let entry = std::str::from_utf8(entry).ok()?;
                    let (file, rank) = square(entry.get(..2)?)?;
                    if entry.get(2..)? == "AL" {
                        self.hand_over_rest(side);
                        continue;
                    }
                    let (kind, promoted) = named(entry.get(2..)?)?;
                    if file == 0 {
                        let held = self.hands[side.index()].get_mut(kind)?;
                        *held = held.checked_add(1)?;
                    } else {
                        self.squares[rank][file] = Some((side, kind, promoted));
                    }
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Puts all pieces that stand nowhere into a hand; never a king.
    fn hand_over_rest(&mut self, side: Side) {
        let mut left = SET;
        for &(_, kind, _) in self.squares.iter().flatten().flatten() {
            left[kind] = left[kind].saturating_sub(1);
        }
        for kind in 0..7 {
            let held: u8 = self.hands.iter().map(|hand| hand[kind]).sum();
            self.hands[side.index()][kind] += left[kind].saturating_sub(held);
        }
    }

    fn play(&mut self, text: &str, place: Place, script: &mut Script) -> Option<()> {
        let mover = side(text.as_bytes()[0])?;
        let (from, to) = (square(text.get(1..3)?)?, square(text.get(3..5)?)?);
        let (kind, promoted) = named(text.get(5..7)?)?;
        if to.0 == 0 || text.len() > 7 {
            return None;
        }
        let name =
            |(file, rank): (usize, usize)| format!("{file}{}", char::from(b'a' + rank as u8 - 1));
        let m = if from.0 == 0 {
            format!("{}*{}", CSA_PIECES[kind].0, name(to))
        } else {
            let (_, _, was) =
                self.squares[from.1][from.0].take().unwrap_or((mover, kind, promoted));
            let promotes = if promoted && !was { "+" } else { "" };
            format!("{}{}{promotes}", name(from), name(to))
        };
        self.squares[to.1][to.0] = Some((mover, kind, promoted));
        self.to_move = mover.other();
        script.push_move(&m, Some(mover), place);
        Some(())
    }

    /// The outcome for Black.
    fn ending(&self, text: &str) -> Option<Outcome> {
        let for_mover = match text {
            "%TORYO" | "%TSUMI" | "%TIME_UP" | "%ILLEGAL_MOVE" => Outcome::LOSS,
            "%KACHI" => Outcome::WIN,
            "%SENNICHITE" | "%HIKIWAKE" | "%JISHOGI" | "%MAX_MOVES" => Outcome::DRAW,
            "%+ILLEGAL_ACTION" => return Some(Outcome::LOSS),
            "%-ILLEGAL_ACTION" => return Some(Outcome::WIN),
            _ => return None,
        };
        Some(for_mover.seen_by(self.to_move, Side::First))
    }

    fn sfen(&self) -> String {
        let mut text = String::new();
        let letter = |(side, kind, promoted): Piece| {
            let (letter, _, better) = CSA_PIECES[kind];
            let letter = if side == Side::First { letter } else { letter.to_ascii_lowercase() };
            // A gold and a king have no better side.
            let plus = promoted && better != CSA_PIECES[kind].1;
            format!("{}{letter}", if plus { "+" } else { "" })
        };
        for rank in 1..=9 {
            let mut empty = 0;
            for file in (1..=9).rev() {
                match self.squares[rank][file] {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            let _ = write!(text, "{empty}");
                        }
                        text.push_str(&letter(piece));
                        empty = 0;
                    }
                }
            }
            if empty > 0 {
                let _ = write!(text, "{empty}");
            }
            text.push_str(if rank < 9 { "/" } else { "" });
        }
        text.push_str(if self.to_move == Side::First { " b " } else { " w " });
        let before = text.len();
        for side in [Side::First, Side::Second] {
            // The customary order: the rook first.
            for kind in [6, 5, 4, 3, 2, 1, 0] {
                let piece = letter((side, kind, false));
                match self.hands[side.index()][kind] {
                    0 => {}
                    1 => text.push_str(&piece),
                    count => {
                        let _ = write!(text, "{count}{piece}");
                    }
                }
            }
        }
        if text.len() == before {
            text.push('-');
        }
        text.push_str(" 1");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputFormat;
    use super::super::trial::{fault, read, read_one};
    use super::*;
    use crate::records::tests::shogi;
    use evalsmith_core::Game;

    fn names(text: &str) -> Vec<String> {
        read_one(&shogi(), InputFormat::Csa, text).names(&shogi())
    }

    #[test]
    fn pieces_tell_whether_a_move_promotes() {
        let text = "V2.2\nN+Anna, A.\nN-Ben\n$EVENT:x\nPI\n+\n+7776FU,T3\n-3334FU\nT1\n'** 35\n\
                    +8822UM\n-3122GI\n+0055KA\n%TORYO\n";
        assert_eq!(names(text), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]);
        let game = read_one(&shogi(), InputFormat::Csa, text);
        assert_eq!(game.outcome, Some(Outcome::WIN));
    }

    #[test]
    fn first_positions_come_in_three_ways() {
        let handicap =
            read_one(&shogi(), InputFormat::Csa, "PI82HI22KA\n-\n-5142OU\n+7776FU\n%CHUDAN\n");
        assert_eq!((handicap.first, handicap.outcome), (Side::Second, None));
        let sfen = shogi().format(&handicap.positions[0], Side::Second);
        assert!(sfen.starts_with("lnsgkgsnl/9/ppppppppp/"), "{sfen}");
        let pieces = read_one(
            &shogi(),
            InputFormat::Csa,
            "P+59OU00FU00FU\nP-51OU\nP-00AL\n+\n+0055FU\n%KACHI\n",
        );
        let sfen = shogi().format(&pieces.positions[0], Side::First);
        assert_eq!(sfen, "4k4/9/9/9/9/9/9/9/4K4 b 2P2r2b4g4s4n4l16p 1");
        assert_eq!(pieces.outcome, Some(Outcome::LOSS));
    }

    #[test]
    fn endings_are_those_of_the_side_to_move() {
        let outcome = |end: &str| {
            read_one(&shogi(), InputFormat::Csa, &format!("PI\n+\n+7776FU\n{end}\n")).outcome
        };
        for (end, expected) in [
            ("%TORYO", Some(Outcome::WIN)),
            ("%KACHI", Some(Outcome::LOSS)),
            ("%SENNICHITE", Some(Outcome::DRAW)),
            ("%CHUDAN", None),
            ("%+ILLEGAL_ACTION", Some(Outcome::LOSS)),
            ("%TIME_UP", Some(Outcome::WIN)),
        ] {
            assert_eq!(outcome(end), expected, "{end}");
        }
    }

    #[test]
    fn faults_are_told_with_their_line_and_the_next_game_is_read() {
        let text = "PI\n+\n+7776XX\n-3334FU\n%TORYO\n/\nPI\n+\n+7775FU\n%TORYO\n/\nPI\n+\n+7776FU\n/\n\
                    PI\n+\n+2726FU\n%TORYO\n";
        let found: Vec<_> = read(&shogi(), InputFormat::Csa, text)
            .into_iter()
            .map(|read| read.err().map(|fault| (fault.why, fault.place)))
            .collect();
        let expected = [
            Some((Why::Malformed, Place::Line(3))),
            Some((Why::Illegal, Place::Line(9))),
            Some((Why::Truncated, Place::Line(15))),
            None,
        ];
        assert_eq!(found, expected);
        assert_eq!(fault(&shogi(), InputFormat::Csa, "PI\n+\n+7776FU").why, Why::Truncated);
    }
}
