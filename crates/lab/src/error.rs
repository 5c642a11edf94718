//! Everything that can go wrong in a job, in one type.

use evalsmith_arena::ArenaError;
use evalsmith_core::files::LockError;
use evalsmith_core::{Malformed, PlayerError};
use evalsmith_curves::CurveError;
use evalsmith_data::DataError;
use evalsmith_learn::LearnError;
use evalsmith_protocol::ServeError;
use evalsmith_stats::StatsError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a job failed. Each message names the thing and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A dataset.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A fit or a model file.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// A match.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A test, a rating or another piece of statistics.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// A position or move.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A player.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A dialogue with a client.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that belongs to something else.
    #[error("{} {holds}; choose another --out, or remove that folder", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        holds: String,
    },
    /// A file or folder that another process is writing.
    #[error(transparent)]
    Busy(#[from] LockError),
    /// A file that holds something else than it should.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and the remedy.
        reason: String,
    },
    /// An engine's program that is not on this machine.
    #[error("there is no {command} here; {remedy}")]
    NoEngine {
        /// The program.
        command: String,
        /// What brings it.
        remedy: String,
    },
    /// Settings that make no sense.
    #[error("{0}")]
    Settings(String),
    /// Somebody asked the job to stop; what is finished stays.
    #[error("stopped; what is finished is kept, and the same command goes on from there")]
    Stopped,
    /// Somebody asked a job to stop that keeps nothing by halves.
    #[error("stopped before it was done; nothing was written")]
    Abandoned,
}

impl LabError {
    /// Attaches a path to an input or output error.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Whether the job was stopped on request rather than failed.
    pub fn is_stop(&self) -> bool {
        matches!(
            self,
            Self::Stopped
                | Self::Abandoned
                | Self::Data(DataError::Stopped { .. })
                | Self::Learn(LearnError::Stopped)
                | Self::Arena(ArenaError::Stopped { .. })
        )
    }

    /// The same from a step of a run whose folder keeps what came before the step.
    pub(crate) fn within_run(self) -> Self {
        match self {
            Self::Abandoned | Self::Learn(LearnError::Stopped) => Self::Stopped,
            other => other,
        }
    }

    /// Whether the call was wrong rather than something it met.
    pub fn is_usage(&self) -> bool {
        if let Self::Learn(error) = self {
            return error.is_usage();
        }
        matches!(
            self,
            Self::Malformed(_)
                | Self::Settings(_)
                | Self::Serve(ServeError::NotSpoken { .. })
                | Self::Stats(_)
                | Self::Data(DataError::Plan { .. } | DataError::Unnamed { .. })
                | Self::Curve(CurveError::BinWidth(_))
                | Self::Arena(
                    ArenaError::TooFewOpenings { .. }
                        | ArenaError::TooManyOpenings { .. }
                        | ArenaError::TooManyPairs { .. }
                        | ArenaError::NoSolver { .. }
                )
        )
    }
}
