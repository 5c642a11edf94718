//! Classification and regression trees as alpha-beta-evaluation functions
//! (heinz93, after Breiman et al.).
//!
//! A node k holds the vectors that reach it and has the value v(k), the mean of
//! their labels c in [-1, 1]. With the impurity u(k) = 1 - v(k)^2 a split gains
//!
//! ```text
//! |k| u(k) - |l| u(l) - |r| u(r)  =  S(l)^2/|l| + S(r)^2/|r| - S(k)^2/|k|
//! ```
//!
//! where S is the sum of labels. The sum of squared deviations gains the same, so
//! that one grower serves classification and regression: only what a leaf's mean
//! stands for differs ([`Response`]).
//!
//! The way of a tree: [`grow`] (or [`Growth::expand`] an old one), [`PrunePath`]
//! with every pruned tree of the sequence, [`choose`] on vectors that were not
//! grown on, [`Tree`] for play. [`fit_tree`] goes it in one call.
//!
//! Invariant: a node's children stand side by side behind it, so that a list of
//! nodes has no cycles and a reverse pass meets children before parents.

mod cost;
mod expand;
mod fit;
mod grow;
mod play;
mod prune;
mod ranks;
#[cfg(test)]
mod slow;
mod small;
mod steps;
mod summary;

pub use cost::{PriceEffect, price_effects};
pub use fit::{Judged, TreeFit, TreeParams, fit_tree};
pub use grow::grow;
pub use play::{Response, Tree};
pub use prune::{Criterion, PrunePath, Step, choose};
pub use summary::{FeatureUse, TreeSummary};

use crate::LearnError;
use evalsmith_core::{Columns, Stage};

/// The most features a tree tells apart, the stage among them.
const MOST_FEATURES: usize = 1024;

/// What a tree is grown on: feature vectors with their labels.
#[derive(Clone, Copy, Debug)]
pub struct Vectors<'a> {
    /// The features, seen by the side to move.
    pub features: &'a Columns,
    /// How far each position's game had come; a feature like any other, the last,
    /// unless the game has but one stage.
    pub stages: Option<&'a [Stage]>,
    /// The labels: any numbers, for classification from -1 (loss) to 1 (win).
    pub labels: &'a [f32],
    /// The game each vector comes from.
    pub games: &'a [u32],
}

impl Vectors<'_> {
    /// The number of vectors.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The number of features, with the stage where it is one.
    pub fn width(&self) -> usize {
        self.features.width() + usize::from(self.stages.is_some())
    }

    /// Feature `feature` of a vector.
    #[inline]
    pub fn get(&self, row: usize, feature: usize) -> f32 {
        match self.stages {
            Some(stages) if feature == self.features.width() => f32::from(stages[row].0),
            _ => self.features.column(feature)[row],
        }
    }

    /// Feature `feature` of all vectors.
    fn column(&self, feature: usize) -> Vec<f32> {
        match self.stages {
            Some(stages) if feature == self.features.width() => {
                stages.iter().map(|stage| f32::from(stage.0)).collect()
            }
            _ => self.features.column(feature).to_vec(),
        }
    }

    /// Checks everything that growing relies on.
    ///
    /// # Errors
    /// When there are no vectors, lengths differ, there are too many features, or
    /// a feature or a label is not finite.
    pub fn check(&self) -> Result<(), LearnError> {
        let rows = self.rows();
        let lengths = |what: String, found| {
            if found == rows { Ok(()) } else { Err(LearnError::Lengths { rows, what, found }) }
        };
        lengths("games".into(), self.games.len())?;
        if let Some(stages) = self.stages {
            lengths("stages".into(), stages.len())?;
        }
        for (i, name) in self.features.names().iter().enumerate() {
            lengths(format!("values of {name}"), self.features.column(i).len())?;
        }
        if rows == 0 {
            return Err(LearnError::Empty);
        }
        if self.width() > MOST_FEATURES {
            let value = self.width().to_string();
            return Err(LearnError::Parameter {
                name: "the number of features",
                value,
                allowed: "at most 1024 for a tree; name fewer",
            });
        }
        let not_finite = |feature: &str, row: usize, value: f32| LearnError::NotFinite {
            feature: feature.into(),
            row,
            value: f64::from(value),
        };
        for (i, name) in self.features.names().iter().enumerate() {
            let column = self.features.column(i);
            if let Some(row) = column.iter().position(|x| !x.is_finite()) {
                return Err(not_finite(name, row, column[row]));
            }
        }
        match self.labels.iter().position(|c| !c.is_finite()) {
            Some(row) => Err(not_finite("the label", row, self.labels[row])),
            None => Ok(()),
        }
    }
}

/// A node of a tree with what it learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// How many vectors reached it; no whole number where old ones have faded.
    pub weight: f64,
    /// The sum of their labels.
    pub sum: f64,
    /// The feature asked for; of no meaning in a leaf.
    pub feature: u32,
    /// Vectors at or below it go left.
    pub threshold: f32,
    /// The left child; the right one follows it. Zero in a leaf.
    pub left: u32,
}

impl Node {
    /// Whether nothing is below it.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.left == 0
    }

    /// The mean label v(k).
    pub fn mean(&self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }

    /// S^2/|k|: what a node's mean explains of its labels' squares.
    fn explained(&self) -> f64 {
        if self.weight > 0.0 { self.sum * self.sum / self.weight } else { 0.0 }
    }
}

/// A tree with what it learned from: ready to be expanded, pruned or made a [`Tree`].
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    nodes: Vec<Node>,
    features: usize,
}

impl Growth {
    /// A tree of these nodes over so many features.
    ///
    /// # Errors
    /// When a node's children are not two nodes behind it that no other node has,
    /// a feature is not there, or a number is not finite.
    pub fn new(nodes: Vec<Node>, features: usize) -> Result<Self, LearnError> {
        let wrong =
            |at: usize, value: String, allowed| Err(LearnError::Node { node: at, value, allowed });
        if nodes.is_empty() || nodes.len() > 1 << 30 {
            return wrong(0, format!("one of {} nodes", nodes.len()), "one of 1 to 2^30");
        }
        let mut has_parent = vec![false; nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            let Node { weight, sum, feature, threshold, left } = *node;
            if !(weight >= 0.0 && weight.is_finite() && sum.is_finite() && threshold.is_finite()) {
                let value = format!("of weight {weight}, sum {sum} and threshold {threshold}");
                return wrong(at, value, "of finite numbers, its weight not negative");
            }
            if node.is_leaf() {
                continue;
            }
            if feature as usize >= features {
                let value = format!("about feature {feature} of {features}");
                return wrong(at, value, "about a feature that is there");
            }
            let left = left as usize;
            if left <= at || left + 1 >= nodes.len() || has_parent[left] || has_parent[left + 1] {
                let value = format!("with the children {left} and {}", left + 1);
                return wrong(at, value, "with two children behind it that no other node has");
            }
            has_parent[left] = true;
            has_parent[left + 1] = true;
        }
        match has_parent.iter().skip(1).position(|&has| !has) {
            Some(at) => wrong(at + 1, "of no parent".into(), "the child of one"),
            None => Ok(Self { nodes, features }),
        }
    }

    /// The nodes, parents before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The leaf that a vector reaches.
    #[inline]
    pub fn leaf(&self, feature: impl Fn(usize) -> f32) -> usize {
        let mut at = 0;
        while !self.nodes[at].is_leaf() {
            let node = &self.nodes[at];
            let right = feature(node.feature as usize) > node.threshold;
            at = node.left as usize + usize::from(right);
        }
        at
    }

    /// The same tree with the nodes that `is_leaf` names made leaves, and nothing
    /// below them.
    fn cut(&self, is_leaf: impl Fn(usize) -> bool) -> Self {
        let mut nodes = vec![self.nodes[0]];
        let mut from = vec![0_usize];
        let mut at = 0;
        while at < nodes.len() {
            let old = from[at];
            if self.nodes[old].is_leaf() || is_leaf(old) {
                nodes[at].left = 0;
                nodes[at].feature = 0;
                nodes[at].threshold = 0.0;
            } else {
                let left = self.nodes[old].left as usize;
                nodes[at].left = nodes.len() as u32;
                nodes.extend_from_slice(&self.nodes[left..left + 2]);
                from.extend([left, left + 1]);
            }
            at += 1;
        }
        Self { nodes, features: self.features }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(weight: f64) -> Node {
        Node { weight, sum: 0.0, ..Node::default() }
    }

    fn inner(left: u32, feature: u32) -> Node {
        Node { weight: 2.0, left, feature, ..Node::default() }
    }

    #[test]
    fn cycles_strays_and_strange_numbers_are_refused() {
        let refused = |nodes: Vec<Node>, why: &str| {
            let message = Growth::new(nodes, 3).expect_err(why).to_string();
            assert!(message.contains(why), "{message:?} does not say {why:?}");
        };
        assert!(Growth::new(vec![inner(1, 2), leaf(1.0), leaf(1.0)], 3).is_ok());
        refused(vec![], "0 nodes");
        refused(vec![inner(1, 3), leaf(1.0), leaf(1.0)], "feature 3 of 3");
        refused(vec![inner(2, 0), leaf(1.0), leaf(1.0)], "children 2 and 3");
        refused(vec![inner(1, 0), inner(1, 0), leaf(1.0)], "children 1 and 2");
        let shared = vec![inner(1, 0), inner(3, 0), inner(3, 0), leaf(1.0), leaf(1.0)];
        refused(shared, "children 3 and 4");
        refused(vec![leaf(1.0), leaf(1.0)], "of no parent");
        refused(vec![leaf(f64::NAN)], "weight NaN");
        refused(vec![leaf(-1.0)], "weight -1");
    }
}
