//! Pattern models for tests, with weights out of the air.

use super::PatternSource;
use evalsmith_core::conformance::check_evaluation;
use evalsmith_learn::{
    PatternFile, PatternFunction, PatternModel, PatternPlan, RoundedGroup, StageGroups, Unit,
    set_of,
};
use evalsmith_othello::Othello;

/// A model of a named set.
pub(super) fn some_model(patterns: &str) -> PatternFile {
    model_of(PatternSource::from(patterns.to_owned()).read().unwrap())
}

/// A model of any patterns.
pub(super) fn model_of(plan: PatternPlan) -> PatternFile {
    let set = set_of(&Othello::new(), &plan).unwrap();
    let groups = StageGroups::new(65, 4, 13).unwrap();
    let n = plan.weights(&set) + plan.sparse.len();
    let weight = |i: usize| ((i * 2_654_435_761) % 1009) as f32 / 1009.0 - 0.5;
    let fitted = |group: usize| (0..n).map(|i| weight(i + 31 * group)).collect::<Vec<_>>();
    let rounded = (0..13).map(|g| RoundedGroup::new(&fitted(g)).unwrap()).collect();
    let unit = Unit::Margin { per_logit: 5.0 };
    let model = PatternModel::new(plan, groups, unit, rounded).unwrap();
    PatternFile { game: "othello".into(), made_by: serde_json::Value::Null, model }
}

#[test]
fn models_of_the_named_sets_play() {
    for patterns in ["buro98", "edax", "buro98+A"] {
        let game = Othello::new();
        let function = PatternFunction::open(&game, some_model(patterns)).unwrap();
        check_evaluation(&game, &function, 30, 1e-3);
    }
}

#[test]
fn a_model_of_another_set_is_refused() {
    let (buro98, edax) = (some_model("buro98").model, some_model("edax").model);
    let weights = (0..13).map(|g| RoundedGroup::new(&buro98.weights_of(g)).unwrap()).collect();
    let model = PatternModel::new(edax.plan().clone(), edax.groups(), edax.unit(), weights);
    let file = PatternFile { model: model.unwrap(), ..some_model("edax") };
    let error = PatternFunction::open(&Othello::new(), file).unwrap_err();
    assert!(error.to_string().contains("113877"), "{error}");
}
