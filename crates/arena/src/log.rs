//! The log of a match: JSON lines, the plan first, then each game as it ends.
//!
//! Invariant: every byte up to the last line break was written whole. A line is
//! written by one call, so that a kill leaves at most one cut line at the end;
//! opening the log again drops it. The open file is locked, and the lock dies
//! with its process.

use crate::{ArenaError, MatchPlan, PlayedGame};
use evalsmith_core::Progress;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A longer line was not written by a match.
const LONGEST_LINE: u64 = 1 << 24;
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    match_log: u32,
    game: String,
    plan: MatchPlan,
}

/// An open log, locked against other runs.
#[derive(Debug)]
pub(crate) struct MatchLog {
    path: PathBuf,
    file: File,
    /// Bytes that are whole lines.
    length: u64,
    /// How a write failed; none is tried after it.
    failed: Option<io::ErrorKind>,
}

impl MatchLog {
    /// Opens or begins the log of `plan` and returns the games it holds, in the
    /// order they were written. `check` may refuse a game, with a reason.
    pub(crate) fn open(
        path: &Path,
        game: &str,
        plan: &MatchPlan,
        check: impl FnMut(&PlayedGame) -> Result<(), String>,
        progress: &dyn Progress,
    ) -> Result<(Self, Vec<PlayedGame>), ArenaError> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(ArenaError::io(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ArenaError::Busy { path: path.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(ArenaError::io(path)(source)),
        }
        let header = Header { match_log: VERSION, game: game.to_owned(), plan: plan.clone() };
        let mut log = Self { path: path.to_owned(), file, length: 0, failed: None };
        let header_line = line_of(&header);
        let games = log.read(&header_line, check, progress)?;
        log.file.set_len(log.length).map_err(ArenaError::io(path))?;
        log.file.seek(SeekFrom::Start(log.length)).map_err(ArenaError::io(path))?;
        if log.length == 0 {
            log.append(&header_line)?;
        }
        Ok((log, games))
    }

    /// Reads all whole lines and sets the length to their end.
    fn read(
        &mut self,
        header_line: &[u8],
        mut check: impl FnMut(&PlayedGame) -> Result<(), String>,
        progress: &dyn Progress,
    ) -> Result<Vec<PlayedGame>, ArenaError> {
        let mut reader = BufReader::new(&self.file);
        let mut games = Vec::new();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = reader
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
                .map_err(ArenaError::io(&self.path))? as u64;
            let corrupt =
                |reason| ArenaError::Corrupt { path: self.path.clone(), line: number, reason };
            if read == 0 {
                break;
            }
            if number == 1 {
                let cut = self.check_header(&line, header_line)?;
                if cut {
                    break;
                }
            } else if line.ends_with(b"\n") {
                let game = serde_json::from_slice(&line)
                    .map_err(|e| e.to_string())
                    .and_then(|game| check(&game).map(|()| game))
                    .map_err(corrupt)?;
                games.push(game);
            } else if read == LONGEST_LINE {
                return Err(corrupt(format!("the line is longer than {LONGEST_LINE} bytes")));
            } else {
                progress.note(&format!(
                    "{}: line {number} was cut off; its game is played again",
                    self.path.display()
                ));
                break;
            }
            self.length += read;
        }
        Ok(games)
    }

    /// Compares the first line with the one this run would write. True when the
    /// line is the beginning of it and was cut off: any other file stays untouched.
    fn check_header(&self, line: &[u8], expected: &[u8]) -> Result<bool, ArenaError> {
        if !line.ends_with(b"\n") && expected.starts_with(line) {
            return Ok(true);
        }
        let not_a_log = |reason: String| ArenaError::NotALog { path: self.path.clone(), reason };
        let parse = |line| serde_json::from_slice::<Header>(line);
        let logged = parse(line).map_err(|e| not_a_log(format!("line 1: {e}")))?;
        let now = parse(expected).map_err(|e| not_a_log(format!("this run's plan: {e}")))?;
        if logged.match_log != VERSION {
            return Err(not_a_log(format!(
                "its format has the version {}, not {VERSION}",
                logged.match_log
            )));
        }
        let mut differences = logged.plan.differences(&now.plan);
        if logged.game != now.game {
            differences.insert(0, format!("game: {} in the log, {} now", logged.game, now.game));
        }
        if differences.is_empty() {
            Ok(false)
        } else {
            Err(ArenaError::OtherRun { path: self.path.clone(), differences })
        }
    }

    /// Appends a whole line.
    pub(crate) fn append(&mut self, line: &[u8]) -> Result<(), ArenaError> {
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

/// A value as one line of JSON.
pub(crate) fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plans and games have string keys only");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Nim, StopAfter, plan, seats};
    use crate::{MatchResult, run_match};
    use evalsmith_core::Quiet;
    use proptest::prelude::*;
    use serde_json::json;
    use std::fs;

    fn run(log: &Path) -> Result<MatchResult, ArenaError> {
        run_match(&Nim, &plan(3), &seats(), log, &Quiet)
    }

    /// A finished log of six games, and its result.
    fn finished(dir: &Path) -> (Vec<u8>, MatchResult) {
        let path = dir.join("finished");
        let result = run(&path).unwrap();
        (fs::read(path).unwrap(), result)
    }

    #[test]
    fn a_run_killed_at_any_byte_resumes_to_the_same_result() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, result) = finished(dir.path());
        let log = dir.path().join("log");
        for length in 0..=whole.len() {
            fs::write(&log, &whole[..length]).unwrap();
            let watch = StopAfter::never();
            let resumed = run_match(&Nim, &plan(3), &seats(), &log, &watch).unwrap();
            assert_eq!(resumed, result, "cut after {length} bytes");

            let kept = whole[..length].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
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
        let again = run_match(&Nim, &plan(3), &seats(), &log, &stop_at_once).unwrap();
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
    fn a_log_of_another_match_is_refused_with_the_difference() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        run(&log).unwrap();
        let before = fs::read(&log).unwrap();
        let others = [
            (MatchPlan { pairs: 4, ..plan(3) }, "pairs: 3 in the log, 4 now"),
            (MatchPlan { seed: 8, ..plan(3) }, "seed: 7 in the log, 8 now"),
            (MatchPlan { opening_plies: 3, ..plan(3) }, "opening plies: 2 in the log, 3 now"),
            (MatchPlan { names: ["a".into(), "b".into()], ..plan(3) }, "a and b now"),
            (MatchPlan { conditions: json!(0.2), ..plan(3) }, "conditions: {"),
        ];
        for (other, told) in others {
            let error = run_match(&Nim, &other, &seats(), &log, &Quiet).unwrap_err();
            assert!(
                matches!(&error, ArenaError::OtherRun { differences, .. }
                if differences.len() == 1 && differences[0].contains(told)),
                "{error}"
            );
        }
        let text = String::from_utf8(before.clone()).unwrap();
        fs::write(&log, text.replace("\"nim\"", "\"kayles\"")).unwrap();
        let error = run(&log).unwrap_err();
        assert!(error.to_string().contains("game: kayles in the log, nim now"), "{error}");
        fs::write(&log, text.replace("\"match_log\":1", "\"match_log\":2")).unwrap();
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
        let (first, _) = MatchLog::open(&path, "nim", &plan(3), |_| Ok(()), &Quiet).unwrap();
        assert!(matches!(run(&path).unwrap_err(), ArenaError::Busy { .. }));
        drop(first);
        run(&path).unwrap();
    }

    #[test]
    fn after_a_failed_write_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let (mut log, _) = MatchLog::open(&path, "nim", &plan(3), |_| Ok(()), &Quiet).unwrap();
        let before = fs::read(&path).unwrap();
        let writable = std::mem::replace(&mut log.file, File::open(&path).unwrap());
        assert!(matches!(log.append(b"{}\n"), Err(ArenaError::Io { .. })));
        log.file = writable;
        assert!(matches!(log.append(b"{}\n"), Err(ArenaError::Io { .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    proptest! {
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
                    prop_assert_eq!(result.games.len(), 6);
                    prop_assert!((0..).zip(&result.games).all(|(i, game)| game.index == i));
                }
                Err(error) => {
                    prop_assert!(error.to_string().contains("log"), "{}", error);
                    prop_assert_eq!(fs::read(&log).unwrap(), bytes, "a refused log stays");
                }
            }
        }
    }
}
