//! Files that are either whole or absent, and files and folders with one writer at a time.
//!
//! The bytes go to a temporary file in the same folder, reach the disk, and only
//! then take the final name; a kill or a full disk leaves at most a temporary
//! file, whose name ends in `.tmp`. A writer holds a lock on its temporary file, so
//! that [`remove_stale`] can tell a leftover from a file that is being written.
//! A symbolic link stands for its target: the target is locked and replaced, the link stays.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What every temporary file's name ends in.
pub const TEMPORARY: &str = ".tmp";

/// The most bytes of a file that people write by hand: settings, players, patterns.
pub const MOST_SETTINGS: u64 = 16 << 20;
/// The most bytes of a list that is held in memory: positions, openings.
pub const MOST_LIST: u64 = 256 << 20;

/// Links that are followed one after another before they count as a circle.
const MOST_LINKS: usize = 40;

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error(
        "{} is in use by {}; wait until that ends, or choose another name",
        path.display(),
        in_words(*process)
    )]
    Held {
        /// The locked file, or the folder it stands for.
        path: PathBuf,
        /// The process, where the system tells.
        process: Option<u32>,
    },
    /// The file cannot be opened or locked.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn in_words(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
}

/// A lock held as long as the value lives. It is the system's own: it vanishes
/// with its process, however that dies, and the file that stays means nothing.
#[derive(Debug)]
pub struct Lock {
    _file: File,
    /// The lock file, where it is removed in the end.
    removed: Option<PathBuf>,
}

impl Lock {
    /// Takes the lock of `subject`, a folder or a file that is replaced when it is
    /// written. The lock file at `path` is created where it is missing.
    ///
    /// # Errors
    /// When another process holds the lock, or the file cannot be opened or locked.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// use evalsmith_core::files::{Lock, LockError};
    /// let path = dir.path().join("run.lock");
    /// let held = Lock::take(&path, dir.path())?;
    /// assert!(matches!(Lock::take(&path, dir.path()), Err(LockError::Held { .. })));
    /// drop(held);
    /// Lock::take(&path, dir.path())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(path: &Path, subject: &Path) -> Result<Self, LockError> {
        let file = open_lock_file(path)?;
        lock(&file, subject)?;
        Ok(Self { _file: file, removed: None })
    }

    /// Takes the lock of a file that is replaced when it is written: that of
    /// `FILE.lock` beside it, which is removed when the lock is dropped. All links to a
    /// file share its lock.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn beside(subject: &Path) -> Result<Self, LockError> {
        let mut path = behind_links(subject).into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        loop {
            let file = open_lock_file(&path)?;
            lock(&file, subject)?;
            // Between opening and locking, its holder before may have removed it.
            if is_at(&file, &path) {
                return Ok(Self { _file: file, removed: Some(path) });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked: whoever opened it before sees that it is gone.
        if let Some(path) = &self.removed {
            let _ = fs::remove_file(path);
        }
    }
}

fn open_lock_file(path: &Path) -> Result<File, LockError> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    file.map_err(|source| LockError::Io { path: path.to_owned(), source })
}

/// Whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|m| (m.dev(), m.ino()));
    let there = identity(fs::metadata(path));
    there.is_some() && there == identity(file.metadata())
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Locks an open file that is written in place, for as long as it stays open; an
/// error calls it `path`.
///
/// # Errors
/// When another process holds the lock, or the system refuses.
pub fn lock(file: &File, path: &Path) -> Result<(), LockError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(LockError::Held { path: path.to_owned(), process: holder(file) })
        }
        Err(TryLockError::Error(source)) => Err(LockError::Io { path: path.to_owned(), source }),
    }
}

/// The process that holds the lock on a file, as Linux lists it.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::linux::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    let device = metadata.st_dev();
    // The numbers of a device as glibc packs them.
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    let wanted = format!("{major:02x}:{minor:02x}:{}", metadata.st_ino());
    let locks = fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match words[..] {
            [_, "FLOCK", _, _, process, file, ..] if file == wanted => process.parse().ok(),
            _ => None,
        }
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_file: &File) -> Option<u32> {
    None
}

/// The file that a path leads to: the target of a symbolic link, or of the last of
/// several, whether it exists or not; any other path as it is.
pub fn behind_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else { return target };
        // An absolute target replaces the folder.
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path.to_owned()
}

/// Reads a file or pipe of at most `most` bytes. Devices are refused, since some
/// never end.
///
/// # Errors
/// When the file cannot be read, is a device ([`io::ErrorKind::InvalidInput`]), or is
/// longer ([`io::ErrorKind::FileTooLarge`]).
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// use evalsmith_core::files::read_at_most;
/// let path = dir.path().join("players.toml");
/// std::fs::write(&path, "[a]")?;
/// assert_eq!(read_at_most(&path, 3)?, b"[a]");
/// assert!(read_at_most(&path, 2).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() && !is_pipe(&metadata) {
        let reason = "it is a device; name a file or a pipe";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let too_large = || {
        let reason = format!("it is longer than {} MiB, the most that is read", most >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, reason)
    };
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The same of a text.
///
/// # Errors
/// As [`read_at_most`], and when it is not UTF-8.
pub fn read_text_at_most(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read_at_most(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_metadata: &fs::Metadata) -> bool {
    false
}

/// Removes the temporary files that killed writers of `path` left beside it. What
/// cannot be removed stays.
pub fn remove_stale(path: &Path) {
    let path = &behind_links(path);
    let (Some(folder), Some(name)) = (folder_of(path), path.file_name()) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    let (name, mut found) = (name.to_string_lossy(), Vec::new());
    for entry in entries.flatten() {
        let there = entry.file_name().to_string_lossy().into_owned();
        let ours = there.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('.'));
        if ours && is_temporary(&there) {
            found.push(entry.path());
        }
    }
    for temporary in found {
        let unlocked = File::open(&temporary).is_ok_and(|file| file.try_lock().is_ok());
        if unlocked {
            let _ = fs::remove_file(&temporary);
        }
    }
}

/// Whether a file's name is one that [`write_atomically`] gives while it writes:
/// `report.html.1234-5.tmp`.
pub fn is_temporary(name: &str) -> bool {
    let numbers = name.strip_suffix(TEMPORARY).and_then(|rest| rest.rsplit_once('.'));
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers
        .and_then(|(_, numbers)| numbers.split_once('-'))
        .is_some_and(|(process, count)| number(process) && number(count))
}

/// Writes a file by a closure, under its name only once it is complete and on disk.
///
/// An older file of that name is replaced in one step; where the name is a link, its
/// target is. On any error the temporary file is removed and the older file stays.
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
    let path = &behind_links(path);
    let (temporary, file) = temporary_beside(path)?;
    // The file, and with it its lock, is held until it has its name.
    let mut file = BufWriter::new(file);
    let written = write_and_sync(&mut file, write)
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
    file: &mut BufWriter<File>,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let value = write(file)?;
    file.flush()?;
    file.get_ref().sync_all()?;
    Ok(value)
}

/// A new file of its own for every writer, locked.
fn temporary_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} names a folder, not a file", path.display()),
        )
    })?;
    loop {
        let mut unique = OsString::from(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        unique.push(format!(".{}-{count}{TEMPORARY}", std::process::id()));
        let temporary = path.with_file_name(unique);
        let file = match File::options().write(true).create_new(true).open(&temporary) {
            Ok(file) => file,
            // Left by a killed process that had the same number.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(e),
        };
        match file.try_lock() {
            // Before the lock was held, the file may have been taken for a leftover.
            Ok(()) if !is_at(&file, &temporary) => {}
            Err(TryLockError::WouldBlock) => {}
            // A file system without locks writes all the same.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok((temporary, file)),
        }
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> Option<&Path> {
    match path.parent()? {
        parent if parent.as_os_str().is_empty() => Some(Path::new(".")),
        parent => Some(parent),
    }
}

/// A rename is safe from a power cut only when the folder is on disk as well.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path).unwrap_or(path))?.sync_all()
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
    fn leftovers_of_killed_writers_are_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tsv");
        let others = ["a.tsv.tmp", "a.tsv.old-1.tmp", "a.tsv2.7-0.tmp", "b.tsv.7-0.tmp", "notes"];
        for name in others {
            fs::write(dir.path().join(name), "mine").unwrap();
        }
        fs::write(dir.path().join("a.tsv.7-0.tmp"), "half").unwrap();
        // One that is being written now stays.
        write_atomically(&path, |file| {
            remove_stale(&path);
            file.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let mut expected = others.to_vec();
        expected.push("a.tsv");
        expected.sort_unstable();
        assert_eq!(names(dir.path()), expected);
    }

    #[test]
    fn a_name_that_a_killed_process_left_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let left: Vec<_> = (0..100)
            .map(|count| dir.path().join(format!("a.{}-{count}.tmp", std::process::id())))
            .collect();
        for left in &left {
            fs::write(left, "half").unwrap();
        }
        write_atomically(&path, |file| file.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(left.iter().all(|left| fs::read(left).unwrap() == b"half"));
    }

    #[test]
    fn a_refused_lock_names_the_file_and_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.book");
        let held = Lock::beside(&path).unwrap();
        let refused = Lock::beside(&path).unwrap_err();
        let LockError::Held { path: named, process } = &refused else { panic!("{refused}") };
        assert_eq!(*named, path);
        if cfg!(target_os = "linux") {
            assert_eq!(*process, Some(std::process::id()), "{refused}");
        }
        drop(held);
        assert_eq!(names(dir.path()), [""; 0], "the lock file is gone");
        Lock::beside(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_stays() {
        use std::os::unix::fs::symlink;
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let book = other.path().join("a.book");
        let (link, second) = (dir.path().join("link"), dir.path().join("second"));
        symlink(&book, &link).unwrap();
        symlink("link", &second).unwrap();
        for text in ["new", "replaced"] {
            write_atomically(&second, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&book).unwrap(), text);
        }
        assert!([&link, &second].iter().all(|link| link.is_symlink()));
        assert_eq!((behind_links(&second), behind_links(&book)), (book.clone(), book.clone()));
        let held = Lock::beside(&second).unwrap();
        for name in [&book, &link] {
            assert!(matches!(Lock::beside(name), Err(LockError::Held { .. })), "{name:?}");
        }
        drop(held);
        fs::write(other.path().join("a.book.7-0.tmp"), "half").unwrap();
        remove_stale(&second);
        assert_eq!((names(dir.path()).len(), names(other.path())), (2, vec!["a.book".to_owned()]));
        let circle = dir.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert_eq!(behind_links(&circle), circle);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_is_not_read() {
        let kind = |path: &str| read_at_most(Path::new(path), 1 << 20).unwrap_err().kind();
        assert_eq!(kind("/dev/zero"), io::ErrorKind::InvalidInput);
        assert_eq!(kind("/proc"), io::ErrorKind::IsADirectory);
        // A file that does not say how long it is.
        assert!(!read_at_most(Path::new("/proc/self/status"), 1 << 20).unwrap().is_empty());
        let short = read_at_most(Path::new("/proc/self/status"), 9).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::FileTooLarge);
        let mut yes = std::process::Command::new("yes");
        let mut endless = yes.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let pipe = std::os::fd::AsRawFd::as_raw_fd(endless.stdout.as_ref().unwrap());
        let pipe = PathBuf::from(format!("/proc/self/fd/{pipe}"));
        let error = read_text_at_most(&pipe, 1 << 20).unwrap_err().to_string();
        endless.kill().unwrap();
        endless.wait().unwrap();
        assert_eq!(error, "it is longer than 1 MiB, the most that is read");
    }

    #[test]
    fn one_of_many_holds_the_lock_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.book");
        let (inside, entered) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(_lock) = Lock::beside(&path) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                            entered.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert!(entered.load(Ordering::SeqCst) > 0);
    }

    #[test]
    fn a_folder_is_no_file_name() {
        let failed: io::Result<()> = write_atomically(Path::new("/"), |_| Ok(()));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
