//! The games of a match log in the formats that other programs read, one by
//! one, with what the players thought of each move.

use crate::LabError;
use evalsmith_arena::{End, LogHeader, LogReader, PlayedGame};
use evalsmith_core::{FaultKind, Game, GameRecord, Malformed, Outcome, Side};
use evalsmith_data::{Headers, LastWord, Note, RecordFormat, write_record};
use evalsmith_rules::{DynGame, Record};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Writes every game of a log, in the format that programs for the game are most
/// likely to read unless one is given, and says how many there were.
///
/// # Errors
/// When the log cannot be read, is of another game or holds an illegal move, the
/// game is not written in that format, or `out` refuses.
pub fn write_match(
    game: &DynGame,
    log: &Path,
    format: Option<RecordFormat>,
    out: &mut dyn Write,
) -> Result<u64, LabError> {
    let (header, mut reader) = LogReader::open(log)?;
    if header.game != game.name() {
        let found = header.game;
        return Err(LabError::Settings(format!("{} is a match of {found}", log.display())));
    }
    let format = format.unwrap_or_else(|| RecordFormat::usual(game));
    let mut count = 0;
    while let Some(played) = reader.next_game::<PlayedGame>()? {
        let (record, opening) = replay(game, &played)?;
        let text = write_record(
            game,
            format,
            &record,
            &headers(&header, &played),
            &notes(&played, opening),
        )
        .map_err(|refused| LabError::Settings(refused.to_string()))?;
        let end = if format == RecordFormat::Pgn { "\n\n" } else { "\n" };
        out.write_all(text.trim_end().as_bytes())
            .and_then(|()| out.write_all(end.as_bytes()))
            .map_err(LabError::io(log))?;
        count += 1;
    }
    Ok(count)
}

/// The game move by move, and the half-moves of its opening.
fn replay(game: &DynGame, played: &PlayedGame) -> Result<(Record, usize), LabError> {
    let (start, side) = match &played.start {
        Some(text) => game.parse(text)?,
        None => (game.start(), Side::First),
    };
    let mut record = GameRecord::new(start, side, game.max_plies());
    let opening: Vec<&str> = played.opening.split_whitespace().collect();
    for text in opening.iter().copied().chain(played.moves.iter().map(String::as_str)) {
        let m = game.parse_move(record.position(), text)?;
        record.play_named(m, text).map_err(|illegal| {
            Malformed::new("logged game", format_args!("{}", played.index), illegal.to_string())
        })?;
    }
    Ok((record, opening.len()))
}

fn headers(header: &LogHeader, played: &PlayedGame) -> Headers {
    let names = &header.plan.names;
    let by_first = if played.first == 0 { played.margin } else { -played.margin };
    let termination = match &played.fault {
        Some(fault) => format!("{}: {}", played.reason, fault.reason),
        None => played.reason.to_string(),
    };
    Headers {
        players: [names[played.first].clone(), names[1 - played.first].clone()],
        event: Some(names.join(" - ")),
        round: Some(played.index + 1),
        outcome: Some(Outcome::by(by_first)),
        termination: Some(termination),
        last_word: last_word(played),
        ..Headers::default()
    }
}

fn last_word(played: &PlayedGame) -> Option<LastWord> {
    match (played.reason, played.fault.as_ref().map(|fault| fault.kind)) {
        (End::Resigned, _) => Some(LastWord::Resigned),
        (End::Claimed, _) if played.margin != 0 => Some(LastWord::DeclaredWin),
        (_, Some(FaultKind::LostOnTime)) => Some(LastWord::LostOnTime),
        (_, Some(FaultKind::Illegal)) => Some(LastWord::Illegal),
        _ => None,
    }
}

/// Nobody thought in the opening.
fn notes(played: &PlayedGame, opening: usize) -> Vec<Note> {
    let told = &played.notes;
    let note = |i: usize| Note {
        value: told.value.get(i).copied().flatten(),
        depth: told.depth.get(i).copied().unwrap_or_default().into(),
        nodes: told.nodes.get(i).copied().unwrap_or_default(),
        time: told.micros.get(i).copied().map(Duration::from_micros),
    };
    let before = std::iter::repeat_n(Note::default(), opening);
    before.chain((0..played.moves.len()).map(note)).collect()
}
