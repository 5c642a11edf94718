//! A book as text: its positions as OBF, its lines as transcripts, its size in numbers.

use super::canonical::{Canonical, Successor};
use super::{Book, BookMove};
use crate::obf::Problem;
use evalsmith_core::{Game, Position, Side};
use evalsmith_othello::{Board, Kernel, Move, Othello, Portable};
use std::collections::BTreeSet;

/// A book in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookStats {
    /// Positions by their discs, as many as there are.
    pub by_discs: Vec<(u32, usize)>,
    /// Positions whose value is proven.
    pub exact: usize,
    /// Positions by the depth of their first search, where it is no proof.
    pub by_depth: Vec<(u32, usize)>,
    /// Moves that lead from one position to another.
    pub links: usize,
}

fn count<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().collect()
}

impl Book {
    /// The book in numbers.
    pub fn stats(&self) -> BookStats {
        let judged = self.nodes.iter().filter(|node| !node.searched.is_exact());
        BookStats {
            by_discs: count(self.nodes.iter().map(|node| u32::from(node.at.discs))),
            exact: self.values.iter().filter(|valued| valued.exact).count(),
            by_depth: count(judged.map(|node| node.searched.depth)),
            links: self.graph().links.iter().map(Vec::len).sum(),
        }
    }

    /// How many positions of the book can be reached from one, itself among them.
    pub fn reach<K: Kernel>(&self, board: &Board<K>) -> usize {
        let board = Board::new(board.own(), board.opp(), Portable).expect("a board is one");
        let (board, _) = super::decided(&board);
        let mut layer: BTreeSet<_> = [Canonical::of(&board).0].into();
        layer.retain(|at| self.index.contains_key(at));
        let mut reached = 0;
        while let Some(at) = layer.pop_first() {
            reached += 1;
            let board = at.board();
            let next = board.moves().map(|m| Canonical::of(&Successor::of(&board, m).board).0);
            // Whatever follows has more discs, and so comes later in the set.
            layer.extend(next.filter(|at| self.index.contains_key(at)));
        }
        reached
    }

    /// The positions as OBF, a line each, with the moves that the book knows and their
    /// values in whole discs. Colours are those of a game without passes.
    pub fn obf(&self) -> impl Iterator<Item = String> {
        let mut positions: Vec<_> = self.nodes.iter().map(|node| node.at).collect();
        positions.sort_unstable();
        positions.into_iter().map(|at| {
            let board = at.board();
            let to_move = if at.discs % 2 == 0 { Side::First } else { Side::Second };
            let whole = |known: &BookMove| (known.mv, known.value.discs().round() as i8);
            let scores = self.moves(&board).iter().map(whole).collect();
            Problem { board, to_move, scores }.to_string()
        })
    }

    /// Games from the start that together pass through every position that can be
    /// reached from it, as transcripts; each ends where the book does.
    pub fn transcripts(&self) -> Vec<String> {
        let game = Othello::new();
        // How each position was reached first: from where, by which move, on which image.
        let mut ways = vec![None; self.nodes.len()];
        let mut goes_on = vec![false; self.nodes.len()];
        let Some(first) = self.node(&game.start()) else { return Vec::new() };
        ways[first] = Some((first, Move::PASS, game.start()));
        let order = self.graph().order;
        for &node in &order {
            let node = node as usize;
            let Some((_, _, board)) = ways[node] else { continue };
            for m in board.moves() {
                let next = Successor::of(&board, m).board;
                if let Some(child) = self.node(&next)
                    && ways[child].is_none()
                {
                    ways[child] = Some((node, m, next));
                    goes_on[node] = true;
                }
            }
        }
        let ends = order.iter().map(|&node| node as usize).filter(|&node| !goes_on[node]);
        let line = |mut node: usize| {
            let mut moves = Vec::new();
            while let Some((from, m, _)) = ways[node].filter(|_| node != first) {
                moves.push(m);
                node = from;
            }
            moves.reverse();
            game.format_transcript(&moves)
        };
        ends.filter(|&node| ways[node].is_some()).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Growth, Until};
    use crate::obf;
    use crate::patterns::SmallPatterns;
    use crate::probcut::ProbCut;
    use evalsmith_core::Quiet;
    use std::convert::Infallible;

    fn grow(book: &mut Book, positions: usize) {
        let growth = Growth { depth: 1, solve_at: 0, table_mib: 1, ..Growth::default() };
        let until = Until { positions: Some(positions), time: None };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        book.grow(&growth, until, judge, &Quiet, |_| Ok::<_, Infallible>(())).unwrap();
    }

    fn positions(book: &Book) -> BTreeSet<Canonical> {
        book.nodes.iter().map(|node| node.at).collect()
    }

    #[test]
    fn what_is_exported_comes_back() {
        let mut book = Book::default();
        grow(&mut book, 120);
        let text: Vec<_> = book.obf().collect();
        let problems = obf::read(&text.join("\n")).unwrap();
        assert_eq!(problems.len(), book.len());
        for problem in &problems {
            let known = book.moves(&problem.board);
            assert_eq!(problem.scores.len(), known.len());
            assert!(problem.scores.iter().zip(&known).all(|(a, b)| a.0 == b.mv));
        }
        let mut again = Book::default();
        again.ask_for_all(problems.iter().map(|problem| problem.board));
        grow(&mut again, 0);
        assert_eq!(positions(&again), positions(&book));

        let games = book.transcripts();
        assert!(games.len() > 1 && games.len() < book.len());
        let mut again = Book::default();
        for game in &games {
            let record = Othello::new().parse_transcript(game).unwrap();
            again.ask_for_all(record.positions().iter().copied());
        }
        grow(&mut again, 0);
        assert_eq!(positions(&again), positions(&book));
    }

    #[test]
    fn numbers_add_up() {
        let mut book = Book::default();
        assert_eq!(book.transcripts(), Vec::<String>::new());
        assert_eq!((book.stats(), book.reach(&Othello::new().start())), Default::default());
        grow(&mut book, 60);
        let BookStats { by_discs, by_depth, exact, links } = book.stats();
        assert_eq!(by_discs.iter().map(|(_, count)| count).sum::<usize>(), book.len());
        assert_eq!((by_depth, exact), (vec![(1, book.len())], 0));
        assert_eq!(by_discs[..2], [(4, 1), (5, 1)]);
        assert!(links >= book.len() - 1);
        let start = Othello::new().start();
        assert_eq!(book.reach(&start), book.len());
        assert_eq!(book.reach(&start.play(Move(19))), book.len() - 1);
    }
}
