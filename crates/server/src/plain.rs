//! Regular files of the workspace, which may have come from elsewhere.
//!
//! Invariant: nothing here waits for another process, as opening a FIFO would, or reads
//! more than it was asked for.

use nix::fcntl::OFlag;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Bytes of a JSON file that are read.
const LARGEST_JSON: u64 = 16 << 20;

/// Opens a regular file. What is something else is refused, also where it takes the
/// file's place at the last moment.
pub(crate) fn open(path: &Path) -> Result<File> {
    if !is_file(path) {
        return Err(not_regular());
    }
    // Without waiting for a writer; for a regular file this changes nothing.
    let file = File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> Error {
    Error::new(ErrorKind::InvalidInput, "it is not a regular file")
}

/// Whether a path leads to a regular file.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.is_file())
}

/// All of a regular file of at most so many bytes.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it is larger than {most} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// What a JSON file holds, if it is whole and of no unreasonable size.
pub(crate) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read(path, LARGEST_JSON).ok()?).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use nix::sys::stat::Mode;

    /// Makes a FIFO: whoever opens it to read waits until somebody writes.
    pub(crate) fn fifo(path: &Path) {
        nix::unistd::mkfifo(path, Mode::S_IRWXU).unwrap();
    }

    #[test]
    fn only_regular_files_are_read_and_only_so_far() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::write(at("text"), "[1, 2]").unwrap();
        assert_eq!(read(&at("text"), 6).unwrap(), b"[1, 2]");
        assert_eq!(read(&at("text"), 5).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(json::<Vec<u8>>(&at("text")), Some(vec![1, 2]));
        fifo(&at("fifo"));
        std::os::unix::fs::symlink(at("fifo"), at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for name in ["fifo", "link", "socket", ".", "nothing"] {
            assert!(open(&at(name)).is_err() && !is_file(&at(name)), "{name}");
        }
        assert!(open(Path::new("/dev/zero")).is_err());
        // A file of a terabyte that takes no place on the disk.
        File::create(at("large")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(json::<Vec<u8>>(&at("large")), None);
    }
}
