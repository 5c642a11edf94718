//! The one folder the page may look into.
//!
//! Invariant: every path that leaves [`Workspace::find`] or [`Workspace::place`] is
//! inside the folder with all links followed, and so is everything in it.

use crate::label::Label;
use crate::plain;
use crate::refusal::Refusal;
use evalsmith_lab::prelude::{Dataset, FunctionName};
use serde::Serialize;
use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Folders inside folders that are looked into.
const DEEP: usize = 4;
/// Files and folders that are looked at.
const MOST: usize = 5000;

/// Bytes of a model that is opened.
const LARGEST_MODEL: u64 = 512 << 20;
/// Files and folders that one folder may hold to be worked with.
const MOST_IN_FOLDER: usize = 20_000;

/// The state of a file, or of a folder with all in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    entries: usize,
    bytes: u64,
    changed: Option<SystemTime>,
}

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
        if !found.starts_with(&self.root) {
            return Err(outside());
        }
        if found.is_dir() && !self.is_sealed(&found) {
            let reason = "holds links that lead out of the workspace, files that are not regular, \
                          or too much to be sure";
            return Err(Refusal::forbidden(format!("{path:?} {reason}")));
        }
        // Opening a FIFO waits for somebody to write into it.
        if !found.is_dir() && !plain::is_file(&found) {
            return Err(Refusal::forbidden(format!("{path:?} is not a regular file")));
        }
        Ok(found)
    }

    /// Whether a folder holds regular files and folders alone, and no link in it leads
    /// out. Links to folders are refused: what lies behind them would have to be looked
    /// through, too, and may lead around in a circle.
    fn is_sealed(&self, folder: &Path) -> bool {
        let mut folders = vec![folder.to_owned()];
        let mut left = MOST_IN_FOLDER;
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(folder) else { return false };
            for entry in entries {
                let Ok(entry) = entry else { return false };
                let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { return false };
                let inner = kind.is_dir()
                    || kind.is_file()
                    || path.canonicalize().is_ok_and(|p| p.is_file() && p.starts_with(&self.root));
                if left == 0 || !inner {
                    return false;
                }
                left -= 1;
                if kind.is_dir() {
                    folders.push(path);
                }
            }
        }
        true
    }

    /// What tells cheaply whether something changed: bytes, entries and the latest change
    /// of a file, or of a folder with all in it.
    pub(crate) fn stamp(path: &Path) -> Stamp {
        let mut stamp = Stamp::default();
        let mut paths = vec![path.to_owned()];
        while let Some(path) = paths.pop() {
            let Ok(facts) = fs::symlink_metadata(&path) else { continue };
            stamp.entries += 1;
            stamp.bytes = stamp.bytes.wrapping_add(facts.len());
            stamp.changed = stamp.changed.max(facts.modified().ok());
            if facts.is_dir() && stamp.entries < MOST_IN_FOLDER {
                paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
            }
        }
        stamp
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
            FunctionName::File(path) => {
                let found = self.find(&path.to_string_lossy())?;
                let bytes = fs::metadata(&found).map_or(0, |facts| facts.len());
                if bytes > LARGEST_MODEL {
                    let reason = format!("has {bytes} bytes; models here have {LARGEST_MODEL}");
                    return Err(Refusal::bad(format!("{} {reason} at most", path.display())));
                }
                Ok(FunctionName::File(found))
            }
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
        self.look(&mut held);
        for list in [&mut held.datasets, &mut held.models, &mut held.tables, &mut held.runs] {
            list.sort_by(|a, b| a.path.cmp(&b.path));
        }
        held
    }

    /// Nearest folders first: a deep one that holds much hides nothing above it.
    fn look(&self, held: &mut Holdings) {
        let mut folders = VecDeque::from([(self.root.clone(), 0)]);
        let mut left = MOST;
        while let Some((folder, deep)) = folders.pop_front() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                if left == 0 {
                    held.more = true;
                    return;
                }
                left -= 1;
                // Links are not followed: they may lead out, or around in a circle.
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if entry.file_name().to_string_lossy().starts_with('.') {
                    continue;
                }
                if kind.is_dir() {
                    self.look_at_folder(&path, held);
                    // What builds leave behind says so, and is much.
                    if deep < DEEP && !path.join("CACHEDIR.TAG").exists() {
                        folders.push_back((path, deep + 1));
                    }
                } else if kind.is_file() {
                    self.look_at_file(&path, held);
                }
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
        held.runs.extend(self.run_at(path));
    }

    /// The run at a path inside: a folder that says what made it, or a match's log.
    pub(crate) fn run_at(&self, path: &Path) -> Option<Held> {
        if path.is_file() {
            return Some(self.held(path, Some(match_game(path)?), "match".to_owned()));
        }
        let manifest: serde_json::Value = plain::json(&path.join("run.json"))?;
        let job = manifest["job"].as_str().unwrap_or("run");
        let (kind, game) = job.split_once(' ').unwrap_or((job, ""));
        let game = Some(game.to_owned()).filter(|game| !game.is_empty());
        Some(self.held(path, game, kind.to_owned()))
    }

    fn look_at_file(&self, path: &Path, held: &mut Holdings) {
        let name = path.to_string_lossy();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".safetensors"]) {
            if let Some(label) = Label::read(path) {
                held.models.push(self.held(path, Some(label.game), label.kind));
            }
        } else if ends(&[".jsonl"]) {
            held.runs.extend(self.run_at(path));
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
    BufReader::new(plain::open(path).ok()?).take(1 << 16).read_line(&mut line).ok()?;
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

    #[test]
    fn a_folder_that_leads_out_is_no_folder_of_ours() {
        let (outer, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inner = temp.path().join("games/deep");
        fs::create_dir_all(&inner).unwrap();
        fs::write(outer.path().join("secret"), "x").unwrap();
        fs::write(temp.path().join("mine"), "x").unwrap();
        let workspace = Workspace::open(temp.path()).unwrap();
        let link = |to: &Path| {
            let _ = fs::remove_file(inner.join("part"));
            std::os::unix::fs::symlink(to, inner.join("part")).unwrap();
            workspace.find("games").map_err(|refusal| refusal.status.as_u16())
        };
        assert!(link(&temp.path().join("mine")).is_ok());
        assert_eq!(link(&outer.path().join("secret")), Err(403));
        assert_eq!(link(outer.path()), Err(403));
        assert_eq!(link(temp.path()), Err(403), "around in a circle");
        assert_eq!(link(Path::new("nowhere")), Err(403));
    }

    #[test]
    fn special_files_and_huge_models_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        for folder in ["run", "data", "clean"] {
            fs::create_dir(at(folder)).unwrap();
        }
        for fifo in ["x.safetensors", "x.jsonl", "x.csv", "run/run.json", "data/dataset.json"] {
            plain::tests::fifo(&at(fifo));
        }
        std::os::unix::fs::symlink(at("x.csv"), at("clean/link.csv")).unwrap();
        let workspace = Workspace::open(temp.path()).unwrap();
        for path in ["x.safetensors", "x.jsonl", "x.csv", "run", "data", "clean"] {
            assert_eq!(workspace.find(path).unwrap_err().status, 403, "{path}");
            assert!(workspace.place(path).is_err(), "{path}");
            assert!(workspace.function(Some(path)).is_err(), "{path}");
            assert!(workspace.run_at(&at(path)).is_none(), "{path}");
        }
        let held = workspace.holdings();
        let lists = [held.datasets, held.models, held.tables, held.runs];
        assert!(lists.iter().all(Vec::is_empty), "{lists:?}");
        fs::File::create(at("huge.safetensors")).unwrap().set_len(1 << 40).unwrap();
        let refusal = workspace.function(Some("huge.safetensors")).unwrap_err();
        assert!(refusal.status == 400 && refusal.reason.contains("at most"), "{refusal:?}");
    }

    #[test]
    fn a_change_deep_in_a_folder_is_seen() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        let before = Workspace::stamp(temp.path());
        assert_eq!(Workspace::stamp(temp.path()), before);
        fs::write(temp.path().join("a/b/c"), "").unwrap();
        let after = Workspace::stamp(temp.path());
        assert_ne!(after, before);
        fs::write(temp.path().join("a/b/c"), "x").unwrap();
        assert_ne!(Workspace::stamp(temp.path()), after);
        assert_eq!(Workspace::stamp(&temp.path().join("nothing")), Stamp::default());
    }

    #[test]
    fn what_builds_leave_does_not_hide_a_model() {
        let temp = tempfile::tempdir().unwrap();
        let build = temp.path().join("a-build");
        fs::create_dir_all(build.join("deep")).unwrap();
        fs::write(build.join("CACHEDIR.TAG"), "").unwrap();
        for i in 0..MOST + 10 {
            fs::write(build.join("deep").join(i.to_string()), "").unwrap();
        }
        fs::create_dir(temp.path().join("models")).unwrap();
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/othello.safetensors");
        fs::copy(shipped, temp.path().join("models/m.safetensors")).unwrap();
        let workspace = Workspace::open(temp.path()).unwrap();
        let held = workspace.holdings();
        assert_eq!((held.models.len(), held.more), (1, false));
        fs::remove_file(build.join("CACHEDIR.TAG")).unwrap();
        let held = workspace.holdings();
        assert_eq!((held.models.len(), held.more), (1, true), "the near one is seen first");
        assert_eq!(held.models[0].path, "models/m.safetensors");
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
