//! Everything that can go wrong in a job, in one type.

use evalsmith_arena::ArenaError;
use evalsmith_core::files::LockError;
use evalsmith_core::{Malformed, PlayerError};
use evalsmith_curves::CurveError;
use evalsmith_data::DataError;
use evalsmith_learn::LearnError;
use evalsmith_protocol::ServeError;
use evalsmith_rules::WindowError;
use evalsmith_stats::StatsError;
use std::error::Error;
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
    /// A measurement of windows.
    #[error(transparent)]
    Windows(#[from] WindowError),
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
    #[error("{} {holds}; choose another folder, or remove that one", path.display())]
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
        match self {
            Self::Stopped | Self::Abandoned => true,
            Self::Data(error) => Self::is_stop_of(error),
            Self::Learn(error) => Self::is_stop_of(error),
            Self::Arena(error) => Self::is_stop_of(error),
            _ => false,
        }
    }

    /// The same of any error, also one that a library beneath the lab returned.
    pub fn is_stop_of(error: &(dyn Error + 'static)) -> bool {
        error.downcast_ref::<Self>().is_some_and(Self::is_stop)
            || matches!(error.downcast_ref(), Some(DataError::Stopped { .. }))
            || matches!(error.downcast_ref(), Some(LearnError::Stopped))
            || matches!(error.downcast_ref(), Some(ArenaError::Stopped { .. }))
    }

    /// Whether a stop of the job left nothing.
    pub fn is_abandoned_of(error: &(dyn Error + 'static)) -> bool {
        matches!(error.downcast_ref(), Some(Self::Abandoned | Self::Learn(LearnError::Stopped)))
            || matches!(error.downcast_ref(), Some(LearnError::Stopped))
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
        match self {
            Self::Learn(error) => return error.is_usage(),
            Self::Data(error) => return is_usage_of_data(error),
            _ => {}
        }
        matches!(
            self,
            Self::Malformed(_)
                | Self::Settings(_)
                | Self::Serve(ServeError::NotSpoken { .. })
                | Self::Stats(_)
                | Self::Curve(CurveError::BinWidth(_))
                | Self::Arena(
                    ArenaError::TooFewOpenings { .. }
                        | ArenaError::TooManyOpenings { .. }
                        | ArenaError::TooManyPairs { .. }
                        | ArenaError::NoSolver { .. }
                )
        )
    }

    /// The same of any error, also one that a library beneath the lab returned.
    pub fn is_usage_of(error: &(dyn Error + 'static)) -> bool {
        error.downcast_ref::<Self>().is_some_and(Self::is_usage)
            || error.downcast_ref().is_some_and(is_usage_of_data)
            || error.downcast_ref().is_some_and(LearnError::is_usage)
    }
}

fn is_usage_of_data(error: &DataError) -> bool {
    matches!(error, DataError::Plan { .. } | DataError::Unnamed { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_known_from_libraries_as_from_the_lab() {
        let data = || DataError::Stopped { done: 1, total: 2 };
        let arena = || ArenaError::Stopped { done: 1, total: 2 };
        let errors: [Box<dyn Error>; 7] = [
            Box::new(data()),
            Box::new(LabError::from(data())),
            Box::new(arena()),
            Box::new(LabError::from(arena())),
            Box::new(LearnError::Stopped),
            Box::new(LabError::from(LearnError::Stopped)),
            Box::new(LabError::Stopped),
        ];
        for error in &errors {
            assert!(LabError::is_stop_of(&**error), "{error:?}");
        }
        let abandoned: Vec<_> =
            errors.iter().map(|error| LabError::is_abandoned_of(&**error)).collect();
        assert_eq!(abandoned, [false, false, false, false, true, true, false]);
        assert!(!LabError::is_stop_of(&io::Error::other("full")));
    }
}
