//! A tree as it plays: an alpha-beta-evaluation function (heinz93, figure 1).
//!
//! Every node knows the least and the greatest value of the leaves below it;
//! descent ends as soon as the window's end decides. Features are asked for where
//! a node wants them, each at most once.
//!
//! Invariant: `value(window) == window.clamp(value(full window))`.

use super::steps::{MOST_NODES, Steps};
use super::{Growth, Node};
use crate::{DenseModel, LearnError};
use evalsmith_core::{Explanation, LogOdds, Score, Stage, Term, Window};
use serde::{Deserialize, Serialize};

/// Numbers of a node in a file.
const NUMBERS: usize = 5;
/// No leaf is surer than this, in log-odds: the bounds of a node fit 16 bits.
const SUREST: f64 = 30.0;

/// What the mean of a leaf stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Response {
    /// Labels from -1 to 1: a mean of v is a winning chance of (1 + v) / 2.
    #[default]
    Chance,
    /// Final scores, of which a point is worth so many log-odds.
    Score {
        /// Log-odds a point.
        per_point: f64,
    },
}

impl Response {
    /// The log-odds of a node. However many of its n vectors won, none is surer
    /// than n + 1 to 1.
    fn log_odds(self, node: &Node) -> f64 {
        let log_odds = match self {
            Self::Chance => {
                let surest = node.weight.ln_1p();
                (2.0 * node.mean().clamp(-1.0, 1.0).atanh()).clamp(-surest, surest)
            }
            Self::Score { per_point } => per_point * node.mean(),
        };
        log_odds.clamp(-SUREST, SUREST)
    }
}

/// A tree over a game's features, and its stage where it has several.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    features: Vec<String>,
    stages: usize,
    response: Response,
    growth: Growth,
    steps: Steps,
    /// The features that the tree asks for at all.
    used: Vec<u32>,
    numbers: Vec<f64>,
}

impl Tree {
    /// The model of a grown tree; its last feature is the stage where there are
    /// several stages.
    ///
    /// # Errors
    /// When the tree has another number of features, or a point's worth is not finite.
    pub fn new(
        features: Vec<String>,
        stages: usize,
        response: Response,
        growth: Growth,
    ) -> Result<Self, LearnError> {
        let wrong =
            |name, value: String, allowed| Err(LearnError::Parameter { name, value, allowed });
        if stages == 0 || stages > 256 {
            return wrong("stages", stages.to_string(), "from 1 to 256");
        }
        let width = Self::width(features.len(), stages);
        if growth.features != width {
            let what = format!("features of a tree over {width}");
            return Err(LearnError::Lengths { rows: width, what, found: growth.features });
        }
        if let Response::Score { per_point } = response
            && !per_point.is_finite()
        {
            return wrong("the worth of a point", per_point.to_string(), "finite");
        }
        let mut used: Vec<u32> =
            growth.nodes().iter().filter(|n| !n.is_leaf()).map(|n| n.feature).collect();
        used.sort_unstable();
        used.dedup();
        if used.len() > super::MOST_FEATURES {
            return wrong("the features in use", used.len().to_string(), "at most 1024");
        }
        if growth.nodes().len() > MOST_NODES {
            let nodes = growth.nodes().len().to_string();
            return wrong("the nodes of a tree", nodes, "at most four million");
        }
        let value = |leaf: &Node| Score::from(LogOdds(response.log_odds(leaf))).0 as i16;
        let steps = Steps::new(growth.nodes(), &used, value);
        let number = |n: &Node| {
            let feature = if n.is_leaf() { -1.0 } else { f64::from(n.feature) };
            [feature, n.threshold.into(), n.left.into(), n.weight, n.sum]
        };
        let numbers = growth.nodes().iter().flat_map(number).collect();
        Ok(Self { features, stages, response, growth, steps, used, numbers })
    }

    /// A tree from a file's numbers, all of them checked.
    ///
    /// # Errors
    /// When they are no tree over these features.
    pub fn from_numbers(
        features: Vec<String>,
        stages: usize,
        response: Response,
        numbers: &[f64],
    ) -> Result<Self, LearnError> {
        if !numbers.len().is_multiple_of(NUMBERS) {
            let what = format!("numbers, {NUMBERS} a node");
            return Err(LearnError::Lengths { rows: NUMBERS, what, found: numbers.len() });
        }
        let mut nodes = Vec::with_capacity(numbers.len() / NUMBERS);
        for (at, row) in numbers.as_chunks::<NUMBERS>().0.iter().enumerate() {
            let &[feature, threshold, left, weight, sum] = row;
            let whole = |x: f64| {
                (x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&x)).then_some(x as u32)
            };
            let is_leaf = left == 0.0;
            let feature = if is_leaf && feature == -1.0 { Some(0) } else { whole(feature) };
            let (Some(feature), Some(left)) = (feature, whole(left)) else {
                let value = format!("about feature {feature:?} with the child {left}");
                let allowed = "about whole numbers";
                return Err(LearnError::Node { node: at, value, allowed });
            };
            nodes.push(Node { weight, sum, feature, threshold: threshold as f32, left });
        }
        let width = Self::width(features.len(), stages);
        Self::new(features, stages, response, Growth::new(nodes, width)?)
    }

    /// The features a tree is grown on: the game's, and the stage where there are several.
    fn width(features: usize, stages: usize) -> usize {
        features + usize::from(stages > 1)
    }

    /// What it learned from, node by node.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// What the mean of a leaf stands for.
    pub fn response(&self) -> Response {
        self.response
    }

    /// All its numbers, in the order of the file.
    pub fn coefficients(&self) -> &[f64] {
        &self.numbers
    }

    /// The name of a feature of the tree, the stage among them.
    pub fn feature_name(&self, feature: usize) -> &str {
        self.features.get(feature).map_or("stage", String::as_str)
    }

    /// The log-odds of a node, as if it were a leaf.
    pub fn node_log_odds(&self, node: usize) -> f64 {
        self.response.log_odds(&self.growth.nodes()[node])
    }

    /// How many features the full value of a vector asks for.
    pub fn asked(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> usize {
        let mut asked = 0;
        let counting = |i| {
            asked += 1;
            feature(i)
        };
        self.value(stage, Window::FULL, counting);
        asked
    }

    /// How many decisions a value takes under a window, and whether it reaches a leaf.
    pub fn levels(
        &self,
        stage: Stage,
        window: Window,
        mut feature: impl FnMut(usize) -> f32,
    ) -> (usize, bool) {
        let (mut at, mut levels) = (0, 0);
        loop {
            let (step, bounds) = (self.steps.nodes[at], self.steps.bounds[at]);
            if step.is_leaf() {
                return (levels, true);
            }
            if i32::from(bounds.high) <= window.alpha.0 || i32::from(bounds.low) >= window.beta.0 {
                return (levels, false);
            }
            let asked = self.used[step.feature()] as usize;
            let x = if asked == self.features.len() { stage.0.into() } else { feature(asked) };
            at = step.child(x > step.threshold);
            levels += 1;
        }
    }

    /// Descends to the leaf or, where the window has ends, to the first node that
    /// one of them decides.
    #[inline]
    fn descend<const PLACES: usize, const ENDS: bool>(
        &self,
        stage: Stage,
        window: Window,
        mut feature: impl FnMut(usize) -> f32,
    ) -> Score {
        let (alpha, beta) = (window.alpha.0, window.beta.0);
        let mut values = [0.0_f32; PLACES];
        let mut at = 0;
        loop {
            if ENDS {
                let bounds = self.steps.bounds[at];
                if i32::from(bounds.high) <= alpha {
                    return window.alpha;
                }
                if i32::from(bounds.low) >= beta {
                    return window.beta;
                }
            }
            let step = self.steps.nodes[at];
            if step.is_leaf() {
                return Score(self.steps.bounds[at].low.into());
            }
            let place = step.feature() % PLACES;
            if step.is_first_to_ask() {
                let asked = self.used[step.feature()] as usize;
                values[place] =
                    if asked == self.features.len() { stage.0.into() } else { feature(asked) };
            }
            at = step.child(values[place] > step.threshold);
        }
    }
}

impl DenseModel for Tree {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn stages(&self) -> usize {
        self.stages
    }

    #[inline]
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        self.value(stage, Window::FULL, feature).log_odds()
    }

    #[inline]
    fn value(&self, stage: Stage, window: Window, feature: impl FnMut(usize) -> f32) -> Score {
        // Almost every tree is content with the small table of known features.
        match (self.used.len(), window == Window::FULL) {
            (..=32, true) => self.descend::<32, false>(stage, window, feature),
            (..=32, false) => self.descend::<32, true>(stage, window, feature),
            (..=128, _) => self.descend::<128, true>(stage, window, feature),
            _ => self.descend::<1024, true>(stage, window, feature),
        }
    }

    /// What the root thinks, and how each decision on the path changes it.
    fn explain(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> Explanation {
        let told = |at: usize| {
            f64::from(Score::from(LogOdds(self.node_log_odds(at))).0) / Score::PER_LOGIT
        };
        let mut value = told(0);
        let mut terms = vec![Term {
            name: "all vectors".into(),
            feature: None,
            weight: None,
            contribution: value,
        }];
        let mut at = 0;
        while !self.growth.nodes()[at].is_leaf() {
            let node = &self.growth.nodes()[at];
            let asked = node.feature as usize;
            let x = if asked == self.features.len() { stage.0.into() } else { feature(asked) };
            let right = x > node.threshold;
            let sign = if right { ">" } else { "<=" };
            at = node.left as usize + usize::from(right);
            let below = told(at);
            terms.push(Term {
                name: format!("{} {sign} {}", self.feature_name(asked), node.threshold),
                feature: Some(x.into()),
                weight: None,
                contribution: below - value,
            });
            value = below;
        }
        Explanation { total: value, terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;

    /// A tree over `features` features of a game with `stages` stages.
    fn tree(splits: &[(u16, u32, i8, i8)], features: usize, stages: usize) -> Tree {
        let width = Tree::width(features, stages);
        let mut nodes = vec![Node { weight: 9.0, sum: 1.0, ..Node::default() }];
        for &(choice, feature, threshold, sum) in splits {
            let leaves: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].is_leaf()).collect();
            let at = leaves[usize::from(choice) % leaves.len()];
            nodes[at].left = nodes.len() as u32;
            nodes[at].feature = feature % width as u32;
            nodes[at].threshold = f32::from(threshold);
            for sign in [1.0, -1.0] {
                let sum = sign * f64::from(sum);
                nodes.push(Node { weight: sum.abs() + 1.0, sum, ..Node::default() });
            }
        }
        let names = (0..features).map(|i| format!("x{i}")).collect();
        Tree::new(names, stages, Response::Chance, Growth::new(nodes, width).unwrap()).unwrap()
    }

    fn splits() -> impl Strategy<Value = Vec<(u16, u32, i8, i8)>> {
        prop::collection::vec((any::<u16>(), any::<u32>(), any::<i8>(), any::<i8>()), 0..60)
    }

    proptest! {
        #[test]
        fn a_window_changes_nothing_but_the_work(
            splits in splits(),
            row in prop::collection::vec(any::<i8>().prop_map(f32::from), 90),
            stage in 0_u8..60,
            (alpha, width) in (-6000_i32..6000, 1_i32..4000),
            features in prop::sample::select(vec![3_usize, 90]),
        ) {
            let tree = tree(&splits, features, 60);
            let asked = RefCell::new(Vec::new());
            let feature = |i: usize| {
                asked.borrow_mut().push(i);
                row[i]
            };
            let full = tree.value(Stage(stage), Window::FULL, feature);
            let all = asked.take();
            let window = Window::new(Score(alpha), Score(alpha + width));
            prop_assert_eq!(tree.value(Stage(stage), window, feature), window.clamp(full));
            let some = asked.take();
            prop_assert!(all.starts_with(&some), "{:?} of {:?}", some, all);
            let (levels, leaf) = tree.levels(Stage(stage), window, |i| row[i]);
            let (most, _) = tree.levels(Stage(stage), Window::FULL, |i| row[i]);
            prop_assert_eq!(leaf, levels == most);
            prop_assert!(levels <= most);
            prop_assert_eq!(most + 1, tree.explain(Stage(stage), |i| row[i]).terms.len());
            let mut once = all.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), all.len(), "a feature was asked for twice");
            let told = tree.explain(Stage(stage), |i| row[i]);
            let sum: f64 = told.terms.iter().map(|t| t.contribution).sum();
            prop_assert!((sum - full.log_odds().0).abs() < 1e-9);
            prop_assert_eq!(tree.log_odds(Stage(stage), |i| row[i]), full.log_odds());
        }

        #[test]
        fn numbers_bring_the_tree_back(splits in splits()) {
            let tree = tree(&splits, 4, 2);
            let back = Tree::from_numbers(tree.features.clone(), 2, tree.response, &tree.numbers);
            prop_assert_eq!(back.unwrap(), tree);
        }

        #[test]
        fn any_numbers_are_a_tree_or_an_error(
            splits in splits(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<f64>()), 1..4),
        ) {
            let tree = tree(&splits, 4, 1);
            let mut numbers = tree.numbers.clone();
            for (at, value) in changes {
                let at = at.index(numbers.len());
                numbers[at] = value;
            }
            if let Ok(tree) = Tree::from_numbers(tree.features.clone(), 1, tree.response, &numbers) {
                tree.value(Stage(0), Window::FULL, |_| 0.0);
            }
        }
    }

    #[test]
    fn no_leaf_is_surer_than_its_vectors_allow() {
        let sure =
            |n: f64| Response::Chance.log_odds(&Node { weight: n, sum: n, ..Node::default() });
        assert!((sure(1.0) - 2.0_f64.ln()).abs() < 1e-12);
        assert!((sure(99.0) - 100.0_f64.ln()).abs() < 1e-12);
        assert_eq!(sure(0.0), 0.0);
        let half = Response::Chance.log_odds(&Node { weight: 40.0, sum: 20.0, ..Node::default() });
        assert!((half - 3.0_f64.ln()).abs() < 1e-12, "three of four won");
    }
}
