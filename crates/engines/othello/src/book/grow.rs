//! Growing a book: which position comes next, and how it is searched.
//!
//! The next position is where some player leaves the book most cheaply: of all
//! deviations that one whose path from the start, both sides' losses against their
//! best moves added up, with a little for every move, costs least ("drop-out
//! expansion": Lincke, "Strategies for the automatic construction of opening books",
//! 2000). So good lines grow long, and lines that give away a disc are met as far as a
//! disc is worth in moves.
//!
//! Positions come a round at a time. A round is chosen from the book as it stands,
//! its positions are searched in any order, each by an engine that remembers nothing
//! of the others, and then every position whose deviation has come into the book is
//! searched for another one. What is left of a round is saved with the book.
//!
//! Invariant: a book depends on the depths and the number of rounds alone, not on
//! threads, nor on where it was saved and taken up again.

use super::canonical::{Canonical, Successor};
use super::negamax::Graph;
use super::searchers::{Growth, Searchers, Task};
use super::{Book, Deviation, Found, Node};
use crate::judge::Judge;
use crate::probcut::ProbCut;
use evalsmith_core::{Game, Position, Progress};
use evalsmith_othello::Othello;
use std::collections::BTreeSet;
use std::time::Duration;

/// Positions of a round at least, and the share of the book that is a round where that
/// is more: valuing a large book takes as long as some searches.
const ROUND: usize = 16;
const ROUND_SHARE: usize = 128;
/// What a move costs besides what it loses, in eighths of a disc.
const MOVE_COST: i32 = 1;
/// When a book is large enough; whatever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Until {
    /// As many positions, and those that complete a round.
    pub positions: Option<usize>,
    /// After this time on the wall.
    pub time: Option<Duration>,
}

/// Why a book grew no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrownUntil {
    /// It has as many positions as were asked for.
    Enough,
    /// The time was over; what is left of the round is saved.
    TimeOver,
    /// Somebody asked it to stop; what is left of the round is saved.
    Stopped,
    /// Nothing is left to search: all lines are proven.
    Exhausted,
}

impl Book {
    /// Searches the positions asked for, then grows round by round until it is large
    /// enough. Calls `save` about every half minute, and at the end.
    ///
    /// # Errors
    /// What `save` returns; the book then holds what was found so far.
    pub fn grow<J: Judge, E>(
        &mut self,
        growth: &Growth,
        until: Until,
        (judge, probcut): (&J, &ProbCut),
        progress: &dyn Progress,
        mut save: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<GrownUntil, E> {
        let by_time = until.positions.is_none() && until.time.is_some();
        let mut searchers = Searchers::new(growth, (judge, probcut), progress, until.time, by_time);
        if until.positions != Some(0) {
            self.ask_for_all([Othello::new().start()]);
        }
        let goal = until.positions.unwrap_or(usize::MAX);
        if let (true, Some(time)) = (by_time, until.time) {
            progress.begin("book", time.as_secs(), "seconds");
        } else {
            progress.begin("book", goal.max(self.len() + self.pending()) as u64, "positions");
            progress.resume(self.len() as u64);
        }
        let ended = loop {
            let done = self.add_pending(&mut searchers, &mut save)?
                && self.refresh(&mut searchers, &mut save)?;
            if !done {
                break if progress.stopped() { GrownUntil::Stopped } else { GrownUntil::TimeOver };
            }
            let graph = self.value_all();
            self.tell(progress);
            if self.len() >= goal {
                break GrownUntil::Enough;
            }
            self.pending = self.next_round(&graph);
            if self.pending.is_empty() {
                break GrownUntil::Exhausted;
            }
        };
        self.value_all();
        progress.end();
        save(self)?;
        Ok(ended)
    }

    /// The positions behind the cheapest deviations.
    fn next_round(&self, graph: &Graph) -> BTreeSet<Canonical> {
        let mut costs = vec![i32::MAX; self.nodes.len()];
        let start = Canonical::of(&Othello::new().start()).0;
        if let Some(&start) = self.index.get(&start) {
            costs[start as usize] = 0;
        }
        let mut leaves = Vec::new();
        for &node in &graph.order {
            let node = node as usize;
            let (cost, here) = (costs[node], self.values[node]);
            if cost == i32::MAX || here.exact {
                continue;
            }
            let after = |value: i32| cost + (here.value.0 - value).max(0) + MOVE_COST;
            for link in &graph.links[node] {
                let next = link.to as usize;
                costs[next] = costs[next].min(after(link.seen(self.values[next].value).0));
            }
            if let Some(Deviation { mv, found }) = self.nodes[node].deviation {
                let next = Successor::of(&self.nodes[node].at.board(), mv);
                leaves.push((after(found.value.0), Canonical::of(&next.board).0));
            }
        }
        leaves.sort_unstable();
        let most = ROUND.max(self.len() / ROUND_SHARE);
        let mut round = BTreeSet::new();
        for (_, at) in leaves {
            if round.len() == most {
                break;
            }
            round.insert(at);
        }
        round
    }

    /// Searches what was asked for; false when it was stopped before the last.
    fn add_pending<J: Judge, E>(
        &mut self,
        searchers: &mut Searchers<'_, J>,
        save: &mut impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<bool, E> {
        let asked = std::mem::take(&mut self.pending);
        let (progress, by_time) = (searchers.progress, searchers.by_time);
        let (over, asked): (BTreeSet<_>, _) =
            asked.into_iter().partition(|at| at.board().outcome().is_some());
        for at in over {
            self.insert(Node { at, searched: Found::over(&at.board()), deviation: None });
            if !by_time {
                progress.advance(1);
            }
        }
        let tasks: Vec<_> =
            asked.iter().map(|at| Task { board: at.board(), among: u64::MAX }).collect();
        self.pending = asked;
        searchers.search_all(self, &tasks, save, |book, task, thought| {
            let (at, _) = Canonical::of(&task.board);
            let found = Found::of(thought);
            let deviation = thought.best.map(|mv| Deviation { mv, found });
            book.insert(Node { at, searched: found, deviation });
            book.pending.remove(&at);
            if !by_time {
                progress.advance(1);
            }
        })
    }

    /// Finds new deviations for old ones that have come into the book; false when it was
    /// stopped before the last.
    fn refresh<J: Judge, E>(
        &mut self,
        searchers: &mut Searchers<'_, J>,
        save: &mut impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut tasks = Vec::new();
        for node in 0..self.nodes.len() {
            if self.is_stale(&self.nodes[node]) {
                let board = self.nodes[node].at.board();
                match self.moves_outside(&board) {
                    0 => self.nodes[node].deviation = None,
                    among => tasks.push(Task { board, among }),
                }
            }
        }
        searchers.search_all(self, &tasks, save, |book, task, thought| {
            let found = Found::of(thought);
            let node = book.node(&task.board).expect("a task is a position of the book");
            book.nodes[node].deviation = thought.best.map(|mv| Deviation { mv, found });
        })
    }

    /// How the book stands.
    fn tell(&self, progress: &dyn Progress) {
        let start = self.get(&Othello::new().start());
        let value = start.map_or_else(String::new, |start| format!(", start {}", start.value));
        progress.status(&format!("{} positions{value}", self.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Certainty;
    use crate::patterns::SmallPatterns;
    use evalsmith_core::{Quiet, rng};
    use evalsmith_othello::{Board, Portable};
    use rand::RngExt;
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn shallow(threads: usize) -> Growth {
        Growth { depth: 2, solve_at: 8, threads, table_mib: 1, ..Growth::default() }
    }

    fn grow(book: &mut Book, growth: &Growth, positions: usize) -> GrownUntil {
        let until = Until { positions: Some(positions), time: None };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        book.grow(growth, until, judge, &Quiet, |_| Ok::<_, Infallible>(())).unwrap()
    }

    #[test]
    fn growth_depends_neither_on_threads_nor_on_pauses() {
        let mut one = Book::default();
        assert_eq!(grow(&mut one, &shallow(1), 80), GrownUntil::Enough);
        assert!((80..80 + ROUND).contains(&one.len()), "{}", one.len());
        let mut three = Book::default();
        for positions in [1, 30, 80] {
            grow(&mut three, &shallow(3), positions);
            three = Book::read(&three.to_bytes()).unwrap();
        }
        assert_eq!(one.to_bytes(), three.to_bytes());
        let mut deeper = Book::default();
        grow(&mut deeper, &Growth { depth: 3, ..shallow(1) }, 80);
        assert_ne!(one.to_bytes(), deeper.to_bytes());
    }

    /// Stops after so many positions.
    struct Fickle(AtomicUsize);

    impl Progress for Fickle {
        fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
        fn advance(&self, amount: u64) {
            let left = self.0.load(Ordering::Relaxed);
            self.0.store(left.saturating_sub(amount as usize), Ordering::Relaxed);
        }
        fn resume(&self, _amount: u64) {}
        fn note(&self, _message: &str) {}
        fn end(&self) {}
        fn stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed) == 0
        }
    }

    #[test]
    fn a_stop_within_a_round_loses_nothing() {
        let mut whole = Book::default();
        grow(&mut whole, &shallow(1), 60);
        let mut parts = Book::default();
        let until = Until { positions: Some(60), time: None };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        let mut stops = 0;
        let mut random = rng::stream(1, "stops", 0);
        loop {
            let fickle = Fickle(AtomicUsize::new(random.random_range(1..9)));
            let kept = Cell::new(None);
            let save = |book: &Book| {
                kept.set(Some(book.to_bytes()));
                Ok::<_, Infallible>(())
            };
            let ended = parts.grow(&shallow(1), until, judge, &fickle, save).unwrap();
            parts = Book::read(&kept.take().unwrap()).unwrap();
            match ended {
                GrownUntil::Stopped => stops += 1,
                GrownUntil::Enough => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(stops > 3, "{stops}");
        assert_eq!(parts.to_bytes(), whole.to_bytes());
    }

    #[test]
    fn no_deviation_is_inside_and_every_position_is_reached() {
        let mut book = Book::default();
        grow(&mut book, &shallow(2), 100);
        assert!(book.nodes.iter().all(|node| !book.is_stale(node)));
        let graph = book.graph();
        let mut reached = vec![false; book.len()];
        reached[graph.order[0] as usize] = true;
        for &node in &graph.order {
            assert!(reached[node as usize]);
            for link in &graph.links[node as usize] {
                reached[link.to as usize] = true;
            }
        }
        let node = book.nodes.iter().find(|node| node.at.discs == 8).unwrap();
        assert_eq!((node.searched.depth, node.deviation.unwrap().found.depth), (2, 2));
    }

    #[test]
    fn endgames_are_solved_and_finished_games_are_positions_too() {
        let line = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";
        let (board, _) = Othello::new().parse(line).unwrap();
        let over = Board::new(u64::MAX, 0, Portable).unwrap();
        let mut book = Book::default();
        assert_eq!(book.ask_for_all([board, over, board]), 2);
        assert_eq!(book.ask_for_all([board]), 0);
        let growth = Growth { solve_at: 12, ..shallow(1) };
        assert_eq!(grow(&mut book, &growth, 0), GrownUntil::Enough);
        assert_eq!((book.len(), book.pending()), (2, 0));
        let solved = book.get(&board).unwrap();
        assert!(solved.exact && solved.value.discs() == 6.0);
        assert_eq!(solved.searched.certainty, Certainty::Exact);
        assert_eq!(book.get(&board.passed()), None);
        assert_eq!(book.get(&over).map(|at| (at.exact, at.value.discs())), Some((true, 64.0)));
        assert_eq!(book.moves(&over), []);
    }

    #[test]
    fn time_ends_growth_and_failure_to_save_is_told() {
        let mut book = Book::default();
        let until = Until { positions: None, time: Some(Duration::ZERO) };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        let saved = |_: &Book| Ok::<_, Infallible>(());
        let ended = book.grow(&shallow(1), until, judge, &Quiet, saved);
        assert_eq!(ended, Ok(GrownUntil::TimeOver));
        let until = Until { positions: Some(1), time: None };
        let full = book.grow(&shallow(1), until, judge, &Quiet, |_| Err("the disk is full"));
        assert_eq!(full, Err("the disk is full"));
    }
}
