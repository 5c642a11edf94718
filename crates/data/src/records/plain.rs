//! Moves and little else: a line of them for any game, and USI's `position`.

use super::{Told, plain_text};
use evalsmith_core::{Game, Protocol, Side, Verdict};
use std::fmt::Write;

/// Lines with `#` tell of the game, `from` of its first position where that is
/// not the start; the last line is the moves.
pub(super) fn write(told: &Told<'_>) -> String {
    let headers = told.headers;
    let result = match told.outcome().map(evalsmith_core::Outcome::verdict) {
        Some(Verdict::Win) => "the first player won",
        Some(Verdict::Draw) => "a draw",
        Some(Verdict::Loss) => "the second player won",
        None => "not finished",
    };
    let [first, second] = headers.players.each_ref().map(|name| plain_text(name));
    let mut text = format!("# {}: {first} - {second}, {result}\n", told.game.name());
    for (name, value) in [
        ("event", &headers.event),
        ("date", &headers.date),
        ("opening", &headers.opening),
        ("time control", &headers.time_control),
        ("ended by", &headers.termination),
    ] {
        if let Some(value) = value {
            let _ = writeln!(text, "# {name}: {}", plain_text(value).trim());
        }
    }
    if let Some(position) = told.set_up() {
        let _ = writeln!(text, "from {}", told.game.format(position, told.record.first()));
    }
    let moves: Vec<_> = told.plies().map(|p| told.game.format_move(p.position, p.m)).collect();
    text.push_str(&moves.join(" "));
    text.push('\n');
    text
}

/// `position startpos moves 7g7f 3c3d`, or with `sfen` and the first position.
pub(super) fn write_usi(told: &Told<'_>) -> Result<String, String> {
    let dialect = told.game.dialect(Protocol::Usi).ok_or("it is not spoken so")?;
    let mut text = match told.set_up() {
        None => "position startpos".to_owned(),
        Some(position) => {
            let first: Side = told.record.first();
            let sfen = dialect.format_position(position, first);
            format!("position sfen {}", sfen.ok_or("its first position has no text")?)
        }
    };
    if told.record.ply() > 0 {
        text.push_str(" moves");
    }
    for ply in told.plies() {
        let _ = write!(text, " {}", dialect.format_move(ply.position, ply.m));
    }
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{headers, malawi, random_game, shogi};
    use super::super::{RecordFormat, write_record};
    use super::*;
    use evalsmith_core::GameRecord;
    use evalsmith_rules::{DynGame, Pos};
    use proptest::prelude::*;

    fn replay(game: &DynGame, from: Option<&str>, moves: &str, record: &GameRecord<Pos>) {
        let (start, side) = match from {
            Some(text) => game.parse(text).unwrap(),
            None => (game.start(), Side::First),
        };
        let mut again = GameRecord::new(start, side, record.max_plies());
        for text in moves.split_whitespace() {
            again.play(game.parse_move(again.position(), text).unwrap()).unwrap();
        }
        assert_eq!(&again, record);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn what_is_written_is_read(seed: u64, skip in 0_usize..40, plies in 0_usize..120) {
            let record = random_game(&malawi(), seed, skip / 4, plies);
            let text =
                write_record(&malawi(), RecordFormat::Plain, &record, &headers(), &[]).unwrap();
            let from = text.lines().find_map(|line| line.strip_prefix("from "));
            replay(&malawi(), from, text.lines().last().unwrap(), &record);

            let record = random_game(&shogi(), seed, skip, plies);
            let text = write_record(&shogi(), RecordFormat::Usi, &record, &headers(), &[]).unwrap();
            let line = text.trim_end().strip_prefix("position ").unwrap();
            let (start, moves) = line.split_once(" moves").unwrap_or((line, ""));
            replay(&shogi(), start.strip_prefix("sfen "), moves, &record);
        }
    }
}
