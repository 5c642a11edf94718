//! Everything that can go wrong in the arena.

use evalsmith_core::files::LockError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a match or a calibration failed. Each message names the thing and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The game, or a list, has not that many different openings.
    #[error(
        "{wanted} different {what} are wanted, but for {game} only {found} were found: ask for \
         {found} pairs at most, or for other openings"
    )]
    TooFewOpenings {
        /// The game.
        game: String,
        /// What was looked for.
        what: String,
        /// The number asked for.
        wanted: u32,
        /// Different openings found before the search gave up.
        found: u32,
    },
    /// More openings than can be listed.
    #[error(
        "there are more than {most} positions after {}: ask for shorter openings, or \
         for random ones",
        evalsmith_core::Plies::from(*plies)
    )]
    TooManyOpenings {
        /// The length asked for.
        plies: u16,
        /// The most that are listed.
        most: usize,
    },
    /// A line of a list is no opening.
    #[error("{}, line {line}: {reason}", path.display())]
    Opening {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A list without a line that is an opening.
    #[error(
        "{}: the list holds no opening; write moves, or a position, on a line each",
        path.display()
    )]
    EmptyList {
        /// The list.
        path: PathBuf,
    },
    /// More games than a match can number.
    #[error("{pairs} pairs are more than a match can hold ({} at most)", u32::MAX / 2)]
    TooManyPairs {
        /// The pairs asked for.
        pairs: u32,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is writing the log.
    #[error(transparent)]
    Busy(#[from] LockError),
    /// The file is something else.
    #[error(
        "{}: this is not a match log ({reason}); choose another log, or remove that file",
        path.display()
    )]
    NotALog {
        /// The file.
        path: PathBuf,
        /// Why it is none.
        reason: String,
    },
    /// The log belongs to a match with another plan.
    #[error(
        "{}: the log holds another match ({}); repeat that plan to go on with it, choose \
         another log, or remove this one",
        path.display(),
        differences.join("; ")
    )]
    OtherRun {
        /// The log.
        path: PathBuf,
        /// What differs, in words.
        differences: Vec<String>,
    },
    /// The first line of the log was changed.
    #[error(
        "{}, line 1: {reason}; it holds the plan of the match: restore it from a copy",
        path.display()
    )]
    DamagedHeader {
        /// The log.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A line of the log makes no sense.
    #[error(
        "{}, line {line}: {reason}; remove that line to play its game again",
        path.display()
    )]
    Corrupt {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A player cannot play at all.
    #[error(
        "{name} (player {player}) cannot play: {reason}{}; the games finished so far are in the log",
        told(.dialogue)
    )]
    CannotPlay {
        /// Its name in the plan.
        name: String,
        /// Which of the two it is: 0 or 1.
        player: usize,
        /// What is wrong with it.
        reason: String,
        /// The file that holds an outside engine's last words.
        dialogue: Option<PathBuf>,
    },
    /// A player failed again and again.
    #[error(
        "{name} (player {player}) failed in {games} game{} running, the last time because: \
         {reason}{}; what it failed in is forfeited, and all results so far stand in the log",
        if *.games == 1 { "" } else { "s" }, told(.dialogue)
    )]
    Faulty {
        /// Its name in the plan.
        name: String,
        /// Which of the two it is: 0 or 1.
        player: usize,
        /// The games it forfeited running.
        games: u32,
        /// What it did in the last of them.
        reason: String,
        /// The file that holds an outside engine's last words.
        dialogue: Option<PathBuf>,
    },
    /// A game without a solver cannot be adjudicated by one.
    #[error("{game} has no solver: set the moves left at which games are solved to 0")]
    NoSolver {
        /// The game.
        game: String,
    },
    /// Somebody asked the match to stop.
    #[error("stopped after {done} of {total} games; the same command goes on from there")]
    Stopped {
        /// Games in the log.
        done: u32,
        /// Games of the whole match.
        total: u32,
    },
    /// Nothing could be measured.
    #[error("player {player} cannot be calibrated: {reason}")]
    Unmeasured {
        /// Which of the two it is: 0 or 1.
        player: usize,
        /// What was missing, and the remedy.
        reason: String,
    },
    /// A stored calibration makes no sense.
    #[error("{}: {reason}; remove the file to measure anew", path.display())]
    BadCalibration {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

#[expect(clippy::ref_option, reason = "called with a field by reference")]
fn told(dialogue: &Option<PathBuf>) -> String {
    dialogue.as_ref().map_or(String::new(), |path| format!(" (its last words: {})", path.display()))
}

impl ArenaError {
    /// Whether a player's own failure ended the match: the results so far stand.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::CannotPlay { .. } | Self::Faulty { .. })
    }

    pub(crate) fn corrupt_header(path: &Path, reason: String) -> Self {
        Self::DamagedHeader { path: path.to_owned(), reason }
    }

    pub(crate) fn corrupt(path: &Path, line: usize, reason: String) -> Self {
        Self::Corrupt { path: path.to_owned(), line, reason }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
