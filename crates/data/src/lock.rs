//! One writer at a time.
//!
//! The system's own file lock is held while a run lives and vanishes with its
//! process, however that dies; the file itself stays and means nothing.

use crate::DataError;
use std::fs::{File, TryLockError};
use std::path::Path;

pub(crate) const LOCK: &str = "dataset.lock";

/// Held as long as the value lives.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(crate) fn take(dir: &Path) -> Result<Self, DataError> {
        let path = dir.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|e| DataError::io(&path, e))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(DataError::Locked { dir: dir.to_owned() }),
            Err(TryLockError::Error(e)) => Err(DataError::io(&path, e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_until_the_first_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let first = Lock::take(dir.path()).unwrap();
        assert!(matches!(Lock::take(dir.path()), Err(DataError::Locked { .. })));
        drop(first);
        Lock::take(dir.path()).unwrap();
    }
}
