//! The first line of a file that a stopped run leaves: what was asked.
//!
//! It carries a [checksum](evalsmith_core::seal), as does every line after it. Files of
//! earlier versions begin with `# ` and have no checksums; they are continued with lines
//! that do.

use crate::LabError;
use evalsmith_core::seal;
use serde::Serialize;
use std::path::Path;

/// The first line of files that answer one question.
pub(super) struct Heading {
    line: Vec<u8>,
    unsealed: Vec<u8>,
}

/// What a file's first line says of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// There is no rest: the file is empty, or a kill cut the first line off.
    Nothing,
    /// Every line must have its checksum.
    Sealed,
    /// An earlier version began it: the lines that it wrote have no checksum.
    Unsealed,
}

impl Heading {
    pub(super) fn new(identity: &str) -> Self {
        #[derive(Serialize)]
        struct Asked<'a> {
            asked: &'a str,
        }
        let unsealed = format!("# {}\n", identity.replace('\n', " ")).into_bytes();
        Self { line: seal::line_of(&Asked { asked: identity }), unsealed }
    }

    /// The line that a new file begins with.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Compares it with the first line of the file at `path`.
    ///
    /// # Errors
    /// When that file answers another question, or the line was damaged.
    pub(super) fn judge(&self, first: &[u8], path: &Path) -> Result<Begun, LabError> {
        let known = [(&self.line, Begun::Sealed), (&self.unsealed, Begun::Unsealed)];
        for (line, begun) in known {
            if first == line {
                return Ok(begun);
            }
            if line.starts_with(first) {
                return Ok(Begun::Nothing);
            }
        }
        let reason = "line 1 names another question than this run asks, or was damaged; remove \
                      the file, or write to another one";
        Err(LabError::Unreadable { path: path.to_owned(), reason: reason.into() })
    }
}

/// Opens a file again that was closed just now: a process that another test starts holds
/// the lock with its copy of the open file, until it begins its own program.
#[cfg(test)]
pub(super) fn reopened<T>(open: impl Fn() -> Result<T, LabError>) -> Result<T, LabError> {
    loop {
        match open() {
            Err(LabError::Busy(_)) => std::thread::yield_now(),
            opened => return opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_is_known_whole_cut_off_and_of_earlier_versions() {
        let heading = Heading::new("engine A");
        let judge = |line: &[u8]| heading.judge(line, Path::new("a.answers"));
        assert_eq!(judge(heading.line()).unwrap(), Begun::Sealed);
        assert_eq!(judge(b"# engine A\n").unwrap(), Begun::Unsealed);
        for cut in [&b""[..], b"# eng", b"# engine A", &heading.line()[..9]] {
            assert_eq!(judge(cut).unwrap(), Begun::Nothing);
        }
        for other in [&b"# engine B\n"[..], b"\n", Heading::new("engine B").line()] {
            let error = judge(other).unwrap_err().to_string();
            assert!(error.contains("a.answers: line 1") && error.contains("remove"), "{error}");
        }
    }
}
