//! Questions about a position, answered by a sequence of null windows.
//!
//! Before the proof come selective searches to the end of the game: they cost little, their
//! score is a good first question, and the moves they leave in the engine's memory put
//! the right ones first.
//!
//! Scores are even, for the empty squares of a finished game go to the winner. So
//! "is it worth at least `t`?" for even `t` is all that is ever asked (MTD(f),
//! Plaat et al. 1996): beginning with a guess, each answer moves one bound, and the
//! table carries what was learnt from one question to the next.
//!
//! Invariant: bounds are proven; with one thread the whole search, down to its
//! count of positions, depends only on the position, the question and what the
//! table held before.

use crate::bounds::Bounds;
use crate::brake::Brake;
use crate::deep::Many;
use crate::effort::{Effort, Selectivity};
use crate::judge::Judge;
use crate::last::NOTHING;
use crate::memory::Memory;
use crate::patterns::SmallPatterns;
use crate::probcut::ProbCut;
use crate::split::Pool;
use crate::table::Table;
use crate::technique::{Technique, Techniques};
use crate::twice::compiled_twice;
use crate::value::PER_DISC;
use crate::windows::Wanted;
use crate::worker::{Job, Watch, Worker};
use crate::zeroed::mebibytes;
use evalsmith_core::{Outcome, Position, Solve, Solved};
use evalsmith_othello::{Board, Kernel, Move, Portable, X86V3};

/// A table that serves positions of up to 26 empty squares well.
pub const DEFAULT_TABLE_MIB: usize = 256;

/// With at least so many empty squares, selective searches prepare the exact one.
const PREPARED: u32 = 16;
/// With at least so many, two of them do.
const PREPARED_TWICE: u32 = 21;
/// How sure they are.
const PREPARATIONS: [Selectivity; 2] = [Selectivity::Daring, Selectivity::Wary];
/// Searches that grow deeper come before them, to so many plies before the end.
const LEAP: u32 = 10;
/// Plies of the search whose value is the first guess.
const GUESS_DEPTH: u32 = 3;

/// A table of proven bounds is so many times as large as that of the searches which
/// prepare them.
const PREPARING: usize = 8;

/// What to find out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The score.
    Score,
    /// Whether it is won, drawn or lost.
    Verdict,
    /// The score if it lies between the two, else only on which side it lies.
    Within {
        /// Scores of at most this are not told apart.
        alpha: i8,
        /// Scores of at least this are not told apart.
        beta: i8,
    },
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The score of the side to move lies between these.
    pub bounds: Bounds,
    /// A move that reaches the lower bound; none when, and only when, the game is
    /// over.
    pub best: Option<Move>,
    /// Play that keeps within the bounds, `best` first; of a score, perfect play by
    /// both to the end of the game. Cut short where the solve was stopped.
    pub line: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
    /// Whether the question is answered; false when the solve was stopped.
    pub complete: bool,
}

/// Solves endgames; make it once and ask it often.
#[derive(Debug)]
pub struct Solver<J: Judge = SmallPatterns> {
    pub(crate) table: Table,
    pub(crate) judge: J,
    pub(crate) probcut: ProbCut,
    pub(crate) threads: usize,
    pub(crate) techniques: Techniques,
    /// What searches with the judge found.
    pub(crate) memory: Memory,
}

impl Solver<SmallPatterns> {
    /// A solver with the small judge for this many threads. Its table has at most `table_mib` MiB,
    /// rounded down to a power of two and smaller still where the system refuses
    /// the memory.
    pub fn new(table_mib: usize, threads: usize) -> Self {
        Self::with_judge(table_mib, threads, SmallPatterns, ProbCut::of_small_patterns().clone())
    }
}

impl<J: Judge> Solver<J> {
    /// The same, with another judge to order its moves, and a model of how far its
    /// searches are off. What the searches before a proof find has an eighth of
    /// `table_mib` besides.
    pub fn with_judge(table_mib: usize, threads: usize, judge: J, probcut: ProbCut) -> Self {
        let bytes = mebibytes(table_mib);
        Self::with_tables([bytes, bytes / PREPARING], threads, judge, probcut)
    }

    /// The same with so many bytes for proven bounds and for what searches with the judge
    /// find.
    pub(crate) fn with_tables(
        bytes: [usize; 2],
        threads: usize,
        judge: J,
        probcut: ProbCut,
    ) -> Self {
        Self {
            table: Table::new(bytes[0]),
            judge,
            probcut,
            threads: threads.max(1),
            techniques: Techniques::ALL,
            memory: Memory::new(bytes[1]),
        }
    }

    /// The same with other techniques: the answers are equal, their price is not.
    #[must_use]
    pub fn with_techniques(mut self, techniques: Techniques) -> Self {
        self.techniques = techniques;
        self
    }

    /// Forgets all earlier solves.
    pub fn forget(&mut self) {
        self.table.clear();
        self.memory.clear();
    }

    /// Answers a question, or tells what is known when `watch` is stopped.
    pub fn ask<K: Kernel>(
        &mut self,
        board: &Board<K>,
        question: Question,
        watch: &Watch<'_>,
    ) -> Answer {
        self.table.grow_older();
        self.memory.grow_older();
        self.table.suit(board.empty().count_ones());
        let (own, opp) = (board.own(), board.opp());
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = X86V3::detect() {
            let board = Board::new(own, opp, kernel).expect("a board's discs do not overlap");
            let job = self.job(watch, Brake::default());
            // SAFETY: the processor has every feature the function was compiled for.
            #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
            return unsafe { x86_v3::answer(&job, self.threads, &board, question) };
        }
        let board = Board::new(own, opp, Portable).expect("a board's discs do not overlap");
        let job = self.job(watch, Brake::default());
        portable::answer(&job, self.threads, &board, question)
    }

    pub(crate) fn job<'s, K: Kernel>(
        &'s self,
        watch: &'s Watch<'_>,
        brake: Brake,
    ) -> Job<'s, K, J> {
        let Self { table, judge, probcut, memory, .. } = self;
        let begun_at = watch.nodes();
        Job {
            table,
            judge,
            watch,
            pool: Pool::new(),
            memory,
            probcut,
            brake,
            techniques: self.techniques,
            begun_at,
            corners: false,
        }
    }
}

impl<K: Kernel, J: Judge> Solve<Board<K>> for Solver<J> {
    /// The empty squares.
    fn moves_left(&self, board: &Board<K>) -> u32 {
        board.empty().count_ones()
    }

    fn solve(&mut self, board: &Board<K>) -> Solved<Move> {
        let answer = self.ask(board, Question::Score, &Watch::new());
        let score = answer.bounds.exact().expect("nobody can stop this solve");
        Solved { outcome: Outcome::by(score.into()), best: answer.best, nodes: answer.nodes }
    }
}

/// The bounds within which a question is settled once they meet.
pub(crate) fn window(question: Question) -> (i32, i32) {
    let even_up = |score: i32| score + (score & 1);
    match question {
        Question::Score => (-64, 64),
        Question::Verdict => (-2, 2),
        Question::Within { alpha, beta } => {
            // Scores are even: the first told apart from `alpha` or less.
            let low = even_up(i32::from(alpha) - 1).clamp(-64, 64);
            let high = even_up(i32::from(beta)).clamp(-64, 64);
            (low, high.max(low))
        }
    }
}

/// Whether nothing is left to ask: the bounds have met, or lie beyond the window.
fn settled(bounds: Bounds, (low, high): (i32, i32)) -> bool {
    let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
    lower >= upper.min(high) || upper <= low
}

compiled_twice! {
    with deep, split, windows;

    /// Answers the question with the given number of threads.
    pub(super) fn answer<K: Kernel, J: Judge>(
        job: &Job<'_, K, J>,
        threads: usize,
        board: &Board<K>,
        question: Question,
    ) -> Answer {
        let mut answer = split::with_helpers(job, threads, |worker| {
            narrow(worker, board, window(question), None)
        });
        answer.nodes = job.watch.nodes() - job.begun_at;
        answer
    }

    /// Moves the bounds towards each other until they meet or leave the window;
    /// `prepared` is the score that selective searches have found, if any came before.
    pub(crate) fn narrow<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        (low, high): (i32, i32),
        prepared: Option<i32>,
    ) -> Answer {
        worker.leaves.nodes += 1;
        let moves = board.mobility();
        let ended = moves == 0 && board.opponent_mobility() == 0;
        if ended {
            let score = board.final_margin() as i8;
            let bounds = Bounds { lower: score, upper: score };
            return Answer { bounds, best: None, line: Vec::new(), nodes: 0, complete: true };
        }
        let first = if moves == 0 { Move::PASS } else { Move(moves.trailing_zeros() as u8) };
        let test = prepared.unwrap_or_else(|| prepare(worker, board, first, (low, high)));
        let first = worker.job.memory.best(board).filter(|m| m.bit() & moves != 0).unwrap_or(first);
        let (bounds, best) = converge(worker, board, first, test, (low, high));
        let complete = settled(bounds, (low, high));
        let line = if complete { line(worker, board, bounds, best) } else { vec![best] };
        Answer { bounds, best: Some(best), line, nodes: 0, complete }
    }

    /// Moves the bounds towards each other, beginning with a test of whether the
    /// position is worth `test`.
    fn converge<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        mut best: Move,
        mut test: i32,
        (low, high): (i32, i32),
    ) -> (Bounds, Move) {
        let mut bounds = Bounds::ALL;
        let mut proven = false;
        for asked in 1.. {
            if settled(bounds, (low, high)) {
                return (bounds, best);
            }
            let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
            let least = lower.max(low) + 2;
            test = test.clamp(least, upper.min(high).max(least));
            let alpha = test - 1;
            let (value, reply) = test_root(worker, board, alpha, best);
            if worker.halted() && value <= alpha {
                return (bounds, best);
            }
            bounds = bounds.and(Bounds::of(value, alpha));
            // A guess is seldom far off; if it is, longer steps are needed.
            let step = (2 * (asked - 3)).clamp(2, 8);
            if value > alpha {
                (best, proven) = (reply, true);
                test = value + step;
            } else {
                if !proven {
                    best = reply;
                }
                test = value + 2 - step;
            }
        }
        unreachable!("every answer moves a bound")
    }

    /// The score that selective searches find, or a short one where the proof is cheap.
    fn prepare<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        first: Move,
        (low, high): (i32, i32),
    ) -> i32 {
        let empties = board.empty().count_ones();
        let has = |technique| worker.job.techniques.has(technique);
        let cheap = empties < PREPARED || !has(Technique::Preparation) || !has(Technique::Probcut);
        let (plies, quick, levels) = if cheap {
            (GUESS_DEPTH.min(empties), Selectivity::Full, &PREPARATIONS[..0])
        } else {
            let levels = if empties < PREPARED_TWICE { 1 } else { 2 };
            (empties - LEAP, PREPARATIONS[0], &PREPARATIONS[..levels])
        };
        let deeper = (1..=plies).map(|depth| (depth, quick));
        let surer = levels.iter().map(|&level| (empties, level));
        let mut found = (0, first);
        for (depth, selectivity) in deeper.chain(surer) {
            let wanted = Wanted {
                grain: PER_DISC,
                within: (PER_DISC * low, PER_DISC * high),
                ..Wanted::new(Effort { depth, selectivity }, found.0, found.1)
            };
            let Some(better) = windows::search(worker, board, wanted) else { break };
            found = better;
        }
        2 * found.0.div_euclid(2 * PER_DISC)
    }

    /// The root's value for the null window above `alpha`, and its best move.
    fn test_root<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        alpha: i32,
        first: Move,
    ) -> (i32, Move) {
        let moves = board.mobility();
        if moves == 0 {
            let value = -deep::deep(worker, board.passed(), !alpha);
            return (if worker.halted() { NOTHING } else { value }, Move::PASS);
        }
        let mut candidates = Many::new(board, moves, first);
        deep::best_of(worker, board, alpha, &mut candidates, true)
    }

    /// Follows moves that keep the bounds. Where the mover has something to prove,
    /// a move that proves it is looked for; where not, every move keeps them.
    fn line<K: Kernel, J: Judge>(
        worker: &mut Worker<'_, K, J>,
        board: &Board<K>,
        bounds: Bounds,
        best: Move,
    ) -> Vec<Move> {
        let mut line = vec![best];
        let mut board = board.play(best);
        let mut bounds = Bounds { lower: -bounds.upper, upper: -bounds.lower };
        loop {
            let moves = board.mobility();
            let reply = if moves == 0 {
                if board.opponent_mobility() == 0 {
                    return line;
                }
                Move::PASS
            } else {
                let known = worker.job.table.get(&board);
                let first = known.map_or(Move::PASS, |known| known.best);
                let mut candidates = Many::new(&board, moves, first);
                deep::order(worker, &mut candidates, &board);
                let aim = i32::from(bounds.lower);
                let keeps = |worker: &mut Worker<'_, K, J>, m: Move| {
                    aim == -64 || deep::deep(worker, board.play(m), -aim) <= -aim
                };
                match candidates.map(|c| c.mv()).find(|&m| keeps(worker, m)) {
                    Some(m) if !worker.halted() => m,
                    _ => return line,
                }
            };
            line.push(reply);
            board = board.play(reply);
            bounds = Bounds { lower: -bounds.upper, upper: -bounds.lower };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, rng};
    use evalsmith_othello::Othello;
    use rand::RngExt;

    #[test]
    fn both_twins_visit_the_same_positions() {
        for index in 0..12 {
            let mut random = rng::stream(4, "twins", index);
            let mut board = Othello::new().start();
            while board.empty().count_ones() > 17 {
                let moves: Vec<_> = board.moves().collect();
                let Some(last) = moves.len().checked_sub(1) else { break };
                board = board.play(moves[random.random_range(0..=last)]);
            }
            let (mut best, plain) = (Solver::new(4, 1), Solver::new(4, 1));
            let watch = Watch::new();
            let slow =
                portable::answer(&plain.job(&watch, Brake::default()), 1, &board, Question::Score);
            assert_eq!(best.ask(&board, Question::Score, &Watch::new()), slow, "{board:?}");
        }
    }

    #[test]
    fn windows_hold_the_even_scores_that_are_told_apart() {
        let of = |alpha, beta| window(Question::Within { alpha, beta });
        assert_eq!(of(-64, 64), (-64, 64));
        assert_eq!(of(0, 1), (0, 2));
        assert_eq!(of(1, 2), (0, 2));
        assert_eq!(of(-3, 3), (-4, 4));
        assert_eq!(of(-70, 71), (-64, 64));
        assert_eq!(window(Question::Verdict), (-2, 2));
    }
}
