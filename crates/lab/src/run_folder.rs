//! A folder that belongs to one run: it says what made it and refuses others.

use crate::LabError;
use evalsmith_core::files::{Lock, MOST_LIST, is_temporary, read_at_most, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MANIFEST: &str = "run.json";
const LOCK: &str = "run.lock";

/// A folder claimed for a plan, and for this process while the value lives.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    _lock: Lock,
}

impl RunFolder {
    /// Claims the folder for this job and plan, or finds that it already is
    /// theirs, so that the job goes on where it stopped. What a killed run left
    /// half written is removed.
    ///
    /// # Errors
    /// When the folder holds another run or anything else, another process is at
    /// work in it, or it cannot be written.
    pub(crate) fn claim(path: &Path, job: &str, plan: &impl Serialize) -> Result<Self, LabError> {
        let wanted = serde_json::json!({
            "job": job,
            "version": env!("CARGO_PKG_VERSION"),
            "plan": plan,
        });
        let occupied = |holds: String| LabError::Occupied { path: path.to_owned(), holds };
        fs::create_dir_all(path).map_err(LabError::io(path))?;
        let manifest = path.join(MANIFEST);
        // What a run makes comes after its manifest: seen in this order, another process
        // that begins at this moment is no stranger.
        let stranger = names(path)?.into_iter().find(|name| !is_ours(name));
        if let Some(stranger) = stranger.filter(|_| !manifest.exists()) {
            return Err(occupied(format!("holds {stranger:?} and no run of evalsmith")));
        }
        let lock = Lock::take(&path.join(LOCK), path)?;
        if manifest.exists() {
            let bytes = fs::read(&manifest).map_err(LabError::io(&manifest))?;
            let found: serde_json::Value = serde_json::from_slice(&bytes)
                .map_err(|e| occupied(format!("holds a run.json that cannot be read ({e})")))?;
            if let Some(difference) = difference(&found, &wanted, "") {
                return Err(occupied(format!("holds another run ({difference})")));
            }
        } else {
            write_json(&manifest, &wanted)?;
        }
        for leftover in names(path)?.into_iter().filter(|name| is_temporary(name)) {
            let leftover = path.join(leftover);
            fs::remove_file(&leftover).map_err(LabError::io(&leftover))?;
        }
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The job and the plan of the run that a folder belongs to.
    ///
    /// # Errors
    /// When it holds no run, or one whose plan is of another kind.
    pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<(String, T), LabError> {
        #[derive(Deserialize)]
        struct Manifest {
            job: String,
            plan: serde_json::Value,
        }
        let manifest = path.join(MANIFEST);
        let Manifest { job, plan } = read_json(&manifest)?;
        let plan = serde_json::from_value(plan).map_err(|e| LabError::Unreadable {
            path: manifest,
            reason: format!("{e}; it is the run {job:?}: repeat the command it came from"),
        })?;
        Ok((job, plan))
    }

    /// A file or folder inside.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// The names of all that a folder holds.
fn names(dir: &Path) -> Result<Vec<String>, LabError> {
    let entries = fs::read_dir(dir).map_err(LabError::io(dir))?;
    let name = |entry: io::Result<fs::DirEntry>| {
        Ok(entry.map_err(LabError::io(dir))?.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect()
}

/// Whether a run that was killed before it wrote its manifest left this.
fn is_ours(name: &str) -> bool {
    name == LOCK || (name.starts_with(MANIFEST) && is_temporary(name))
}

/// The first place where two JSON values differ, in words.
fn difference(found: &serde_json::Value, wanted: &serde_json::Value, at: &str) -> Option<String> {
    use serde_json::Value::Object;
    match (found, wanted) {
        (Object(f), Object(w)) => f.keys().chain(w.keys()).find_map(|k| {
            let null = serde_json::Value::Null;
            let path = if at.is_empty() { k.clone() } else { format!("{at}.{k}") };
            difference(f.get(k).unwrap_or(&null), w.get(k).unwrap_or(&null), &path)
        }),
        _ if found == wanted => None,
        _ => Some(format!("its {at} is {found}, yours is {wanted}")),
    }
}

/// Writes a value as JSON, beside and then renamed.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), LabError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|e| LabError::Settings(format!("{}: {e}", path.display())))?;
    text.push(b'\n');
    write_atomically(path, |file| file.write_all(&text)).map_err(LabError::io(path))
}

/// Reads a JSON file.
///
/// # Errors
/// When the file is missing or holds something else.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, LabError> {
    let bytes = read_at_most(path, MOST_LIST).map_err(LabError::io(path))?;
    serde_json::from_slice(&bytes).map_err(|e| LabError::Unreadable {
        path: path.to_owned(),
        reason: format!("{e}; remove it, or restore the file this program wrote"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_folder_serves_one_plan_only() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let out = temp.path().join("run");
        let plan = json!({"games": 10, "seed": 1});
        let held = RunFolder::claim(&out, "learn", &plan).expect("a new folder");
        let second = RunFolder::claim(&out, "learn", &plan);
        assert!(matches!(second, Err(LabError::Busy(_))), "two runs at once");
        drop(held);
        fs::write(out.join("report.html.7-1.tmp"), "half").expect("written");
        drop(RunFolder::claim(&out, "learn", &plan).expect("the same run again"));
        assert!(!out.join("report.html.7-1.tmp").exists(), "a leftover stays");
        fs::write(out.join("notes.tmp"), "precious").expect("written");
        drop(RunFolder::claim(&out, "learn", &plan).expect("the same run again"));
        assert!(out.join("notes.tmp").exists(), "somebody's file was removed");
        let other = RunFolder::claim(&out, "learn", &json!({"games": 11, "seed": 1}));
        let message = other.expect_err("another plan").to_string();
        assert!(message.contains("plan.games is 10, yours is 11"), "{message}");
    }

    #[test]
    fn a_run_killed_before_its_first_file_can_begin_again() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        for name in ["run.json.12-0.tmp", "run.lock"] {
            fs::write(temp.path().join(name), "").expect("written");
        }
        RunFolder::claim(temp.path(), "learn", &json!({})).expect("nothing of value is there");
    }

    #[test]
    fn a_folder_with_other_things_is_refused() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        fs::write(temp.path().join("thesis.tex"), "precious").expect("written");
        let refused = RunFolder::claim(temp.path(), "learn", &json!({}));
        assert!(matches!(refused, Err(LabError::Occupied { .. })));
        assert_eq!(fs::read(temp.path().join("thesis.tex")).expect("still there"), b"precious");
    }
}
