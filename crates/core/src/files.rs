//! Files that are either whole or absent, and folders with one writer at a time.
//!
//! The bytes go to a temporary file in the same folder, reach the disk, and only
//! then take the final name; a kill or a full disk leaves at most a temporary
//! file, whose name ends in `.tmp`.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What every temporary file's name ends in.
pub const TEMPORARY: &str = ".tmp";

/// A lock held as long as the value lives. It is the system's own: it vanishes
/// with its process, however that dies, and the file that stays means nothing.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock that the file stands for; `None` when another has it.
    ///
    /// # Errors
    /// When the file cannot be opened or locked.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// use evalsmith_core::files::Lock;
    /// let path = dir.path().join("run.lock");
    /// let held = Lock::take(&path)?;
    /// assert!(held.is_some() && Lock::take(&path)?.is_none());
    /// drop(held);
    /// assert!(Lock::take(&path)?.is_some());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }
}

/// Writes a file by a closure, under its name only once it is complete and on disk.
///
/// An older file of that name is replaced in one step. On any error the
/// temporary file is removed and the older file stays.
///
/// # Errors
/// What the closure returns, or what the disk says.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// use std::io::Write;
/// let path = dir.path().join("verdict.txt");
/// evalsmith_core::files::write_atomically(&path, |file| file.write_all(b"stronger"))?;
/// assert_eq!(std::fs::read(&path)?, b"stronger");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomically<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let temporary = temporary_beside(path)?;
    let written = write_and_sync(&temporary, write)
        .and_then(|value| fs::rename(&temporary, path).map(|()| value).map_err(E::from));
    match written {
        Ok(value) => {
            sync_folder_of(path)?;
            Ok(value)
        }
        Err(error) => {
            // The first error is the one worth telling.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

fn write_and_sync<T, E: From<io::Error>>(
    temporary: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let mut file = BufWriter::new(File::create(temporary)?);
    let value = write(&mut file)?;
    file.flush()?;
    file.get_ref().sync_all()?;
    Ok(value)
}

/// A name of its own for every writer, so that two of them never share a file.
fn temporary_beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} names a folder, not a file", path.display()),
        )
    })?;
    let mut unique = OsString::from(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    unique.push(format!(".{}-{count}{TEMPORARY}", std::process::id()));
    Ok(path.with_file_name(unique))
}

/// A rename is safe from a power cut only when the folder is on disk as well.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_the_older_file_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        for text in ["old", "new"] {
            write_atomically(&path, |file| file.write_all(text.as_bytes())).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn a_failed_write_keeps_the_older_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "old").unwrap();
        let failed: io::Result<()> = write_atomically(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn a_folder_is_no_file_name() {
        let failed: io::Result<()> = write_atomically(Path::new("/"), |_| Ok(()));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
