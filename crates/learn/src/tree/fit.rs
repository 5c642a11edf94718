//! From examples to a tree in one call: split into L and Q by games, grow or
//! expand on L, prune, choose on Q.

use super::prune::leaves_of;
use super::{
    Criterion, Growth, PrunePath, Response, Step, Tree, TreeSummary, Vectors, choose, grow,
};
use crate::least_squares::worth;
use crate::{Examples, LearnError};
use evalsmith_core::{Columns, Stage, rng};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Trees of a sequence that a record keeps.
const SHOWN: usize = 60;

/// How a tree is grown and chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeParams {
    /// Nodes with fewer vectors are not split.
    pub min_size: u32,
    /// Each child has at least this share of its parent's vectors.
    pub min_share: f64,
    /// What a vector's loss of impurity must be worth to pay for a unit of cost: a
    /// split by a feature that is not yet known on its path gains so much less.
    pub price: f64,
    /// The features' costs in order; each 1 where there are none. The stage costs
    /// nothing.
    pub costs: Vec<f64>,
    /// The share of games in the test set.
    pub test_share: f64,
    /// Chooses the games of the test set.
    pub seed: u64,
    /// By what the best tree is chosen.
    pub criterion: Criterion,
    /// Takes the smallest tree within a standard error of the best.
    pub one_standard_error: bool,
}

impl Default for TreeParams {
    fn default() -> Self {
        Self {
            min_size: 10,
            min_share: 0.01,
            price: 0.0,
            costs: Vec::new(),
            test_share: 0.3,
            seed: 1,
            criterion: Criterion::default(),
            one_standard_error: false,
        }
    }
}

impl TreeParams {
    /// Checks what could not be carried out with so many features.
    ///
    /// # Errors
    /// The first parameter that makes no sense.
    pub fn check(&self, features: usize) -> Result<(), LearnError> {
        let wrong =
            |name, value: String, allowed| Err(LearnError::Parameter { name, value, allowed });
        if !(0.0..=0.5).contains(&self.min_share) {
            return wrong(
                "the least share of a child",
                self.min_share.to_string(),
                "from 0 to 0.5",
            );
        }
        if !(self.price >= 0.0 && self.price.is_finite()) {
            return wrong("the price of a feature", self.price.to_string(), "0 or more");
        }
        if !(self.test_share > 0.0 && self.test_share < 1.0) {
            let value = self.test_share.to_string();
            return wrong("the share of the test set", value, "between 0 and 1");
        }
        if let Some(cost) = self.costs.iter().find(|c| !(**c >= 0.0 && c.is_finite())) {
            return wrong("a feature's cost", cost.to_string(), "0 or more");
        }
        if !self.costs.is_empty()
            && self.costs.len() != features
            && self.costs.len() + 1 != features
        {
            let value = format!("a list of {}", self.costs.len());
            return wrong("the features' costs", value, "one for each feature");
        }
        Ok(())
    }

    /// The cost of a feature.
    pub(super) fn cost(&self, feature: usize) -> f64 {
        if self.costs.is_empty() {
            return 1.0;
        }
        self.costs.get(feature).copied().unwrap_or(0.0)
    }
}

/// A fitted tree with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeFit {
    /// The model.
    pub model: Tree,
    /// What is known of it.
    pub judged: Judged,
}

/// What is known of a tree from growing and choosing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Vectors it was grown on.
    pub grown_on: usize,
    /// Vectors it was chosen on.
    pub tested_on: usize,
    /// Leaves of the full tree.
    pub full_leaves: usize,
    /// Trees in the sequence.
    pub trees: usize,
    /// The tree chosen.
    pub chosen: Step,
    /// Some of the sequence, evenly spread over the logarithm of their leaves.
    pub sequence: Vec<Step>,
    /// The share of test vectors whose label has the sign of the value, among those
    /// whose label is not 0; a value of 0 counts half.
    pub right: f64,
    /// Test vectors of label 0.
    pub zeros: usize,
    /// Features asked for by a value under a full window, on average.
    pub asked: f64,
    /// The tree's shape.
    pub summary: TreeSummary,
}

/// Fits a tree to examples of a game with so many stages: to their results, or to
/// `scores` where they are given; `old` is expanded rather than a new one grown,
/// its counts faded to the share given with it.
///
/// # Errors
/// When the examples are faulty or all alike, the parameters make no sense, the
/// test set is empty, or the old tree has other features.
pub fn fit_tree(
    params: &TreeParams,
    stages: usize,
    examples: &Examples<'_>,
    scores: Option<&[f32]>,
    old: Option<(&Tree, f64)>,
) -> Result<TreeFit, LearnError> {
    examples.check(stages)?;
    params.check(examples.features.width())?;
    let labels: Vec<f32> = match scores {
        Some(scores) => scores.to_vec(),
        None => examples.points.iter().map(|p| 2.0 * p - 1.0).collect(),
    };
    if labels.len() != examples.rows() {
        let (rows, found) = (examples.rows(), labels.len());
        return Err(LearnError::Lengths { rows, what: "scores".into(), found });
    }
    if labels.iter().all(|c| *c == labels[0]) {
        let points = examples.points[0].into();
        return Err(LearnError::OneClass { rows: examples.rows(), points });
    }
    let [learning, testing] = divide(params, stages, examples, &labels);
    if learning.labels.is_empty() {
        return Err(LearnError::Empty);
    }
    let (learn, test) = (learning.vectors(), testing.vectors());
    let growth = match old {
        Some((tree, memory)) => tree.growth().expand(params, &learn, memory)?,
        None => grow(params, &learn)?,
    };
    let path = PrunePath::new(&growth);
    let steps = path.judge(&test)?;
    let best = choose(&path, &steps, &test, params.criterion, params.one_standard_error);
    let chosen = path.tree(best);
    let response = match scores {
        None => Response::Chance,
        Some(_) => Response::Score { per_point: per_point(&chosen, &learning)? },
    };
    let names = examples.features.names().to_vec();
    let model = Tree::new(names, stages, response, chosen)?;
    let judged = Judged {
        grown_on: learn.rows(),
        tested_on: test.rows(),
        full_leaves: growth.leaves(),
        trees: path.len(),
        chosen: steps[best],
        sequence: spread(&steps),
        right: right_share(&model, &test),
        zeros: test.labels.iter().filter(|c| **c == 0.0).count(),
        asked: mean_asked(&model, &test),
        summary: TreeSummary::of(&model),
    };
    Ok(TreeFit { model, judged })
}

/// One side of the division into L and Q.
struct Part {
    features: Columns,
    stages: Option<Vec<Stage>>,
    labels: Vec<f32>,
    points: Vec<f32>,
    games: Vec<u32>,
}

impl Part {
    fn vectors(&self) -> Vectors<'_> {
        Vectors {
            features: &self.features,
            stages: self.stages.as_deref(),
            labels: &self.labels,
            games: &self.games,
        }
    }
}

/// L and Q, by games: a game's side depends on the seed and its number alone, but that
/// neither side of two games or more is left empty.
fn divide(
    params: &TreeParams,
    stages: usize,
    examples: &Examples<'_>,
    labels: &[f32],
) -> [Part; 2] {
    let drawn = |game: u32| rng::stream(params.seed, "test set", game.into()).random::<f64>();
    let drawn: Vec<f64> = examples.games.iter().map(|&game| drawn(game)).collect();
    let smallest = drawn.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = drawn.iter().copied().fold(0.0, f64::max);
    let tests = |x: f64| x < largest && (x < params.test_share || x == smallest);
    let in_test: Vec<bool> = drawn.into_iter().map(tests).collect();
    [false, true].map(|side| {
        fn taken<T: Copy>(side: bool, from: &[T], in_test: &[bool]) -> Vec<T> {
            from.iter().zip(in_test).filter(|(_, test)| **test == side).map(|(&x, _)| x).collect()
        }
        let mut features = Columns::new(examples.features.names().to_vec());
        let mut row = Vec::with_capacity(examples.features.width());
        for (at, _) in in_test.iter().enumerate().filter(|(_, test)| **test == side) {
            row.clear();
            row.extend((0..examples.features.width()).map(|i| examples.features.column(i)[at]));
            features.push(&row);
        }
        Part {
            features,
            stages: (stages > 1).then(|| taken(side, examples.stages, &in_test)),
            labels: taken(side, labels, &in_test),
            points: taken(side, examples.points, &in_test),
            games: taken(side, examples.games, &in_test),
        }
    })
}

/// Log-odds that a predicted point is worth by the results of the same vectors.
fn per_point(tree: &Growth, learning: &Part) -> Result<f64, LearnError> {
    let leaves = leaves_of(tree, &learning.vectors());
    let margins: Vec<f64> =
        leaves.into_iter().map(|leaf| tree.nodes()[leaf as usize].mean()).collect();
    worth(&margins, &learning.points)
}

/// The value of every vector by a tree.
fn values(model: &Tree, vectors: &Vectors<'_>) -> Vec<f64> {
    let leaves = leaves_of(model.growth(), vectors);
    leaves.into_iter().map(|leaf| model.node_log_odds(leaf as usize)).collect()
}

/// The share of labels other than 0 that have the sign of the value.
pub(super) fn right_share(model: &Tree, vectors: &Vectors<'_>) -> f64 {
    let (mut right, mut all) = (0.0, 0.0);
    for (value, &label) in values(model, vectors).into_iter().zip(vectors.labels) {
        if label != 0.0 {
            all += 1.0;
            let agrees = value * f64::from(label);
            right += if agrees > 0.0 {
                1.0
            } else if agrees == 0.0 {
                0.5
            } else {
                0.0
            };
        }
    }
    if all > 0.0 { right / all } else { 0.0 }
}

/// The mean number of features that a full value asks for.
pub(super) fn mean_asked(model: &Tree, vectors: &Vectors<'_>) -> f64 {
    if vectors.rows() == 0 {
        return 0.0;
    }
    let asked = |row: usize| {
        let stage = vectors.stages.map_or(Stage(0), |stages| stages[row]);
        model.asked(stage, |i| vectors.get(row, i))
    };
    (0..vectors.rows()).map(asked).sum::<usize>() as f64 / vectors.rows() as f64
}

/// Some steps, the first and the last among them, by equal ratios of leaves.
fn spread(steps: &[Step]) -> Vec<Step> {
    let mut kept: Vec<Step> = Vec::new();
    let most = steps.first().map_or(1, |step| step.leaves).max(2) as f64;
    let ratio = most.powf(1.0 / SHOWN as f64);
    for (i, step) in steps.iter().enumerate() {
        let far = kept.last().is_none_or(|last| last.leaves as f64 >= step.leaves as f64 * ratio);
        if far || i + 1 == steps.len() {
            kept.push(*step);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseModel;

    /// Two features decide, a third says nothing; every tenth result is wrong.
    fn table(rows: u32) -> (Columns, Vec<f32>, Vec<u32>) {
        let mut features = Columns::new(vec!["a".into(), "b".into(), "noise".into()]);
        let mut points = Vec::new();
        for i in 0..rows {
            let [a, b, c] = [7, 11, 13].map(|p| (i.wrapping_mul(2_654_435_761) >> p) % 9);
            features.push(&[a as f32, b as f32, c as f32]);
            let won = (a + b > 8) != (i % 10 == 0);
            points.push(f32::from(u8::from(won)));
        }
        (features, points, (0..rows).map(|i| i / 5).collect())
    }

    fn fit(
        params: &TreeParams,
        rows: u32,
        old: Option<(&Tree, f64)>,
    ) -> Result<TreeFit, LearnError> {
        let (features, points, games) = table(rows);
        let stages = vec![Stage(0); points.len()];
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        fit_tree(params, 1, &examples, None, old)
    }

    #[test]
    fn pruning_finds_what_is_there_and_leaves_the_noise() {
        let params = TreeParams { min_size: 2, min_share: 0.0, ..TreeParams::default() };
        let fitted = fit(&params, 6000, None).unwrap();
        let judged = &fitted.judged;
        assert!(judged.right > 0.88, "{}", judged.right);
        assert!(judged.full_leaves > 3 * judged.chosen.leaves, "{judged:?}");
        let noise = &judged.summary.uses[2];
        assert!(noise.gain < 0.02 * judged.summary.uses[0].gain, "{:?}", judged.summary);
        assert!(judged.asked <= 3.0 && judged.asked > 1.0);
        let value = |a: f32, b: f32| fitted.model.log_odds(Stage(0), |i| [a, b, 0.0][i]).0;
        assert!(value(8.0, 8.0) > 1.0 && value(0.0, 0.0) < -1.0);
    }

    #[test]
    fn an_expanded_tree_goes_on_from_the_old_one() {
        let params = TreeParams::default();
        let first = fit(&params, 300, None).unwrap();
        let second = fit(&params, 6000, Some((&first.model, 0.5))).unwrap();
        assert!(second.judged.right > 0.88, "{}", second.judged.right);
        let root = second.model.growth().nodes()[0];
        let old = first.model.growth().nodes()[0];
        assert_eq!((root.feature, root.threshold), (old.feature, old.threshold));
    }

    #[test]
    fn scores_are_told_in_log_odds() {
        let (features, points, games) = table(3000);
        let stages = vec![Stage(0); points.len()];
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        let scores: Vec<f32> = (0..3000)
            .map(|i| 3.0 * (features.column(0)[i] + features.column(1)[i] - 8.0))
            .collect();
        let fitted = fit_tree(&TreeParams::default(), 1, &examples, Some(&scores), None).unwrap();
        let Response::Score { per_point } = fitted.model.response() else { panic!("no scores") };
        assert!(per_point > 0.02, "{per_point}");
        let value = |a: f32, b: f32| fitted.model.log_odds(Stage(0), |i| [a, b, 0.0][i]).0;
        assert!(value(8.0, 8.0) > value(5.0, 5.0) && value(5.0, 5.0) > value(1.0, 1.0));
    }

    #[test]
    fn two_games_are_divided_whatever_the_seed() {
        for seed in 0..20 {
            for test_share in [1e-9, 0.3, 1.0 - 1e-9] {
                let params = TreeParams { test_share, seed, ..TreeParams::default() };
                fit(&params, 10, None).unwrap();
            }
        }
    }

    #[test]
    fn bad_input_is_told() {
        let told = |result: Result<TreeFit, LearnError>| result.unwrap_err().to_string();
        let wrong = TreeParams { min_share: 0.7, ..TreeParams::default() };
        assert!(told(fit(&wrong, 50, None)).contains("0.7"));
        let wrong = TreeParams { costs: vec![1.0; 7], ..TreeParams::default() };
        assert!(told(fit(&wrong, 50, None)).contains("a list of 7"));
        let one_game = fit(&TreeParams::default(), 5, None);
        assert!(told(one_game).contains("test set is empty"));
        let (features, _, games) = table(50);
        let stages = [Stage(0); 50];
        let examples =
            Examples { features: &features, stages: &stages, points: &[1.0; 50], games: &games };
        assert!(
            told(fit_tree(&TreeParams::default(), 1, &examples, None, None))
                .contains("all 50 examples")
        );
    }
}
