//! One writer of a dataset at a time.

use crate::DataError;
use evalsmith_core::files;
use std::path::Path;

pub(crate) const LOCK: &str = "dataset.lock";

/// Takes the dataset's lock.
pub(crate) fn take(dir: &Path) -> Result<files::Lock, DataError> {
    Ok(files::Lock::take(&dir.join(LOCK), dir)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_until_the_first_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let first = take(dir.path()).unwrap();
        assert!(matches!(take(dir.path()), Err(DataError::Locked { .. })));
        drop(first);
        take(dir.path()).unwrap();
    }
}
