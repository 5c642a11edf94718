//! Input bytes as a file, for readers that take a path.

use std::fs;
use std::path::Path;
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// Calls `read` with the path of a file that holds `bytes`. The next call on the same
/// thread with the same name replaces the file.
pub(crate) fn with_file<R>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> R) -> R {
    FOLDER.with(|folder| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("room for a temporary file");
        read(&path)
    })
}
