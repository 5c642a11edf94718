//! A model that a fit begins with: weights of the same patterns, as a prior. Its groups
//! of stages may be others: each group begins with the one that its last stage lay in.

use super::outcome::LinkName;
use crate::LabError;
use evalsmith_core::{Game, Stage};
use evalsmith_learn::{PatternFile, PatternPlan, StageGroups};
use evalsmith_rules::DynGame;
use std::path::Path;

/// A model to begin with.
pub(super) struct Begun {
    /// Its file, and what tells its weights from others.
    pub(super) name: String,
    pub(super) weights: Vec<Vec<f32>>,
    pub(super) valid: Vec<Vec<u32>>,
}

/// The weights of another model of the same patterns.
pub(super) fn begin_with(
    game: &DynGame,
    path: &Path,
    patterns: &PatternPlan,
    groups: StageGroups,
    link: LinkName,
) -> Result<Begun, LabError> {
    let file = PatternFile::load(path)?;
    file.check(game.name(), game.stages())?;
    let unfit = |what: &str| LabError::Unreadable {
        path: path.to_owned(),
        reason: format!(
            "its {what} are others than those of this fit; begin with a model of the same"
        ),
    };
    if file.model.plan() != patterns {
        return Err(unfit("patterns"));
    }
    if file.model.unit() != link.unit() {
        return Err(unfit("units"));
    }
    let begun = |group| file.model.groups().of(Stage(groups.bounds(group).1));
    let weights = (0..groups.count()).map(|group| file.model.weights_of(begun(group))).collect();
    let mut hasher = evalsmith_data::Hasher::new();
    file.model.steps().iter().for_each(|&step| hasher.write_u64(step as u64));
    let name = format!("{}@{}", path.display(), hasher.finish());
    Ok(Begun { name, weights, valid: file.model.valid().to_vec() })
}
