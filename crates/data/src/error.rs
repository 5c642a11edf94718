//! What can go wrong with datasets, and what to do about it.

use evalsmith_core::files::LockError;
use evalsmith_core::{Malformed, PlayerError};
use std::io;
use std::path::{Path, PathBuf};

/// Why a dataset or a feature table could not be made, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room for the next file.
    #[error("the disk is full: cannot write {}; free some space and run the same command again, finished parts are kept", path.display())]
    DiskFull {
        /// The file that found no room.
        path: PathBuf,
    },
    /// The folder is not a dataset.
    #[error("{} holds no dataset.json and is not a dataset; name the folder that `data generate` or `data import` wrote", dir.display())]
    NoManifest {
        /// The folder.
        dir: PathBuf,
    },
    /// The manifest cannot be read.
    #[error("{} is no manifest: {reason}; restore the file or generate the dataset again into another folder", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest is of a format this version does not know.
    #[error("{} has format {found}, this version reads format {known}; use the version of evalsmith that wrote it, or generate it again", path.display())]
    Format {
        /// The manifest.
        path: PathBuf,
        /// Its format number.
        found: u64,
        /// The one that can be read.
        known: u64,
    },
    /// The dataset is about another game.
    #[error("{} holds positions of {found}, not of {wanted}; choose the game {found} or another dataset", path.display())]
    WrongGame {
        /// The folder or part.
        path: PathBuf,
        /// The game it is about.
        found: String,
        /// The game asked for.
        wanted: String,
    },
    /// Nobody said which column of a table holds the results.
    #[error("{}: name the column of results with --label", path.display())]
    Unnamed {
        /// The table.
        path: PathBuf,
    },
    /// A run was stopped and not resumed.
    #[error("{} is unfinished: {found} of {planned} parts exist; run the command in its dataset.json again to finish it", dir.display())]
    Unfinished {
        /// The dataset.
        dir: PathBuf,
        /// Parts that exist.
        found: usize,
        /// Parts planned.
        planned: usize,
    },
    /// A run that cannot know its parts beforehand was stopped.
    #[error("{} is unfinished; run its command again: {command}", dir.display())]
    NotFinished {
        /// The dataset.
        dir: PathBuf,
        /// The command that makes it.
        command: String,
    },
    /// The file is no Parquet file, or its end is missing.
    #[error("{} is no complete Parquet file; if it is part of a dataset, delete it and run the command in dataset.json again", path.display())]
    NotParquet {
        /// The file.
        path: PathBuf,
    },
    /// A Parquet file by somebody else lies where a part belongs.
    #[error("{} was not written by evalsmith as part of this dataset ({reason}); move it away and run the command in dataset.json again", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How that is known.
        reason: String,
    },
    /// The file's bytes are not those that were written.
    #[error("{} is damaged (its checksum does not match); delete it and run the command in dataset.json again, which makes the same part", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A column is missing.
    #[error("{} has no column {column:?}; the book's page on formats lists the columns", path.display())]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column has another type.
    #[error("{}: column {column:?} is {found}, it must be {wanted}", path.display())]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// The type it must have.
        wanted: String,
    },
    /// A cell holds what its column cannot mean.
    #[error("{}: row {row} of column {column:?} holds {found}; {remedy}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The row within the batch read, from 0.
        row: usize,
        /// The value.
        found: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// The Parquet decoder or encoder gave up.
    #[error("{}: {reason}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// A packed position is none of the game.
    #[error("{}: game {game}, ply {ply}: {source}; the dataset was written by other rules, generate it again", path.display())]
    Position {
        /// The part.
        path: PathBuf,
        /// The game's index.
        game: u32,
        /// The ply.
        ply: u16,
        /// What is wrong.
        source: Malformed,
    },
    /// The folder belongs to a run with another configuration.
    #[error("{} was begun with {field} = {found}, this run has {wanted}; choose another --out, or delete the folder to start anew", dir.display())]
    OtherRun {
        /// The dataset.
        dir: PathBuf,
        /// The first part of the configuration that differs.
        field: String,
        /// What the folder has.
        found: String,
        /// What was asked for now.
        wanted: String,
    },
    /// The folder holds something that is not a dataset.
    #[error("{} is not empty and holds no dataset.json (it holds {example}); choose another --out", dir.display())]
    NotEmpty {
        /// The folder.
        dir: PathBuf,
        /// One of the files found there.
        example: String,
    },
    /// The folder holds what cannot be compared with what comes through a pipe.
    #[error("{} holds a finished dataset, and nobody can say whether a pipe would make it again; choose another --out, or delete the folder", dir.display())]
    Stands {
        /// The dataset.
        dir: PathBuf,
    },
    /// A record cannot be read and the run was told to be strict, or none can.
    #[error("{0}")]
    Records(String),
    /// An export that would leave every game out.
    #[error("nothing was written: no game fits the format ({example})")]
    NoneFits {
        /// Why the first of them does not.
        example: String,
    },
    /// Rows of a dataset that should be in the order of games and plies are not,
    /// or two datasets tell different rows of one game and ply.
    #[error("{}: game {game}, ply {ply}: {reason}", path.display())]
    Order {
        /// The dataset.
        path: PathBuf,
        /// The game's index.
        game: u32,
        /// The ply.
        ply: u16,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Another process is writing the dataset.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// Somebody asked the job to stop.
    #[error("stopped at {done} of {total}; run the same command again to finish it")]
    Stopped {
        /// Games on disk, or positions turned into features.
        done: u64,
        /// Games planned, or positions to turn.
        total: u64,
    },
    /// The plan cannot be carried out.
    #[error("{field} = {found}: {reason}")]
    Plan {
        /// The field of the plan.
        field: &'static str,
        /// Its value.
        found: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A player failed.
    #[error("game {game}: {source}")]
    Player {
        /// The game's index.
        game: u32,
        /// What happened.
        source: PlayerError,
    },
}

impl DataError {
    /// Reads a system error about `path`, telling a full disk from the rest.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { path, source },
        }
    }

    /// Whether making the part again, and nothing else, puts it right.
    pub(crate) fn is_remade(&self) -> bool {
        matches!(
            self,
            Self::NotParquet { .. }
                | Self::Foreign { .. }
                | Self::Damaged { .. }
                | Self::MissingColumn { .. }
                | Self::WrongType { .. }
                | Self::Parquet { .. }
        )
    }
}
