//! The finished rows of a table of values, kept until the table is whole.
//!
//! `TABLE.unfinished` begins with a line that says what is asked; then come blocks: a
//! line of JSON with the block's account, and the rows as the table will have them.
//! Invariant: a block is believed only when all of it is there, so that a kill loses one
//! block at most. The file is locked while it is open.

use super::own::OwnValued;
use crate::LabError;
use evalsmith_core::files;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The longest line that announces a block, or says what is asked.
const LONGEST_LINE: u64 = 1 << 20;

/// What is known of a block's rows.
#[derive(Serialize, Deserialize)]
struct Account {
    bytes: u64,
    valued: OwnValued,
}

pub(super) struct Unfinished {
    path: PathBuf,
    file: File,
    /// Where the blocks begin.
    start: u64,
    /// What the blocks hold in all.
    pub(super) valued: OwnValued,
}

impl Unfinished {
    /// The finished rows of the table at `output`, where a run that asked the same left
    /// some.
    ///
    /// # Errors
    /// When they answer another question, or another process writes them.
    pub(super) fn open(output: &Path, identity: &str) -> Result<Self, LabError> {
        let mut path = output.as_os_str().to_owned();
        path.push(".unfinished");
        let path = PathBuf::from(path);
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(LabError::io(&path))?;
        files::lock(&file, &path)?;
        let heading = format!("# {}\n", identity.replace('\n', " "));
        let start = heading.len() as u64;
        let mut unfinished = Self { path, file, start, valued: OwnValued::default() };
        let end = unfinished.read(&heading)?;
        let io = LabError::io(&unfinished.path);
        unfinished.file.set_len(end).map_err(io)?;
        if end == 0 {
            unfinished.append(heading.as_bytes())?;
        }
        Ok(unfinished)
    }

    /// Reads the accounts of whole blocks, and returns where the last of them ends.
    fn read(&mut self, heading: &str) -> Result<u64, LabError> {
        let io = || LabError::io(&self.path);
        let length = self.file.metadata().map_err(io())?.len();
        let mut reader = BufReader::new(&self.file);
        let first = line(&mut reader).map_err(io())?;
        if first.len() < heading.len() && heading.as_bytes().starts_with(&first) {
            return Ok(0);
        }
        if first != heading.as_bytes() {
            let reason = "this holds rows of another table, or something else; remove it, or write \
                          to another file";
            let path = self.path.clone();
            return Err(LabError::Unreadable { path, reason: reason.into() });
        }
        let mut end = self.start;
        let mut sum = OwnValued::default();
        loop {
            let head = line(&mut reader).map_err(io())?;
            let Ok(Account { bytes, valued }) = serde_json::from_slice(&head) else { break };
            let after = (end + head.len() as u64).saturating_add(bytes);
            if !head.ends_with(b"\n") || after > length {
                break;
            }
            reader.seek_relative(bytes as i64).map_err(io())?;
            end = after;
            sum.add(valued);
        }
        self.valued = sum;
        Ok(end)
    }

    /// Keeps some rows more.
    pub(super) fn add(&mut self, valued: OwnValued, rows: &str) -> Result<(), LabError> {
        let account = Account { bytes: rows.len() as u64, valued };
        let mut block = serde_json::to_string(&account).expect("counts and words") + "\n";
        block += rows;
        self.append(block.as_bytes())?;
        self.valued.add(account.valued);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), LabError> {
        self.file.write_all(bytes).map_err(LabError::io(&self.path))
    }

    /// Writes the rows of all blocks.
    pub(super) fn copy_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut reader = BufReader::new(&self.file);
        reader.seek(SeekFrom::Start(self.start))?;
        loop {
            let head = line(&mut reader)?;
            if head.is_empty() {
                return Ok(());
            }
            let account: Account = serde_json::from_slice(&head)?;
            io::copy(&mut reader.by_ref().take(account.bytes), out)?;
        }
    }

    /// Removes what the whole table has.
    pub(super) fn remove(self) -> Result<(), LabError> {
        fs::remove_file(&self.path).map_err(LabError::io(&self.path))
    }
}

fn line(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valued(rows: u64) -> OwnValued {
        OwnValued { rows, nodes: 10 * rows, ..OwnValued::default() }
    }

    #[test]
    fn blocks_survive_a_kill_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let mut whole = Unfinished::open(&table, "hand").unwrap();
        whole.add(valued(2), "1\ta\n2\tb\n").unwrap();
        whole.add(valued(1), "3\tc\n").unwrap();
        let path = whole.path.clone();
        drop(whole);
        let bytes = fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let mut again = Unfinished::open(&table, "hand").unwrap();
            let rows = again.valued.rows;
            assert!([0, 2, 3].contains(&rows), "{length}: {rows}");
            let missing = ["1\ta\n", "2\tb\n", "3\tc\n"];
            again.add(valued(3 - rows), &missing[rows as usize..].concat()).unwrap();
            assert_eq!(again.valued, valued(3), "{length}");
            let mut text = Vec::new();
            again.copy_to(&mut text).unwrap();
            assert_eq!(text, b"1\ta\n2\tb\n3\tc\n", "{length}");
        }
    }

    #[test]
    fn rows_of_another_question_and_of_another_process_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let mut held = Unfinished::open(&table, "hand").unwrap();
        held.add(valued(1), "1\ta\n").unwrap();
        assert!(matches!(Unfinished::open(&table, "hand"), Err(LabError::Busy(_))));
        drop(held);
        let other = Unfinished::open(&table, "trivial").err().unwrap().to_string();
        assert!(other.contains("remove it"), "{other}");
        assert_eq!(Unfinished::open(&table, "hand").unwrap().valued.rows, 1, "it stays");
    }
}
