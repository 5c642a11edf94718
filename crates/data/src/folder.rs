//! The folder of a dataset: who may write there, and what a kill leaves behind.
//!
//! Invariant: whoever holds the lock owns the folder, and the manifest in it is
//! of the run that writes.

use crate::lock::{self, LOCK};
use crate::manifest::MANIFEST;
use crate::{DataError, Manifest};
use evalsmith_core::files::{Lock, TEMPORARY};
use std::fs;
use std::path::Path;

/// Locks the folder and writes the manifest, or checks that the one there is of
/// the same run; returns the one that stands.
pub(crate) fn claim(dir: &Path, wanted: Manifest) -> Result<(Lock, Manifest), DataError> {
    fs::create_dir_all(dir).map_err(|e| DataError::io(dir, e))?;
    check_belongs(dir)?;
    let lock = lock::take(dir)?;
    for_each_name(dir, |name| {
        if is_leftover(name) {
            let path = dir.join(name);
            fs::remove_file(&path).map_err(|e| DataError::io(&path, e))?;
        }
        Ok(())
    })?;
    if !dir.join(MANIFEST).exists() {
        wanted.write(dir)?;
        return Ok((lock, wanted));
    }
    let begun = Manifest::read(dir)?;
    wanted.check_same_run(&begun, dir)?;
    Ok((lock, begun))
}

/// Gives the folder of a run up that failed and could not go on.
pub(crate) fn give_up(dir: &Path) -> Result<(), DataError> {
    remove_parts(dir)?;
    let manifest = dir.join(MANIFEST);
    fs::remove_file(&manifest).map_err(|e| DataError::io(&manifest, e))
}

/// Removes the parts of a run that starts anew.
pub(crate) fn remove_parts(dir: &Path) -> Result<(), DataError> {
    for_each_name(dir, |name| {
        if name.starts_with("part-") && name.ends_with(".parquet") {
            let path = dir.join(name);
            fs::remove_file(&path).map_err(|e| DataError::io(&path, e))?;
        }
        Ok(())
    })
}

/// Refuses a folder that holds something other than a dataset.
fn check_belongs(dir: &Path) -> Result<(), DataError> {
    if dir.join(MANIFEST).exists() {
        return Ok(());
    }
    for_each_name(dir, |name| {
        if name == LOCK || is_leftover(name) {
            return Ok(());
        }
        Err(DataError::NotEmpty { dir: dir.to_owned(), example: name.to_owned() })
    })
}

fn for_each_name(
    dir: &Path,
    mut visit: impl FnMut(&str) -> Result<(), DataError>,
) -> Result<(), DataError> {
    for entry in fs::read_dir(dir).map_err(|e| DataError::io(dir, e))? {
        let name = entry.map_err(|e| DataError::io(dir, e))?.file_name();
        visit(&name.to_string_lossy())?;
    }
    Ok(())
}

/// Whether a killed run left the file behind.
fn is_leftover(name: &str) -> bool {
    (name.starts_with("part-") || name.starts_with(MANIFEST)) && name.ends_with(TEMPORARY)
}
