//! Answers as they come in, a line each: value, tab, position.
//!
//! Invariant: a line without its end is no answer, so that a kill loses one at most.

use super::Answered;
use crate::LabError;
use evalsmith_core::files;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// The journal at a path, and what it knows.
    ///
    /// # Errors
    /// When it holds anything but answers to this question, or another writes to it.
    pub(super) fn open(
        path: &Path,
        identity: &str,
    ) -> Result<(Self, HashMap<String, Answered>), LabError> {
        let heading = format!("# {}\n", identity.replace('\n', " "));
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(path).map_err(LabError::io(path))?;
        files::lock(&file, path)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(LabError::io(path))?;
        // What a kill cut short is no answer, and must not begin the next line.
        let (whole, _) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
        let lines = if heading.starts_with(&text) {
            file.set_len(0)
                .and_then(|()| file.write_all(heading.as_bytes()))
                .map_err(LabError::io(path))?;
            ""
        } else if let Some(lines) = whole.strip_prefix(&heading) {
            file.set_len(whole.len() as u64).map_err(LabError::io(path))?;
            lines
        } else {
            let reason = "this holds something else than the answers of this engine to this \
                          question; remove it, or write to another file";
            return Err(LabError::Unreadable { path: path.to_owned(), reason: reason.into() });
        };
        let answers = lines.lines().filter_map(read).collect();
        Ok((Self { path: path.to_owned(), file }, answers))
    }

    pub(super) fn append(&mut self, position: &str, answer: Answered) -> Result<(), LabError> {
        let line = match answer {
            Answered::Value(value) => format!("{value}\t{position}\n"),
            Answered::Mate => format!("mate\t{position}\n"),
            Answered::Nothing => format!("none\t{position}\n"),
        };
        self.file.write_all(line.as_bytes()).map_err(LabError::io(&self.path))
    }
}

fn read(line: &str) -> Option<(String, Answered)> {
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
    use std::fs;

    #[test]
    fn answers_survive_a_kill_and_belong_to_one_question() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let (mut journal, known) = Journal::open(&path, "engine A").expect("a journal");
        assert!(known.is_empty());
        journal.append("p1", Answered::Value(-12.5)).expect("written");
        journal.append("p2", Answered::Mate).expect("written");
        journal.file.write_all(b"33\tp").expect("a line cut short");
        assert!(matches!(Journal::open(&path, "engine A"), Err(LabError::Busy(_))));
        drop(journal);
        let (mut journal, known) = Journal::open(&path, "engine A").expect("a journal");
        assert_eq!(known.len(), 2);
        assert_eq!(known["p1"], Answered::Value(-12.5));
        journal.append("p3", Answered::Nothing).expect("written");
        drop(journal);
        let (_, known) = Journal::open(&path, "engine A").expect("a journal");
        assert_eq!((known.len(), known["p3"]), (3, Answered::Nothing));
        let before = fs::read(&path).expect("the journal");
        let other = Journal::open(&path, "engine B").err().expect("answers of another");
        assert!(other.to_string().contains("remove it"), "{other}");
        assert_eq!(fs::read(&path).expect("the journal"), before);
        fs::write(&path, "# eng").expect("a heading cut short");
        let (journal, known) = Journal::open(&path, "engine A").expect("a journal");
        assert!(known.is_empty());
        drop(journal);
        assert_eq!(fs::read_to_string(&path).expect("the journal"), "# engine A\n");
    }
}
