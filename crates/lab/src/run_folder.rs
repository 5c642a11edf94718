//! A folder that belongs to one run: it says what made it and refuses others.

use crate::LabError;
use evalsmith_data::write_atomically;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "run.json";

/// A folder claimed for a plan.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Claims the folder for this job and plan, or finds that it already is
    /// theirs, so that the job goes on where it stopped.
    ///
    /// # Errors
    /// When the folder holds another run or anything else, or cannot be written.
    pub(crate) fn claim(path: &Path, job: &str, plan: &impl Serialize) -> Result<Self, LabError> {
        let wanted = serde_json::json!({
            "job": job,
            "version": env!("CARGO_PKG_VERSION"),
            "plan": plan,
        });
        let occupied = |holds: String| LabError::Occupied { path: path.to_owned(), holds };
        let manifest = path.join(MANIFEST);
        match fs::read(&manifest) {
            Ok(bytes) => {
                let found: serde_json::Value = serde_json::from_slice(&bytes)
                    .map_err(|e| occupied(format!("holds a run.json that cannot be read ({e})")))?;
                if let Some(difference) = difference(&found, &wanted, "") {
                    return Err(occupied(format!("holds another run ({difference})")));
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                fs::create_dir_all(path).map_err(LabError::io(path))?;
                let mut entries = fs::read_dir(path).map_err(LabError::io(path))?;
                if entries.next().is_some() {
                    return Err(occupied("is not empty and holds no run of evalsmith".into()));
                }
                write_json(&manifest, &wanted)?;
            }
            Err(e) => return Err(LabError::io(&manifest)(e)),
        }
        Ok(Self { path: path.to_owned() })
    }

    /// A file or folder inside.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
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
    let bytes = fs::read(path).map_err(LabError::io(path))?;
    serde_json::from_slice(&bytes).map_err(|e| {
        LabError::Settings(format!("{}: {e}; is it a file of this kind?", path.display()))
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
        RunFolder::claim(&out, "learn", &plan).expect("a new folder");
        RunFolder::claim(&out, "learn", &plan).expect("the same run again");
        let other = RunFolder::claim(&out, "learn", &json!({"games": 11, "seed": 1}));
        let message = other.expect_err("another plan").to_string();
        assert!(message.contains("plan.games is 10, yours is 11"), "{message}");
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
