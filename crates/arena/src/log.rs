//! The log of a match: JSON lines, the plan first, then each game as it ends.
//!
//! Invariant: every byte up to the last line break was written whole. A line is
//! written by one call, so that a kill leaves at most one cut line at the end;
//! opening the log again drops it, unless nothing but its line break is missing. Each
//! line ends with a [checksum](evalsmith_core::seal). The
//! open file is locked, and the lock dies with its process. When the match is over its
//! games are put in order, so that the finished log does not depend on the number of
//! threads. Beside it grows a [table](crate::table) of the results.

use crate::scoreboard::Ended;
use crate::table::ResultTable;
use crate::{ArenaError, MatchPlan, PlayedGame};
use evalsmith_core::files::{self, write_atomically};
use evalsmith_core::{Progress, seal};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A longer line was not written by a match.
const LONGEST_LINE: u64 = 1 << 24;
/// Logs of version 2 have lines without checksums.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;
const VERSION: u32 = 3;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogHeader {
    match_log: u32,
    /// The game.
    pub game: String,
    /// What is played.
    pub plan: MatchPlan,
}

impl LogHeader {
    fn new(game: &str, plan: &MatchPlan) -> Self {
        Self { match_log: VERSION, game: game.to_owned(), plan: plan.clone() }
    }

    fn parse(line: &[u8], path: &Path) -> Result<Self, ArenaError> {
        #[derive(Deserialize)]
        struct Version {
            match_log: u32,
        }
        let not_a_log = |reason: String| ArenaError::NotALog { path: path.to_owned(), reason };
        let unreadable = |e: serde_json::Error| not_a_log(format!("line 1: {e}"));
        let Version { match_log } = serde_json::from_slice(line).map_err(unreadable)?;
        if !VERSIONS.contains(&match_log) {
            return Err(not_a_log(format!(
                "its format has the version {match_log}, not {VERSION}"
            )));
        }
        let body = seal::open(line, match_log == VERSION)
            .map_err(|reason| ArenaError::corrupt_header(path, reason))?;
        serde_json::from_slice(&body).map_err(unreadable)
    }

    /// Whether every line must have a checksum.
    fn is_sealed(&self) -> bool {
        self.match_log == VERSION
    }
}

/// Reads a log line by line, in memory for one.
pub struct LogReader<R> {
    path: PathBuf,
    reader: R,
    line: Vec<u8>,
    number: usize,
    /// Bytes that are whole lines.
    length: u64,
    /// How the line read last ended.
    end: LineEnd,
    /// Whether every line must have a checksum.
    sealed: bool,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    /// By a line break.
    Break,
    /// The file ends where the line break belongs.
    Unbroken,
    /// The file ends within the line.
    Cut,
}

impl LogReader<BufReader<File>> {
    /// Opens a log for reading; a match may be writing it.
    ///
    /// # Errors
    /// When the file cannot be read or is no match log.
    pub fn open(path: &Path) -> Result<(LogHeader, Self), ArenaError> {
        let file = File::open(path).map_err(ArenaError::io(path))?;
        let mut reader = LogReader::new(path, BufReader::with_capacity(1 << 16, file));
        let whole = reader.advance()?;
        let line = if whole { &reader.line[..] } else { b"" };
        let header = LogHeader::parse(line, path)?;
        reader.sealed = header.is_sealed();
        Ok((header, reader))
    }

    /// The file itself, to be read anywhere before [`skip`](Self::skip).
    pub(crate) fn file(&mut self) -> &mut File {
        self.reader.get_mut()
    }

    /// Goes on after so many games that end at byte `end`.
    pub(crate) fn skip(&mut self, games: u64, end: u64) -> Result<(), ArenaError> {
        self.reader.seek(SeekFrom::Start(end)).map_err(ArenaError::io(&self.path))?;
        self.number += games as usize;
        self.length = end;
        Ok(())
    }
}

impl<R: BufRead> LogReader<R> {
    fn new(path: &Path, reader: R) -> Self {
        let path = path.to_owned();
        let line = Vec::new();
        Self { path, reader, line, number: 0, length: 0, end: LineEnd::Break, sealed: true }
    }

    /// Reads the next line; false at the end, or where the last line was cut off.
    fn advance(&mut self) -> Result<bool, ArenaError> {
        self.line.clear();
        self.number += 1;
        let read = self
            .reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut self.line)
            .map_err(ArenaError::io(&self.path))? as u64;
        if read == LONGEST_LINE && !self.line.ends_with(b"\n") {
            return Err(self.corrupt(format!("the line is longer than {LONGEST_LINE} bytes")));
        }
        self.end = LineEnd::Break;
        if read > 0 && !self.line.ends_with(b"\n") {
            self.end = self.end_without_break()?;
        }
        let whole = read > 0 && self.end != LineEnd::Cut;
        if whole {
            self.length += read;
        }
        Ok(whole)
    }

    /// How the last line ends, which has no line break; a whole one is given its own.
    ///
    /// A kill cuts the line off; another byte in the place of the line break is damage.
    fn end_without_break(&mut self) -> Result<LineEnd, ArenaError> {
        self.line.push(b'\n');
        if self.number > 1 && is_whole(&self.line, self.sealed) {
            return Ok(LineEnd::Unbroken);
        }
        self.line.pop();
        let last = self.line.pop().expect("a line without a line break is not empty");
        self.line.push(b'\n');
        if self.number > 1 && is_whole(&self.line, self.sealed) {
            let reason = "another byte stands in the place of its line break: the line was damaged";
            return Err(self.corrupt(reason.to_owned()));
        }
        self.line.pop();
        self.line.push(last);
        Ok(LineEnd::Cut)
    }

    /// The next game, as much of it as is asked for; none at the end. A last
    /// line that was cut off is passed over.
    ///
    /// # Errors
    /// When the file fails or a line is no game.
    pub fn next_game<T: DeserializeOwned>(&mut self) -> Result<Option<T>, ArenaError> {
        if !self.advance()? {
            return Ok(None);
        }
        let body = seal::open(&self.line, self.sealed).map_err(|reason| self.corrupt(reason))?;
        serde_json::from_slice(&body).map(Some).map_err(|e| self.corrupt(e.to_string()))
    }

    /// The next game up to its moves; none at the end.
    pub(crate) fn next_result(&mut self) -> Result<Option<Ended>, ArenaError> {
        if !self.advance()? {
            return Ok(None);
        }
        let body = seal::open(&self.line, self.sealed);
        body.and_then(|body| result_of(&body)).map(Some).map_err(|reason| self.corrupt(reason))
    }

    /// The line read last.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Whether the line read last has its line break in the file.
    pub(crate) fn is_broken(&self) -> bool {
        self.end == LineEnd::Break
    }

    /// An error that names the line read last.
    pub(crate) fn corrupt(&self, reason: String) -> ArenaError {
        ArenaError::corrupt(&self.path, self.number, reason)
    }
}

/// An open log, locked against other runs.
#[derive(Debug)]
pub(crate) struct MatchLog {
    path: PathBuf,
    file: File,
    table: ResultTable,
    /// Bytes that are whole lines.
    length: u64,
    /// How a write failed; none is tried after it.
    failed: Option<io::ErrorKind>,
}

impl MatchLog {
    /// Opens or begins the log of `plan` and shows the games it holds to `hear`,
    /// in the order they were written, which may refuse one with a reason.
    ///
    /// All of it is read, so its table is made anew.
    pub(crate) fn open(
        path: &Path,
        game: &str,
        plan: &MatchPlan,
        mut hear: impl FnMut(&PlayedGame) -> Result<(), String>,
        progress: &dyn Progress,
    ) -> Result<Self, ArenaError> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(ArenaError::io(path))?;
        files::lock(&file, path)?;
        let header_line = seal::line_of(&LogHeader::new(game, plan));
        let mut reader = LogReader::new(path, BufReader::new(&file));
        let whole = reader.advance()?;
        let (mut table, mut unbroken) = (None, false);
        // Only the beginning of this very header may be completed: any other
        // file stays untouched.
        let cut = |reader: &LogReader<_>| reader.end == LineEnd::Cut;
        if whole || (cut(&reader) && !header_line.starts_with(&reader.line)) {
            reader.sealed = check_header(&reader.line, &header_line, path)?.is_sealed();
            let table = table.insert(ResultTable::afresh(path, &reader.line));
            while let Some(game) = reader.next_game()? {
                hear(&game).map_err(|reason| reader.corrupt(reason))?;
                table.add(&Ended::from(&game), &reader.line);
                unbroken = !reader.is_broken();
            }
            if cut(&reader) {
                progress.note(&format!(
                    "{}: line {} was cut off; its game is played again",
                    path.display(),
                    reader.number
                ));
            }
        }
        let length = reader.length;
        let table = table.unwrap_or_else(|| ResultTable::afresh(path, &header_line));
        let mut log = Self { path: path.to_owned(), file, table, length, failed: None };
        log.file.set_len(length).map_err(ArenaError::io(path))?;
        log.file.seek(SeekFrom::Start(length)).map_err(ArenaError::io(path))?;
        if length == 0 {
            log.append(&header_line)?;
        } else if unbroken {
            log.append(b"\n")?;
        }
        Ok(log)
    }

    /// Appends a game and its line.
    pub(crate) fn append_game(&mut self, game: &Ended, line: &[u8]) -> Result<(), ArenaError> {
        self.append(line)?;
        self.table.add(game, line);
        Ok(())
    }

    /// Puts the games in the order of their numbers and drops those from `end` on: a
    /// sequential test was decided without them. What is in order stays as it is.
    pub(crate) fn put_in_order(&mut self, end: u32) -> Result<(), ArenaError> {
        let (_, mut reader) = LogReader::open(&self.path)?;
        let head = reader.line.clone();
        let (mut games, mut at) = (Vec::new(), head.len() as u64);
        while let Some(game) = reader.next_result()? {
            let length = reader.line.len() as u64;
            games.push((game, at, length));
            at += length;
        }
        let found = games.len();
        games.retain(|(game, ..)| game.index < end);
        if games.len() == found && games.is_sorted_by_key(|(game, ..)| game.index) {
            return Ok(());
        }
        games.sort_unstable_by_key(|(game, ..)| game.index);
        self.table.restart(&head);
        let (source, table) = (&mut self.file, &mut self.table);
        write_atomically(&self.path, |file| {
            file.write_all(&head)?;
            let mut line = Vec::new();
            for (game, at, length) in &games {
                line.resize(*length as usize, 0);
                source.seek(SeekFrom::Start(*at))?;
                source.read_exact(&mut line)?;
                file.write_all(&line)?;
                table.add(game, &line);
            }
            Ok(())
        })
        .map_err(ArenaError::io(&self.path))
    }

    /// Appends a whole line.
    fn append(&mut self, line: &[u8]) -> Result<(), ArenaError> {
        if let Some(kind) = self.failed {
            return Err(ArenaError::io(&self.path)(kind.into()));
        }
        if let Err(source) = self.file.write_all(line) {
            // Nothing may follow a half-written line. When it cannot be taken
            // back either, the next run finds it cut off and drops it.
            let _ = self.file.set_len(self.length);
            self.failed = Some(source.kind());
            return Err(ArenaError::io(&self.path)(source));
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Reads the first line, and compares it with the one this run would write.
fn check_header(line: &[u8], expected: &[u8], path: &Path) -> Result<LogHeader, ArenaError> {
    let logged = LogHeader::parse(line, path)?;
    let now = LogHeader::parse(expected, path)?;
    let mut differences = logged.plan.differences(&now.plan);
    if logged.game != now.game {
        differences.insert(0, format!("game: {} in the log, {} now", logged.game, now.game));
    }
    if differences.is_empty() {
        Ok(logged)
    } else {
        Err(ArenaError::OtherRun { path: path.to_owned(), differences })
    }
}

/// Whether a line is one JSON object with its checksum, where it must have one.
fn is_whole(line: &[u8], sealed: bool) -> bool {
    line.starts_with(b"{")
        && seal::open(line, sealed)
            .is_ok_and(|body| serde_json::from_slice::<IgnoredAny>(&body).is_ok())
}

/// A game's line read up to its moves, which [`PlayedGame`](crate::PlayedGame)
/// writes last: nine tenths of a line that a summary does not need.
fn result_of(line: &[u8]) -> Result<Ended, String> {
    /// In a text its quotation marks would be escaped.
    const MOVES: &[u8] = b",\"moves\":";
    if !line.ends_with(b"}\n") {
        return Err("it does not end as a game does".into());
    }
    // Most letters are no m, and comparing one is cheap.
    let is_moves = |at: &usize| line[*at] == b'm' && line[at - 2..].starts_with(MOVES);
    let whole = match (2..line.len()).find(is_moves) {
        None => line.to_vec(),
        Some(at) => [&line[..at - 2], b"}"].concat(),
    };
    serde_json::from_slice(&whole).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchResult;
    use crate::testing::{StopAfter, on_threads, plan, play};
    use evalsmith_core::Quiet;
    use evalsmith_core::seal::line_of;
    use proptest::prelude::*;
    use serde_json::json;
    use std::fs;

    fn run(log: &Path) -> Result<MatchResult, ArenaError> {
        play(&plan(3), log, &Quiet)
    }

    /// A finished log of six games, and its result.
    fn finished(dir: &Path) -> (Vec<u8>, MatchResult) {
        let path = dir.join("finished");
        let result = run(&path).unwrap();
        (fs::read(path).unwrap(), result)
    }

    /// How many games are read one by one.
    fn games(log: &Path) -> Result<usize, ArenaError> {
        let (_, mut reader) = LogReader::open(log)?;
        let mut count = 0;
        while reader.next_game::<PlayedGame>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn a_run_killed_at_any_byte_resumes_to_the_same_result() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, result) = finished(dir.path());
        let log = dir.path().join("log");
        for length in 0..=whole.len() {
            fs::write(&log, &whole[..length]).unwrap();
            let watch = StopAfter::never();
            let resumed = play(&plan(3), &log, &watch).unwrap();
            assert_eq!(resumed, result, "cut after {length} bytes");

            let kept = whole[..length].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
            // A line that lacks nothing but its line break is whole.
            let unbroken = 0 < kept && kept < length && whole.get(length) == Some(&b'\n');
            let kept = if unbroken { length } else { kept };
            let cut = usize::from(0 < kept && kept < length);
            assert_eq!(watch.notes.lock().unwrap().len(), cut, "{length}");

            let after = fs::read(&log).unwrap();
            assert_eq!(after.split_inclusive(|&b| b == b'\n').count(), 7, "{length}");
            assert_eq!(after[..kept], whole[..kept], "written lines stay");
        }
    }

    #[test]
    fn a_finished_match_is_read_not_played() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, result) = finished(dir.path());
        let stop_at_once = StopAfter::games(0);
        let log = dir.path().join("finished");
        let again = play(&plan(3), &log, &stop_at_once).unwrap();
        assert_eq!((again, fs::read(&log).unwrap()), (result, whole));
    }

    #[test]
    fn every_spoilt_line_is_found_by_number() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, _) = finished(dir.path());
        let log = dir.path().join("log");
        let lines: Vec<_> = whole.split_inclusive(|&b| b == b'\n').collect();
        for spoilt in 1..lines.len() {
            let twice = lines[if spoilt == 1 { 2 } else { 1 }];
            for bad in [&b"{\"index\":0}\n"[..], b"\n", b"\xFF\xFE\n", b"{}{}\n", twice] {
                let mut copy = lines.clone();
                copy[spoilt] = bad;
                let bytes = copy.concat();
                fs::write(&log, &bytes).unwrap();
                let error = run(&log).unwrap_err();
                let ArenaError::Corrupt { path, line, .. } = &error else { panic!("{error}") };
                // A repeated line is told where it comes the second time.
                let told = if bad == twice && spoilt == 1 { 3 } else { spoilt + 1 };
                assert_eq!((path, *line), (&log, told), "{error}");
                assert_eq!(fs::read(&log).unwrap(), bytes, "a refused log stays as it is");
            }
        }
    }

    #[test]
    fn no_flipped_bit_passes_unnoticed() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, _) = finished(dir.path());
        let log = dir.path().join("log");
        let beside = |name: &str| dir.path().join(name);
        let (table, results) = (beside("finished.results"), beside("log.results"));
        let last_byte = 8 * (whole.len() - 1)..8 * whole.len();
        for bit in (0..last_byte.start).step_by(5).chain(last_byte) {
            let place = format!("bit {} of byte {}", bit % 8, bit / 8);
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&log, &bytes).unwrap();
            for with_table in [false, true] {
                let _ = fs::remove_file(&results);
                if with_table {
                    fs::copy(&table, &results).unwrap();
                }
                assert!(crate::read_match(&log).is_err(), "{place}, {with_table}");
                assert!(crate::read_course(&log).is_err(), "{place}, {with_table}");
            }
            assert!(games(&log).is_err(), "{place}");
            assert!(run(&log).is_err(), "{place}");
            assert_eq!(fs::read(&log).unwrap(), bytes, "a refused log stays as it is");
        }
    }

    #[test]
    fn a_last_line_without_its_line_break_counts() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, result) = finished(dir.path());
        let log = dir.path().join("log");
        let lines: Vec<_> = whole.split_inclusive(|&b| b == b'\n').collect();
        let open = |line: &&[u8]| seal::open(line, true).unwrap().into_owned();
        let old = lines.iter().map(open).collect::<Vec<_>>().concat();
        let old = String::from_utf8(old).unwrap().replace("\"match_log\":3", "\"match_log\":2");
        for text in [&whole[..], old.as_bytes()] {
            fs::write(&log, &text[..text.len() - 1]).unwrap();
            for _ in 0..2 {
                assert_eq!(crate::read_match(&log).unwrap().1, result);
                assert_eq!(games(&log).unwrap(), 6);
            }
            let stop_at_once = StopAfter::games(0);
            assert_eq!(play(&plan(3), &log, &stop_at_once).unwrap(), result);
            assert_eq!(fs::read(&log).unwrap(), text, "the line break is added");
            assert_eq!(crate::read_match(&log).unwrap().1, result);
            fs::write(&log, [&text[..text.len() - 1], b"?"].concat()).unwrap();
            for error in [run(&log).unwrap_err(), games(&log).unwrap_err()] {
                assert!(error.to_string().contains("line 7: another byte"), "{error}");
            }
        }
    }

    #[test]
    fn a_finished_log_does_not_depend_on_threads_or_stops() {
        let dir = tempfile::tempdir().unwrap();
        let (plan, log) = (plan(30), dir.path().join("log"));
        let alone = on_threads(1, || play(&plan, &log, &Quiet)).unwrap();
        let wanted = fs::read(&log).unwrap();
        for (threads, stops) in [(2, 0), (8, 0), (8, 3)] {
            fs::remove_file(&log).unwrap();
            let mut played = None;
            for _ in 0..stops {
                let stopped = on_threads(threads, || play(&plan, &log, &StopAfter::games(7)));
                assert!(matches!(stopped, Err(ArenaError::Stopped { .. })));
            }
            played.replace(on_threads(threads, || play(&plan, &log, &Quiet)).unwrap());
            assert_eq!(played.as_ref(), Some(&alone));
            assert!(fs::read(&log).unwrap() == wanted, "{threads} threads, {stops} stops");
            assert_eq!(crate::read_match(&log).unwrap().1, alone, "its table was made anew");
        }
    }

    #[test]
    fn a_log_without_checksums_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, result) = finished(dir.path());
        let log = dir.path().join("log");
        let old: Vec<_> = whole
            .split_inclusive(|&b| b == b'\n')
            .map(|line| String::from_utf8(seal::open(line, true).unwrap().into_owned()).unwrap())
            .map(|line| line.replace("\"match_log\":3", "\"match_log\":2"))
            .collect();
        for games in 0..=6 {
            fs::write(&log, old[..=games].concat()).unwrap();
            assert_eq!(run(&log).unwrap(), result, "{games} games of an older program");
            assert!(fs::read_to_string(&log).unwrap().starts_with(&old[..=games].concat()));
        }
    }

    #[test]
    fn a_log_of_another_match_is_refused_with_the_difference() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        run(&log).unwrap();
        let before = fs::read(&log).unwrap();
        let others = [
            (MatchPlan { pairs: 4, ..plan(3) }, "pairs: 3 in the log, 4 now"),
            (MatchPlan { seed: 8, ..plan(3) }, "seed: 7 in the log, 8 now"),
            (MatchPlan { max_faults: 4, ..plan(3) }, "faults allowed: 3 in the log, 4 now"),
            (MatchPlan { names: ["a".into(), "b".into()], ..plan(3) }, "a and b now"),
            (MatchPlan { conditions: json!(0.2), ..plan(3) }, "conditions: {"),
        ];
        for (other, told) in others {
            let error = play(&other, &log, &Quiet).unwrap_err();
            assert!(
                matches!(&error, ArenaError::OtherRun { differences, .. }
                if differences.len() == 1 && differences[0].contains(told)),
                "{error}"
            );
        }
        let text = String::from_utf8(before.clone()).unwrap();
        let kayles = line_of(&LogHeader::new("kayles", &plan(3)));
        let games = text.split_once('\n').unwrap().1;
        fs::write(&log, [&kayles, games.as_bytes()].concat()).unwrap();
        let error = run(&log).unwrap_err();
        assert!(error.to_string().contains("game: kayles in the log, nim now"), "{error}");
        fs::write(&log, text.replace("\"match_log\":3", "\"match_log\":4")).unwrap();
        assert!(matches!(run(&log).unwrap_err(), ArenaError::NotALog { .. }));
    }

    #[test]
    fn foreign_files_are_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("thesis.txt");
        for text in ["All the work of a year", "one line\n", "{}\n", "[1,2", "\0\0\0\0"] {
            fs::write(&log, text).unwrap();
            let error = run(&log).unwrap_err();
            assert!(matches!(error, ArenaError::NotALog { .. }), "{text:?}: {error}");
            assert_eq!(fs::read_to_string(&log).unwrap(), text);
        }
        let error = run(&dir.path().join("missing").join("log")).unwrap_err();
        assert!(matches!(error, ArenaError::Io { .. }), "{error}");
        assert!(error.to_string().contains("missing"), "{error}");
    }

    #[test]
    fn a_second_run_is_refused_while_the_first_lives() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let hear = |_: &PlayedGame| Ok(());
        let first = MatchLog::open(&path, "nim", &plan(3), hear, &Quiet).unwrap();
        assert!(matches!(run(&path).unwrap_err(), ArenaError::Busy { .. }));
        drop(first);
        run(&path).unwrap();
    }

    #[test]
    fn after_a_failed_write_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let hear = |_: &PlayedGame| Ok(());
        let mut log = MatchLog::open(&path, "nim", &plan(3), hear, &Quiet).unwrap();
        let before = fs::read(&path).unwrap();
        let writable = std::mem::replace(&mut log.file, File::open(&path).unwrap());
        assert!(matches!(log.append(b"{}\n"), Err(ArenaError::Io { .. })));
        log.file = writable;
        assert!(matches!(log.append(b"{}\n"), Err(ArenaError::Io { .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_result_is_read_without_its_moves() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, _) = finished(dir.path());
        for line in whole.split_inclusive(|&b| b == b'\n').skip(1) {
            let game: PlayedGame = serde_json::from_slice(line).unwrap();
            let told = PlayedGame { opening: "\",\"moves\":[m".into(), ..game.clone() };
            for game in [game, told] {
                assert_eq!(result_of(&line_of(&game)).unwrap(), Ended::from(&game));
            }
        }
        for cut in ["", "\n", "{}\n", "m}\n", "{\"index\":1,\"moves\":[1}\n", "{\"index\":1"] {
            assert!(result_of(cut.as_bytes()).is_err(), "{cut}");
        }
    }

    proptest! {
        /// A summary of anything is a summary or an error that names the file.
        #[test]
        fn any_bytes_are_a_log_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            after_header in any::<bool>(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let log = dir.path().join("log");
            let header = if after_header { line_of(&LogHeader::new("nim", &plan(3))) } else { vec![] };
            fs::write(&log, [header, bytes].concat()).unwrap();
            if let Err(error) = crate::read_match(&log) {
                prop_assert!(error.to_string().contains("log"), "{}", error);
            }
        }

        /// Whatever stands in the log, the run ends in a whole match or an error.
        #[test]
        fn random_damage_never_panics(
            at in any::<prop::sample::Index>(),
            removed in 0..40_usize,
            put in prop::collection::vec(prop::sample::select(b"0129-.eE\"{}[]:,\n\0\xFFnul".to_vec()), 0..6),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let (mut bytes, _) = finished(dir.path());
            let start = at.index(bytes.len());
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, put);
            let log = dir.path().join("log");
            fs::write(&log, &bytes).unwrap();
            match run(&log) {
                Ok(result) => {
                    prop_assert_eq!(result.totals.games, 6);
                }
                Err(error) => {
                    prop_assert!(error.to_string().contains("log"), "{}", error);
                    prop_assert_eq!(fs::read(&log).unwrap(), bytes, "a refused log stays");
                }
            }
        }
    }
}
