//! Everything that can go wrong in the arena.

use std::io;
use std::path::{Path, PathBuf};

/// Why a match or a calibration failed. Each message names the thing and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The game has not that many different openings.
    #[error(
        "{wanted} different openings of {plies} plies are wanted, but {game} has only {found}: \
         ask for {found} pairs at most, or for openings of another length"
    )]
    TooFewOpenings {
        /// The game.
        game: &'static str,
        /// The length asked for.
        plies: u16,
        /// The number asked for.
        wanted: u32,
        /// Different openings found before random search gave up.
        found: u32,
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
    /// Another run is writing the log.
    #[error(
        "{}: another run is writing this log; wait for it, or choose another log",
        path.display()
    )]
    Busy {
        /// The log.
        path: PathBuf,
    },
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
    /// A player failed or broke the rules.
    #[error(
        "{name} (player {player}) failed in game {game} after {ply} plies, at {position}: \
         {reason}; the games finished so far are in the log"
    )]
    Player {
        /// Its name in the plan.
        name: String,
        /// Which of the two it is: 0 or 1.
        player: usize,
        /// The game's index.
        game: u32,
        /// Plies played when it was asked for a move.
        ply: usize,
        /// The position in the game's notation.
        position: String,
        /// What it did.
        reason: String,
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

impl ArenaError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
