//! A tree's nodes as descending wants them.
//!
//! A node takes eight bytes, children stand side by side, and each pair is followed
//! by the pairs below it, so that about two levels come with one cache line. The
//! bounds of a node are kept apart: a full window never looks at them before the leaf.

use super::Node;

/// Bits of a step that name its feature.
const FEATURE_BITS: u32 = 10;
/// Bits below the pair of children: the feature, and whether it is new.
const LOW_BITS: u32 = FEATURE_BITS + 1;
/// The most nodes that steps can tell apart.
pub(super) const MOST_NODES: usize = 2 << (32 - LOW_BITS);

const _: () = assert!(super::MOST_FEATURES == 1 << FEATURE_BITS);

/// Where a node sends what comes to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub(super) threshold: f32,
    /// The feature's place among those in use, above it whether no node on the way asked
    /// for it, and above that the pair of children; zero in a leaf, since the first pair
    /// is the root's.
    then: u32,
}

impl Step {
    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.then == 0
    }

    #[inline]
    pub(super) fn feature(self) -> usize {
        (self.then & ((1 << FEATURE_BITS) - 1)) as usize
    }

    /// Whether no node on the way here asked for the feature: there is one way to a
    /// node, so that this is known before any descent.
    #[inline]
    pub(super) fn is_first_to_ask(self) -> bool {
        self.then & 1 << FEATURE_BITS != 0
    }

    /// The child for a value beyond the threshold, or for another.
    #[inline]
    pub(super) fn child(self, beyond: bool) -> usize {
        (self.then >> LOW_BITS) as usize * 2 + usize::from(beyond)
    }
}

/// The least and the greatest value of the leaves below a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: i16,
    pub(super) high: i16,
}

/// The nodes of a tree; the first is the root.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Steps {
    pub(super) nodes: Vec<Step>,
    pub(super) bounds: Vec<Bounds>,
}

impl Steps {
    /// The steps of at most [`MOST_NODES`] nodes, which ask for the features in
    /// `used`; `value` is that of a leaf.
    pub(super) fn new(nodes: &[Node], used: &[u32], value: impl Fn(&Node) -> i16) -> Self {
        let order = order(nodes);
        let first_to_ask = first_to_ask(nodes);
        let mut places = vec![0; nodes.len()];
        for (pair, &left) in order.iter().enumerate() {
            // The root stands alone in its pair.
            for (at, node) in (left..nodes.len().min(left + 2)).enumerate() {
                places[node] = 2 * pair + at;
            }
        }
        places[0] = 0;
        let mut steps = Self {
            nodes: vec![Step::default(); 2 * order.len()],
            bounds: vec![Bounds::default(); 2 * order.len()],
        };
        for ((node, &place), first) in nodes.iter().zip(&places).zip(first_to_ask).rev() {
            if node.is_leaf() {
                let value = value(node);
                steps.bounds[place] = Bounds { low: value, high: value };
                continue;
            }
            let children = places[node.left as usize];
            let feature = used.binary_search(&node.feature).expect("features in use are listed");
            steps.nodes[place] = Step {
                threshold: node.threshold,
                then: (children as u32 / 2) << LOW_BITS
                    | u32::from(first) << FEATURE_BITS
                    | feature as u32,
            };
            let (l, r) = (steps.bounds[children], steps.bounds[children + 1]);
            steps.bounds[place] = Bounds { low: l.low.min(r.low), high: l.high.max(r.high) };
        }
        steps
    }
}

/// The left nodes of all pairs, in the order in which pairs are stored: each followed
/// by the pairs of its own two nodes, and then by whatever is below those.
fn order(nodes: &[Node]) -> Vec<usize> {
    let below = |left: usize, count: usize| {
        let inner = nodes[left..].iter().take(count).filter(|node| !node.is_leaf());
        inner.map(|node| node.left as usize)
    };
    let mut order = vec![0];
    let mut waiting: Vec<usize> = below(0, 1).collect();
    while let Some(left) = waiting.pop() {
        order.push(left);
        for child in below(left, 2) {
            order.push(child);
            waiting.extend(below(child, 2));
        }
    }
    order
}

/// Whether each node asks for a feature that no node above it asked for.
fn first_to_ask(nodes: &[Node]) -> Vec<bool> {
    enum Visit {
        Enter(usize),
        Leave(u32),
    }
    let features = nodes.iter().map(|node| node.feature as usize + 1).max().unwrap_or_default();
    let mut asked = vec![0_u32; features];
    let mut first = vec![false; nodes.len()];
    let mut waiting = vec![Visit::Enter(0)];
    while let Some(visit) = waiting.pop() {
        match visit {
            Visit::Enter(at) if !nodes[at].is_leaf() => {
                let Node { feature, left, .. } = nodes[at];
                first[at] = asked[feature as usize] == 0;
                asked[feature as usize] += 1;
                waiting.push(Visit::Leave(feature));
                waiting.extend([left, left + 1].map(|child| Visit::Enter(child as usize)));
            }
            Visit::Enter(_) => {}
            Visit::Leave(feature) => asked[feature as usize] -= 1,
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_followed_by_the_pairs_below_it() {
        assert_eq!(size_of::<Step>(), 8);
        let node = |left: u32| Node { left, feature: 7, ..Node::default() };
        // 0 -> (1, 2); 1 -> (5, 6); 2 -> (3, 4); 5 -> (7, 8)
        let nodes: Vec<Node> = [1, 5, 3, 0, 0, 7, 0, 0, 0].map(node).to_vec();
        assert_eq!(order(&nodes), [0, 1, 5, 3, 7]);
        let values = std::cell::Cell::new(0);
        let value = |_: &Node| {
            values.set(values.get() + 1);
            values.get()
        };
        let steps = Steps::new(&nodes, &[3, 7], value);
        let left = |at: usize| steps.nodes[at].child(false);
        assert_eq!([left(0), left(2), left(3), left(4)], [2, 4, 6, 8]);
        assert!(steps.nodes[0].feature() == 1 && steps.nodes[9].is_leaf());
        let first: Vec<_> = steps.nodes.iter().map(|step| step.is_first_to_ask()).collect();
        assert_eq!(first.iter().filter(|&&first| first).count(), 1, "all ask for one feature");
        assert!(first[0]);
        // Leaves are valued from the last node to the first.
        assert_eq!(steps.bounds[0], Bounds { low: 1, high: 5 });
        assert_eq!(steps.bounds[3], Bounds { low: 4, high: 5 });
    }
}
