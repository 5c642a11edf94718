//! Positions with the score of every move, in a file that grows as they are found.

use crate::failure::Usage;
use crate::options::{may_write, read_text};
use anyhow::Context;
use evalsmith_engine_othello::obf::{self, Problem};
use evalsmith_lab::prelude::{Position, files};
use evalsmith_othello::Move;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) struct Scored {
    path: PathBuf,
    file: File,
}

impl Scored {
    /// A new file, or one that holds the first of the positions with all their scores,
    /// and what it holds. A line that was only half written is dropped.
    pub(super) fn open<'p>(
        path: &Path,
        mut problems: impl Iterator<Item = &'p Problem>,
    ) -> anyhow::Result<(Self, Vec<Problem>)> {
        let name = || path.display().to_string();
        if !path.exists() {
            may_write(path, false)?;
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).open(path).with_context(name)?;
        files::lock(&file, path)?;
        let text = read_text(path)?;
        let (whole, tail) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
        let there = obf::read(whole).map_err(|e| Usage(format!("{}: {e}", name())))?;
        let ours = there.iter().all(|found| problems.next().is_some_and(|p| finishes(found, p)))
            && (tail.is_empty() || problems.next().is_some_and(|p| begins(tail, p)));
        if !ours {
            let other = "holds something else than these positions with all their scores; \
                         name another file to write to";
            return Err(Usage(format!("{} {other}", name())).into());
        }
        let length = file.metadata().with_context(name)?.len();
        file.set_len(length - tail.len() as u64).with_context(name)?;
        Ok((Self { path: path.to_owned(), file }, there))
    }

    /// One position more.
    pub(super) fn add(&mut self, problem: &Problem, scores: &[(Move, i8)]) -> anyhow::Result<()> {
        let Problem { board, to_move, .. } = *problem;
        let line = Problem { board, to_move, scores: scores.to_vec() };
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.with_context(|| self.path.display().to_string())?;
        Ok(())
    }
}

/// Whether a line is about this position and gives every move a score.
fn finishes(found: &Problem, wanted: &Problem) -> bool {
    let scored = |m| m == Move::PASS || found.scores.iter().any(|(there, _)| *there == m);
    (&found.board, found.to_move) == (&wanted.board, wanted.to_move)
        && wanted.board.moves().all(scored)
}

/// Whether a line without its end may be the beginning of this position's.
fn begins(tail: &str, wanted: &Problem) -> bool {
    let head = Problem { scores: Vec::new(), ..wanted.clone() }.to_string();
    tail.starts_with(&head) || head.starts_with(tail)
}
