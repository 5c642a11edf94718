//! WTHOR, the base of the French federation: games of Othello in 68 bytes each.
//!
//! A header of 16 bytes (the number of games as a little-endian word at 4, the
//! year at 10, the board's size at 12, the depth of the theoretical score at 14),
//! then records: tournament, Black and White as numbers into `WTH.TRN` and
//! `WTH.JOU`, Black's discs, Black's discs under perfect play from that depth on,
//! and 60 moves as ten times the row plus the column. Passes are not written.

use super::script::{Fault, Place, Reader, Script, Why};
use crate::source::Bytes;
use evalsmith_core::{Outcome, Stage};
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

const HEADER: usize = 16;
const RECORD: usize = 68;
/// More games than there will ever be, and fewer than a number read from the
/// wrong end.
const MANY: u32 = 1 << 24;
const YEARS: std::ops::RangeInclusive<u16> = 1900..=2200;

/// The names of players and tournaments, where their files lie beside the games.
#[derive(Debug, Default)]
pub(crate) struct Names {
    players: Vec<String>,
    tournaments: Vec<String>,
}

impl Names {
    /// Reads `WTH.JOU` and `WTH.TRN` in the folder of a file of games.
    pub(crate) fn beside(games: &Path) -> Self {
        let read = |wanted: &str, width| {
            let folder = games.parent().filter(|f| !f.as_os_str().is_empty());
            let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
            let found = entries
                .flatten()
                .find(|entry| entry.file_name().to_string_lossy().eq_ignore_ascii_case(wanted))?;
            Some(names(&std::fs::read(found.path()).ok()?, width))
        };
        Self {
            players: read("WTH.JOU", 20).unwrap_or_default(),
            tournaments: read("WTH.TRN", 26).unwrap_or_default(),
        }
    }
}

/// Names of a fixed width after the header, in Latin-1 and closed by a zero.
fn names(bytes: &[u8], width: usize) -> Vec<String> {
    let records = bytes.get(HEADER..).unwrap_or_default().chunks_exact(width);
    let letters = |name: &[u8]| {
        name.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
    };
    records.map(letters).collect()
}

pub(crate) struct Wthor {
    input: Bytes,
    names: Names,
    header: Option<Header>,
    /// Records read.
    count: u64,
}

#[derive(Clone, Copy)]
struct Header {
    games: u32,
    /// Discs on the board where the theoretical score holds.
    exact: Stage,
}

impl Wthor {
    pub(crate) fn new(input: Bytes, names: Names) -> Self {
        Self { input, names, header: None, count: 0 }
    }

    fn offset(&self) -> u64 {
        HEADER as u64 + self.count * RECORD as u64
    }

    /// Fills a buffer; returns how many bytes there were.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Fault::io(&e, Place::Byte(self.offset()))),
            }
        }
        Ok(filled)
    }

    fn header(&mut self) -> Result<Header, Fault> {
        if let Some(header) = self.header {
            return Ok(header);
        }
        let mut bytes = [0; HEADER];
        let found = self.fill(&mut bytes)?;
        let lost =
            |why, at, reason: String| Fault::new(why, Place::Byte(at), reason).and_the_rest();
        if found < HEADER {
            let reason = format!("{found} bytes are too few for a header of {HEADER}");
            return Err(lost(Why::Truncated, 0, reason));
        }
        let word = [bytes[4], bytes[5], bytes[6], bytes[7]];
        let year = [bytes[10], bytes[11]];
        let games = u32::from_le_bytes(word);
        let strange = games >= MANY || !YEARS.contains(&u16::from_le_bytes(year));
        let swapped = u32::from_be_bytes(word) < MANY && YEARS.contains(&u16::from_be_bytes(year));
        if strange && swapped {
            let (wrong, right) = (games, u32::from_be_bytes(word));
            let reason = format!(
                "the numbers stand the wrong way round ({wrong} games, or {right}); \
                 WTHOR is little-endian, convert the file"
            );
            return Err(lost(Why::Malformed, 4, reason));
        }
        if games >= MANY {
            let reason = format!("{games} games cannot be; this is no file of WTHOR games");
            return Err(lost(Why::Malformed, 4, reason));
        }
        // Files older than the other boards have a zero for the usual one.
        if !matches!(bytes[12], 0 | 8) {
            let reason = format!("a board of {0}x{0}; only 8x8 is read", bytes[12]);
            return Err(lost(Why::Variant, 12, reason));
        }
        if bytes[13] != 0 {
            return Err(lost(Why::Variant, 13, "solitaires, not games".to_owned()));
        }
        if bytes[14] > 60 {
            let reason = format!("{} empty squares for the theoretical score", bytes[14]);
            return Err(lost(Why::Malformed, 14, reason));
        }
        let header = Header { games, exact: Stage(64 - bytes[14]) };
        self.header = Some(header);
        Ok(header)
    }

    fn describe(&self, record: &[u8; RECORD], script: &mut Script) {
        let number = |at: usize| usize::from(u16::from_le_bytes([record[at], record[at + 1]]));
        let Names { players, tournaments } = &self.names;
        let all = [("", players, 2), (" - ", players, 4), (", ", tournaments, 0)];
        for (before, list, at) in all {
            script.whose.push_str(before);
            match list.get(number(at)) {
                Some(name) => script.whose.push_str(name),
                None => drop(write!(script.whose, "no. {}", number(at))),
            }
        }
    }
}

impl Reader for Wthor {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let header = self.header()?;
        let offset = self.offset();
        script.clear(Place::Byte(offset));
        let mut record = [0; RECORD];
        let found = self.fill(&mut record)?;
        if found < RECORD {
            if found == 0 && self.count == u64::from(header.games) {
                return Ok(false);
            }
            let whole = self.count.cmp(&u64::from(header.games));
            let reason = match whole {
                std::cmp::Ordering::Less => format!(
                    "the header promises {} games, the file ends after {} and {found} bytes",
                    header.games, self.count
                ),
                _ => format!("{found} bytes are left after {} whole games", self.count),
            };
            let why = if whole.is_lt() { Why::Truncated } else { Why::Malformed };
            return Err(Fault::new(why, script.place, reason).and_the_rest());
        }
        if self.count == u64::from(header.games) {
            let reason = format!("the file goes on after the {} games of its header", header.games);
            return Err(Fault::malformed(script.place, reason).and_the_rest());
        }
        self.count += 1;
        let [discs, perfect] = [record[6], record[7]];
        for (at, discs) in [(6, discs), (7, perfect)] {
            if discs > 64 {
                self.describe(&record, script);
                let reason = format!("{discs} discs for Black; a board has 64");
                return Err(Fault::malformed(Place::Byte(offset + at), reason));
            }
        }
        script.implied_passes = true;
        script.told = Some(Outcome::by(2 * i16::from(discs) - 64));
        script.exact = Some((header.exact, 2 * i16::from(perfect) - 64));
        let mut squares = [[0; 2]; RECORD - 8];
        let mut played = 0;
        for &code in record[8..].iter().take_while(|&&code| code != 0) {
            let (row, column) = (code / 10, code % 10);
            if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
                self.describe(&record, script);
                let place = Place::Byte(offset + 8 + played as u64);
                let reason = format!("move {} is {code}; moves go from 11 to 88", played + 1);
                return Err(Fault::malformed(place, reason));
            }
            squares[played] = [b'a' + column - 1, b'0' + row];
            played += 1;
        }
        let begin = script.hold(squares[..played].as_flattened());
        for at in 0..played as u32 {
            let place = Place::Byte(offset + 8 + u64::from(at));
            script.push_held(begin + 2 * at, begin + 2 * at + 2, None, place);
        }
        self.describe(&record, script);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputFormat;
    use super::super::trial::{fault, read};
    use super::*;
    use crate::records::tests::{othello, random_game};
    use crate::source::of_bytes;
    use evalsmith_core::{Game, Side};
    use evalsmith_rules::Record;
    use proptest::prelude::*;

    /// Games as WTHOR keeps them.
    fn write(games: &[Record]) -> Vec<u8> {
        let othello = othello();
        let mut bytes = vec![20, 24, 1, 1];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(2024_u16.to_le_bytes());
        bytes.extend([8, 0, 24, 0]);
        for game in games {
            let margin = game.outcome_for(Side::First).unwrap().margin();
            let discs = i16::midpoint(margin, 64) as u8;
            bytes.extend([1, 0, 2, 0, 3, 0, discs, discs]);
            let moves = game.positions().iter().zip(game.moves());
            let names = moves.map(|(position, &m)| othello.format_move(position, m));
            let code = |name: String| match name.as_bytes() {
                [column, row] => Some(10 * (row - b'0') + (column - b'a') + 1),
                _ => None, // a pass
            };
            let mut codes: Vec<u8> = names.filter_map(code).collect();
            codes.resize(60, 0);
            bytes.extend(codes);
        }
        bytes
    }

    fn games(seed: u64) -> Vec<Record> {
        (0..3).map(|i| random_game(&othello(), seed.wrapping_add(i), 0, 200)).collect()
    }

    fn changed(at: usize, byte: u8) -> Fault {
        let mut bytes = write(&games(1)[..1]);
        bytes[at] = byte;
        let last = read(&othello(), InputFormat::Wthor, bytes).pop();
        last.and_then(Result::err).expect("a fault at the end")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_written_is_read(seed: u64) {
            let games = games(seed);
            let read = read(&othello(), InputFormat::Wthor, write(&games));
            prop_assert_eq!(read.len(), games.len());
            for (read, game) in read.into_iter().zip(&games) {
                let read = read.unwrap();
                prop_assert_eq!(&read.moves[..], game.moves());
                prop_assert_eq!(&read.positions[..], game.positions());
                prop_assert_eq!(read.outcome, game.outcome_for(Side::First));
            }
        }

        #[test]
        fn a_cut_anywhere_is_told(seed: u64, at: prop::sample::Index) {
            let bytes = write(&games(seed));
            let at = at.index(bytes.len());
            let read = read(&othello(), InputFormat::Wthor, &bytes[..at]);
            let last = read.last().unwrap().as_ref().err().unwrap();
            prop_assert_eq!(last.why, Why::Truncated);
            prop_assert_eq!(read.len(), at.saturating_sub(HEADER) / RECORD + 1);
        }
    }

    #[test]
    fn the_header_is_checked() {
        for (at, byte, why, word) in [
            (7, 9, Why::Malformed, "150994945 games"),
            (12, 10, Why::Variant, "10x10"),
            (13, 1, Why::Variant, "solitaires"),
            (14, 61, Why::Malformed, "61 empty squares"),
            (4, 0, Why::Malformed, "goes on"),
            (4, 2, Why::Truncated, "promises 2 games"),
        ] {
            let found = changed(at, byte);
            assert_eq!((found.why, found.rest_is_lost), (why, true), "{found:?}");
            assert!(found.reason.contains(word), "{found:?}");
        }
    }

    #[test]
    fn numbers_the_wrong_way_round_are_recognised() {
        let mut bytes = write(&games(1));
        bytes[4..8].reverse();
        bytes[10..12].reverse();
        let found = fault(&othello(), InputFormat::Wthor, bytes);
        assert!(found.reason.contains("3)") && found.reason.contains("little-endian"), "{found:?}");
    }

    #[test]
    fn bad_records_are_told_by_their_byte() {
        let first = HEADER as u64;
        for (at, byte, why, word) in [
            (6, 65, Why::Malformed, "65 discs"),
            (8 + 3, 99, Why::Malformed, "move 4 is 99"),
            (8 + 3, 19, Why::Malformed, "move 4 is 19"),
            (8 + 1, 11, Why::Illegal, "move 2"),
        ] {
            let found = changed(HEADER + at, byte);
            assert_eq!((found.why, found.place), (why, Place::Byte(first + at as u64)));
            assert!(found.reason.contains(word), "{found:?}");
        }
        let discs = write(&games(1)[..1])[HEADER + 6];
        let found = changed(HEADER + 6, 64 - discs);
        assert_eq!(found.why, Why::Contradiction);
    }

    #[test]
    fn players_and_tournaments_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = |width: usize, names: &[&[u8]]| {
            let mut bytes = vec![0; HEADER];
            for name in names {
                let mut name = name.to_vec();
                name.resize(width, 0);
                bytes.extend(name);
            }
            bytes
        };
        let players = file(20, &[b"?", b"x", b"B\xE9b\xE9", b"Anna"]);
        std::fs::write(dir.path().join("wth.jou"), players).unwrap();
        std::fs::write(dir.path().join("WTH.TRN"), file(26, &[b"?", b"Open"])).unwrap();
        let names = Names::beside(&dir.path().join("WTH_2024.wtb"));
        let mut script = Script::new();
        let bytes = of_bytes(write(&games(1)));
        Wthor::new(bytes, names).next(&mut script).unwrap();
        assert_eq!(script.whose, "B\u{e9}b\u{e9} - Anna, Open");
        assert_eq!(script.exact.unwrap().0, Stage(40));
    }
}
