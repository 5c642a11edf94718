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
