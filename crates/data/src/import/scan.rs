//! Reading records without writing anything.

use super::InputFormat;
use super::replay::Replay;
use super::script::Script;
use crate::source;
use evalsmith_rules::DynGame;
use std::io::{self, Read};
use std::path::Path;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Records, also those that cannot be read.
    pub records: u64,
    /// Moves of those that can.
    pub moves: u64,
    /// Records that cannot be read.
    pub skipped: u64,
}

/// Counts the records of a stream and their moves: as they are told, or played
/// by the rules (`legally`), when an import would find the same.
///
/// ```
/// use evalsmith_data::{InputFormat, scan};
/// use evalsmith_othello::Othello;
/// use evalsmith_rules::DynGame;
/// let othello = DynGame::new(Othello::new());
/// let games = "f5d6c3\nf5 f5\n";
/// let told = scan(&othello, InputFormat::Txt, games.as_bytes(), false)?;
/// assert_eq!((told.records, told.moves, told.skipped), (2, 5, 0));
/// let legal = scan(&othello, InputFormat::Txt, games.as_bytes(), true)?;
/// assert_eq!((legal.records, legal.moves, legal.skipped), (2, 3, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// When the stream's beginning cannot be read or is wrapped in an unknown way.
pub fn scan(
    game: &DynGame,
    format: InputFormat,
    input: impl Read + Send + 'static,
    legally: bool,
) -> io::Result<Scanned> {
    let mut reader = format.reader(source::unwrap(input)?, Path::new("-"), game);
    let (mut script, mut replay) = (Script::new(), Replay::new(game));
    let mut scanned = Scanned::default();
    loop {
        let (read, lost) = match reader.next(&mut script) {
            Ok(false) => return Ok(scanned),
            Ok(true) => (!legally || replay.play(&script).is_ok(), false),
            Err(fault) => (false, fault.rest_is_lost),
        };
        scanned.records += 1;
        if read {
            scanned.moves += if legally { replay.ply() } else { script.ply() } as u64;
        } else {
            scanned.skipped += 1;
        }
        if lost {
            return Ok(scanned);
        }
    }
}
