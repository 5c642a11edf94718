//! An adjusted function of our own put to the test: the fitted weights are added to
//! a linear model, and the new model meets the old one.
//!
//! Invariant: nothing is written before the folder is [claimed](AdjustedMatch::claim) for
//! this function, these weights and this match, and for this process.

use crate::LabError;
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::function::{FunctionName, open};
use crate::pace::Pace;
use crate::run_folder::RunFolder;
use evalsmith_arena::Openings;
use evalsmith_core::{Game, Progress};
use evalsmith_learn::{DenseModel, Linear, ModelFile};
use evalsmith_rules::{DynFunction, DynGame, Record};
use evalsmith_stats::elo::MatchStats;
use serde_json::json;
use std::path::PathBuf;

/// Openings are even where a search of three plies sees no more than this.
const EVEN: i32 = 500;

/// Which weights are added, and how the match is played.
#[derive(Clone, Debug)]
pub struct PlayPlan {
    /// Features of the game, each with what is added to its weight, in log-odds.
    pub weights: Vec<(String, f64)>,
    /// Pairs of games, each opening with both colours.
    pub pairs: u32,
    /// Plies of search.
    pub depth: u8,
    /// Random plies of the openings, of which only near-even ones are played.
    pub opening_plies: u16,
    /// Where all chance comes from.
    pub seed: u64,
    /// The folder for the model and the log of the match.
    pub folder: PathBuf,
    /// The command, for the model's provenance.
    pub command: String,
}

/// How the new function did.
#[derive(Clone, Debug)]
pub struct AdjustedPlay {
    /// The new model.
    pub model: PathBuf,
    /// The match of the new function against the old.
    pub stats: MatchStats,
}

/// A match of an adjusted function whose folder is claimed.
pub struct AdjustedMatch<'a> {
    game: &'a DynGame,
    name: &'a FunctionName,
    plan: &'a PlayPlan,
    old: DynFunction,
    model: Linear,
    folder: RunFolder,
}

impl<'a> AdjustedMatch<'a> {
    /// Adds the weights and claims the folder, which is this match's from then on.
    ///
    /// # Errors
    /// When the function is no linear model or has no such feature, another process is
    /// at work in the folder, or it holds another match or anything else.
    pub fn claim(
        game: &'a DynGame,
        name: &'a FunctionName,
        plan: &'a PlayPlan,
    ) -> Result<Self, LabError> {
        let old = open(game, name)?;
        let model = added(&old, name, &plan.weights)?;
        let claimed = json!({
            "game": game.name(),
            "function": old.identity(name),
            "weights": plan.weights,
            "pairs": plan.pairs,
            "depth": plan.depth,
            "opening_plies": plan.opening_plies,
            "seed": plan.seed,
        });
        let folder = RunFolder::claim(&plan.folder, "curve adjust", &claimed)?;
        Ok(Self { game, name, plan, old, model, folder })
    }

    /// Saves the model and plays it against the old one; goes on with a match that was
    /// stopped.
    ///
    /// # Errors
    /// When a file cannot be written, a player fails, or the job is stopped.
    pub fn play(self, progress: &dyn Progress) -> Result<AdjustedPlay, LabError> {
        let Self { game, name, plan, old, model, folder } = self;
        let path = folder.join("adjusted.safetensors");
        let made_by = json!({ "command": plan.command, "function": name.to_string() });
        ModelFile { game: game.name().to_owned(), made_by, model: model.clone().into() }
            .save(&path)?;
        let chosen = game.with_features(model.features()).unwrap_or_else(|| game.clone());
        let new = chosen.function_of_model(model.into())?;
        let even = |record: &Record| {
            let found = old.search(0).fixed_depth(record, 3);
            !found.value.is_decisive() && found.value.0.abs() <= EVEN
        };
        let openings =
            Openings::random_where(game, plan.opening_plies, plan.pairs, plan.seed, &even)?;
        let identities = [new.identity(&FunctionName::File(path.clone())), old.identity(name)];
        let pace = Pace::Depth(plan.depth);
        let entrant = |name, function, identity| Entrant {
            name,
            opened: Opened::Function(function, identity),
            pace,
        };
        let entrants = [
            entrant("adjusted", &new, &identities[0][..]),
            entrant("original", &old, &identities[1][..]),
        ];
        let [log, calibration] = ["match.jsonl", "calibration.json"].map(|file| folder.join(file));
        let order = DuelPlan::new(plan.pairs, plan.seed);
        let played = duel(game, entrants, &order, &openings, &log, &calibration, progress)?;
        Ok(AdjustedPlay { model: path, stats: played.stats })
    }
}

/// The linear model with the weights added at every stage.
fn added(
    old: &DynFunction,
    name: &FunctionName,
    weights: &[(String, f64)],
) -> Result<Linear, LabError> {
    let Some(linear) = old.model().and_then(|model| model.as_linear()) else {
        let reason = format!("weights are added to linear models, and {name} is none");
        return Err(LabError::Settings(reason));
    };
    let features = linear.features().to_vec();
    let (width, stages) = (features.len() + 1, linear.stages());
    let mut coefficients = linear.coefficients().to_vec();
    for (feature, weight) in weights {
        let Some(place) = features.iter().position(|f| f == feature) else {
            let reason =
                format!("{name} has no feature {feature:?}; it has {}", features.join(", "));
            return Err(LabError::Settings(reason));
        };
        for stage in 0..stages {
            coefficients[stage * width + 1 + place] += weight;
        }
    }
    let added = Linear::new(features, stages, coefficients)?;
    Ok(if linear.ranges().is_empty() { added } else { added.within(linear.ranges().to_vec())? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::{Features, Quiet};
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    fn plan(folder: PathBuf) -> PlayPlan {
        PlayPlan {
            weights: vec![("queens".into(), 0.25)],
            pairs: 2,
            depth: 1,
            opening_plies: 6,
            seed: 1,
            folder,
            command: "test".into(),
        }
    }

    #[test]
    fn weights_are_added_saved_and_played() {
        let folder = tempfile::tempdir().expect("a folder");
        let chess = DynGame::new(Chess);
        let hand = chess.function_by_hand().expect("weights by hand");
        let plan = plan(folder.path().join("played"));
        let run = || AdjustedMatch::claim(&chess, &FunctionName::Hand, &plan)?.play(&Quiet);
        let played = run().expect("a match");
        assert_eq!(played.stats.games(), 4);
        let place = DynGame::new(Chess)
            .features()
            .names()
            .iter()
            .position(|n| n == "queens")
            .expect("queens");
        let saved = ModelFile::load(&played.model).expect("a model").model;
        let old = hand.model().expect("linear").coefficients()[1 + place];
        assert!((saved.coefficients()[1 + place] - old - 0.25).abs() < 1e-12);
        let before = contents(&plan.folder);
        assert_eq!(run().expect("the same").stats.games(), 4, "a finished match is not replayed");
        assert_eq!(contents(&plan.folder), before);
        let wrong = PlayPlan { weights: vec![("quens".into(), 1.0)], ..plan.clone() };
        let error = AdjustedMatch::claim(&chess, &FunctionName::Hand, &wrong).err().expect("wrong");
        assert!(error.to_string().contains("quens"), "{error}");
        let none = AdjustedMatch::claim(&chess, &FunctionName::Trivial, &plan);
        assert!(none.err().expect("no model").to_string().contains("linear"));
    }

    /// The files of a folder with their bytes.
    fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(folder).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect()
    }

    #[test]
    fn a_claimed_folder_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let chess = DynGame::new(Chess);
        let plan = plan(folder.path().join("played"));
        let claim = |plan: &PlayPlan| {
            AdjustedMatch::claim(&chess, &FunctionName::Hand, plan).err().expect("a claim")
        };
        let held = AdjustedMatch::claim(&chess, &FunctionName::Hand, &plan).expect("a new folder");
        assert!(matches!(claim(&plan), LabError::Busy(_)), "two at once");
        held.play(&Quiet).expect("a match");
        let before = contents(&plan.folder);
        for other in [
            PlayPlan { weights: vec![("queens".into(), 0.5)], ..plan.clone() },
            PlayPlan { weights: vec![("rooks".into(), 0.25)], ..plan.clone() },
            PlayPlan { seed: 2, ..plan.clone() },
            PlayPlan { depth: 2, ..plan.clone() },
        ] {
            let error = claim(&other);
            assert!(error.to_string().contains("holds another run"), "{error}");
        }
        assert_eq!(contents(&plan.folder), before);
        // As earlier versions left it.
        fs::remove_file(plan.folder.join("run.json")).expect("removed");
        let before = contents(&plan.folder);
        assert!(matches!(claim(&plan), LabError::Occupied { .. }));
        assert_eq!(contents(&plan.folder), before);
    }
}
