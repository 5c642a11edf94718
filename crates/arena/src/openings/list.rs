//! Openings from a file: one a line, as moves from the start or as a position; or
//! the games of a PGN file.
//!
//! A line may be moves in the game's notation (`f5 d6 c3`, `f5d6c3`,
//! `1. e4 e5`), a position as the game writes it, a `position` command of UCI or
//! USI (`startpos moves 7g7f 3c3d`), or a line of EPD or OBF, whose further fields
//! are passed over. Empty lines and what follows `#` or `%` at the beginning of a
//! line say nothing.

use super::{Openings, Source, pgn};
use crate::ArenaError;
use evalsmith_core::files::{MOST_LIST, read_at_most};
use evalsmith_core::{Game, GameRecord, Side};
use evalsmith_rules::{DynGame, MoveId, Pos, Record};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// The longest move in letters that is looked for where moves are not parted.
const LONGEST_MOVE: usize = 8;

/// The line an opening stands on, and the opening or what is wrong with it.
type Line = (usize, Result<Record, String>);

impl Openings {
    /// The openings of a file in its order, each cut after so many half-moves
    /// where that is given, with a remark for each that is left out: it repeats an
    /// earlier one, or its game is over before the cut.
    ///
    /// # Errors
    /// When the file cannot be read, or something in it is no opening: the error
    /// says on which line.
    pub fn from_file(
        game: &DynGame,
        path: &Path,
        plies: Option<u16>,
    ) -> Result<(Self, Vec<String>), ArenaError> {
        let bytes = read_at_most(path, MOST_LIST).map_err(ArenaError::io(path))?;
        let text = String::from_utf8_lossy(&bytes);
        let listed = Self::from_text(game, &text, plies).map_err(|(line, reason)| {
            ArenaError::Opening { path: path.to_owned(), line, reason }
        })?;
        match listed.0.len() {
            0 => Err(ArenaError::EmptyList { path: path.to_owned() }),
            _ => Ok(listed),
        }
    }

    /// The same from a text; an error is the line's number and what is wrong with
    /// it.
    fn from_text(
        game: &DynGame,
        text: &str,
        plies: Option<u16>,
    ) -> Result<(Self, Vec<String>), (usize, String)> {
        if pgn::is_pgn(text) {
            let games = pgn::read_games(text)?;
            let records = games.iter().map(|written| (written.line, replay(game, written, plies)));
            return Self::from_records(game, records, plies);
        }
        let says = |line: &str| !line.is_empty() && !line.starts_with(['#', '%']);
        let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| says(line));
        Self::from_records(game, lines.map(|(n, line)| (n, read_opening(game, line))), plies)
    }

    fn from_records(
        game: &DynGame,
        lines: impl Iterator<Item = Line>,
        plies: Option<u16>,
    ) -> Result<(Self, Vec<String>), (usize, String)> {
        let mut first_seen = HashMap::new();
        let mut records = Vec::new();
        let mut remarks = Vec::new();
        for (number, record) in lines {
            let mut record = record.map_err(|reason| (number, reason))?;
            while plies.is_some_and(|plies| record.ply() > plies.into()) {
                record.take_back();
            }
            if record.ending().is_some() {
                if plies.is_none() {
                    let reason = "the game is over there; an opening leaves moves: give \
                                  --opening-plies to cut games short";
                    return Err((number, reason.into()));
                }
                remarks.push(format!("the game of line {number} is over early and is left out"));
                continue;
            }
            match first_seen.entry(game.canonical_key(record.position())) {
                Entry::Vacant(place) => {
                    place.insert(number);
                    records.push(record);
                }
                Entry::Occupied(earlier) => remarks.push(format!(
                    "line {number} leads to the position of line {}, or its mirror image, and is \
                     left out",
                    earlier.get()
                )),
            }
        }
        Ok((Self { game: game.clone(), source: Source::Listed(records) }, remarks))
    }
}

/// The beginning of a game of a PGN file.
fn replay(game: &DynGame, written: &pgn::Written, plies: Option<u16>) -> Result<Record, String> {
    let (start, side) = match &written.start {
        Some(text) => game.parse(text).map_err(|malformed| malformed.to_string())?,
        None => (game.start(), Side::First),
    };
    let mut record = GameRecord::new(start, side, game.max_plies());
    for text in written.moves.iter().take(plies.map_or(usize::MAX, usize::from)) {
        // People play on where the rules here end a game: after a repetition.
        if record.ending().is_some() {
            break;
        }
        let m = game.parse_move(record.position(), text).map_err(|malformed| {
            format!("the game that begins here, ply {}: {malformed}", record.ply() + 1)
        })?;
        record.play_named(m, text).map_err(|illegal| illegal.to_string())?;
    }
    Ok(record)
}

/// The opening of a line, or what is wrong with it as moves and as a position.
fn read_opening(game: &DynGame, line: &str) -> Result<Record, String> {
    if let Some(read) = read_command(game, line) {
        return read;
    }
    let start = GameRecord::new(game.start(), Side::First, game.max_plies());
    let no_moves = match read_moves(game, start, line) {
        Ok(record) => return Ok(record),
        Err(reason) => reason,
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let fields = line.split(';').next().unwrap_or(line).trim();
    let beginnings = [6, 4, 2].map(|n| words[..n.min(words.len())].join(" "));
    let beginnings = beginnings.iter().map(String::as_str);
    let mut no_position = String::new();
    for text in [line, fields].into_iter().chain(beginnings) {
        match game.parse(text) {
            Ok((position, side)) => {
                return Ok(GameRecord::new(position, side, game.max_plies()));
            }
            Err(malformed) if no_position.is_empty() => no_position = malformed.to_string(),
            Err(_) => {}
        }
    }
    Err(format!("neither moves from the start ({no_moves}) nor a position ({no_position})"))
}

/// The opening of a `position` command, without or with that word; nothing where
/// the line is none.
fn read_command(game: &DynGame, line: &str) -> Option<Result<Record, String>> {
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    let (start, moves) = match line.split_once(" moves") {
        Some((start, moves)) => (start.trim_end(), moves),
        None => (line, ""),
    };
    let (position, side) = if start == "startpos" {
        (game.start(), Side::First)
    } else {
        let text = ["sfen ", "fen "].iter().find_map(|word| start.strip_prefix(word))?;
        match game.parse(text) {
            Ok(parsed) => parsed,
            Err(malformed) => return Some(Err(malformed.to_string())),
        }
    };
    Some(read_moves(game, GameRecord::new(position, side, game.max_plies()), moves))
}

fn read_moves(game: &DynGame, mut record: Record, line: &str) -> Result<Record, String> {
    for word in line.split_whitespace() {
        let mut rest = without_number(word);
        while !rest.is_empty() {
            let (m, length) = next_move(game, record.position(), rest)
                .ok_or_else(|| format!("{rest:?} is no legal move at ply {}", record.ply() + 1))?;
            let played = record.play_named(m, &rest[..length]);
            played.map_err(|illegal| illegal.to_string())?;
            rest = &rest[length..];
        }
    }
    Ok(record)
}

/// What follows a move's number: `e4` of `1.e4`.
pub(super) fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with('.') { rest.trim_start_matches('.') } else { word }
}

/// The move that `text` is, or the longest it begins with, and its length.
fn next_move(game: &DynGame, position: &Pos, text: &str) -> Option<(MoveId, usize)> {
    let lengths = text.char_indices().map(|(at, _)| at).take(LONGEST_MOVE + 1).skip(1);
    let lengths: Vec<usize> = lengths.filter(|&length| length <= LONGEST_MOVE).collect();
    let mut candidates = std::iter::once(text.len()).chain(lengths.into_iter().rev());
    candidates
        .find_map(|length| game.parse_move(position, &text[..length]).ok().map(|m| (m, length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_othello::Othello;
    use proptest::prelude::*;
    use std::fs;

    fn othello_game() -> DynGame {
        DynGame::new(Othello::new())
    }

    fn othello(text: &str) -> Result<(Vec<String>, Vec<String>), (usize, String)> {
        let game = othello_game();
        let (openings, remarks) = Openings::from_text(&game, text, None)?;
        let shown = openings.first(99);
        Ok((shown.iter().map(|r| game.format(r.position(), r.side())).collect(), remarks))
    }

    #[test]
    fn moves_in_several_writings_and_positions_are_read() {
        let board = "---------------------------OX------XO--------------------------- X";
        let text =
            format!("# a list\n\nf5 d6 c3\n  f5d6c3d3\n1. f5 f6\n{board}; f5:0; d3:0; % OBF\n");
        let (openings, remarks) = othello(&text).unwrap();
        assert_eq!((openings.len(), remarks.len()), (4, 0));
        assert_eq!(openings[3], board);
        assert_eq!(othello("f5 d6 c3 d3").unwrap().0[0], openings[1]);
    }

    #[test]
    fn repeated_lines_are_told_even_in_a_mirror() {
        let (openings, remarks) = othello("f5 d6\nf5 f6\nf5d6\ne6 f4\nc4 e3\n").unwrap();
        assert_eq!(openings.len(), 2, "{remarks:?}");
        assert_eq!(remarks.len(), 3);
        assert!(remarks[0].starts_with("line 3 leads to the position of line 1"), "{remarks:?}");
    }

    #[test]
    fn a_line_that_is_none_is_told_by_number() {
        for (text, line, words) in [
            ("f5 d6\nf5 a1\n", 2, "\"a1\" is no legal move at ply 2"),
            ("\n\nf5 f5", 3, "no legal move"),
            ("XXOO X", 1, "position"),
        ] {
            let (number, reason) = othello(text).unwrap_err();
            assert_eq!(number, line);
            assert!(reason.contains(words), "{reason}");
        }
        let full = format!("{} X", "X".repeat(64));
        assert!(othello(&full).unwrap_err().1.contains("over"));
    }

    #[test]
    fn a_list_without_openings_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list");
        for text in ["", "\n\n", "# nothing yet\n"] {
            fs::write(&path, text).unwrap();
            let error = Openings::from_file(&othello_game(), &path, None).map(drop).unwrap_err();
            assert!(error.to_string().contains("list: the list holds no opening"), "{error}");
        }
    }

    #[test]
    fn fen_and_epd_are_positions() {
        let text = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
                    rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - bm Nf6; id \"Bc4\";\n\
                    1.d4 d5 2.c4\n";
        let (openings, _) = Openings::from_text(&DynGame::new(Chess), text, None).unwrap();
        let sides: Vec<_> = openings.first(9).iter().map(GameRecord::side).collect();
        assert_eq!(sides, [Side::First, Side::Second, Side::Second]);
        assert!(openings.clone().select(Some(4), &|_| true).is_err());
        let black = openings.select(None, &|r| r.side() == Side::Second).unwrap();
        assert_eq!(black.len(), 2);
    }

    #[test]
    fn commands_of_uci_and_usi_are_openings() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let text = format!(
            "startpos moves e2e4\nposition startpos moves e2e4 c7c5\nposition fen {fen} moves g1f3\n\
             position fen {fen}\n"
        );
        let (openings, remarks) = Openings::from_text(&DynGame::new(Chess), &text, None).unwrap();
        assert_eq!((openings.len(), remarks.len()), (4, 0));
        let plies: Vec<_> = openings.first(9).iter().map(GameRecord::ply).collect();
        assert_eq!(plies, [1, 2, 1, 0]);
        let wrong = Openings::from_text(&DynGame::new(Chess), "\nposition fen 8/8 w\n", None)
            .err()
            .unwrap();
        assert_eq!(wrong.0, 2, "{wrong:?}");
    }

    const GAMES: &str = "[Event \"a\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[Event \"b\"]\n\n\
                         1. e4 e5 2. Nf3 *\n\n[Event \"c\"]\n\n1. e4 e5 2. Bc4 *\n";

    #[test]
    fn games_of_pgn_are_cut_to_openings() {
        let cut = |plies| Openings::from_text(&DynGame::new(Chess), GAMES, Some(plies)).unwrap();
        let (openings, remarks) = cut(3);
        assert_eq!((openings.len(), remarks.len()), (3, 0));
        assert!(openings.first(9).iter().all(|record| record.ply() == 3));
        let (openings, remarks) = cut(2);
        assert_eq!(openings.len(), 2);
        assert!(remarks[0].starts_with("line 9 leads to the position of line 5"), "{remarks:?}");
        let (openings, remarks) = cut(4);
        assert_eq!((openings.len(), openings.get(0).ply()), (2, 3));
        assert_eq!(remarks, ["the game of line 1 is over early and is left out"]);
    }

    #[test]
    fn a_game_of_pgn_that_is_none_is_told_by_its_line() {
        let error =
            |text: &str| Openings::from_text(&DynGame::new(Chess), text, None).err().unwrap();
        let (line, reason) = error(GAMES);
        assert!(line == 1 && reason.contains("--opening-plies"), "{line}: {reason}");
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(3);
        let (line, reason) = error(&format!("[Event \"r\"]\n{knights} e4 *"));
        assert!(line == 1 && reason.contains("over there"), "{line}: {reason}");
        let (line, reason) = error("[Event \"b\"]\n\n1. e4 *\n[Event \"c\"]\n1. e4 Ke7 *\n");
        assert!(
            line == 4 && reason.contains("ply 2") && reason.contains("Ke7"),
            "{line}: {reason}"
        );
    }

    proptest! {
        /// Whatever stands in a file, it is a list or an error with its line.
        #[test]
        fn no_text_panics(text in "[a-h1-8XO. ;%#\\-\\n\u{e9}\u{1f0}]{0,200}", junk in any::<String>()) {
            for text in [text, junk] {
                let lines = text.lines().count();
                match Openings::from_text(&othello_game(), &text, None) {
                    Ok((openings, remarks)) => prop_assert!(openings.len() + remarks.len() <= lines),
                    Err((line, reason)) => {
                        prop_assert!((1..=lines).contains(&line));
                        prop_assert!(!reason.is_empty());
                    }
                }
            }
        }

        /// Random legal games are read back, parted by spaces or not.
        #[test]
        fn what_is_written_is_read(seed in any::<u64>(), plies in 1..30_u16) {
            let game = othello_game();
            let openings = Openings::random(&game, plies, 1, seed).unwrap();
            let record = openings.get(0);
            let steps = record.positions().iter().zip(record.moves());
            let names: Vec<_> = steps.map(|(p, &m)| game.format_move(p, m)).collect();
            for parted in [names.join(" "), names.concat()] {
                let (read, _) = Openings::from_text(&game, &parted, None).map_err(|e| TestCaseError::fail(e.1))?;
                prop_assert_eq!(read.get(0), record.clone());
            }
        }
    }
}
