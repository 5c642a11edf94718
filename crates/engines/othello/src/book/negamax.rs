//! What the positions of a book are worth, each by all that follows from it.
//!
//! Invariant: a position is worth the most of its moves within the book and of its
//! deviation; what a search has proven stays as it is.

use super::canonical::{Canonical, Successor};
use super::{Book, Node};
use crate::value::Value;
use evalsmith_core::Position;
use evalsmith_othello::Move;

/// A position's value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Valued {
    pub(super) value: Value,
    /// Whether it is proven: by a search, or because all that follows is.
    pub(super) exact: bool,
}

/// A move from one position of the book to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) to: u32,
    /// Whether the same side moves again there.
    pub(super) again: bool,
}

impl Link {
    /// A value of the position it leads to, for the side that plays the move.
    pub(super) fn seen(self, value: Value) -> Value {
        if self.again { value } else { -value }
    }
}

/// Which position leads to which.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// By node.
    pub(super) links: Vec<Vec<Link>>,
    /// Nodes from the emptiest board to the fullest.
    pub(super) order: Vec<u32>,
}

impl Book {
    pub(super) fn graph(&self) -> Graph {
        let links = self.nodes.iter().map(|node| self.links(node)).collect();
        let mut order: Vec<_> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|&node| self.nodes[node as usize].at);
        Graph { links, order }
    }

    fn links(&self, node: &Node) -> Vec<Link> {
        let board = node.at.board();
        let link = |m: Move| {
            let next = Successor::of(&board, m);
            let to = *self.index.get(&Canonical::of(&next.board).0)?;
            Some(Link { to, again: next.again })
        };
        board.moves().filter_map(link).collect()
    }

    /// Values all positions anew.
    pub(super) fn value_all(&mut self) -> Graph {
        let graph = self.graph();
        let unknown = Valued { value: Value::default(), exact: false };
        let mut values = vec![unknown; self.nodes.len()];
        for &node in graph.order.iter().rev() {
            let node = node as usize;
            values[node] = self.value_of(&self.nodes[node], &graph.links[node], &values);
        }
        self.values = values;
        graph
    }

    fn value_of(&self, node: &Node, links: &[Link], values: &[Valued]) -> Valued {
        if node.searched.is_exact() {
            return Valued { value: node.searched.value, exact: true };
        }
        let deviation = node.deviation.filter(|_| !self.is_stale(node)).map(|d| d.found);
        let inside = links.iter().map(|link| link.seen(values[link.to as usize].value));
        let best = inside.chain(deviation.map(|found| found.value)).max();
        let others_proven = match deviation {
            Some(found) => found.is_exact(),
            None => links.len() == node.at.board().move_count(),
        };
        let exact = others_proven && links.iter().all(|link| values[link.to as usize].exact);
        Valued { value: best.unwrap_or(node.searched.value), exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Deviation, Found};
    use crate::effort::Selectivity;
    use crate::engine::Certainty;
    use evalsmith_core::{Game, rng};
    use evalsmith_othello::{Board, Othello, Portable};
    use proptest::prelude::*;
    use rand::RngExt;

    /// A book of random positions with random values: games that share their openings.
    fn any_book(seed: u64, games: u64, plies: usize) -> Book {
        let mut book = Book::default();
        for game in 0..games {
            let mut random = rng::stream(seed, "book", game);
            let mut board = Othello::new().start();
            for _ in 0..plies {
                let moves: Vec<_> = board.moves().collect();
                if moves.is_empty() {
                    break;
                }
                let (at, turn) = Canonical::of(&board);
                let exact = random.random_bool(0.1);
                let mut found = || Found {
                    value: Value(random.random_range(-512..=512)),
                    depth: 3,
                    certainty: if exact {
                        Certainty::Exact
                    } else {
                        Certainty::Judged(Selectivity::Careful)
                    },
                };
                let (searched, found) = (found(), found());
                let mv = moves[random.random_range(0..moves.len())];
                if mv != Move::PASS {
                    let deviation = Some(Deviation { mv: turn.of(mv), found });
                    book.insert(Node { at, searched, deviation });
                }
                board = board.play(moves[random.random_range(0..moves.len().min(3))]);
            }
        }
        book.value_all();
        book
    }

    /// By the definition, from one position downward, asking the book by boards alone.
    fn slow(book: &Book, board: &Board<Portable>) -> Option<(i32, bool)> {
        if board.mobility() == 0 && board.opponent_mobility() != 0 {
            return slow(book, &board.passed()).map(|(value, exact)| (-value, exact));
        }
        let node = book.nodes.iter().find(|node| node.at == Canonical::of(board).0)?;
        if node.searched.certainty == Certainty::Exact {
            return Some((node.searched.value.0, true));
        }
        let (_, turn) = Canonical::of(board);
        let (mut best, mut exact) = (None, true);
        let deviation = node.deviation.map(|d| (turn.back(d.mv), d.found));
        let (mut deviates, mut all_known) = (false, true);
        for m in board.moves() {
            match (slow(book, &board.play(m)), deviation) {
                (Some((value, proven)), _) => {
                    best = best.max(Some(-value));
                    exact &= proven;
                }
                (None, Some((mv, found))) if mv == m => {
                    best = best.max(Some(found.value.0));
                    exact &= found.certainty == Certainty::Exact;
                    deviates = true;
                }
                _ => all_known = false,
            }
        }
        Some((best.unwrap_or(node.searched.value.0), exact && (deviates || all_known)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn values_are_those_of_the_definition(seed in any::<u64>(), plies in 1_usize..14) {
            let book = any_book(seed, 4, plies);
            for (node, valued) in book.nodes.iter().zip(&book.values) {
                let slow = slow(&book, &node.at.board());
                prop_assert_eq!(slow, Some((valued.value.0, valued.exact)));
            }
        }

        #[test]
        fn moves_are_as_good_as_the_position(seed in any::<u64>()) {
            let book = any_book(seed, 3, 8);
            let start = Othello::new().start();
            let at = book.get(&start).unwrap();
            let moves = book.moves(&start);
            prop_assert!(moves.is_sorted_by_key(|m| -m.value.0));
            prop_assert!(at.exact || moves[0].value == at.value);
            for m in book.moves(&start).iter().filter(|m| !m.deviates) {
                prop_assert_eq!(book.get(&start.play(m.mv)).map(|next| -next.value), Some(m.value));
            }
            let wide = Value::of_discs(200);
            let inside = moves.iter().filter(|m| !m.deviates).count();
            let chosen = book.choose(&start, wide, (seed, 1));
            prop_assert_eq!(chosen.is_some(), inside > 0);
            prop_assert_eq!(chosen, book.choose(&start, wide, (seed, 1)));
            let best = book.choose(&start, Value::default(), (seed, 2));
            prop_assert!(best.is_none_or(|best| best.value == moves[0].value && !best.deviates));
        }
    }
}
