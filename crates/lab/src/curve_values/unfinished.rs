//! The finished rows of a table of values, kept until the table is whole.
//!
//! `TABLE.unfinished` begins with a line that says what is asked; then come blocks: a
//! line of JSON with the block's account and a [checksum](evalsmith_core::seal), and the
//! rows as the table will have them, whose digest the account holds. Invariant: a block
//! is believed only when all of it is there as it was written; what a kill cut off, and
//! what follows a damaged block, is valued again. The file is locked while it is open.

use super::heading::{Begun, Heading};
use super::own::OwnValued;
use crate::LabError;
use evalsmith_core::digest::Digest;
use evalsmith_core::{Progress, files, seal};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The longest line that announces a block, or says what is asked.
const LONGEST_LINE: u64 = 1 << 20;
/// A block is written from memory; a longer one was not.
const LONGEST_BLOCK: u64 = 1 << 32;

/// What is known of a block's rows.
#[derive(Serialize, Deserialize)]
struct Account {
    bytes: u64,
    /// Of the rows; blocks of earlier versions have none.
    digest: Option<Digest>,
    valued: OwnValued,
}

/// What comes next in the file.
enum Next {
    End,
    /// The account of a block, and its rows.
    Block(Account, Vec<u8>),
    /// The file ends within a block.
    Cut,
    Damaged,
}

pub(super) struct Unfinished {
    path: PathBuf,
    file: File,
    /// Whether every block must have its checksums.
    sealed: bool,
    /// Where the blocks begin.
    start: u64,
    /// What the blocks hold in all.
    pub(super) valued: OwnValued,
}

impl Unfinished {
    /// The finished rows of the table at `output`, where a run that asked the same left
    /// some. A damaged block and those after it are dropped, with a note.
    ///
    /// # Errors
    /// When they answer another question, or another process writes them.
    pub(super) fn open(
        output: &Path,
        identity: &str,
        progress: &dyn Progress,
    ) -> Result<Self, LabError> {
        let mut path = output.as_os_str().to_owned();
        path.push(".unfinished");
        let path = PathBuf::from(path);
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(LabError::io(&path))?;
        files::lock(&file, &path)?;
        let mut unfinished =
            Self { path, file, sealed: true, start: 0, valued: OwnValued::default() };
        let heading = Heading::new(identity);
        let end = unfinished.read(&heading, progress)?;
        unfinished.file.set_len(end).map_err(LabError::io(&unfinished.path))?;
        if end == 0 {
            unfinished.append(heading.line())?;
            unfinished.start = heading.line().len() as u64;
        }
        Ok(unfinished)
    }

    /// Reads the accounts of whole blocks, and returns where the last of them ends.
    fn read(&mut self, heading: &Heading, progress: &dyn Progress) -> Result<u64, LabError> {
        let io = || LabError::io(&self.path);
        let mut reader = BufReader::new(&self.file);
        let first = line(&mut reader).map_err(io())?;
        let begun = heading.judge(&first, &self.path)?;
        if begun == Begun::Nothing {
            return Ok(0);
        }
        self.sealed = begun == Begun::Sealed;
        self.start = first.len() as u64;
        let (mut end, mut sum, mut blocks) = (self.start, OwnValued::default(), 0);
        loop {
            match next(&mut reader, self.sealed).map_err(io())? {
                Next::Block(account, _) => {
                    sum.add(account.valued);
                    end = reader.stream_position().map_err(io())?;
                    blocks += 1;
                }
                Next::Damaged => {
                    progress.note(&format!(
                        "{}: block {} was damaged; its rows and those after it are valued again",
                        self.path.display(),
                        blocks + 1
                    ));
                    break;
                }
                Next::End | Next::Cut => break,
            }
        }
        self.valued = sum;
        Ok(end)
    }

    /// Keeps some rows more.
    pub(super) fn add(&mut self, valued: OwnValued, rows: &str) -> Result<(), LabError> {
        let digest = Some(Digest::of(rows.as_bytes()));
        let account = Account { bytes: rows.len() as u64, digest, valued };
        let mut block = seal::line_of(&account);
        block.extend_from_slice(rows.as_bytes());
        self.append(&block)?;
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
            match next(&mut reader, self.sealed)? {
                Next::End => return Ok(()),
                Next::Block(_, rows) => out.write_all(&rows)?,
                Next::Cut | Next::Damaged => {
                    let path = self.path.display();
                    let reason = format!("{path} changed meanwhile; repeat the command");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
                }
            }
        }
    }

    /// Removes what the whole table has.
    pub(super) fn remove(self) -> Result<(), LabError> {
        fs::remove_file(&self.path).map_err(LabError::io(&self.path))
    }
}

/// Reads a block. One without checksums is believed as it stands, unless they must be
/// there.
fn next(reader: &mut impl BufRead, sealed: bool) -> io::Result<Next> {
    let head = line(reader)?;
    if head.is_empty() {
        return Ok(Next::End);
    }
    if !head.ends_with(b"\n") && (head.len() as u64) < LONGEST_LINE {
        return Ok(Next::Cut);
    }
    let account = seal::open(&head, sealed).ok();
    let account = account.and_then(|body| serde_json::from_slice::<Account>(&body).ok());
    let Some(account) = account.filter(|account| account.bytes < LONGEST_BLOCK) else {
        return Ok(Next::Damaged);
    };
    let mut rows = Vec::new();
    reader.by_ref().take(account.bytes).read_to_end(&mut rows)?;
    if (rows.len() as u64) < account.bytes {
        return Ok(Next::Cut);
    }
    let holds = account.digest.map_or(!sealed, |digest| digest == Digest::of(&rows));
    Ok(if holds { Next::Block(account, rows) } else { Next::Damaged })
}

fn line(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve_values::heading::reopened;
    use evalsmith_core::Quiet;

    fn open(table: &Path, identity: &str) -> Result<Unfinished, LabError> {
        reopened(|| Unfinished::open(table, identity, &Quiet))
    }

    fn valued(rows: u64) -> OwnValued {
        OwnValued { rows, nodes: 10 * rows, ..OwnValued::default() }
    }

    #[test]
    fn blocks_survive_a_kill_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let mut whole = open(&table, "hand").unwrap();
        whole.add(valued(2), "1\ta\n2\tb\n").unwrap();
        whole.add(valued(1), "3\tc\n").unwrap();
        let path = whole.path.clone();
        drop(whole);
        let bytes = fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let mut again = open(&table, "hand").unwrap();
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
        let mut held = open(&table, "hand").unwrap();
        held.add(valued(1), "1\ta\n").unwrap();
        assert!(matches!(Unfinished::open(&table, "hand", &Quiet), Err(LabError::Busy(_))));
        drop(held);
        let other = open(&table, "trivial").err().unwrap().to_string();
        assert!(other.contains("remove the file"), "{other}");
        assert_eq!(open(&table, "hand").unwrap().valued.rows, 1, "it stays");
    }

    /// Takes up a file, values what is missing, and returns the whole table.
    fn finished(table: &Path) -> Result<Vec<u8>, LabError> {
        let lines = ["1\ta\n", "2\tb\n", "3\tc\n"];
        let mut again = open(table, "hand")?;
        for line in &lines[again.valued.rows as usize..] {
            again.add(valued(1), line)?;
        }
        assert_eq!(again.valued, valued(3));
        let mut text = Vec::new();
        again.copy_to(&mut text).map_err(LabError::io(table))?;
        Ok(text)
    }

    #[test]
    fn no_flipped_bit_reaches_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let whole = finished(&table).unwrap();
        let path = table.with_extension("tsv.unfinished");
        let bytes = fs::read(&path).unwrap();
        let heading = Heading::new("hand").line().len();
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            match finished(&table) {
                Ok(text) => assert!(bit / 8 >= heading && text == whole, "bit {bit}"),
                Err(error) => {
                    assert!(bit / 8 < heading, "bit {bit}: {error}");
                    assert!(error.to_string().contains("remove the file"), "{error}");
                    assert_eq!(fs::read(&path).unwrap(), flipped, "a refused file stays");
                }
            }
        }
    }

    #[test]
    fn damage_after_the_file_was_opened_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let mut held = open(&table, "hand").unwrap();
        held.add(valued(1), "1\ta\n").unwrap();
        let mut bytes = fs::read(&held.path).unwrap();
        *bytes.last_mut().unwrap() = b'?';
        fs::write(&held.path, bytes).unwrap();
        let error = held.copy_to(&mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("a.tsv.unfinished") && error.contains("repeat"), "{error}");
    }

    #[test]
    fn blocks_of_an_earlier_version_are_used_and_continued_with_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("a.tsv");
        let account = "{\"bytes\":8,\"valued\":{\"function\":\"\",\"rows\":2,\"decided\":0,\
                       \"unreadable\":0,\"first_unreadable\":null,\"nodes\":20}}";
        let old = format!("# hand\n{account}\n1\ta\n2\tb\n");
        fs::write(table.with_extension("tsv.unfinished"), &old).unwrap();
        for _ in 0..2 {
            assert_eq!(finished(&table).unwrap(), b"1\ta\n2\tb\n3\tc\n");
        }
        let now = fs::read_to_string(table.with_extension("tsv.unfinished")).unwrap();
        assert!(now.starts_with(&old) && now.contains("\"sum\""), "{now}");
    }
}
