//! Positions with the score of every move, in a file that grows as they are found.

use crate::failure::Usage;
use crate::options::{may_write, read_text};
use anyhow::Context;
use evalsmith_engine_othello::obf::{self, Problem};
use evalsmith_othello::Move;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) struct Scored {
    path: PathBuf,
    file: File,
    len: usize,
}

impl Scored {
    /// A new file, or one that holds the first of the positions. A line that was only
    /// half written is dropped.
    pub(super) fn open<'p>(
        path: &Path,
        mut problems: impl Iterator<Item = &'p Problem>,
    ) -> anyhow::Result<Self> {
        let name = || path.display().to_string();
        if !path.exists() {
            may_write(path, false)?;
            let file = File::create_new(path).with_context(name)?;
            return Ok(Self { path: path.to_owned(), file, len: 0 });
        }
        let text = read_text(path)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let there = obf::read(whole).map_err(|e| Usage(format!("{}: {e}", name())))?;
        let same = |found: &Problem| {
            let wanted = problems.next();
            wanted.is_some_and(|p| (&p.board, p.to_move) == (&found.board, found.to_move))
        };
        if !there.iter().all(same) {
            let other = "holds other positions than these; name another file to write to";
            return Err(Usage(format!("{} {other}", name())).into());
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).open(path).with_context(name)?;
        file.set_len(whole.len() as u64).with_context(name)?;
        Ok(Self { path: path.to_owned(), file, len: there.len() })
    }

    /// Positions that are there already.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// One position more.
    pub(super) fn add(&mut self, problem: &Problem, scores: &[(Move, i8)]) -> anyhow::Result<()> {
        let Problem { board, to_move, .. } = *problem;
        let line = Problem { board, to_move, scores: scores.to_vec() };
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.with_context(|| self.path.display().to_string())?;
        self.len += 1;
        Ok(())
    }
}
