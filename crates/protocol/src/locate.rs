//! Where an engine's program is, and which Debian package brings it.
//!
//! Every engine is started through [`locate`], so that all commands find the same
//! programs.

use std::env;
use std::ffi::OsStr;
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

/// The program that a command names: a path as it is, or the first program of that
/// name on the PATH or in Debian's games folder. None where there is no such program.
pub fn locate(command: &Path) -> Option<PathBuf> {
    find(command, &env::var_os("PATH").unwrap_or_default())
}

/// The same with another PATH.
pub(crate) fn find(command: &Path, path: &OsStr) -> Option<PathBuf> {
    if command.components().count() > 1 {
        return Some(command.to_owned()).filter(|program| program.is_file());
    }
    let folders = env::split_paths(path).chain([PathBuf::from(GAMES)]);
    folders.map(|folder| folder.join(command)).find(|program| is_program(program))
}

/// Whether a file may be started. One that may not be hides no program behind it.
#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// How to get the program of a command that was not found.
pub fn how_to_install(command: &Path) -> String {
    let name = command.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match PACKAGES.iter().find(|(program, _)| *program == name) {
        Some((_, package)) => format!("install it: apt-get install {package}"),
        None => "check the name, or give the whole path of the program".to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn names_are_looked_up_and_paths_taken_as_they_are() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let path = env::join_paths(folders.iter().map(tempfile::TempDir::path)).unwrap();
        let programs = folders.each_ref().map(|folder| folder.path().join("engine"));
        for program in &programs {
            fs::write(program, "").unwrap();
        }
        fs::set_permissions(&programs[1], Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("engine".as_ref(), &path).as_ref(), Some(&programs[1]), "may be started");
        assert_eq!(find(&programs[0], &path).as_ref(), Some(&programs[0]));
        assert_eq!(find("/nowhere/engine".as_ref(), &path), None);
        assert_eq!(find("no-such-engine".as_ref(), &path), None);
    }

    #[test]
    fn missing_programs_are_named_with_their_package() {
        assert!(how_to_install("/nowhere/gnuchessu".as_ref()).contains("apt-get install gnuchess"));
        assert!(how_to_install("no-such-engine".as_ref()).contains("check the name"));
    }
}
