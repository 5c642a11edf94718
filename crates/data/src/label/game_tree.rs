//! Labels by negamax over the tree of all games (buro95 fig. 3).
//!
//! One game's result is a poor label where somebody blundered later. All games
//! of a dataset together are a graph: equal positions (and mirror images) are one
//! node, a move that some game played is an edge. A node's value is the best
//! that any game found there:
//!
//! ```text
//! v(p) = known exact value of p                              where there is one
//! v(p) = max over rows of p:  -v(next row's position)        where the game goes on
//!                             the game's own margin          where its rows end
//! ```
//!
//! The one invariant to know: an edge that closes a cycle is no candidate, so
//! that every value rests on an end; the order of rows decides which edge of a
//! cycle closes it, never threads. Nodes are told apart by 64-bit keys: of seven
//! million positions two different ones share a key once in a million datasets.

use rayon::prelude::*;

/// What the tree needs of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    /// The same for the positions that are one node.
    pub(crate) key: u64,
    /// The game's margin for the side to move.
    pub(crate) margin: i16,
    /// The exact margin for the side to move, if known.
    pub(crate) exact: Option<i16>,
    /// Whether the next row is what the move played here led to.
    pub(crate) goes_on: bool,
}

/// The values of all rows, for the side to move.
pub(crate) struct TreeValues {
    pub(crate) values: Vec<i16>,
    /// Different positions.
    pub(crate) nodes: usize,
}

/// Values every row by negamax over the graph that all rows make.
///
/// # Panics
/// When there are more than `u32::MAX - 1` rows, or the last of them goes on.
pub(crate) fn negamax(visits: &[Visit]) -> TreeValues {
    let graph = Graph::new(visits);
    let mut values: Vec<Option<i16>> = vec![None; visits.len()];
    let mut entered = vec![false; visits.len()];
    let mut path: Vec<Step> = Vec::new();
    let mut nodes = 0;
    for root in 0..visits.len() {
        if graph.node_of[root] as usize != root || entered[root] {
            continue;
        }
        entered[root] = true;
        path.push(graph.enter(root));
        while let Some(step) = path.last_mut() {
            if step.next == NONE {
                let Step { node, best, .. } = *step;
                path.pop();
                nodes += 1;
                // A node whose every edge closes a cycle has what its first game made
                // of it.
                values[node] = Some(best.unwrap_or(visits[node].margin));
                continue;
            }
            let row = step.next as usize;
            let candidate = if visits[row].goes_on {
                let child = graph.node_of[row + 1] as usize;
                if !entered[child] {
                    entered[child] = true;
                    path.push(graph.enter(child));
                    continue;
                }
                // Entered and without a value: on the path, and the edge closes a cycle.
                values[child].map(|value| -value)
            } else {
                Some(visits[row].margin)
            };
            step.best = step.best.max(candidate);
            step.next = graph.next_of[row];
        }
    }
    let value_of = |&node: &u32| values[node as usize].expect("every node was entered and left");
    TreeValues { values: graph.node_of.iter().map(value_of).collect(), nodes }
}

/// No further row.
const NONE: u32 = u32::MAX;

/// Rows by node. A node is called by its first row, so that whoever follows a game
/// walks through memory in order.
struct Graph<'a> {
    rows: &'a [Visit],
    /// The node of each row.
    node_of: Vec<u32>,
    /// The next row of the same node.
    next_of: Vec<u32>,
}

/// A node on the way down.
#[derive(Clone, Copy)]
struct Step {
    node: usize,
    next: u32,
    best: Option<i16>,
}

impl<'a> Graph<'a> {
    fn new(rows: &'a [Visit]) -> Self {
        let count = u32::try_from(rows.len()).ok().filter(|&count| count < NONE);
        let count = count.expect("rows are numbered by 32 bits");
        let mut sorted: Vec<(u64, u32)> = rows.iter().map(|row| row.key).zip(0..count).collect();
        sorted.par_sort_unstable();
        let mut node_of: Vec<u32> = (0..count).collect();
        let mut next_of = vec![NONE; rows.len()];
        for pair in sorted.windows(2) {
            let [(key, row), (next_key, next)] = [pair[0], pair[1]];
            if key == next_key {
                next_of[row as usize] = next;
                node_of[next as usize] = node_of[row as usize];
            }
        }
        Self { rows, node_of, next_of }
    }

    /// The rows of a node.
    fn rows_of(&self, node: usize) -> impl Iterator<Item = &Visit> {
        let next = |row: &usize| Some(self.next_of[*row]).filter(|&row| row != NONE);
        std::iter::successors(Some(node), move |row| next(row).map(|row| row as usize))
            .map(|row| &self.rows[row])
    }

    /// The first step at a node; there are no further ones where its value is known.
    fn enter(&self, node: usize) -> Step {
        let exact = self.rows_of(node).find_map(|row| row.exact);
        let next = if exact.is_some() { NONE } else { node as u32 };
        Step { node, next, best: exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn visit(key: u64, margin: i16, goes_on: bool) -> Visit {
        Visit { key, margin, exact: None, goes_on }
    }

    #[test]
    fn a_blunder_after_a_transposition_does_not_reach_back() {
        // Two games through position 2: the first player of one wins there, the
        // other one blunders. The position before it was won all the same.
        let visits = [
            visit(1, -6, true),
            visit(2, 6, true),
            visit(3, -6, false),
            visit(4, 8, true),
            visit(2, -8, true),
            visit(5, 8, false),
        ];
        let tree = negamax(&visits);
        assert_eq!(tree.values, [-6, 6, -6, -6, 6, 8]);
        assert_eq!(tree.nodes, 5);
    }

    #[test]
    fn exact_values_stand_whatever_was_played() {
        let mut visits = [visit(1, 4, true), visit(2, -4, true), visit(3, 4, false)];
        visits[1].exact = Some(10);
        assert_eq!(negamax(&visits).values, [-10, 10, 4]);
    }

    #[test]
    fn cycles_end() {
        let around = [visit(1, 0, true), visit(2, 0, true), visit(1, 0, true), visit(2, 5, false)];
        assert_eq!(negamax(&around).values, [-5, 5, -5, 5]);
        assert!(negamax(&[]).values.is_empty());
    }

    /// The definition, word for word; graphs without cycles only.
    fn slowly(visits: &[Visit], key: u64, known: &mut HashMap<u64, i16>) -> i16 {
        if let Some(&value) = known.get(&key) {
            return value;
        }
        let here = || visits.iter().enumerate().filter(|(_, visit)| visit.key == key);
        let exact = here().find_map(|(_, visit)| visit.exact);
        let value = exact.unwrap_or_else(|| {
            let candidates = here().map(|(row, visit)| {
                if visit.goes_on {
                    -slowly(visits, visits[row + 1].key, known)
                } else {
                    visit.margin
                }
            });
            candidates.max().expect("the key is of some row")
        });
        known.insert(key, value);
        value
    }

    proptest! {
        /// Games run through ever larger keys, so that there are no cycles.
        #[test]
        fn values_are_those_of_the_definition(
            games in prop::collection::vec(
                prop::collection::vec((1_u64..4, -9_i16..9, prop::option::weighted(0.1, -9_i16..9)), 1..8),
                0..12,
            ),
        ) {
            let mut visits = Vec::new();
            for game in &games {
                let mut key = 0;
                for (ply, &(step, margin, exact)) in game.iter().enumerate() {
                    key += step;
                    visits.push(Visit { key, margin, exact, goes_on: ply + 1 < game.len() });
                }
            }
            let found = negamax(&visits).values;
            let mut known = HashMap::new();
            for (visit, found) in visits.iter().zip(found) {
                prop_assert_eq!(found, slowly(&visits, visit.key, &mut known));
            }
        }
    }
}
