//! The shape of a tree in numbers.

use super::{Response, Tree};
use serde::{Deserialize, Serialize};

/// How large, how deep, how pure, and by which features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeSummary {
    /// All nodes.
    pub nodes: usize,
    /// Those that end a path.
    pub leaves: usize,
    /// Decisions on the longest path.
    pub depth: usize,
    /// Decisions that a vector meets on average.
    pub mean_depth: f64,
    /// The mean over vectors of 1 - v^2; none where labels are scores.
    pub impurity: Option<f64>,
    /// The features in order, the stage last where there are several.
    pub uses: Vec<FeatureUse>,
}

/// What a feature does in a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureUse {
    /// The feature.
    pub name: String,
    /// Nodes that ask for it.
    pub splits: usize,
    /// The loss of impurity by those nodes, a vector of the whole tree.
    pub gain: f64,
    /// The share of vectors on whose path it is asked for.
    pub reached: f64,
}

impl TreeSummary {
    /// The shape of a tree.
    pub fn of(tree: &Tree) -> Self {
        let nodes = tree.growth().nodes();
        let total = nodes[0].weight.max(f64::MIN_POSITIVE);
        let width = tree.growth().features;
        let name = |feature| tree.feature_name(feature).to_owned();
        let unused = |f| FeatureUse { name: name(f), splits: 0, gain: 0.0, reached: 0.0 };
        let mut uses: Vec<FeatureUse> = (0..width).map(unused).collect();
        let mut depths = vec![0_usize; nodes.len()];
        // The nearest node above that asks for the same feature hides those below.
        let mut parents = vec![usize::MAX; nodes.len()];
        let (mut steps, mut impurity) = (0.0, 0.0);
        for (at, node) in nodes.iter().enumerate() {
            if node.is_leaf() {
                steps += node.weight * depths[at] as f64;
                impurity += node.weight - node.explained();
                continue;
            }
            let left = node.left as usize;
            let deeper = depths[at] + 1;
            depths[left..=left + 1].fill(deeper);
            parents[left..=left + 1].fill(at);
            let mut above =
                std::iter::successors(Some(parents[at]), |&up| parents.get(up).copied())
                    .take_while(|&up| up != usize::MAX);
            let own = &mut uses[node.feature as usize];
            own.splits += 1;
            let below = nodes[left].explained() + nodes[left + 1].explained();
            own.gain += (below - node.explained()) / total;
            if !above.any(|up| nodes[up].feature == node.feature) {
                own.reached += node.weight / total;
            }
        }
        Self {
            nodes: nodes.len(),
            leaves: tree.growth().leaves(),
            depth: depths.iter().copied().max().unwrap_or_default(),
            mean_depth: steps / total,
            impurity: (tree.response() == Response::Chance).then_some(impurity / total),
            uses,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Growth, Node};
    use super::*;

    #[test]
    fn a_small_tree_is_counted_by_hand() {
        let node = |weight, sum, feature, left| Node { weight, sum, feature, threshold: 0.0, left };
        let nodes = vec![
            node(8.0, 0.0, 0, 1),
            node(4.0, -4.0, 0, 0),
            node(4.0, 4.0, 0, 3),
            node(2.0, 2.0, 1, 5),
            node(2.0, 2.0, 0, 0),
            node(1.0, 1.0, 0, 0),
            node(1.0, 1.0, 0, 0),
        ];
        let names = vec!["a".into(), "b".into()];
        let tree = Tree::new(names, 1, Response::Chance, Growth::new(nodes, 2).unwrap()).unwrap();
        let summary = TreeSummary::of(&tree);
        assert_eq!((summary.nodes, summary.leaves, summary.depth), (7, 4, 3));
        // Four vectors after one decision, two after two, two after three.
        assert!((summary.mean_depth - (4.0 + 4.0 + 6.0) / 8.0).abs() < 1e-12);
        assert!(summary.impurity.is_some_and(|u| u.abs() < 1e-12));
        let [a, b] = &summary.uses[..] else { panic!("two features") };
        assert_eq!((a.splits, b.splits), (2, 1));
        assert!((a.gain - 1.0).abs() < 1e-12 && b.gain.abs() < 1e-12);
        assert!((a.reached - 1.0).abs() < 1e-12 && (b.reached - 0.25).abs() < 1e-12);
    }
}
