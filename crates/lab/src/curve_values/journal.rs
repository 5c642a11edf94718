//! Answers as they come in, a line each: value, tab, position.
//!
//! Invariant: a line without its end is no answer, so that a kill loses one at most.

use super::Answered;
use crate::LabError;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// The journal at a path, and what it knows; one of another engine or question
    /// is begun anew.
    pub(super) fn open(
        path: &Path,
        identity: &str,
    ) -> Result<(Self, HashMap<String, Answered>), LabError> {
        let heading = format!("# {}\n", identity.replace('\n', " "));
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(LabError::io(path)(e)),
        };
        let known = text.strip_prefix(&heading);
        let answers: HashMap<String, Answered> = known
            .into_iter()
            .flat_map(|lines| lines.split_inclusive('\n'))
            .filter_map(|line| read(line.strip_suffix('\n')?))
            .collect();
        let mut options = OpenOptions::new();
        if known.is_some() {
            options.append(true);
        } else {
            options.write(true).create(true).truncate(true);
        }
        let mut file = options.open(path).map_err(LabError::io(path))?;
        if let Some(lines) = known {
            // What a kill cut short is no answer, and must not begin the next line.
            let whole = lines.rfind('\n').map_or(0, |end| end + 1);
            let length = (heading.len() + whole) as u64;
            file.set_len(length).map_err(LabError::io(path))?;
        } else {
            file.write_all(heading.as_bytes()).map_err(LabError::io(path))?;
        }
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

    #[test]
    fn answers_survive_a_kill_and_belong_to_one_question() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let (mut journal, known) = Journal::open(&path, "engine A").expect("a journal");
        assert!(known.is_empty());
        journal.append("p1", Answered::Value(-12.5)).expect("written");
        journal.append("p2", Answered::Mate).expect("written");
        journal.file.write_all(b"33\tp").expect("a line cut short");
        let (mut journal, known) = Journal::open(&path, "engine A").expect("a journal");
        assert_eq!(known.len(), 2);
        assert_eq!(known["p1"], Answered::Value(-12.5));
        journal.append("p3", Answered::Nothing).expect("written");
        let (_, known) = Journal::open(&path, "engine A").expect("a journal");
        assert_eq!((known.len(), known["p3"]), (3, Answered::Nothing));
        assert!(Journal::open(&path, "engine B").expect("a journal").1.is_empty());
    }
}
