//! A fit of patterns that is not whole yet: what is done stands in a file beside the
//! one it will be, which the same command finds again.

use super::fit::PatternFitPlan;
use super::outcome::GroupReport;
use crate::LabError;
use evalsmith_learn::{PatternFile, PatternModel, PatternPlan, RoundedGroup, StageGroups};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What a checkpoint says of itself.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    pub(super) plan: PatternFitPlan,
    pub(super) patterns: PatternPlan,
    pub(super) data: String,
    pub(super) start: Option<String>,
    pub(super) done: Vec<GroupReport>,
}

/// The groups that an earlier run of the same fit finished.
pub(super) fn resume(path: &Path, standing: &mut Standing) -> Result<Vec<RoundedGroup>, LabError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let file = PatternFile::load(path).map_err(|e| LabError::Unreadable {
        path: path.to_owned(),
        reason: format!("this unfinished fit cannot be read; remove it to begin anew ({e})"),
    })?;
    let other = || LabError::Unreadable {
        path: path.to_owned(),
        reason: "is an unfinished fit of other data or settings; finish it, or remove it".into(),
    };
    let found: Standing = serde_json::from_value(file.made_by).map_err(|_| other())?;
    let done = found.done.clone();
    if (Standing { done: Vec::new(), ..found }) != *standing {
        return Err(other());
    }
    let model = &file.model;
    let group = |group: usize| RoundedGroup {
        scale: model.scales()[group],
        steps: model.steps_of(group).to_vec(),
        counts: model.counts_of(group).map(<[u16]>::to_vec),
    };
    let rounded = (0..done.len()).map(group).collect();
    standing.done = done;
    Ok(rounded)
}

/// Writes down what is done.
pub(super) fn save_standing(
    path: &Path,
    standing: &Standing,
    rounded: &[RoundedGroup],
    game: &str,
    groups: StageGroups,
) -> Result<(), LabError> {
    let mut all = rounded.to_vec();
    let width = rounded[0].steps.len();
    let empty = RoundedGroup { scale: 1.0, steps: vec![0; width], counts: Some(vec![0; width]) };
    all.resize(groups.count(), empty);
    let unit = standing.plan.link.unit();
    let model = PatternModel::new(standing.patterns.clone(), groups, unit, all)?;
    let made_by = serde_json::to_value(standing)
        .map_err(|e| LabError::Settings(format!("{}: {e}", path.display())))?;
    Ok(PatternFile { game: game.into(), made_by, model }.save(path)?)
}

/// Removes what an unfinished fit left, where there is something.
pub(super) fn forget(checkpoint: &Path) -> Result<(), LabError> {
    match fs::remove_file(checkpoint) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(LabError::io(checkpoint)(e)),
        _ => Ok(()),
    }
}

/// Where the fit of a file stands until it is whole.
pub(super) fn checkpoint_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".unfinished");
    name.into()
}
