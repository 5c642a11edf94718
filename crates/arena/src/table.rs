//! The result table of a log (`LOG.results`): what a summary needs of each game,
//! in rows of sixty bytes where a line of the log has hundreds, and read several
//! times as fast.
//!
//! The log is the truth and the table an index of it, in blocks of some thousand
//! rows in the log's order. Invariant: a block is believed only when its checksum
//! holds, the blocks before it were believed, and the lines of the log that it tells
//! of have the digest that they had when the block was written: all of the log is
//! read, but only what has no row is parsed. What is not believed is read from the
//! log, line by line and with each line's checksum, and written again. So neither a
//! kill nor a lost or foreign table changes a summary, and no damage to the log is
//! passed over.

use crate::End;
use crate::scoreboard::{Culprit, Ended};
use evalsmith_core::digest::{Digest, Hasher};
use evalsmith_core::seal::checksum;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"evsrows2";
/// What every version begins with. Version 1 digested only the end of a block's lines,
/// and is made anew.
const ANY_VERSION: &[u8; 7] = b"evsrows";
/// The magic, and the checksum of the log's first line.
const HEAD: usize = 16;
/// How many rows, where their lines end in the log, the digest of those lines, and
/// the checksum of all this and the rows.
const BLOCK_HEAD: usize = 32;
const ROW: usize = 60;
/// The most rows of a block, and so the games that a kill leaves to the log.
const BLOCK: usize = 4096;
const UNKNOWN: u64 = u64::MAX;
const NOBODY: u8 = u8::MAX;

/// The table of one log: read from its beginning, then extended.
#[derive(Debug)]
pub(crate) struct ResultTable {
    /// None where there is none and none can be made.
    file: Option<File>,
    /// Whether this is the one that may write it.
    writes: bool,
    /// The checksum of the log's first line.
    log_head: u64,
    /// Bytes of the table that are believed.
    believed: u64,
    /// Bytes of the log that the blocks of the file tell of.
    begun: u64,
    /// Bytes of the log that the rows tell of, added ones too.
    end: u64,
    /// Rows believed or added.
    games: u64,
    /// Rows to be written.
    added: Vec<u8>,
    /// Of the lines of the rows to be written.
    lines: Hasher,
}

impl ResultTable {
    /// The table of the log that begins with the line `head`, to be read.
    pub(crate) fn of(log: &Path, head: &[u8]) -> Self {
        let mut table = Self::afresh(log, head);
        let mut bytes = [0; HEAD];
        let known = table
            .file
            .as_mut()
            .is_some_and(|file| file.rewind().and_then(|()| file.read_exact(&mut bytes)).is_ok());
        if known && bytes == table.head() {
            table.believed = HEAD as u64;
        }
        table
    }

    /// The table of the log that begins with the line `head`, to be made anew.
    pub(crate) fn afresh(log: &Path, head: &[u8]) -> Self {
        let (file, writes) = open(&path_of(log));
        let end = head.len() as u64;
        let log_head = checksum(0, head);
        let (believed, games, added, lines) = (0, 0, Vec::new(), Hasher::new());
        Self { file, writes, log_head, believed, begun: end, end, games, added, lines }
    }

    /// Begins anew, for a log that was put in order.
    pub(crate) fn restart(&mut self, head: &[u8]) {
        (self.believed, self.games) = (0, 0);
        self.end = head.len() as u64;
        self.begun = self.end;
        self.added.clear();
        self.lines = Hasher::new();
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&MAGIC);
        head[8..].copy_from_slice(&self.log_head.to_le_bytes());
        head
    }

    /// The games of the next block; none where nothing more is believed.
    pub(crate) fn next_block(&mut self, log: &mut File) -> Vec<Ended> {
        self.read_block(log).unwrap_or_default()
    }

    fn read_block(&mut self, log: &mut File) -> Option<Vec<Ended>> {
        if self.believed == 0 {
            return None;
        }
        let file = self.file.as_mut()?;
        file.seek(SeekFrom::Start(self.believed)).ok()?;
        let mut head = [0; BLOCK_HEAD];
        file.read_exact(&mut head).ok()?;
        let [rows, end, lines, sum] = words(&head);
        if !(1..=BLOCK as u64).contains(&rows) || end <= self.end {
            return None;
        }
        let mut bytes = vec![0; rows as usize * ROW];
        file.read_exact(&mut bytes).ok()?;
        if checksum(checksum(self.end, &head[..BLOCK_HEAD - 8]), &bytes) != sum {
            return None;
        }
        let games: Vec<Ended> = bytes.chunks_exact(ROW).map(read_row).collect::<Option<_>>()?;
        log.seek(SeekFrom::Start(self.end)).ok()?;
        if Digest::of_reader(log.take(end - self.end)).ok()?.0 != lines {
            return None;
        }
        self.believed += (BLOCK_HEAD + bytes.len()) as u64;
        self.games += rows;
        (self.begun, self.end) = (end, end);
        Some(games)
    }

    /// Bytes of the log that the rows tell of.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Rows believed or added.
    pub(crate) fn games(&self) -> u64 {
        self.games
    }

    /// Adds the game of the log's next line.
    pub(crate) fn add(&mut self, game: &Ended, line: &[u8]) {
        if !self.writes {
            return;
        }
        write_row(game, &mut self.added);
        self.games += 1;
        self.end += line.len() as u64;
        self.lines.write(line);
        if self.added.len() == BLOCK * ROW {
            self.write_block();
        }
    }

    /// Writes what was added; where it fails, the log says it all.
    fn write_block(&mut self) {
        let mut bytes = Vec::with_capacity(HEAD + BLOCK_HEAD + self.added.len());
        if self.believed == 0 {
            bytes.extend_from_slice(&self.head());
        }
        let rows = (self.added.len() / ROW) as u64;
        let begin = bytes.len();
        let lines = std::mem::take(&mut self.lines).finish();
        for word in [rows, self.end, lines.0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        // The end of the block before is part of it, so that blocks hang together.
        let sum = checksum(checksum(self.begun, &bytes[begin..]), &self.added);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes.append(&mut self.added);
        self.begun = self.end;
        let Some(file) = &mut self.file else { return };
        let written = file
            .set_len(self.believed)
            .and_then(|()| file.seek(SeekFrom::Start(self.believed)))
            .and_then(|_| file.write_all(&bytes));
        match written {
            Ok(()) => self.believed += bytes.len() as u64,
            Err(_) => self.writes = false,
        }
    }
}

impl Drop for ResultTable {
    fn drop(&mut self) {
        if self.writes && !self.added.is_empty() {
            self.write_block();
        }
    }
}

fn path_of(log: &Path) -> PathBuf {
    let mut name: OsString = log.as_os_str().to_owned();
    name.push(".results");
    name.into()
}

/// The file, and whether it may be written: it is a table or empty, and nobody
/// else is at it.
fn open(path: &Path) -> (Option<File>, bool) {
    let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let Ok(mut file) = options else { return (File::open(path).ok(), false) };
    let mut magic = Vec::new();
    let read = Read::by_ref(&mut file).take(MAGIC.len() as u64).read_to_end(&mut magic);
    let is_table = magic.starts_with(ANY_VERSION) || MAGIC.starts_with(&magic);
    let is_own = read.is_ok() && is_table;
    let writes = is_own && file.try_lock().is_ok();
    (Some(file), writes)
}

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

fn write_row(game: &Ended, row: &mut Vec<u8>) {
    let Ended { index, margin, plies, reason, nodes, cpu_micros, wall_micros, fault } = game;
    row.extend_from_slice(&index.to_le_bytes());
    row.extend_from_slice(&plies.to_le_bytes());
    row.extend_from_slice(&margin.to_le_bytes());
    row.push(*reason as u8);
    row.push(fault.map_or(NOBODY, |culprit| culprit.player.min(1) as u8));
    let times = cpu_micros.iter().chain(wall_micros).map(|time| time.unwrap_or(UNKNOWN));
    for word in nodes.iter().copied().chain(times) {
        row.extend_from_slice(&word.to_le_bytes());
    }
}

/// Reads what [`write_row`] writes; nothing else but numbers out of range is no row.
fn read_row(row: &[u8]) -> Option<Ended> {
    let number = |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
    let [first, second, times @ ..]: [u64; 6] = words(&row[12..ROW]);
    let [cpu_a, cpu_b, wall_a, wall_b] = times.map(|time| (time != UNKNOWN).then_some(time));
    let fault = match row[11] {
        NOBODY => None,
        player @ (0 | 1) => Some(Culprit { player: player.into() }),
        _ => return None,
    };
    Some(Ended {
        index: number(0),
        plies: number(4),
        margin: i16::from_le_bytes([row[8], row[9]]),
        reason: *End::ALL.get(usize::from(row[10]))?,
        nodes: [first, second],
        cpu_micros: [cpu_a, cpu_b],
        wall_micros: [wall_a, wall_b],
        fault,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StopAfter, plan, play};
    use crate::{MatchResult, read_match};
    use evalsmith_core::Quiet;
    use proptest::prelude::*;
    use std::fs;

    fn any_game() -> impl Strategy<Value = Ended> {
        let times = || prop::array::uniform2(prop::option::of(0..UNKNOWN));
        let fault = prop::option::of(0..2_usize);
        let ends = prop::sample::select(End::ALL.to_vec());
        let numbers = (any::<u32>(), any::<u32>(), any::<i16>(), any::<[u64; 2]>());
        (numbers, ends, times(), times(), fault).prop_map(
            |((index, plies, margin, nodes), reason, cpu_micros, wall_micros, fault)| Ended {
                index,
                plies,
                margin,
                nodes,
                reason,
                cpu_micros,
                wall_micros,
                fault: fault.map(|player| Culprit { player }),
            },
        )
    }

    /// A log of some games, with its table.
    struct Played {
        _dir: tempfile::TempDir,
        log: PathBuf,
        result: MatchResult,
    }

    fn played(pairs: u32) -> Played {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let result = play(&plan(pairs), &log, &Quiet).unwrap();
        Played { _dir: dir, log, result }
    }

    fn some_game() -> Ended {
        Ended {
            index: 0,
            margin: 1,
            plies: 60,
            reason: End::Rules,
            nodes: [0, 1],
            cpu_micros: [None, Some(2)],
            wall_micros: [None, None],
            fault: None,
        }
    }

    /// How many games of a log its table tells of.
    fn told(log: &Path) -> u64 {
        let text = fs::read(log).unwrap();
        let head = text.iter().position(|&b| b == b'\n').unwrap() + 1;
        let mut table = ResultTable::of(log, &text[..head]);
        let mut file = File::open(log).unwrap();
        while !table.next_block(&mut file).is_empty() {}
        table.games()
    }

    #[test]
    fn a_match_leaves_a_table_of_all_its_games() {
        let Played { log, result, _dir } = played(5);
        assert_eq!(told(&log), 10);
        let table = fs::read(path_of(&log)).unwrap();
        assert_eq!(table.len(), HEAD + BLOCK_HEAD + 10 * ROW);
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(fs::read(path_of(&log)).unwrap(), table, "reading changes nothing");
        fs::remove_file(path_of(&log)).unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(fs::read(path_of(&log)).unwrap(), table, "it is made again");
    }

    #[test]
    fn a_summary_comes_from_the_table() {
        let Played { log, result, _dir } = played(5);
        let lines = fs::read(&log).unwrap();
        let lines: Vec<_> = lines.split_inclusive(|&b| b == b'\n').collect();
        // A table of other games under the digests of these lines: nobody but a test has one.
        let mut table = ResultTable::afresh(&log, lines[0]);
        for (index, line) in (0..).zip(&lines[1..]) {
            table.add(&Ended { index, margin: 5, ..some_game() }, line);
        }
        drop(table);
        let stats = read_match(&log).unwrap().1.stats;
        assert_eq!((stats.wins, stats.games()), (10, 10));
        fs::remove_file(path_of(&log)).unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
    }

    #[test]
    fn a_changed_line_is_found_though_the_table_tells_of_it() {
        let Played { log, result, _dir } = played(5);
        let (text, table) = (fs::read(&log).unwrap(), fs::read(path_of(&log)).unwrap());
        for bit in (0..8 * text.len()).step_by(7) {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&log, &flipped).unwrap();
            assert!(read_match(&log).is_err(), "bit {} of byte {}", bit % 8, bit / 8);
            fs::write(path_of(&log), &table).unwrap();
        }
        fs::write(&log, &text).unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
    }

    #[test]
    fn a_table_of_the_version_before_is_made_anew() {
        let Played { log, result, _dir } = played(2);
        let table = fs::read(path_of(&log)).unwrap();
        let mut old = table.clone();
        old[..8].copy_from_slice(b"evsrows1");
        for left in [&old[..], &old[..8], &table[..3], b""] {
            fs::write(path_of(&log), left).unwrap();
            assert_eq!(read_match(&log).unwrap().1, result);
            assert_eq!(fs::read(path_of(&log)).unwrap(), table);
        }
    }

    #[test]
    fn the_table_of_a_run_that_goes_on_is_extended() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        play(&plan(6), &log, &StopAfter::games(3)).unwrap_err();
        let so_far = told(&log);
        assert!((3..12).contains(&so_far), "{so_far}");
        let before = fs::read(&log).unwrap();
        let result = play(&plan(6), &log, &Quiet).unwrap();
        assert_eq!(told(&log), 12);

        // The table of the shorter log, as after a kill.
        let whole = fs::read(&log).unwrap();
        fs::write(&log, &before).unwrap();
        fs::remove_file(path_of(&log)).unwrap();
        read_match(&log).unwrap();
        assert_eq!(told(&log), so_far);
        fs::write(&log, &whole).unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(told(&log), 12);
    }

    #[test]
    fn another_log_of_the_same_plan_is_not_taken_for_the_old_one() {
        let Played { log, result, _dir } = played(5);
        let text = fs::read(&log).unwrap();
        let mut lines: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
        let last = lines.pop().unwrap();
        lines.insert(1, last);
        fs::write(&log, lines.concat()).unwrap();
        assert_eq!(told(&log), 0);
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(told(&log), 10);
    }

    #[test]
    fn a_foreign_file_is_left_alone() {
        let Played { log, result, _dir } = played(2);
        fs::write(path_of(&log), "All the work of a year").unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(play(&plan(2), &log, &Quiet).unwrap(), result);
        assert_eq!(fs::read(path_of(&log)).unwrap(), b"All the work of a year");
    }

    #[test]
    fn one_that_another_writes_is_only_read() {
        let Played { log, result, _dir } = played(2);
        let table = fs::read(path_of(&log)).unwrap();
        fs::write(path_of(&log), &table[..table.len() - 1]).unwrap();
        let busy = File::open(path_of(&log)).unwrap();
        busy.lock().unwrap();
        assert_eq!(read_match(&log).unwrap().1, result);
        assert_eq!(fs::read(path_of(&log)).unwrap(), table[..table.len() - 1]);
    }

    #[test]
    fn many_blocks_hang_together() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let head = b"head\n";
        let line = |i: u32| format!("game {i}\n");
        let game = |index: u32| Ended { index, ..some_game() };
        let games = 2 * BLOCK as u32 + 7;
        let mut table = ResultTable::afresh(&log, head);
        (0..games).for_each(|i| table.add(&game(i), line(i).as_bytes()));
        drop(table);
        let text = (0..games).map(line).fold("head\n".to_owned(), |text, line| text + &line);
        fs::write(&log, &text).unwrap();
        let read = || {
            let mut table = ResultTable::of(&log, head);
            let mut file = File::open(&log).unwrap();
            let mut all = Vec::new();
            loop {
                let block = table.next_block(&mut file);
                if block.is_empty() {
                    return (all, table.end());
                }
                all.extend(block);
            }
        };
        assert_eq!(read(), ((0..games).map(game).collect(), text.len() as u64));
        // Without its second block, the third does not follow the first.
        let bytes = fs::read(path_of(&log)).unwrap();
        let block = BLOCK_HEAD + BLOCK * ROW;
        let gap = [&bytes[..HEAD + block], &bytes[HEAD + 2 * block..]].concat();
        fs::write(path_of(&log), gap).unwrap();
        assert_eq!(read().0.len(), BLOCK);
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_written(game in any_game()) {
            let mut row = Vec::new();
            write_row(&game, &mut row);
            prop_assert_eq!(row.len(), ROW);
            prop_assert_eq!(read_row(&row), Some(game));
        }

        #[test]
        fn any_row_is_a_game_or_none(row in prop::collection::vec(any::<u8>(), ROW)) {
            if let Some(game) = read_row(&row) {
                let mut again = Vec::new();
                write_row(&game, &mut again);
                prop_assert_eq!(again, row);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever a kill, a disk or a person did to the table, the summary is
        /// that of the log.
        #[test]
        fn no_damage_to_the_table_changes_a_summary(
            at in any::<prop::sample::Index>(),
            removed in 0..80_usize,
            put in prop::collection::vec(any::<u8>(), 0..80),
            cut in any::<bool>(),
            grown in any::<bool>(),
        ) {
            let Played { log, result, _dir } = played(4);
            let mut table = fs::read(path_of(&log)).unwrap();
            if grown {
                table.extend_from_within(HEAD..);
            }
            let start = at.index(table.len());
            let end = if cut { table.len() } else { (start + removed).min(table.len()) };
            table.splice(start..end, put);
            fs::write(path_of(&log), table).unwrap();
            prop_assert_eq!(&read_match(&log).unwrap().1, &result);
            prop_assert_eq!(&read_match(&log).unwrap().1, &result, "and what was written then");
        }

        #[test]
        fn any_bytes_for_a_table_are_passed_over(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            like in any::<bool>(),
        ) {
            let Played { log, result, _dir } = played(2);
            let head = fs::read(path_of(&log)).unwrap()[..HEAD].to_vec();
            let bytes = if like { [head, bytes].concat() } else { bytes };
            fs::write(path_of(&log), bytes).unwrap();
            prop_assert_eq!(read_match(&log).unwrap().1, result);
        }
    }
}
