//! GGF: Othello games as the servers and NBoard write them, one to a line.
//!
//! A move is `B[D3/1.50/2.00]` with value and seconds where they are known. Values
//! are discs: exact where the game is decided, elsewhere five to a unit of
//! log-odds, about what midgame positions show.

use super::{Note, Told, plain_text};
use evalsmith_core::{Game, Protocol, Score, Side};
use std::fmt::Write;

pub(super) fn write(told: &Told<'_>) -> Result<String, String> {
    let dialect = told.game.dialect(Protocol::NBoard).ok_or("it is not spoken so")?;
    let first = told.record.first();
    let board = dialect
        .format_position(&told.record.positions()[0], first)
        .ok_or("its first position has no text; record it as pgn")?;
    let mut text = "(;GM[Othello]PC[evalsmith]".to_owned();
    let mut property = |name: &str, value: &str| {
        // There is no escape: brackets become others.
        let value = plain_text(value).replace('[', "(").replace(']', ")");
        let _ = write!(text, "{name}[{}]", value.trim());
    };
    let headers = told.headers;
    if let Some(date) = &headers.date {
        property("DT", date);
    }
    let black = told.called("black");
    property("PB", &headers.players[black.index()]);
    property("PW", &headers.players[black.other().index()]);
    let result = told.outcome().map_or("?".into(), |outcome| {
        format!("{:+.2}", f64::from(outcome.seen_by(Side::First, black).margin()))
    });
    property("RE", &result);
    if let Some(control) = &headers.time_control {
        property("TI", control);
    }
    property("TY", "8");
    property("BO", &board);
    for ply in told.plies() {
        let name = if ply.side == black { "B" } else { "W" };
        let m = dialect.format_move(ply.position, ply.m);
        property(name, &format!("{m}{}", annotation(&ply.note)));
    }
    text.push_str(";)\n");
    Ok(text)
}

fn annotation(note: &Note) -> String {
    let value = note.value.map(|value| format!("{:.2}", discs(value))).unwrap_or_default();
    match note.time {
        Some(time) => format!("/{value}/{:.2}", time.as_secs_f64()),
        None if value.is_empty() => value,
        None => format!("/{value}"),
    }
}

fn discs(value: Score) -> f64 {
    if value.is_decisive() {
        f64::from(value.0.signum() * (value.0.abs() - Score::WIN.0))
    } else {
        5.0 * value.log_odds().0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{headers, notes, othello, random_game};
    use super::super::{RecordFormat, write_record};
    use super::*;
    use evalsmith_core::{GameRecord, Outcome};
    use evalsmith_rules::Pos;
    use proptest::prelude::*;
    use std::time::Duration;

    /// The properties in their order.
    fn read(text: &str) -> Vec<(&str, &str)> {
        let inner = text.trim().strip_prefix("(;").unwrap().strip_suffix(";)").unwrap();
        let properties = inner.split_terminator(']');
        properties.map(|property| property.split_once('[').unwrap()).collect()
    }

    fn reread(record: &GameRecord<Pos>) {
        let game = othello();
        let dialect = game.dialect(Protocol::NBoard).unwrap();
        let all = notes(record.ply());
        let text = write_record(&game, RecordFormat::Ggf, record, &headers(), &all).unwrap();
        let properties = read(&text);
        let named = |name: &str| properties.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        assert_eq!(named("PW"), Some("Ben )\\"));
        assert_eq!(named("RE") == Some("?"), record.ending().is_none());
        let (board, side) = dialect.parse_position(named("BO").unwrap()).unwrap();
        let mut again = GameRecord::new(board, side, record.max_plies());
        for (name, value) in properties {
            let side = match name {
                "B" => Side::First,
                "W" => Side::Second,
                _ => continue,
            };
            assert_eq!(side, again.side());
            let m = value.split('/').next().unwrap();
            again.play(dialect.parse_move(again.position(), m).unwrap()).unwrap();
        }
        assert_eq!(&again, record);
    }

    #[test]
    fn values_are_discs_and_times_seconds() {
        let time = Some(Duration::from_millis(1500));
        let note = |value, time| annotation(&Note { value, time, ..Note::default() });
        assert_eq!(note(Some(Score(2000)), time), "/10.00/1.50");
        assert_eq!(note(Some(Score::of_outcome(Outcome::by(-6))), None), "/-6.00");
        assert_eq!(note(None, time), "//1.50");
        assert_eq!(note(None, None), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn what_is_written_is_read(seed: u64, skip in 0_usize..40, plies in 0_usize..70) {
            reread(&random_game(&othello(), seed, skip, plies));
        }
    }
}
