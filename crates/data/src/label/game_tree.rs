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
//! that every value rests on an end; the order of keys decides which edge of a
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
/// When there are more than `u32::MAX` rows, or the last of them goes on.
pub(crate) fn negamax(visits: &[Visit]) -> TreeValues {
    let graph = Graph::new(visits);
    let mut values: Vec<Option<i16>> = vec![None; graph.nodes()];
    let mut entered = vec![false; graph.nodes()];
    let mut path: Vec<Step> = Vec::new();
    for root in 0..graph.nodes() {
        if entered[root] {
            continue;
        }
        entered[root] = true;
        path.push(graph.enter(root));
        while let Some(step) = path.last_mut() {
            let Some(&(_, row)) = graph.visits.get(step.next).filter(|_| step.next < step.end)
            else {
                let done = *step;
                path.pop();
                values[done.node] = Some(done.best.unwrap_or_else(|| graph.own_result(done.node)));
                continue;
            };
            let visit = &visits[row as usize];
            let candidate = if visit.goes_on {
                let child = graph.node_of[row as usize + 1] as usize;
                if !entered[child] {
                    entered[child] = true;
                    path.push(graph.enter(child));
                    continue;
                }
                // Entered and without a value: on the path, and the edge closes a cycle.
                values[child].map(|value| -value)
            } else {
                Some(visit.margin)
            };
            step.best = step.best.max(candidate);
            step.next += 1;
        }
    }
    let value_of = |&node: &u32| values[node as usize].expect("every node was entered and left");
    TreeValues { values: graph.node_of.iter().map(value_of).collect(), nodes: graph.nodes() }
}

/// Rows by node.
struct Graph<'a> {
    rows: &'a [Visit],
    /// Keys and rows, sorted: the rows of a node are neighbours.
    visits: Vec<(u64, u32)>,
    /// Where each node's rows begin, and where the last one's end.
    begins: Vec<u32>,
    /// The node of each row.
    node_of: Vec<u32>,
}

/// A node on the way down.
#[derive(Clone, Copy)]
struct Step {
    node: usize,
    next: usize,
    end: usize,
    best: Option<i16>,
}

impl<'a> Graph<'a> {
    fn new(rows: &'a [Visit]) -> Self {
        let count = u32::try_from(rows.len()).expect("rows are numbered by 32 bits");
        let mut visits: Vec<(u64, u32)> = rows.iter().map(|row| row.key).zip(0..count).collect();
        visits.par_sort_unstable();
        let mut node_of = vec![0; rows.len()];
        let mut begins = Vec::new();
        let mut last = None;
        for (place, &(key, row)) in (0..).zip(&visits) {
            if last != Some(key) {
                last = Some(key);
                begins.push(place);
            }
            node_of[row as usize] = begins.len() as u32 - 1;
        }
        begins.push(count);
        Self { rows, visits, begins, node_of }
    }

    fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    /// The first step at a node; there are no further ones where its value is known.
    fn enter(&self, node: usize) -> Step {
        let (begin, end) = (self.begins[node] as usize, self.begins[node + 1] as usize);
        let exact =
            self.visits[begin..end].iter().find_map(|&(_, row)| self.rows[row as usize].exact);
        let next = if exact.is_some() { end } else { begin };
        Step { node, next, end, best: exact }
    }

    /// What the first game here made of it: all that is known of a node whose
    /// every edge closes a cycle.
    fn own_result(&self, node: usize) -> i16 {
        let (_, row) = self.visits[self.begins[node] as usize];
        self.rows[row as usize].margin
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
