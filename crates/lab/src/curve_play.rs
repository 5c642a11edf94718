//! An adjusted function of our own put to the test: the fitted weights are added to
//! a linear model, and the new model meets the old one.

use crate::LabError;
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::function::{Function, FunctionName};
use crate::pace::Pace;
use evalsmith_arena::Openings;
use evalsmith_core::{Game, GameRecord, Progress};
use evalsmith_learn::{DenseModel, Linear, ModelFile};
use evalsmith_search::Searcher;
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

/// Adds the weights, saves the model and plays it against the old one; goes on with
/// a match that was stopped.
pub(crate) fn play_adjusted<G: Game>(
    game: &G,
    old: &Function<G::Features>,
    name: &FunctionName,
    plan: &PlayPlan,
    progress: &dyn Progress,
) -> Result<AdjustedPlay, LabError> {
    let model = added::<G>(old, name, &plan.weights)?;
    std::fs::create_dir_all(&plan.folder).map_err(LabError::io(&plan.folder))?;
    let path = plan.folder.join("adjusted.safetensors");
    let made_by = json!({ "command": plan.command, "function": name.to_string() });
    ModelFile { game: game.name().to_owned(), made_by, model: model.clone().into() }.save(&path)?;
    let chosen = game.with_features(model.features()).unwrap_or_else(|| game.clone());
    let new = Function::of_model(model.into(), &chosen)?;
    let even = |record: &GameRecord<G::Position>| {
        let found = Searcher::new(old, 0).fixed_depth(record, 3);
        !found.value.is_decisive() && found.value.0.abs() <= EVEN
    };
    let openings = Openings::random_where(game, plan.opening_plies, plan.pairs, plan.seed, &even)?;
    let identities = [new.identity(&FunctionName::File(path.clone())), old.identity(name)];
    let pace = Pace::Depth(plan.depth);
    let entrant = |name, function, identity| Entrant {
        name,
        opened: Opened::Function(function, identity),
        pace,
    };
    let entrants = [
        entrant("adjusted", &new, &identities[0][..]),
        entrant("original", old, &identities[1][..]),
    ];
    let [log, calibration] = ["match.jsonl", "calibration.json"].map(|file| plan.folder.join(file));
    let order = DuelPlan::new(plan.pairs, plan.seed);
    let played = duel(game, entrants, &order, &openings, &log, &calibration, progress)?;
    Ok(AdjustedPlay { model: path, stats: played.stats })
}

/// The linear model with the weights added at every stage.
fn added<G: Game>(
    old: &Function<G::Features>,
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
    use crate::function::by_hand;
    use evalsmith_chess::Chess;
    use evalsmith_core::{Features, Quiet};

    #[test]
    fn weights_are_added_saved_and_played() {
        let folder = tempfile::tempdir().expect("a folder");
        let hand = by_hand(&Chess).expect("weights by hand");
        let plan = PlayPlan {
            weights: vec![("queens".into(), 0.25)],
            pairs: 2,
            depth: 1,
            opening_plies: 6,
            seed: 1,
            folder: folder.path().join("played"),
            command: "test".into(),
        };
        let run = || play_adjusted(&Chess, &hand, &FunctionName::Hand, &plan, &Quiet);
        let played = run().expect("a match");
        assert_eq!(played.stats.games(), 4);
        let place = Chess.features().names().iter().position(|n| n == "queens").expect("queens");
        let saved = ModelFile::load(&played.model).expect("a model").model;
        let old = hand.model().expect("linear").coefficients()[1 + place];
        assert!((saved.coefficients()[1 + place] - old - 0.25).abs() < 1e-12);
        assert_eq!(run().expect("the same").stats.games(), 4, "a finished match is not replayed");
        let wrong = PlayPlan { weights: vec![("quens".into(), 1.0)], ..plan.clone() };
        let error = play_adjusted(&Chess, &hand, &FunctionName::Hand, &wrong, &Quiet).unwrap_err();
        assert!(error.to_string().contains("quens"), "{error}");
        let none = play_adjusted(&Chess, &Function::Trivial, &FunctionName::Trivial, &plan, &Quiet);
        assert!(none.unwrap_err().to_string().contains("linear"));
    }
}
