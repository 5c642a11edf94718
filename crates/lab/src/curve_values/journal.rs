//! Answers as they come in, a line of JSON each, with a [checksum](evalsmith_core::seal).
//!
//! Invariant: a line is an answer only when its checksum holds. A last line without its
//! end is none, so that a kill loses one answer at most; any other damaged line is
//! refused. Earlier versions wrote `value, tab, position` without a checksum.

use super::Answered;
use super::heading::{Begun, Heading};
use crate::LabError;
use evalsmith_core::{files, seal};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A line.
#[derive(Serialize, Deserialize)]
struct Answer<'a> {
    position: Cow<'a, str>,
    answer: Answered,
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// The journal at a path, and what it knows.
    ///
    /// # Errors
    /// When it answers another question, a line was damaged, or another process writes
    /// to it.
    pub(super) fn open(
        path: &Path,
        identity: &str,
    ) -> Result<(Self, HashMap<String, Answered>), LabError> {
        let heading = Heading::new(identity);
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(path).map_err(LabError::io(path))?;
        files::lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(LabError::io(path))?;
        let mut lines = bytes.split_inclusive(|&b| b == b'\n');
        let begun = heading.judge(lines.next().unwrap_or_default(), path)?;
        let mut answers = HashMap::new();
        if begun == Begun::Nothing {
            file.set_len(0)
                .and_then(|()| file.write_all(heading.line()))
                .map_err(LabError::io(path))?;
        } else {
            for (number, line) in (2..).zip(lines.filter(|line| line.ends_with(b"\n"))) {
                let (position, answer) = read(line, begun).map_err(|reason| {
                    let reason = format!("line {number}: {reason}; remove that line to ask again");
                    LabError::Unreadable { path: path.to_owned(), reason }
                })?;
                answers.insert(position, answer);
            }
            // What a kill cut short is no answer, and must not begin the next line.
            let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
            file.set_len(whole as u64).map_err(LabError::io(path))?;
        }
        Ok((Self { path: path.to_owned(), file }, answers))
    }

    pub(super) fn append(&mut self, position: &str, answer: Answered) -> Result<(), LabError> {
        let line = seal::line_of(&Answer { position: position.into(), answer });
        self.file.write_all(&line).map_err(LabError::io(&self.path))
    }
}

/// A line's answer, or what is wrong with it.
fn read(line: &[u8], begun: Begun) -> Result<(String, Answered), String> {
    if begun == Begun::Unsealed && !line.starts_with(b"{") {
        let text = std::str::from_utf8(line).ok().and_then(|line| read_unsealed(line.trim_end()));
        return text.ok_or_else(|| "it is no answer: the line was changed or damaged".into());
    }
    let body = seal::open(line, true)?;
    let Answer { position, answer } = serde_json::from_slice(&body).map_err(|e| e.to_string())?;
    Ok((position.into_owned(), answer))
}

/// A line of an earlier version: value, tab, position.
fn read_unsealed(line: &str) -> Option<(String, Answered)> {
    let (value, position) = line.split_once('\t')?;
    let answer = match value {
        "mate" => Answered::Mate,
        "none" => Answered::Nothing,
        number => Answered::Value(number.parse().ok().filter(|x: &f64| x.is_finite())?),
    };
    Some((position.to_owned(), answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve_values::heading::reopened;
    use std::fs;

    type Opened = (Journal, HashMap<String, Answered>);

    fn open(path: &Path, identity: &str) -> Result<Opened, LabError> {
        reopened(|| Journal::open(path, identity))
    }

    #[test]
    fn answers_survive_a_kill_and_belong_to_one_question() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let (mut journal, known) = open(&path, "engine A").expect("a journal");
        assert!(known.is_empty());
        journal.append("p1", Answered::Value(-12.5)).expect("written");
        journal.append("p2", Answered::Mate).expect("written");
        journal.file.write_all(b"33\tp").expect("a line cut short");
        assert!(matches!(Journal::open(&path, "engine A"), Err(LabError::Busy(_))));
        drop(journal);
        let (mut journal, known) = open(&path, "engine A").expect("a journal");
        assert_eq!(known.len(), 2);
        assert_eq!(known["p1"], Answered::Value(-12.5));
        journal.append("p3", Answered::Nothing).expect("written");
        drop(journal);
        let (_, known) = open(&path, "engine A").expect("a journal");
        assert_eq!((known.len(), known["p3"]), (3, Answered::Nothing));
        let before = fs::read(&path).expect("the journal");
        let other = open(&path, "engine B").err().expect("answers of another");
        assert!(other.to_string().contains("remove the file"), "{other}");
        assert_eq!(fs::read(&path).expect("the journal"), before);
        fs::write(&path, "# eng").expect("a heading cut short");
        let (journal, known) = open(&path, "engine A").expect("a journal");
        assert!(known.is_empty());
        drop(journal);
        assert_eq!(fs::read(&path).expect("the journal"), Heading::new("engine A").line());
    }

    /// A journal with three answers.
    fn written(path: &Path) -> (Vec<u8>, HashMap<String, Answered>) {
        let (mut journal, _) = open(path, "engine A").expect("a journal");
        journal.append("p1", Answered::Value(-12.5)).expect("written");
        journal.append("p2", Answered::Mate).expect("written");
        journal.append("p3 \"x\"", Answered::Nothing).expect("written");
        drop(journal);
        let (_, answers) = open(path, "engine A").expect("a journal");
        assert_eq!(answers.len(), 3);
        (fs::read(path).expect("the journal"), answers)
    }

    #[test]
    fn no_flipped_bit_becomes_an_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let (whole, answers) = written(&path);
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).expect("written");
            match open(&path, "engine A") {
                Ok((_, known)) => {
                    let lost = bit / 8 == whole.len() - 1;
                    assert!(lost && known.len() == 2, "bit {bit}: only the last line may be lost");
                    assert!(known.iter().all(|(position, answer)| answers[position] == *answer));
                }
                Err(error) => {
                    let line = whole[..bit / 8].split(|&b| b == b'\n').count();
                    let error = error.to_string();
                    assert!(error.contains(&format!("line {line}")), "bit {bit}: {error}");
                    assert!(error.contains("remove"), "{error}");
                    assert_eq!(fs::read(&path).expect("read"), flipped, "a refused file stays");
                }
            }
        }
    }

    #[test]
    fn answers_of_an_earlier_version_are_used_and_continued_with_checksums() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let old = "# engine A\n-12.5\tp1\nmate\tp2\nnone\tp3\n7\tp";
        fs::write(&path, old).expect("written");
        let (mut journal, known) = open(&path, "engine A").expect("a journal");
        assert_eq!(known.len(), 3);
        assert_eq!((known["p1"], known["p2"]), (Answered::Value(-12.5), Answered::Mate));
        journal.append("p4", Answered::Value(0.1)).expect("written");
        drop(journal);
        let (_, known) = open(&path, "engine A").expect("a journal");
        assert_eq!((known.len(), known["p4"]), (4, Answered::Value(0.1)));
        for damaged in ["x\tp1\n", "12 p1\n", "{\"position\":\"p1\"}\n"] {
            fs::write(&path, format!("# engine A\n{damaged}")).expect("written");
            let error = open(&path, "engine A").err().expect("refused").to_string();
            assert!(error.contains("line 2") && error.contains("remove that line"), "{error}");
        }
    }
}
