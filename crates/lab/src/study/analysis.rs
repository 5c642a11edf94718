//! All moves of a position with values that deepen step by step.
//!
//! The unit of work is one move at one depth. A unit that does not end within its
//! time is begun again with twice the time: the table keeps what was found, and the
//! doubling bounds what is lost. Every value is that of plain minimax at its depth, so
//! a ranking cut in slices equals one that was not.

use crate::study::TABLE_BYTES;
use crate::study::words::{margin, verdict};
use crate::study::{News, Step, Stepwise};
use evalsmith_core::{Game, Position, Score, Solve};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos, Record};
use evalsmith_search::{Found, Limits, Search};
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Moves left at which a game with a solver is solved.
pub(super) const SOLVE_AT: u32 = 12;
/// Plies that are looked at before a solver begins: the first answer comes at once.
const BEFORE_SOLVING: u8 = 4;
/// A unit of work is given up when it would take longer.
const MOST_PATIENCE: Duration = Duration::from_secs(4);

/// The moves of a position with their values, best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Plies that every move was looked at; deeper where it is exact.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
    /// Whether the values of all moves are those of perfect play.
    pub exact: bool,
    /// The moves.
    pub moves: Vec<MoveValue>,
}

/// A move with its value for the side that plays it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveValue {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The probability to win with it.
    pub win: f64,
    /// The log-odds of that, at most 1000.
    pub log_odds: f64,
    /// The margin of a proven win or loss.
    pub margin: Option<i32>,
    /// Whether the value is that of perfect play.
    pub exact: bool,
    /// The value in words.
    pub verdict: String,
    /// The play that is expected, this move first.
    pub line: Vec<String>,
}

struct Candidate<M> {
    m: M,
    value: Score,
    line: Vec<M>,
    exact: bool,
}

/// A ranking in progress.
pub(super) struct Ranking {
    game: DynGame,
    record: Record,
    search: Box<dyn Search<Pos>>,
    margin_per_logit: Option<f64>,
    solver: Option<Box<dyn Solve<Pos>>>,
    candidates: Vec<Candidate<MoveId>>,
    /// The depth being worked on, and the candidate.
    depth: u8,
    next: usize,
    most_depth: u8,
    patience: Duration,
    nodes: u64,
}

impl Ranking {
    pub(super) fn new(
        game: DynGame,
        function: &DynFunction,
        record: Record,
        most_depth: u8,
    ) -> Self {
        let over = record.ending().is_some();
        let moves = record.position().moves().filter(|_| !over);
        let candidates =
            moves.map(|m| Candidate { m, value: Score(0), line: vec![m], exact: false }).collect();
        let solver = game.solver().filter(|s| s.moves_left(record.position()) <= SOLVE_AT);
        Self {
            solver,
            search: function.search(TABLE_BYTES),
            margin_per_logit: function.margin_per_logit(),
            game,
            record,
            candidates,
            depth: 1,
            next: 0,
            most_depth,
            patience: Duration::ZERO,
            nodes: 0,
        }
    }

    /// Works on the next unit; whether it was finished.
    fn unit(&mut self, time: Duration) -> bool {
        let candidate = &mut self.candidates[self.next];
        if candidate.exact {
            return true;
        }
        let mut after = self.record.clone();
        after.play(candidate.m).expect("candidates are legal moves");
        if self.depth > BEFORE_SOLVING
            && after.ending().is_none()
            && let Some(solver) = &mut self.solver
        {
            let solved = solver.solve(after.position());
            self.nodes += solved.nodes;
            candidate.value = -Score::of_outcome(solved.outcome);
            candidate.exact = true;
            candidate.line = std::iter::once(candidate.m).chain(solved.best).collect();
            return true;
        }
        let limits = Limits { cpu: Some(time.max(self.patience)), ..Limits::depth(self.depth - 1) };
        let found = self.search.search(&after, &limits, &AtomicBool::new(false));
        self.nodes += found.nodes;
        if found.stopped {
            self.patience = 2 * time.max(self.patience);
            return false;
        }
        self.patience = Duration::ZERO;
        candidate.value = -found.value;
        candidate.exact = found.complete;
        let Found { line, .. } = found;
        candidate.line = std::iter::once(candidate.m).chain(line).collect();
        true
    }

    fn standing(&self) -> Standing {
        let valued = |c: &Candidate<_>| {
            let mut position = self.record.position().clone();
            let mut line = Vec::with_capacity(c.line.len());
            for &m in &c.line {
                line.push(self.game.format_move(&position, m));
                position = position.play(m);
            }
            MoveValue {
                mv: line[0].clone(),
                win: c.value.log_odds().win_prob().0,
                log_odds: c.value.log_odds().0,
                margin: c.value.is_decisive().then(|| margin(c.value)),
                exact: c.exact,
                verdict: verdict(&self.game, self.margin_per_logit, c.value, c.exact),
                line,
            }
        };
        Standing {
            depth: self.depth,
            nodes: self.nodes,
            exact: self.candidates.iter().all(|c| c.exact),
            moves: self.candidates.iter().map(valued).collect(),
        }
    }
}

impl Stepwise for Ranking {
    fn step(&mut self, time: Duration) -> Step {
        let begun = Instant::now();
        if self.candidates.is_empty() {
            return Step { news: Some(News::Standing(self.standing())), done: true };
        }
        loop {
            let left = time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
            if self.unit(left) {
                self.next += 1;
            } else if self.patience > MOST_PATIENCE {
                return Step { news: None, done: true };
            }
            if self.next == self.candidates.len() {
                self.candidates.sort_by_key(|c| std::cmp::Reverse(c.value));
                let standing = self.standing();
                let done = standing.exact || self.depth >= self.most_depth;
                self.next = 0;
                self.depth += u8::from(!done);
                return Step { news: Some(News::Standing(standing)), done };
            }
            if begun.elapsed() >= time {
                return Step::NOTHING_NEW;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Line, Study};
    use evalsmith_chess::Chess;
    use evalsmith_core::GameRecord;
    use evalsmith_othello::Othello;

    fn standings(mut work: Box<dyn Stepwise>, slice: Duration) -> Vec<Standing> {
        let mut all = Vec::new();
        loop {
            let step = work.step(slice);
            if let Some(News::Standing(standing)) = step.news {
                all.push(standing);
            }
            if step.done {
                return all;
            }
        }
    }

    /// The values of the whole search, which knows the type of its game.
    fn compare(game: &DynGame, moves: &str, depth: u8, slice: Duration) {
        let line = Line { from: None, moves: moves.split(' ').map(str::to_owned).collect() };
        let told = standings(Study::by_hand(game.clone()).analysis(&line, depth).unwrap(), slice);
        let record = super::super::line::record(game, &line).unwrap();
        let mut searcher = game.function_by_hand().unwrap().search(0);
        for (standing, depth) in told.iter().zip(1..) {
            let limits = Limits::depth(depth);
            let whole = searcher.rank_moves(&record, &limits, &AtomicBool::new(false));
            let values: Vec<f64> = whole.iter().map(|(_, v)| v.log_odds().0).collect();
            let sliced: Vec<f64> = standing.moves.iter().map(|m| m.log_odds).collect();
            assert_eq!((standing.depth, &sliced), (depth, &values));
        }
        assert_eq!(told.len(), usize::from(depth));
    }

    #[test]
    fn a_ranking_in_slices_is_the_whole_one() {
        for slice in [Duration::from_micros(200), Duration::from_secs(1)] {
            compare(&DynGame::new(Othello::new()), "f5 d6 c3", 6, slice);
            compare(&DynGame::new(Chess), "e4 e5", 3, slice);
        }
    }

    #[test]
    fn the_end_is_solved_and_said_to_be_exact() {
        let game = DynGame::new(Othello::new());
        let mut record = GameRecord::new(game.start(), evalsmith_core::Side::First, 128);
        let mut solver = game.solver().unwrap();
        while solver.moves_left(record.position()) > 8 {
            let m = record.position().moves().next().unwrap();
            record.play(m).unwrap();
        }
        let from = game.format(record.position(), record.side());
        let line = Line { from: Some(from), moves: Vec::new() };
        let told =
            standings(Study::by_hand(game).analysis(&line, 60).unwrap(), Duration::from_millis(50));
        let last = told.last().unwrap();
        let exact = solver.solve(record.position());
        assert!(last.exact && last.moves.iter().all(|m| m.exact));
        assert_eq!(last.moves[0].margin.unwrap_or(0), i32::from(exact.outcome.margin()));
    }

    #[test]
    fn a_finished_game_has_nothing_to_analyse() {
        let line = Line { from: None, moves: "f3 e5 g4 Qh4#".split(' ').map(Into::into).collect() };
        let told =
            standings(Study::by_hand(Chess).analysis(&line, 9).unwrap(), Duration::from_millis(5));
        assert_eq!((told.len(), told[0].moves.len()), (1, 0));
    }
}
