//! The obvious grower and pruner, against which the quick ones are tested.

use super::fit::TreeParams;
use super::{Growth, Node};

/// A tree told in full.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    Leaf { weight: f64, sum: f64 },
    Inner { weight: f64, sum: f64, feature: u32, threshold: f32, children: Box<[Told; 2]> },
}

pub(super) fn told(growth: &Growth) -> Told {
    fn below(growth: &Growth, at: usize) -> Told {
        let Node { weight, sum, feature, threshold, left } = growth.nodes()[at];
        if growth.nodes()[at].is_leaf() {
            return Told::Leaf { weight, sum };
        }
        let children = [left, left + 1].map(|child| below(growth, child as usize));
        Told::Inner { weight, sum, feature, threshold, children: Box::new(children) }
    }
    below(growth, 0)
}

fn explained(labels: &[f64]) -> f64 {
    let sum: f64 = labels.iter().sum();
    sum * sum / labels.len() as f64
}

/// Grows by trying every threshold of every feature anew at every node.
pub(super) fn grow(params: &TreeParams, table: &[Vec<f32>], labels: &[f32]) -> Told {
    let largest = labels.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
    let largest = f64::from(largest).log2().ceil().exp2();
    let rows: Vec<usize> = (0..labels.len()).collect();
    below(params, table, labels, &rows, &vec![false; table.len()], largest)
}

fn below(
    params: &TreeParams,
    table: &[Vec<f32>],
    labels: &[f32],
    rows: &[usize],
    known: &[bool],
    largest: f64,
) -> Told {
    let of = |rows: &[usize]| rows.iter().map(|&r| f64::from(labels[r])).collect::<Vec<_>>();
    let (n, all) = (rows.len() as f64, of(rows));
    let (weight, sum) = (n, all.iter().sum());
    if rows.len() < params.min_size as usize || all.iter().all(|c| *c == all[0]) {
        return Told::Leaf { weight, sum };
    }
    let mut best = (explained(&all) + 1e-12 * largest * largest * n, None);
    for (feature, column) in table.iter().enumerate() {
        let mut values: Vec<f32> = rows.iter().map(|&r| column[r]).collect();
        values.sort_unstable_by(f32::total_cmp);
        values.dedup();
        let cost = if known[feature] { 0.0 } else { params.price * params.costs[feature] * n };
        for pair in values.windows(2) {
            let (left, right): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|&&r| column[r] <= pair[0]);
            let fewest = (params.min_share * n).ceil();
            if (left.len() as f64) < fewest || (right.len() as f64) < fewest {
                continue;
            }
            let score = explained(&of(&left)) + explained(&of(&right)) - cost;
            if score > best.0 {
                let threshold = f32::midpoint(pair[0], pair[1]);
                best = (score, Some((feature, threshold, left, right)));
            }
        }
    }
    let Some((feature, threshold, left, right)) = best.1 else {
        return Told::Leaf { weight, sum };
    };
    let mut known = known.to_vec();
    known[feature] = true;
    let child = |rows: &[usize]| below(params, table, labels, rows, &known, largest);
    let children = Box::new([child(&left), child(&right)]);
    Told::Inner { weight, sum, feature: feature as u32, threshold, children }
}

/// The smallest subtree that minimises impurity plus `alpha` a leaf.
pub(super) fn prune(tree: &Told, alpha: f64) -> Told {
    fn best(tree: &Told, alpha: f64) -> (f64, Told) {
        let (Told::Leaf { weight, sum } | Told::Inner { weight, sum, .. }) = *tree;
        let as_leaf = alpha - sum * sum / weight;
        let Told::Inner { feature, threshold, ref children, .. } = *tree else {
            return (as_leaf, tree.clone());
        };
        let [(l, left), (r, right)] = [&children[0], &children[1]].map(|c| best(c, alpha));
        if as_leaf <= l + r {
            return (as_leaf, Told::Leaf { weight, sum });
        }
        let children = Box::new([left, right]);
        (l + r, Told::Inner { weight, sum, feature, threshold, children })
    }
    best(tree, alpha).1
}
