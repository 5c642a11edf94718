//! The one folder the page may look into.
//!
//! Invariant: every path that leaves [`Workspace::find`] or [`Workspace::place`] is
//! inside the folder with all links followed.

use crate::refusal::Refusal;
use evalsmith_lab::prelude::{Dataset, FunctionName, ModelFile, PatternFile};
use serde::Serialize;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Folders inside folders that are looked into.
const DEEP: usize = 4;
/// Files and folders that are looked at.
const MOST: usize = 5000;

/// The folder.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

/// What the folder holds.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Holdings {
    /// Folders of positions.
    pub(crate) datasets: Vec<Held>,
    /// Evaluation functions.
    pub(crate) models: Vec<Held>,
    /// CSV, TSV and Parquet files.
    pub(crate) tables: Vec<Held>,
    /// Folders and logs of runs.
    pub(crate) runs: Vec<Held>,
    /// Whether there is more than was looked at.
    pub(crate) more: bool,
}

/// Something in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Held {
    /// Its path inside the folder.
    pub(crate) path: String,
    /// The game it is about, where it says so.
    pub(crate) game: Option<String>,
    /// Rows of a dataset; kind of a model; job of a run.
    pub(crate) what: String,
}

impl Workspace {
    pub(crate) fn open(root: &Path) -> std::io::Result<Self> {
        Ok(Self { root: root.canonicalize()? })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside that exists.
    pub(crate) fn find(&self, path: &str) -> Result<PathBuf, Refusal> {
        let outside = || Refusal::forbidden(format!("{path:?} is not inside the workspace"));
        if !is_inner(path) {
            return Err(outside());
        }
        let found = self.root.join(path).canonicalize();
        let found = found.map_err(|_| Refusal::missing(format!("there is no {path:?} here")))?;
        if found.starts_with(&self.root) { Ok(found) } else { Err(outside()) }
    }

    /// The place of something new, directly in the folder.
    pub(crate) fn place(&self, name: &str) -> Result<PathBuf, Refusal> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let first = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        if !first || name.len() > 80 || !name.chars().all(plain) {
            let reason = "a name has letters, digits, '-', '_' and '.', and begins with one of the \
                          first two";
            return Err(Refusal::bad(format!("{name:?}: {reason}")));
        }
        // What stands there already may be a link to elsewhere.
        if fs::symlink_metadata(self.root.join(name)).is_ok() {
            self.find(name)
        } else {
            Ok(self.root.join(name))
        }
    }

    /// A function by name, with a model file inside the folder.
    pub(crate) fn function(&self, name: Option<&str>) -> Result<FunctionName, Refusal> {
        match FunctionName::from(name.unwrap_or("shipped").to_owned()) {
            FunctionName::File(path) => Ok(FunctionName::File(self.find(&path.to_string_lossy())?)),
            named => Ok(named),
        }
    }

    /// The path as the page names it.
    pub(crate) fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Looks through the folder.
    pub(crate) fn holdings(&self) -> Holdings {
        let mut held = Holdings::default();
        let mut left = MOST;
        self.look(&self.root, 0, &mut left, &mut held);
        held.more = left == 0;
        for list in [&mut held.datasets, &mut held.models, &mut held.tables, &mut held.runs] {
            list.sort_by(|a, b| a.path.cmp(&b.path));
        }
        held
    }

    fn look(&self, folder: &Path, deep: usize, left: &mut usize, held: &mut Holdings) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            // Links are not followed: they may lead out, or around in a circle.
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if hidden {
                continue;
            }
            if kind.is_dir() {
                self.look_at_folder(&path, held);
                if deep < DEEP {
                    self.look(&path, deep + 1, left, held);
                }
            } else if kind.is_file() {
                self.look_at_file(&path, held);
            }
        }
    }

    fn look_at_folder(&self, path: &Path, held: &mut Holdings) {
        if path.join("dataset.json").is_file()
            && let Ok(dataset) = Dataset::open(path)
        {
            let what = format!("{} positions", dataset.len());
            held.datasets.push(self.held(path, Some(dataset.manifest().game.clone()), what));
        }
        let manifest = fs::read(path.join("run.json")).ok();
        let manifest = manifest.and_then(|b| serde_json::from_slice::<serde_json::Value>(&b).ok());
        if let Some(manifest) = manifest {
            let job = manifest["job"].as_str().unwrap_or("run").to_owned();
            let (kind, game) = job.split_once(' ').unwrap_or((&job, ""));
            let game = Some(game.to_owned()).filter(|game| !game.is_empty());
            held.runs.push(self.held(path, game, kind.to_owned()));
        }
    }

    fn look_at_file(&self, path: &Path, held: &mut Holdings) {
        let name = path.to_string_lossy();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".safetensors"]) {
            let (game, what) = match (PatternFile::is_at(path), ModelFile::load(path)) {
                (true, _) => (None, "patterns".to_owned()),
                (false, Ok(file)) => (Some(file.game), file.model.kind().to_owned()),
                (false, Err(_)) => return,
            };
            held.models.push(self.held(path, game, what));
        } else if ends(&[".jsonl"]) {
            if let Some(game) = match_game(path) {
                held.runs.push(self.held(path, Some(game), "match".to_owned()));
            }
        } else if ends(&[".csv", ".tsv", ".csv.zst", ".tsv.zst"])
            || (ends(&[".parquet"]) && !path.with_file_name("dataset.json").is_file())
        {
            held.tables.push(self.held(path, None, "table".to_owned()));
        }
    }

    fn held(&self, path: &Path, game: Option<String>, what: String) -> Held {
        Held { path: self.name(path), game, what }
    }
}

/// The game of a match's log, by its first line.
fn match_game(path: &Path) -> Option<String> {
    use std::io::{BufRead, BufReader, Read};
    let mut line = String::new();
    BufReader::new(fs::File::open(path).ok()?).take(1 << 16).read_line(&mut line).ok()?;
    let header: serde_json::Value = serde_json::from_str(&line).ok()?;
    header.get("match_log")?;
    Some(header["game"].as_str()?.to_owned())
}

fn is_inner(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && Path::new(path).components().all(|c| matches!(c, Component::Normal(_)))
}

/// When a file was last changed.
pub(crate) fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn links_and_dots_do_not_lead_out() {
        let (outer, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outer.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(outer.path(), temp.path().join("out")).unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret"), temp.path().join("s")).unwrap();
        fs::create_dir(temp.path().join("in")).unwrap();
        let workspace = Workspace::open(temp.path()).unwrap();
        assert!(workspace.find("in").is_ok());
        for path in ["out/secret", "s", "..", "in/../..", "/etc/passwd", "", ".", "a\0b", "out"] {
            let status = workspace.find(path).unwrap_err().status;
            assert_eq!(status, 403, "{path:?}");
        }
        assert_eq!(workspace.find("nothing").unwrap_err().status, 404);
        for name in ["s", "out", "../x", "a/b", ".hidden", "-flag", "", "a b"] {
            assert!(workspace.place(name).is_err(), "{name:?}");
        }
        assert_eq!(workspace.place("new-run").unwrap(), workspace.root().join("new-run"));
    }

    proptest! {
        #[test]
        fn no_path_leads_out(path in "([./a-z\\\\%~-]|in|out){0,12}") {
            let temp = tempfile::tempdir().unwrap();
            fs::create_dir(temp.path().join("in")).unwrap();
            std::os::unix::fs::symlink("/", temp.path().join("out")).unwrap();
            let workspace = Workspace::open(temp.path()).unwrap();
            for found in [workspace.find(&path), workspace.place(&path)].into_iter().flatten() {
                let real = found.canonicalize().unwrap_or(found);
                prop_assert!(real.starts_with(workspace.root()), "{path:?} leads to {real:?}");
            }
        }
    }
}
