//! A line of play as text, and the position at its end as data.

use crate::LabError;
use crate::study::words::ending;
use evalsmith_core::{Game, GameRecord, Malformed, Picture, Position, Side, Way};
use evalsmith_rules::{DynGame, Record};
use serde::{Deserialize, Serialize};

/// No move of any game is longer in bytes.
const LONGEST_MOVE: usize = 24;
/// A line has at most so many moves, whatever the game allows.
const MOST_MOVES: usize = 2000;

/// A position and the moves played from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The first position; without it, the game's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The moves.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// A position as a page shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The position on one line.
    pub position: String,
    /// The position as text for people.
    pub diagram: String,
    /// The position as a picture, where the game has one.
    pub picture: Option<Picture>,
    /// Who is to move.
    pub to_move: Side,
    /// Half-moves played in the line.
    pub ply: usize,
    /// The line's moves in their usual spelling.
    pub line: Vec<String>,
    /// The way of the last move.
    pub last: Option<Way>,
    /// The legal moves; none when the game is over.
    pub moves: Vec<Legal>,
    /// How the game ended, in words.
    pub ending: Option<String>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Legal {
    /// The move as people write it.
    #[serde(rename = "move")]
    pub mv: String,
    /// Where it begins and ends.
    pub way: Way,
}

/// Plays a line.
pub(super) fn record(game: &DynGame, line: &Line) -> Result<Record, LabError> {
    let (position, side) = match &line.from {
        Some(text) => game.parse(text)?,
        None => (game.start(), Side::First),
    };
    let mut record = GameRecord::new(position, side, game.max_plies());
    if line.moves.len() > MOST_MOVES {
        let reason = format!("a line has at most {MOST_MOVES} moves; set up a later position");
        return Err(Malformed::new("line", line.moves.len(), reason).into());
    }
    for text in &line.moves {
        let m = game.parse_move(record.position(), text)?;
        record.play(m).map_err(|illegal| {
            Malformed::new("move", text, format!("the game is over at ply {}", illegal.ply))
        })?;
    }
    Ok(record)
}

/// The position at the end of a record.
pub(super) fn view(game: &DynGame, record: &Record) -> View {
    let (position, side) = (record.position(), record.side());
    let legal = |m| Legal { mv: game.format_move(position, m), way: game.way(position, m) };
    let ending = ending(game, record);
    let moves = if ending.is_some() { Vec::new() } else { position.moves().map(legal).collect() };
    let played = || record.positions().iter().zip(record.moves());
    View {
        position: game.format(position, side),
        diagram: game.draw(position, side),
        picture: game.picture(position, side),
        to_move: side,
        ply: record.ply(),
        line: played().map(|(p, &m)| game.format_move(p, m)).collect(),
        last: played().next_back().map(|(p, &m)| game.way(p, m)),
        moves,
        ending,
    }
}

/// Reads a position, or moves from the start: with or without spaces and numbers, and
/// with moves left out where there is only one, as passes are in Othello.
pub(super) fn read(game: &DynGame, text: &str) -> Result<Line, Malformed> {
    let text = text.trim();
    let as_position = match game.parse(text) {
        Ok((position, side)) => {
            return Ok(Line { from: Some(game.format(&position, side)), moves: Vec::new() });
        }
        Err(reason) => reason,
    };
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let mut moves = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",;".contains(c));
        if rest.is_empty() {
            break;
        }
        let position = record.position();
        let over = record.ending().is_some();
        let prefix = |length: &usize| rest.get(..*length).filter(|t| *t == t.trim());
        let found = (1..=rest.len().min(LONGEST_MOVE)).rev().find_map(|length| {
            let m = game.parse_move(position, prefix(&length)?).ok().filter(|_| !over)?;
            Some((m, length))
        });
        let only =
            || Some(position.moves().next()?).filter(|_| !over && position.move_count() == 1);
        let (m, length) = match found.or_else(|| Some((only()?, 0))) {
            Some(found) => found,
            None if numbered(rest) > 0 => {
                rest = &rest[numbered(rest)..];
                continue;
            }
            None if moves.is_empty() => return Err(as_position),
            None => {
                let word = rest.split_whitespace().next().unwrap_or_default();
                let reason = format!("it is no legal move after {} moves", moves.len());
                return Err(Malformed::new("move", word, reason));
            }
        };
        let name = game.format_move(position, m);
        let played = record.play_named(m, &name);
        played.map_err(|e| Malformed::new("transcript", text, e.to_string()))?;
        moves.push(name);
        rest = &rest[length..];
    }
    Ok(Line { from: None, moves })
}

/// The length of a move's number: `12.` or `12...`.
fn numbered(text: &str) -> usize {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let dots = text[digits..].len() - text[digits..].trim_start_matches('.').len();
    if digits > 0 && dots > 0 { digits + dots } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_othello::Othello;

    #[test]
    fn transcripts_are_read_however_they_are_written() {
        for text in ["f5d6c3", "F5 d6, C3", " 1. f5 d6 2. c3 "] {
            assert_eq!(
                read(&DynGame::new(Othello::new()), text).unwrap().moves,
                ["f5", "d6", "c3"],
                "{text}"
            );
        }
        let moves =
            read(&DynGame::new(Chess), "1. e4 e5 2. Nf3 Nc6 3.Bb5 a6 4... Ba4").unwrap().moves;
        assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4"]);
    }

    #[test]
    fn a_position_is_read_and_nonsense_refused_with_the_place() {
        let start = Chess.format(&Chess.start(), Side::First);
        assert_eq!(read(&DynGame::new(Chess), &start).unwrap().from, Some(start));
        let reason = read(&DynGame::new(Othello::new()), "f5 d6 a1").unwrap_err().to_string();
        assert!(reason.contains("after 2 moves") && reason.contains("a1"), "{reason}");
        assert!(
            read(&DynGame::new(Chess), "hello").is_err()
                && read(&DynGame::new(Chess), "é é").is_err()
        );
    }

    #[test]
    fn a_view_tells_moves_with_their_squares() {
        let line = Line { from: None, moves: vec!["F5".into()] };
        let game = DynGame::new(Othello::new());
        let view = view(&game, &record(&game, &line).unwrap());
        assert_eq!((view.line, view.ply, view.to_move), (vec!["f5".into()], 1, Side::Second));
        assert_eq!(view.last, Some(Way::onto(37)));
        let moves: Vec<_> = view.moves.iter().map(|m| (m.mv.as_str(), m.way.to)).collect();
        assert_eq!(moves, [("f4", Some(29)), ("d6", Some(43)), ("f6", Some(45))]);
        assert!(record(&game, &Line { from: None, moves: vec!["a1".into()] }).is_err());
    }
}
