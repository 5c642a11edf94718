//! An opening book that the engine learns by searching.
//!
//! After Buro, "Toward opening book learning" (1999): a book is a graph of positions.
//! Of each it knows, besides the moves that lead to other positions of the book, the
//! best move that does not (its *deviation*) with the value that a search gave it. A
//! position is worth the best of both, so that a value found deep in the graph
//! changes what is played at its start; nobody needs to have lost a game for it. What
//! searches have proven is exact.
//!
//! Images of a position under the symmetries of the board are one (`canonical`);
//! transpositions meet; a forced pass is not a position, for nobody decides anything
//! there. Othello's discs grow in number, so that the graph has no cycles, and one
//! pass from the fullest boards to the emptiest values all of it (`negamax`).
//!
//! Invariant: the values belong to the positions and deviations as they stand.

mod canonical;
mod file;
mod grow;
mod lines;
mod negamax;
mod searchers;

pub use file::BookError;
pub use grow::{GrownUntil, Until};
pub use lines::BookStats;
pub use searchers::Growth;

use crate::engine::{Certainty, Thought};
use crate::value::Value;
use canonical::{Canonical, Successor, decided};
use evalsmith_core::{Position, rng};
use evalsmith_othello::{Board, Kernel, Move, Portable};
use negamax::Valued;
use rand::RngExt;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// What a search found about a position or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The expected final margin of the side to move.
    pub value: Value,
    /// Plies looked ahead.
    pub depth: u32,
    /// How far that can be trusted.
    pub certainty: Certainty,
}

impl Found {
    fn of(thought: &Thought) -> Self {
        Self { value: thought.value, depth: thought.depth, certainty: thought.certainty }
    }

    /// The score of a finished game.
    fn over<K: Kernel>(board: &Board<K>) -> Self {
        let value = Value::of_discs(board.final_margin());
        Self { value, depth: 0, certainty: Certainty::Exact }
    }

    fn is_exact(&self) -> bool {
        self.certainty == Certainty::Exact
    }
}

/// The best move that leads out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deviation {
    mv: Move,
    found: Found,
}

/// A position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    at: Canonical,
    /// What the first search of it said.
    searched: Found,
    /// None where all moves lead to positions of the book, or the game is over.
    deviation: Option<Deviation>,
}

/// A move that the book knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// What it is worth to the side that plays it.
    pub value: Value,
    /// Plies that the search of the position behind it looked ahead; of a deviation,
    /// the move itself among them.
    pub depth: u32,
    /// How far the value can be trusted: exact, or as the search that begot it.
    pub certainty: Certainty,
    /// Whether it leads out of the book.
    pub deviates: bool,
}

/// A position of the book as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookPosition {
    /// What it is worth to the side to move, by all that the book knows.
    pub value: Value,
    /// Whether that is proven.
    pub exact: bool,
    /// What the search said when the position came into the book.
    pub searched: Found,
}

/// An opening book.
#[derive(Clone, Debug, Default)]
pub struct Book {
    nodes: Vec<Node>,
    index: HashMap<Canonical, u32>,
    /// By node.
    values: Vec<Valued>,
    /// Positions that are to come into the book next.
    pending: BTreeSet<Canonical>,
    /// The commands that made it.
    made: Vec<String>,
}

/// Commands that a book remembers.
const MOST_MADE: usize = 32;

impl Book {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Positions that were asked for and are not searched yet.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The commands that made it, the first ones first.
    pub fn made(&self) -> &[String] {
        &self.made
    }

    /// Remembers a command that adds to the book; one that is only run again is
    /// remembered once, and of very many the oldest are forgotten.
    pub fn remember_command(&mut self, command: &str) {
        let line = command.replace(['\n', '\r'], " ");
        if self.made.last() != Some(&line) {
            self.made.push(line);
        }
        let surplus = self.made.len().saturating_sub(MOST_MADE);
        self.made.drain(..surplus);
    }

    /// Asks for positions to come into the book; says how many of them were neither
    /// there nor asked for.
    pub fn ask_for_all<K: Kernel>(&mut self, boards: impl IntoIterator<Item = Board<K>>) -> usize {
        let before = self.pending.len();
        let asked = boards.into_iter().map(|board| Canonical::of(&decided(&board).0).0);
        self.pending.extend(asked.filter(|at| !self.index.contains_key(at)));
        self.pending.len() - before
    }

    /// What the book says about a position; a forced pass is looked through.
    pub fn get<K: Kernel>(&self, board: &Board<K>) -> Option<BookPosition> {
        let (board, passed) = decided(board);
        let node = self.node(&board)?;
        let Valued { value, exact, .. } = self.values[node];
        let seen = |value: Value| if passed { -value } else { value };
        let mut searched = self.nodes[node].searched;
        searched.value = seen(searched.value);
        Some(BookPosition { value: seen(value), exact, searched })
    }

    fn node<K: Kernel>(&self, board: &Board<K>) -> Option<usize> {
        self.index.get(&Canonical::of(board).0).map(|&node| node as usize)
    }

    /// The moves of a position that the book knows, best first: those within the book,
    /// and the best that leads out of it. None where the position is not in the book,
    /// the game is over or the side to move must pass.
    pub fn moves<K: Kernel>(&self, board: &Board<K>) -> Vec<BookMove> {
        let (at, turn) = Canonical::of(board);
        let Some(&node) = self.index.get(&at) else { return Vec::new() };
        let mut moves = Vec::new();
        for mv in board.moves() {
            let next = Successor::of(board, mv);
            let Some(child) = self.node(&next.board) else { continue };
            let (known, found) = (&self.values[child], &self.nodes[child].searched);
            let certainty = if known.exact { Certainty::Exact } else { found.certainty };
            let value = next.seen(known.value);
            moves.push(BookMove { mv, value, depth: found.depth, certainty, deviates: false });
        }
        if let Some(Deviation { mv, found }) = self.nodes[node as usize].deviation {
            let mv = turn.back(mv);
            if moves.iter().all(|known| known.mv != mv) {
                let Found { value, depth, certainty } = found;
                moves.push(BookMove { mv, value, depth, certainty, deviates: true });
            }
        }
        moves.sort_by_key(|m| (std::cmp::Reverse(m.value), m.deviates));
        moves
    }

    /// A move to play by the book: one that leads to another position of it and is at
    /// most `variety` worse than the best that the book knows. Of several the seed and
    /// the number of the draw choose; without variety the first of the best is taken.
    /// None where the book has no such move: then it is time to think.
    pub fn choose<K: Kernel>(
        &self,
        board: &Board<K>,
        variety: Value,
        (seed, draw): (u64, u64),
    ) -> Option<BookMove> {
        let moves = self.moves(board);
        let least = moves.first()?.value.0 - variety.0;
        let good: Vec<_> = moves.iter().filter(|m| !m.deviates && m.value.0 >= least).collect();
        let at = match good.len() {
            0 => return None,
            _ if variety == Value::default() => 0,
            count => rng::stream(seed, "book", draw).random_range(0..count),
        };
        Some(*good[at])
    }

    /// The play that the book expects from a position, the last move perhaps leading
    /// out of it.
    pub fn line<K: Kernel>(&self, board: &Board<K>) -> Vec<Move> {
        let mut line = Vec::new();
        let mut at = *board;
        loop {
            let best = self.moves(&at).first().copied();
            let passes = at.mobility() == 0 && at.outcome().is_none() && self.get(&at).is_some();
            let next = best.map(|best| best.mv).or(passes.then_some(Move::PASS));
            let Some(next) = next else { return line };
            line.push(next);
            at = at.play(next);
            if best.is_some_and(|best| best.deviates) {
                return line;
            }
        }
    }

    fn insert(&mut self, node: Node) {
        let number = u32::try_from(self.nodes.len()).expect("a book that fits into memory");
        if let Entry::Vacant(place) = self.index.entry(node.at) {
            place.insert(number);
            self.nodes.push(node);
        }
    }

    /// The moves of a position that lead out of the book, as a set.
    fn moves_outside(&self, board: &Board<Portable>) -> u64 {
        board
            .moves()
            .filter(|&m| self.node(&Successor::of(board, m).board).is_none())
            .fold(0, |set, m| set | m.bit())
    }

    /// Whether the deviation of a position has come into the book, so that another must
    /// be looked for. Of what is proven nothing is left to find.
    fn is_stale(&self, node: &Node) -> bool {
        let leads_inside = |deviation: Deviation| {
            let board = node.at.board();
            self.node(&Successor::of(&board, deviation.mv).board).is_some()
        };
        !node.searched.is_exact() && node.deviation.is_some_and(leads_inside)
    }
}
