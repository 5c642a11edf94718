//! SGF, version 4: Go and Othello.
//!
//! A point is two letters from the upper left corner; a pass is empty. A value is
//! `V`, positive for Black, in points or discs where the game is decided and in
//! log-odds elsewhere, and the comment says the rest.

use super::{Note, Ply, Told, plain_text};
use evalsmith_core::{Dialect, Game, Protocol, Reason, Score, Side, Verdict};
use evalsmith_rules::Pos;
use std::fmt::Write;

/// The number that SGF gives a game.
pub(crate) fn number(game: &str) -> Option<u32> {
    match game {
        "go" => Some(1),
        "othello" => Some(2),
        _ => None,
    }
}

/// How a game's squares lie on SGF's board.
struct Board {
    size: u8,
    /// Whether the first row is the upper one, as in Othello.
    downwards: bool,
}

pub(super) fn write(told: &Told<'_>) -> Result<String, String> {
    let number = number(told.game.name()).ok_or("SGF has no number for it")?;
    let dialect = told.game.dialect(Protocol::Gtp).ok_or("it has no board")?;
    let prepared = dialect.preparation();
    let prepared = |word: &str| {
        prepared.iter().filter_map(|c| c.split_once(' ')).find(|(w, _)| *w == word).map(|(_, v)| v)
    };
    let size = prepared("boardsize").and_then(|size| size.parse().ok());
    let board = Board { size: size.ok_or("its board has no size")?, downwards: number == 2 };
    let mut text = format!("(;FF[4]GM[{number}]CA[UTF-8]AP[evalsmith]SZ[{}]", board.size);
    let mut property = |name: &str, value: &str| {
        let value = plain_text(value).replace('\\', "\\\\").replace(']', "\\]");
        let _ = write!(text, "{name}[{}]", value.trim());
    };
    let headers = told.headers;
    if let Some(komi) = prepared("komi") {
        property("KM", komi);
    }
    property("PB", &headers.players[told.called("black").index()]);
    property("PW", &headers.players[told.called("white").index()]);
    for (name, value) in [("DT", &headers.date), ("EV", &headers.event), ("ON", &headers.opening)] {
        if let Some(value) = value {
            property(name, value);
        }
    }
    if let Some(round) = headers.round {
        property("RO", &round.to_string());
    }
    if let Some(control) = &headers.time_control {
        // `TM` is seconds and nothing else; `OT` is words.
        property(if control.parse::<f64>().is_ok() { "TM" } else { "OT" }, control);
    }
    if let Some(result) = result(told) {
        property("RE", &result);
    }
    set_up(told, dialect.as_ref(), &board, &mut text)?;
    text.push('\n');
    for ply in told.plies() {
        let point = board.point(&dialect.format_move(ply.position, ply.m))?;
        let _ = write!(text, ";{}[{point}]", letter(told, ply.side));
        text.push_str(&comment(told, &ply));
    }
    text.push_str(")\n");
    Ok(text)
}

fn letter(told: &Told<'_>, side: Side) -> char {
    if told.called("black") == side { 'B' } else { 'W' }
}

fn result(told: &Told<'_>) -> Option<String> {
    let outcome = told.outcome()?;
    let winner = match outcome.verdict() {
        Verdict::Draw => return Some("0".into()),
        Verdict::Win => letter(told, Side::First),
        Verdict::Loss => letter(told, Side::Second),
    };
    // A win by one is what a record tells that knows no margin.
    let by_rules = told.record.ending().is_some_and(|e| {
        e.reason == Reason::Rules || (e.reason == Reason::Agreed && e.outcome.margin().abs() > 1)
    });
    Some(if told.headers.outcome.is_some() {
        format!("{winner}+F")
    } else if by_rules {
        let unit = if told.game.margin_unit() == Some("half points") { 2.0 } else { 1.0 };
        format!("{winner}+{}", f64::from(outcome.margin()).abs() / unit)
    } else {
        format!("{winner}+")
    })
}

fn set_up(
    told: &Told<'_>,
    dialect: &dyn Dialect<Pos>,
    board: &Board,
    text: &mut String,
) -> Result<(), String> {
    let Some(position) = told.set_up() else { return Ok(()) };
    let first = told.record.first();
    let stones = dialect
        .lay_out(position, first)
        .ok_or("its first position is not the start; record it from the start, or as pgn")?;
    for (side, property) in [(told.called("black"), "AB"), (told.called("white"), "AW")] {
        let mut points = Vec::new();
        for (_, vertex) in stones.iter().filter(|(of, _)| *of == side) {
            points.push(board.point(vertex)?);
        }
        points.retain(|point| !point.is_empty());
        if !points.is_empty() {
            let _ = write!(text, "{property}[{}]", points.join("]["));
        }
    }
    let _ = write!(text, "PL[{}]", letter(told, first));
    Ok(())
}

impl Board {
    /// A vertex like `E5`, whose letters leave out I; empty for a pass.
    fn point(&self, vertex: &str) -> Result<String, String> {
        if vertex.eq_ignore_ascii_case("pass") {
            return Ok(String::new());
        }
        let odd = || format!("{vertex:?} is no vertex");
        let letter = vertex.bytes().next().ok_or_else(odd)?.to_ascii_lowercase();
        let column = letter.checked_sub(b'a').ok_or_else(odd)?;
        let column = if letter > b'i' { column - 1 } else { column };
        let row: u8 = vertex.get(1..).and_then(|row| row.parse().ok()).ok_or_else(odd)?;
        if column >= self.size || !(1..=self.size).contains(&row) {
            return Err(odd());
        }
        let row = if self.downwards { row - 1 } else { self.size - row };
        Ok([column, row].iter().map(|&n| char::from(b'a' + n)).collect())
    }
}

fn comment(told: &Told<'_>, ply: &Ply<'_>) -> String {
    let Note { value, depth, nodes, time } = ply.note;
    let mut text = String::new();
    if let Some(value) = value {
        let of_black = if told.called("black") == ply.side { value } else { -value };
        let shown = if value.is_decisive() {
            f64::from(of_black.0.signum() * (of_black.0.abs() - Score::WIN.0))
        } else {
            of_black.log_odds().0
        };
        let _ = write!(text, "V[{shown:.3}]");
    }
    let mut words = Vec::new();
    words.extend((depth > 0).then(|| format!("depth {depth}")));
    words.extend((nodes > 0).then(|| format!("{nodes} nodes")));
    words.extend(time.map(|time| format!("{:.3} s", time.as_secs_f64())));
    if !words.is_empty() {
        let _ = write!(text, "C[{}]", words.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::{go, headers, notes, othello, random_game};
    use super::super::{Headers, RecordFormat, write_record};
    use super::*;
    use evalsmith_core::GameRecord;
    use evalsmith_rules::DynGame;
    use proptest::prelude::*;

    /// The properties in their order, values without their escapes.
    fn read(text: &str) -> Vec<(String, String)> {
        let (mut found, mut name, mut value) = (Vec::new(), String::new(), None::<String>);
        let mut letters = text.trim().strip_prefix("(;").unwrap().chars();
        while let Some(c) = letters.next() {
            match (&mut value, c) {
                (Some(open), '\\') => open.extend(letters.next()),
                (Some(_), ']') => found.push((name.clone(), value.take().unwrap())),
                (Some(open), c) => open.push(c),
                (None, '[') => value = Some(String::new()),
                (None, 'A'..='Z') => {
                    if found.last().is_some_and(|(last, _)| *last == name) {
                        name.clear();
                    }
                    name.push(c);
                }
                (None, _) => {}
            }
        }
        assert!(value.is_none() && text.ends_with(")\n"));
        found
    }

    fn reread(game: &DynGame, record: &GameRecord<Pos>, downwards: bool) {
        let all = notes(record.ply());
        let text = write_record(game, RecordFormat::Sgf, record, &headers(), &all).unwrap();
        let mut again = GameRecord::new(record.positions()[0].clone(), record.first(), 10_000);
        for (name, value) in read(&text) {
            let side = match name.as_str() {
                "B" => Side::First,
                "W" => Side::Second,
                "PB" => {
                    assert_eq!(value, "Anna \"A\"");
                    continue;
                }
                "PW" => {
                    assert_eq!(value, "Ben ]\\");
                    continue;
                }
                _ => continue,
            };
            assert_eq!(side, again.side());
            let vertex = match value.as_bytes() {
                [column, row] => {
                    let column = if !downwards && *column >= b'i' { column + 1 } else { *column };
                    let row = row - b'a';
                    format!("{}{}", char::from(column), if downwards { row + 1 } else { 9 - row })
                }
                _ => "pass".into(),
            };
            again.play(game.parse_move(again.position(), &vertex).unwrap()).unwrap();
        }
        assert_eq!((again.ply(), again.position()), (record.ply(), record.position()), "{text}");
    }

    #[test]
    fn a_game_of_go_reads_as_people_write_it() {
        let go = go();
        let mut record = GameRecord::new(go.start(), Side::First, 99);
        for text in ["J9", "A1", "pass", "pass"] {
            record.play(go.parse_move(record.position(), text).unwrap()).unwrap();
        }
        let players = ["A".into(), "B".into()];
        let headers = Headers { players, ..Headers::default() };
        let note = Note { value: Some(Score(1500)), depth: 4, ..Note::default() };
        let notes = [note, note];
        let text = write_record(&go, RecordFormat::Sgf, &record, &headers, &notes).unwrap();
        assert_eq!(
            text,
            "(;FF[4]GM[1]CA[UTF-8]AP[evalsmith]SZ[9]KM[7]PB[A]PW[B]RE[W+7]\n\
             ;B[ia]V[1.500]C[depth 4];W[ai]V[-1.500]C[depth 4];B[];W[])\n"
        );
    }

    #[test]
    fn a_position_is_set_up_by_its_stones() {
        let go = go();
        let record = random_game(&go, 3, 9, 5);
        let text = write_record(&go, RecordFormat::Sgf, &record, &headers(), &[]).unwrap();
        assert!(text.contains("AB[") && text.contains("AW[") && text.contains("PL[W]"), "{text}");
        let othello = othello();
        let record = random_game(&othello, 3, 9, 5);
        let refused = write_record(&othello, RecordFormat::Sgf, &record, &headers(), &[]);
        assert!(refused.unwrap_err().reason.contains("from the start"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn what_is_written_is_read(seed: u64, plies in 0_usize..150) {
            reread(&go(), &random_game(&go(), seed, 0, plies), false);
            let othello = othello();
            reread(&othello, &random_game(&othello, seed, 0, plies), true);
        }
    }
}
