//! Where an engine's program is, and which Debian package brings it.

use crate::LabError;
use std::path::{Path, PathBuf};

/// Where Debian keeps engines, which is often not on the PATH.
const GAMES: &str = "/usr/games";

/// Programs of Debian that play, with their packages.
const PACKAGES: [(&str, &str); 17] = [
    ("crafty", "crafty"),
    ("fairy-stockfish", "fairy-stockfish"),
    ("fairymax", "fairymax"),
    ("fruit", "fruit"),
    ("glaurung", "glaurung"),
    ("gnuchess", "gnuchess"),
    ("gnuchessu", "gnuchess"),
    ("gnuchessx", "gnuchess"),
    ("gnugo", "gnugo"),
    ("gpsshogi", "gpsshogi"),
    ("gpsusi", "gpsshogi"),
    ("gtp-rhino", "grhino"),
    ("hoichess", "hoichess"),
    ("phalanx", "phalanx"),
    ("sjeng", "sjeng"),
    ("stockfish", "stockfish"),
    ("toga2", "toga2"),
];

/// The program of this name: a path, or a file on the PATH or among Debian's games.
/// `package` is what brings it, where that is known better than by its name.
///
/// # Errors
/// When there is none; the message has the line that installs it.
pub fn locate(command: &str, package: Option<&str>) -> Result<PathBuf, LabError> {
    let path = Path::new(command);
    let found = if path.components().count() > 1 {
        Some(path.to_owned()).filter(|path| path.is_file())
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&folders).chain([PathBuf::from(GAMES)]);
        folders.map(|folder| folder.join(command)).find(|program| program.is_file())
    };
    found.ok_or_else(|| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let known = || PACKAGES.iter().find(|(program, _)| *program == name).map(|(_, p)| *p);
        let remedy = match package.or_else(known) {
            Some(package) => format!("it comes by: apt-get install {package}"),
            None => "check the name, or give the whole path of the program".to_owned(),
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
