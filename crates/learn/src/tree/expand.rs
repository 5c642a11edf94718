//! An old tree expanded with new vectors (heinz93 section 4).
//!
//! The new vectors descend the old structure, whose counts first fade to the share
//! `memory`; at the leaves they reach the tree grows on. What a leaf knew before
//! goes to the children of its split in proportion to the new vectors. Where no
//! new vector comes the old tree stays as it is, faded.

use super::fit::TreeParams;
use super::grow::{Grower, Prior, Rows};
use super::ranks::Ranks;
use super::{Growth, Node, Vectors};
use crate::LearnError;

/// Vectors of an old node on their way down.
struct Descent<'a> {
    rows: Rows<'a>,
    old: usize,
    slot: usize,
}

impl Growth {
    /// This tree, its counts faded to the share `memory`, expanded with new vectors.
    ///
    /// # Errors
    /// When the parameters make no sense, the vectors are faulty, or of another
    /// number of features.
    pub fn expand(
        &self,
        params: &TreeParams,
        vectors: &Vectors<'_>,
        memory: f64,
    ) -> Result<Self, LearnError> {
        params.check(vectors.width())?;
        vectors.check()?;
        if vectors.width() != self.features {
            let what = "features of the tree".to_owned();
            return Err(LearnError::Lengths { rows: vectors.width(), what, found: self.features });
        }
        if !(0.0..=1.0).contains(&memory) {
            let value = memory.to_string();
            return Err(LearnError::Parameter { name: "memory", value, allowed: "from 0 to 1" });
        }
        let mut ranks = Ranks::of(vectors);
        let (mut bytes, mut words, mut labels) = ranks.take_rows();
        let grower = Grower::new(params, &ranks);
        let faded = |old: &Node| Prior { weight: memory * old.weight, sum: memory * old.sum };
        let record = |rows: &Rows<'_>, old: &Node| {
            let total: i64 = rows.labels.iter().map(|&label| i64::from(label)).sum();
            grower.node(total, rows.len(), faded(old))
        };

        let rows = grower.rows(&mut bytes, &mut words, &mut labels);
        let mut nodes = vec![record(&rows, &self.nodes[0])];
        let mut stack = vec![Descent { rows, old: 0, slot: 0 }];
        while let Some(Descent { rows, old, slot }) = stack.pop() {
            let node = &self.nodes[old];
            if node.is_leaf() {
                if rows.len() > 0 {
                    graft(&mut nodes, slot, &grower.grow(rows, faded(node)));
                }
                continue;
            }
            let (column, last) = grower.place(node.feature as usize, node.threshold);
            let [left, right] = match last {
                Some(last) => rows.part(column, last),
                None => rows.split(0),
            };
            let first = nodes.len();
            nodes[slot] = Node {
                left: first as u32,
                weight: nodes[slot].weight,
                sum: nodes[slot].sum,
                ..*node
            };
            for (i, rows) in [left, right].into_iter().enumerate() {
                let old = node.left as usize + i;
                nodes.push(record(&rows, &self.nodes[old]));
                stack.push(Descent { rows, old, slot: first + i });
            }
        }
        Ok(Self { nodes, features: self.features })
    }
}

/// Puts a subtree in place of a leaf.
pub(super) fn graft(nodes: &mut Vec<Node>, slot: usize, subtree: &[Node]) {
    // The subtree's root is the slot; its others follow all there are.
    let offset = nodes.len() as u32 - 1;
    let moved = subtree.iter().map(|node| {
        let left = if node.is_leaf() { 0 } else { node.left + offset };
        Node { left, ..*node }
    });
    nodes.extend(moved.skip(1));
    nodes[slot] = subtree[0];
    if !subtree[0].is_leaf() {
        nodes[slot].left += offset;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{grow, slow};
    use super::*;
    use evalsmith_core::Columns;
    use proptest::prelude::*;

    fn columns(rows: &[[f32; 2]]) -> Columns {
        let mut columns = Columns::new(vec!["a".into(), "b".into()]);
        for row in rows {
            columns.push(row);
        }
        columns
    }

    fn data() -> impl Strategy<Value = (Vec<[f32; 2]>, Vec<f32>)> {
        let row = ((0_i8..9).prop_map(f32::from), (0_i8..9).prop_map(f32::from));
        let row = row.prop_map(|(a, b)| [a, b]);
        let label = prop::sample::select(vec![-1.0_f32, 1.0]);
        prop::collection::vec((row, label), 10..150).prop_map(|both| both.into_iter().unzip())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counts_add_up_and_old_splits_stay((old, was) in data(), (new, is) in data()) {
            let params = TreeParams { min_size: 8, min_share: 0.0, ..TreeParams::default() };
            let (first, second) = (columns(&old), columns(&new));
            let games = vec![0; 150];
            let of = |features, labels: &'_ [f32]| grow(&params, &Vectors { features, stages: None, labels, games: &games[..labels.len()] }).unwrap();
            let tree = of(&first, &was);
            let vectors = Vectors { features: &second, stages: None, labels: &is, games: &games[..is.len()] };
            let expanded = tree.expand(&params, &vectors, 0.5).unwrap();
            let expanded = Growth::new(expanded.nodes, 2).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
            prop_assert!(near(expanded.nodes[0].weight, 0.5 * old.len() as f64 + new.len() as f64));
            for node in expanded.nodes.iter().filter(|n| !n.is_leaf()) {
                let left = node.left as usize;
                let [l, r] = [expanded.nodes[left], expanded.nodes[left + 1]];
                prop_assert!(near(node.weight, l.weight + r.weight) && near(node.sum, l.sum + r.sum));
            }
            // Walk both: wherever the old tree splits, the new one splits alike.
            let mut pairs = vec![(0, 0)];
            while let Some((a, b)) = pairs.pop() {
                let (was, is) = (tree.nodes[a], expanded.nodes[b]);
                if !was.is_leaf() {
                    prop_assert_eq!((was.feature, was.threshold), (is.feature, is.threshold));
                    pairs.extend([(was.left as usize, is.left as usize), (was.left as usize + 1, is.left as usize + 1)]);
                }
            }
            prop_assert!(expanded.leaves() >= tree.leaves());
        }

        #[test]
        fn expanding_a_mere_root_without_memory_grows_anew((new, is) in data()) {
            let params = TreeParams { min_size: 2, ..TreeParams::default() };
            let features = columns(&new);
            let games = vec![0; is.len()];
            let vectors = Vectors { features: &features, stages: None, labels: &is, games: &games };
            let root = Growth::new(vec![Node { weight: 7.0, sum: 3.0, ..Node::default() }], 2).unwrap();
            let expanded = root.expand(&params, &vectors, 0.0).unwrap();
            prop_assert_eq!(slow::told(&expanded), slow::told(&grow(&params, &vectors).unwrap()));
        }
    }
}
