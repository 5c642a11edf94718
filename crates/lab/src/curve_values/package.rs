//! An engine's program, or the line that installs it.

use crate::LabError;
use evalsmith_protocol::how_to_install;
use std::path::{Path, PathBuf};

/// The program of this name, as every engine is found: a path, or a file on the PATH
/// or in Debian's games folder. `package` is what brings it, where that is known better
/// than by its name.
///
/// # Errors
/// When there is none; the message has the line that installs it.
pub fn locate(command: &str, package: Option<&str>) -> Result<PathBuf, LabError> {
    let path = Path::new(command);
    evalsmith_protocol::locate(path).ok_or_else(|| {
        let remedy = match package {
            Some(package) => format!("install it: apt-get install {package}"),
            None => how_to_install(path),
        };
        LabError::NoEngine { command: command.to_owned(), remedy }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_missing_ones_named_with_their_package() {
        assert!(locate("sh", None).is_ok_and(|path| path.is_absolute()));
        assert!(locate("/bin/sh", None).is_ok());
        let reason = |command: &str, package| locate(command, package).unwrap_err().to_string();
        assert!(reason("/nowhere/gnuchessu", None).contains("apt-get install gnuchess"));
        assert!(reason("no-such-engine", None).contains("check the name"));
        assert!(reason("no-such-engine", Some("engines")).contains("apt-get install engines"));
    }
}
