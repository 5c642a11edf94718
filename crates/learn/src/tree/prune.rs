//! Weakest-link pruning: every pruned tree of the sequence from one growth.
//!
//! The link of an inner node k is
//!
//! ```text
//! a(k) = ( |k| u(k) - sum over leaves k' below k of |k'| u(k') ) / (leaves below k - 1)
//! ```
//!
//! The node with the weakest link becomes a leaf, and so on up to the root. Cutting
//! the weakest link can only strengthen those above it, so that a heap may hold old
//! links: one that is drawn and no longer true goes back with its present strength.
//! With the walk up from each cut this takes O(n log^2 n) for trees of logarithmic
//! height.
//!
//! One pass of the test set through the full tree suffices to judge all trees of
//! the sequence: what a node would cost as a leaf is known from the labels that
//! reached it.

use super::{Growth, Vectors};
use crate::LearnError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Links whose strength differs by less than this share are cut in one step.
const SAME: f64 = 1e-12;
/// Vectors that descend together.
const BLOCK: usize = 1024;

/// By what the best tree of a sequence is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// The mean of (c - v)^2.
    #[default]
    Squared,
    /// The paper's mean of 1 - v c, which ignores vectors of label 0.
    Penalty,
}

impl Criterion {
    fn loss(self, label: f64, value: f64) -> f64 {
        match self {
            Self::Squared => (label - value) * (label - value),
            Self::Penalty => 1.0 - value * label,
        }
    }
}

impl std::fmt::Display for Criterion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Squared => "squared",
            Self::Penalty => "penalty",
        })
    }
}

impl std::str::FromStr for Criterion {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Squared, Self::Penalty]
            .into_iter()
            .find(|criterion| criterion.to_string() == text)
            .ok_or_else(|| format!("a tree is chosen by squared or penalty, not by {text:?}"))
    }
}

/// A tree of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The strength of the links cut for it; none for the full tree.
    pub alpha: f64,
    /// Its leaves.
    pub leaves: usize,
    /// The mean of (c - v)^2 over the test set.
    pub squared: f64,
    /// The mean of 1 - v c over the test set.
    pub penalty: f64,
}

/// All pruned trees of a growth, from the full one down to its root.
pub struct PrunePath<'a> {
    growth: &'a Growth,
    parents: Vec<u32>,
    /// The nodes in the order in which they became leaves, each with its step.
    cuts: Vec<(u32, u32)>,
    /// The strength and leaves of each step.
    steps: Vec<(f64, usize)>,
}

/// An inner node by the strength of its link; the root of equals comes last.
#[derive(PartialEq)]
struct Link(f64, u32);

impl Eq for Link {}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Link {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl<'a> PrunePath<'a> {
    /// The sequence of a tree.
    pub fn new(growth: &'a Growth) -> Self {
        let nodes = growth.nodes();
        let mut parents = vec![0_u32; nodes.len()];
        // What the leaves below explain more than the node, and how many they are.
        let mut gain: Vec<f64> = vec![0.0; nodes.len()];
        let mut leaves = vec![1_u32; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
            let left = node.left as usize;
            let below = nodes[left].explained() + nodes[left + 1].explained();
            gain[at] = gain[left] + gain[left + 1] + (below - node.explained());
            leaves[at] = leaves[left] + leaves[left + 1];
            parents[left..=left + 1].fill(at as u32);
        }
        let strength =
            |gain: &[f64], leaves: &[u32], at: usize| gain[at] / f64::from(leaves[at] - 1);
        let inner = (0..nodes.len()).filter(|&at| !nodes[at].is_leaf());
        let mut heap: BinaryHeap<_> =
            inner.map(|at| Reverse(Link(strength(&gain, &leaves, at), at as u32))).collect();
        let mut cuts: Vec<(u32, u32)> = Vec::with_capacity(heap.len());
        let mut steps = vec![(0.0_f64, leaves[0] as usize)];
        while let Some(Reverse(Link(known, at))) = heap.pop() {
            let node = at as usize;
            // A leaf by now, or below one.
            if leaves[node] == 1 || gain[node] == f64::NEG_INFINITY {
                continue;
            }
            let present = strength(&gain, &leaves, node);
            if present > known {
                heap.push(Reverse(Link(present, at)));
                continue;
            }
            let last = steps.last().map_or(0.0, |step| step.0);
            if present > last + SAME * last.abs() {
                steps.push((present, 0));
            }
            let (lost, gone) = (gain[node], leaves[node] - 1);
            forget_below(growth, node, &mut gain);
            let mut up = node;
            loop {
                gain[up] -= lost;
                leaves[up] -= gone;
                if up == 0 {
                    break;
                }
                up = parents[up] as usize;
            }
            cuts.push((at, steps.len() as u32 - 1));
            if let Some(step) = steps.last_mut() {
                step.1 = leaves[0] as usize;
            }
        }
        Self { growth, parents, cuts, steps }
    }

    /// How many trees there are, the full one among them.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Never: there is always the full tree.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The strength of the links cut for a tree, and its leaves.
    pub fn step(&self, step: usize) -> (f64, usize) {
        self.steps[step]
    }

    /// A tree of the sequence; the full one is number 0.
    pub fn tree(&self, step: usize) -> Growth {
        let mut is_leaf = vec![false; self.growth.nodes().len()];
        for &(node, _) in self.cuts.iter().take_while(|(_, at)| *at as usize <= step) {
            is_leaf[node as usize] = true;
        }
        self.growth.cut(|node| is_leaf[node])
    }

    /// All trees by what they cost on a test set, in one pass of it.
    ///
    /// # Errors
    /// When the test set is empty or faulty.
    pub fn judge(&self, test: &Vectors<'_>) -> Result<Vec<Step>, LearnError> {
        if test.rows() == 0 {
            return Err(LearnError::EmptyTest);
        }
        test.check()?;
        let nodes = self.growth.nodes();
        // By node: how many labels, their sum and the sum of their squares.
        let mut reached = vec![[0.0_f64; 3]; nodes.len()];
        for (leaf, &label) in leaves_of(self.growth, test).into_iter().zip(test.labels) {
            let c = f64::from(label);
            let [count, sum, squares] = &mut reached[leaf as usize];
            *count += 1.0;
            *sum += c;
            *squares += c * c;
        }
        let cost = |at: usize, [count, sum, squares]: [f64; 3]| {
            let v = nodes[at].mean();
            [squares - 2.0 * v * sum + count * v * v, count - v * sum]
        };
        let mut below = vec![[0.0_f64; 2]; nodes.len()];
        for at in (0..nodes.len()).rev() {
            if nodes[at].is_leaf() {
                below[at] = cost(at, reached[at]);
            } else {
                let left = nodes[at].left as usize;
                reached[at] = added(reached[left], reached[left + 1]);
                below[at] = added(below[left], below[left + 1]);
            }
        }
        let rows = test.rows() as f64;
        let mut cuts = self.cuts.iter().peekable();
        let mut judged = Vec::with_capacity(self.steps.len());
        for (number, &(alpha, leaves)) in self.steps.iter().enumerate() {
            while let Some(&(node, _)) = cuts.next_if(|(_, step)| *step as usize == number) {
                let node = node as usize;
                let own = cost(node, reached[node]);
                let change = [own[0] - below[node][0], own[1] - below[node][1]];
                let mut up = node;
                loop {
                    below[up] = added(below[up], change);
                    if up == 0 {
                        break;
                    }
                    up = self.parents[up] as usize;
                }
            }
            let [squared, penalty] = below[0].map(|cost| cost / rows);
            judged.push(Step { alpha, leaves, squared, penalty });
        }
        Ok(judged)
    }
}

fn added<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|i| a[i] + b[i])
}

/// Marks the inner nodes below a new leaf, so that their links are not cut.
fn forget_below(growth: &Growth, node: usize, gain: &mut [f64]) {
    let nodes = growth.nodes();
    let mut stack = vec![nodes[node].left as usize, nodes[node].left as usize + 1];
    while let Some(at) = stack.pop() {
        if !nodes[at].is_leaf() && gain[at] != f64::NEG_INFINITY {
            gain[at] = f64::NEG_INFINITY;
            stack.extend([nodes[at].left as usize, nodes[at].left as usize + 1]);
        }
    }
}

/// The leaf of every vector.
pub(super) fn leaves_of(growth: &Growth, vectors: &Vectors<'_>) -> Vec<u32> {
    let width = vectors.width();
    let blocks: Vec<Vec<u32>> = (0..vectors.rows().div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let rows = block * BLOCK..((block + 1) * BLOCK).min(vectors.rows());
            let mut table = vec![0.0_f32; rows.len() * width];
            for feature in 0..width {
                for (i, row) in rows.clone().enumerate() {
                    table[i * width + feature] = vectors.get(row, feature);
                }
            }
            let leaf = |i: usize| growth.leaf(|feature| table[i * width + feature]) as u32;
            (0..rows.len()).map(leaf).collect()
        })
        .collect();
    blocks.concat()
}

/// The best tree of a judged sequence: the one that costs least, and of equals the
/// smallest; with `one_standard_error` the smallest whose cost is within one
/// standard error, clustered by game, of the least.
pub fn choose(
    path: &PrunePath<'_>,
    steps: &[Step],
    test: &Vectors<'_>,
    criterion: Criterion,
    one_standard_error: bool,
) -> usize {
    let cost = |step: &Step| match criterion {
        Criterion::Squared => step.squared,
        Criterion::Penalty => step.penalty,
    };
    let least = steps.iter().map(cost).fold(f64::INFINITY, f64::min);
    let smallest_within = |limit: f64| steps.iter().rposition(|s| cost(s) <= limit).unwrap_or(0);
    let best = smallest_within(least);
    if !one_standard_error {
        return best;
    }
    let tree = path.tree(best);
    let losses = leaves_of(&tree, test)
        .into_iter()
        .zip(test.labels)
        .map(|(leaf, &label)| criterion.loss(f64::from(label), tree.nodes()[leaf as usize].mean()));
    let mut by_game: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
    for (loss, &game) in losses.zip(test.games) {
        *by_game.entry(game).or_default() += loss - least;
    }
    let error = by_game.values().map(|d| d * d).sum::<f64>().sqrt() / test.rows() as f64;
    smallest_within(least + error)
}

#[cfg(test)]
mod tests {
    use super::super::{Node, TreeParams, grow, slow};
    use super::*;
    use evalsmith_core::Columns;
    use proptest::prelude::*;

    fn columns(table: &[Vec<f32>]) -> Columns {
        let mut columns = Columns::new((0..table.len()).map(|i| format!("x{i}")).collect());
        for row in 0..table[0].len() {
            columns.push(&table.iter().map(|column| column[row]).collect::<Vec<_>>());
        }
        columns
    }

    fn data(rows: usize) -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>)> {
        let column = prop::collection::vec((0_i8..12).prop_map(f32::from), rows);
        let labels = prop::collection::vec(prop::sample::select(vec![-1.0_f32, 0.0, 1.0]), rows);
        (prop::collection::vec(column, 3), labels)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_tree_of_the_sequence_is_the_best_at_its_price(
            (table, labels) in data(160),
            (other, truth) in data(90),
        ) {
            let games: Vec<u32> = (0..160).map(|i| i / 8).collect();
            let (features, others) = (columns(&table), columns(&other));
            let grown_on = Vectors { features: &features, stages: None, labels: &labels, games: &games };
            let test = Vectors { features: &others, stages: None, labels: &truth, games: &games[..90] };
            let params = TreeParams { min_size: 2, min_share: 0.0, ..TreeParams::default() };
            let growth = grow(&params, &grown_on).unwrap();
            let path = PrunePath::new(&growth);
            let judged = path.judge(&test).unwrap();
            prop_assert_eq!(judged.len(), path.len());
            prop_assert_eq!(path.step(path.len() - 1).1, 1);
            let full = slow::told(&growth);
            for (step, told) in judged.iter().enumerate() {
                let (alpha, leaves) = path.step(step);
                let next = if step + 1 < path.len() { path.step(step + 1).0 } else { 2.0 * alpha + 1.0 };
                let tree = path.tree(step);
                prop_assert_eq!(tree.leaves(), leaves);
                if next > alpha * (1.0 + 1e-9) {
                    prop_assert_eq!(slow::told(&tree), slow::prune(&full, f64::midpoint(alpha, next)));
                }
                // The one pass says what each tree says by itself.
                let mut sums = [0.0; 2];
                for row in 0..90 {
                    let v = tree.nodes()[tree.leaf(|f| other[f][row])].mean();
                    let c = f64::from(truth[row]);
                    sums[0] += (c - v) * (c - v);
                    sums[1] += 1.0 - v * c;
                }
                prop_assert!((told.squared - sums[0] / 90.0).abs() < 1e-9);
                prop_assert!((told.penalty - sums[1] / 90.0).abs() < 1e-9);
            }
            let best = choose(&path, &judged, &test, Criterion::Squared, false);
            prop_assert!(judged.iter().all(|s| s.squared >= judged[best].squared));
            let smaller = choose(&path, &judged, &test, Criterion::Squared, true);
            prop_assert!(smaller >= best);
        }
    }

    #[test]
    fn an_empty_test_set_is_told() {
        let growth = Growth::new(vec![Node { weight: 1.0, ..Node::default() }], 0).unwrap();
        let features = Columns::new(Vec::new());
        let none = Vectors { features: &features, stages: None, labels: &[], games: &[] };
        let message = PrunePath::new(&growth).judge(&none).unwrap_err().to_string();
        assert!(message.contains("test set is empty"), "{message}");
    }
}
