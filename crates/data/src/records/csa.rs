//! CSA, version 2.2: Shogi, as computer tournaments keep it.
//!
//! A move is side, from, to, and the piece as it is after the move: `+7776FU`,
//! `-0055KI` for a drop. The pieces are read off the position's SFEN. A comment
//! `'** 35` is the value for Black in hundredths of a pawn.

use super::{LastWord, Note, Told, pawns, plain_text};
use evalsmith_core::{Game, Outcome, Protocol, Reason, Score, Side, Verdict};
use evalsmith_rules::Pos;
use std::fmt::Write;

/// Letters of SFEN, with the names of the piece and of what it is promoted to.
pub(crate) const PIECES: [(char, &str, &str); 8] = [
    ('P', "FU", "TO"),
    ('L', "KY", "NY"),
    ('N', "KE", "NK"),
    ('S', "GI", "NG"),
    ('G', "KI", "KI"),
    ('B', "KA", "UM"),
    ('R', "HI", "RY"),
    ('K', "OU", "OU"),
];

pub(super) fn write(told: &Told<'_>) -> Result<String, String> {
    let dialect = told.game.dialect(Protocol::Usi).ok_or("it is not spoken so")?;
    let sfen = |position: &Pos, side| {
        dialect.format_position(position, side).ok_or_else(|| "a position has no text".to_owned())
    };
    let headers = told.headers;
    let mut text = String::from("V2.2\n");
    let mut line = |prefix: &str, value: &str| {
        let _ = writeln!(text, "{prefix}{}", plain_text(value));
    };
    line("N+", headers.players[0].trim());
    line("N-", headers.players[1].trim());
    for (prefix, value) in [
        ("$EVENT:", headers.event.clone()),
        ("$START_TIME:", headers.date.as_ref().map(|date| date.replace('-', "/"))),
        ("$OPENING:", headers.opening.clone()),
        ("'time control: ", headers.time_control.clone()),
    ] {
        if let Some(value) = value {
            line(prefix, value.trim());
        }
    }
    match told.set_up() {
        None => line("PI", ""),
        Some(position) => {
            let board = Board::read(&sfen(position, told.record.first())?)?;
            board.lay_out().lines().for_each(|row| line("", row));
        }
    }
    line("", sign(told.record.first()));
    for ply in told.plies() {
        let board = Board::read(&sfen(ply.position, ply.side)?)?;
        let m = board.name(&dialect.format_move(ply.position, ply.m))?;
        line(sign(ply.side), &m);
        comments(&ply.note, ply.side).lines().for_each(|comment| line("", comment));
    }
    line("", ending(told));
    Ok(text)
}

fn sign(side: Side) -> &'static str {
    if side == Side::First { "+" } else { "-" }
}

/// The time in whole seconds and the value for Black, where they are known.
fn comments(note: &Note, side: Side) -> String {
    let mut text = String::new();
    if let Some(time) = note.time {
        let _ = writeln!(text, "T{}", time.as_secs());
    }
    if let Some(value) = note.value {
        let value = if side == Side::First { value } else { -value };
        let hundredths = match pawns(value) {
            Some(pawns) => (100.0 * pawns).round(),
            None if value > Score(0) => 100_000.0,
            None => -100_000.0,
        };
        let _ = writeln!(text, "'** {hundredths}");
    }
    if note.depth > 0 || note.nodes > 0 {
        let _ = writeln!(text, "'depth {}, {} nodes", note.depth, note.nodes);
    }
    text
}

/// The board says more than the headers: a mate is one whoever tells of it.
fn ending(told: &Told<'_>) -> &'static str {
    let record = told.record;
    match record.ending().map(|ending| ending.reason) {
        Some(Reason::Rules) => return "%TSUMI",
        Some(Reason::Repetition) => return "%SENNICHITE",
        Some(Reason::Bound) => return "%MAX_MOVES",
        Some(Reason::Solved | Reason::Agreed) | None => {}
    }
    let lost =
        |outcome: Outcome| outcome.seen_by(Side::First, record.side()).verdict() == Verdict::Loss;
    match told.headers.last_word {
        Some(LastWord::DeclaredWin) => "%KACHI",
        Some(LastWord::LostOnTime) => "%TIME_UP",
        Some(LastWord::Illegal) => "%ILLEGAL_MOVE",
        Some(LastWord::Resigned) => "%TORYO",
        None if told.headers.outcome.is_some_and(lost) => "%TORYO",
        None => "%CHUDAN",
    }
}

/// No hand holds more pieces of a kind.
const IN_HAND: u32 = 18;

/// A square's piece: side and CSA's name.
type Piece = (Side, &'static str);

struct Board {
    /// By rank and then by file, both from one.
    squares: [[Option<Piece>; 10]; 10],
    hands: Vec<(Piece, u32)>,
}

impl Board {
    fn read(sfen: &str) -> Result<Self, String> {
        let odd = || format!("{sfen:?} is no SFEN");
        let mut fields = sfen.split_whitespace();
        let rows = fields.next().ok_or_else(odd)?;
        let mut squares = [[None; 10]; 10];
        for (rank, row) in (1..=9).zip(rows.split('/')) {
            let (mut file, mut promoted) = (9_usize, false);
            for c in row.chars() {
                match c.to_digit(10) {
                    Some(empty) => file = file.checked_sub(empty as usize).ok_or_else(odd)?,
                    None if c == '+' => promoted = true,
                    None => {
                        let (side, plain, better) = piece(c).ok_or_else(odd)?;
                        let square: &mut Option<Piece> =
                            squares[rank].get_mut(file).ok_or_else(odd)?;
                        *square = Some((side, if promoted { better } else { plain }));
                        (file, promoted) = (file.checked_sub(1).ok_or_else(odd)?, false);
                    }
                }
            }
        }
        let hand = fields.nth(1).filter(|hand| *hand != "-").unwrap_or_default();
        let (mut hands, mut count) = (Vec::new(), 0);
        for c in hand.chars() {
            if let Some(digit) = c.to_digit(10) {
                count = 10 * count + digit;
                if count > IN_HAND {
                    return Err(odd());
                }
            } else {
                let (side, plain, _) = piece(c).ok_or_else(odd)?;
                hands.push(((side, plain), std::mem::take(&mut count).max(1)));
            }
        }
        Ok(Self { squares, hands })
    }

    fn lay_out(&self) -> String {
        let mut text = String::new();
        for rank in 1..=9 {
            let _ = write!(text, "P{rank}");
            for file in (1..=9).rev() {
                match self.squares[rank][file] {
                    Some((side, name)) => text.extend([sign(side), name]),
                    None => text.push_str(" * "),
                }
            }
            text.push('\n');
        }
        for &((side, name), count) in &self.hands {
            let _ = writeln!(text, "P{}{}", sign(side), format!("00{name}").repeat(count as usize));
        }
        text
    }

    /// The name of a move that USI calls `7g7f`, `8h2b+` or `P*5e`.
    fn name(&self, usi: &str) -> Result<String, String> {
        let odd = || format!("{usi:?} is no move");
        let &[a, b, c, d, ref rest @ ..] = usi.as_bytes() else { return Err(odd()) };
        let square = |file: u8, rank: u8| -> Option<(usize, usize)> {
            let file = file.checked_sub(b'0').filter(|f| (1..=9).contains(f))?;
            let rank = rank.checked_sub(b'a').filter(|r| *r < 9)? + 1;
            Some((file.into(), rank.into()))
        };
        let (to_file, to_rank) = square(c, d).ok_or_else(odd)?;
        if b == b'*' {
            let (_, name, _) = piece(char::from(a)).ok_or_else(odd)?;
            return Ok(format!("00{to_file}{to_rank}{name}"));
        }
        let (file, rank) = square(a, b).ok_or_else(odd)?;
        let (_, name) = self.squares[rank][file].ok_or_else(odd)?;
        let promoted = PIECES.iter().find(|(_, plain, _)| *plain == name).map(|(_, _, p)| *p);
        let name = if rest == b"+" { promoted.ok_or_else(odd)? } else { name };
        Ok(format!("{file}{rank}{to_file}{to_rank}{name}"))
    }
}

/// The side, name and promoted name of a letter.
fn piece(letter: char) -> Option<(Side, &'static str, &'static str)> {
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    let known = PIECES.iter().find(|(l, ..)| *l == letter.to_ascii_uppercase())?;
    Some((side, known.1, known.2))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{headers, notes, random_game, shogi};
    use super::super::{Headers, RecordFormat, write_record};
    use super::*;
    use evalsmith_core::GameRecord;
    use proptest::prelude::*;

    /// Plays a CSA move by the piece that it names, drop or not, promoted or not.
    fn play(record: &mut GameRecord<Pos>, text: &str) {
        let digits: Vec<u8> = text.bytes().take(4).map(|b| b - b'0').collect();
        let to = format!("{}{}", digits[2], char::from(b'a' + digits[3] - 1));
        let name = &text[4..];
        let (letter, plain, _) =
            PIECES.into_iter().find(|(_, p, better)| [*p, *better].contains(&name)).unwrap();
        let usi = if digits[0] == 0 {
            format!("{letter}*{to}")
        } else {
            let sfen = shogi().format(record.position(), record.side());
            let (file, rank) = (usize::from(digits[0]), usize::from(digits[1]));
            let before = Board::read(&sfen).unwrap().squares[rank][file].unwrap();
            assert_eq!(before.0, record.side());
            let promotes = before.1 == plain && name != plain;
            let from = format!("{file}{}", char::from(b'a' + digits[1] - 1));
            format!("{from}{to}{}", if promotes { "+" } else { "" })
        };
        record.play(shogi().parse_move(record.position(), &usi).unwrap()).unwrap();
    }

    fn reread(record: &GameRecord<Pos>) {
        let all = notes(record.ply());
        let text = write_record(&shogi(), RecordFormat::Csa, record, &headers(), &all).unwrap();
        let start = record.positions()[0].clone();
        let laid_out: Vec<_> = text.lines().filter(|l| l.starts_with('P')).collect();
        if record.first() == Side::First && start == shogi().start() {
            assert_eq!(laid_out, ["PI"]);
        } else {
            let sfen = shogi().format(&start, record.first());
            let board = Board::read(&sfen).unwrap().lay_out();
            assert_eq!(laid_out, board.lines().collect::<Vec<_>>());
        }
        let mut again = GameRecord::new(start, record.first(), record.max_plies());
        for line in text.lines().filter(|l| l.len() == 7 && l.starts_with(['+', '-'])) {
            assert_eq!(&line[..1], sign(again.side()));
            play(&mut again, &line[1..]);
        }
        assert_eq!(&again, record);
    }

    #[test]
    fn a_game_reads_as_people_write_it() {
        let mut record = GameRecord::new(shogi().start(), Side::First, 99);
        for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"] {
            record.play(shogi().parse_move(record.position(), text).unwrap()).unwrap();
        }
        let players = ["A".into(), "B".into()];
        let headers = Headers { players, ..Headers::default() };
        let time = Some(std::time::Duration::from_millis(2500));
        let notes = [Note::default(), Note { value: Some(Score(-576)), time, ..Note::default() }];
        let text = write_record(&shogi(), RecordFormat::Csa, &record, &headers, &notes).unwrap();
        assert_eq!(
            text,
            "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n-3334FU\nT2\n'** 100\n+8822UM\n-3122GI\n+0045KA\n\
             %CHUDAN\n"
        );
    }

    #[test]
    fn the_last_word_is_the_one_that_was_said() {
        let record = GameRecord::new(shogi().start(), Side::First, 99);
        let last = |last_word, outcome| {
            let headers = Headers { outcome, last_word, ..Headers::default() };
            let text = write_record(&shogi(), RecordFormat::Csa, &record, &headers, &[]).unwrap();
            text.lines().last().unwrap().to_owned()
        };
        assert_eq!(last(Some(LastWord::DeclaredWin), Some(Outcome::WIN)), "%KACHI");
        assert_eq!(last(Some(LastWord::LostOnTime), Some(Outcome::LOSS)), "%TIME_UP");
        assert_eq!(last(Some(LastWord::Illegal), Some(Outcome::LOSS)), "%ILLEGAL_MOVE");
        assert_eq!(last(Some(LastWord::Resigned), Some(Outcome::LOSS)), "%TORYO");
        assert_eq!(last(None, Some(Outcome::LOSS)), "%TORYO");
        assert_eq!(last(None, Some(Outcome::WIN)), "%CHUDAN");
    }

    /// A match tells the outcome of every game; the board knows better how it came.
    #[test]
    fn a_repetition_is_written_as_one_whatever_the_headers_say() {
        let mut record = GameRecord::new(shogi().start(), Side::First, 99);
        for text in ["2h3h", "8b7b", "3h2h", "7b8b"].iter().cycle() {
            if record.ending().is_some() {
                break;
            }
            record.play(shogi().parse_move(record.position(), text).unwrap()).unwrap();
        }
        let headers = Headers { outcome: Some(Outcome::DRAW), ..Headers::default() };
        let text = write_record(&shogi(), RecordFormat::Csa, &record, &headers, &[]).unwrap();
        assert!(text.ends_with("%SENNICHITE\n"), "{text}");
    }

    #[test]
    fn a_position_is_laid_out_with_its_hands() {
        let sfen = "4k4/9/9/9/9/9/9/9/+P3K4 b 2Sb3p 1";
        let board = Board::read(sfen).unwrap().lay_out();
        let rows: Vec<_> = board.lines().collect();
        assert_eq!(rows[0], "P1 *  *  *  * -OU *  *  *  * ");
        assert_eq!(rows[8], "P9+TO *  *  * +OU *  *  *  * ");
        assert_eq!(rows[9..], ["P+00GI00GI", "P-00KA", "P-00FU00FU00FU"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn what_is_written_is_read(seed: u64, skip in 0_usize..80, plies in 0_usize..160) {
            reread(&random_game(&shogi(), seed, skip, plies));
        }

        #[test]
        fn nothing_read_panics(sfen in "[a-zA-Z0-9+/]{0,30} [bw] [a-zA-Z0-9-]{0,20}", usi in "\\PC{0,8}") {
            if let Ok(board) = Board::read(&sfen) {
                let _ = (board.lay_out(), board.name(&usi));
            }
            let _ = Board::read("9/9/9/9/9/9/9/9/9 b - 1").unwrap().name(&usi);
        }
    }
}
