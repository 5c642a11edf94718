//! A move in answer, as strong as is asked.

use crate::study::TABLE_BYTES;
use crate::study::analysis::SOLVE_AT;
use crate::study::words::verdict;
use crate::study::{News, Step, Stepwise};
use evalsmith_core::{Game, Score, Solve};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos, Record};
use evalsmith_search::{Found, Limits, Search};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How strong an answer is, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Looks at its own moves only.
    Beginner,
    /// Sees the answer to its move.
    Casual,
    /// Four plies.
    #[default]
    Club,
    /// Eight plies at most, a second at most, and perfect near the end where the game
    /// can be solved.
    Strong,
    /// Three seconds.
    Strongest,
}

impl Strength {
    /// All, the weakest first.
    pub const ALL: [Self; 5] =
        [Self::Beginner, Self::Casual, Self::Club, Self::Strong, Self::Strongest];

    /// Plies and CPU time at most.
    pub const fn limits(self) -> (u8, Duration) {
        match self {
            Self::Beginner => (1, Duration::from_secs(1)),
            Self::Casual => (2, Duration::from_secs(1)),
            Self::Club => (4, Duration::from_secs(1)),
            Self::Strong => (8, Duration::from_secs(1)),
            Self::Strongest => (60, Duration::from_secs(3)),
        }
    }

    const fn solves(self) -> bool {
        matches!(self, Self::Strong | Self::Strongest)
    }
}

/// A move played in answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    /// The move; none when the game is over.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// What the side that plays it thinks of its chances.
    pub verdict: String,
    /// Plies searched.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
}

/// The search for an answer, in slices.
pub(super) struct Answer {
    game: DynGame,
    record: Record,
    search: Box<dyn Search<Pos>>,
    margin_per_logit: Option<f64>,
    solver: Option<Box<dyn Solve<Pos>>>,
    depth: u8,
    left: Duration,
    patience: Duration,
    nodes: u64,
    best: Option<Found<MoveId>>,
}

impl Answer {
    pub(super) fn new(
        game: DynGame,
        function: &DynFunction,
        record: Record,
        strength: Strength,
    ) -> Self {
        let near = |left: u32| strength.solves() && left <= SOLVE_AT;
        let solver = game.solver().filter(|s| near(s.moves_left(record.position())));
        let (depth, left) = strength.limits();
        Self {
            solver,
            search: function.search(TABLE_BYTES),
            margin_per_logit: function.margin_per_logit(),
            game,
            record,
            depth,
            left,
            patience: Duration::ZERO,
            nodes: 0,
            best: None,
        }
    }

    fn told(&self, mv: Option<MoveId>, value: Score, exact: bool) -> Step {
        let position = self.record.position();
        let depth = self.best.as_ref().map_or(0, |found| found.depth);
        let reply = Reply {
            mv: mv.map(|m| self.game.format_move(position, m)),
            verdict: verdict(&self.game, self.margin_per_logit, value, exact),
            depth,
            nodes: self.nodes,
        };
        Step { news: Some(News::Reply(reply)), done: true }
    }
}

impl Stepwise for Answer {
    fn step(&mut self, time: Duration) -> Step {
        if self.record.ending().is_none()
            && let Some(solver) = &mut self.solver
        {
            let solved = solver.solve(self.record.position());
            self.nodes = solved.nodes;
            return self.told(solved.best, Score::of_outcome(solved.outcome), true);
        }
        let allowed = time.max(self.patience).min(self.left);
        let limits = Limits { cpu: Some(allowed), ..Limits::depth(self.depth) };
        let found = self.search.search(&self.record, &limits, &AtomicBool::new(false));
        self.nodes += found.nodes;
        self.left = self.left.saturating_sub(found.cpu);
        self.patience = 2 * allowed;
        let stopped = found.stopped;
        // A slice may stop earlier than the one before.
        if self.best.as_ref().is_none_or(|best| found.depth >= best.depth) {
            self.best = Some(found);
        }
        match &self.best {
            Some(best) if !stopped || self.left.is_zero() => {
                self.told(best.best, best.value, best.complete)
            }
            _ => Step::NOTHING_NEW,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Line, Study};
    use evalsmith_chess::Chess;

    fn reply(moves: &str, strength: Strength, slice: Duration) -> Reply {
        let study = Study::by_hand(Chess);
        let line = Line { from: None, moves: moves.split_whitespace().map(Into::into).collect() };
        let mut work = study.reply(&line, strength).unwrap();
        loop {
            if let Step { news: Some(News::Reply(reply)), done: true } = work.step(slice) {
                return reply;
            }
        }
    }

    #[test]
    fn every_strength_answers_and_sees_a_mate_in_one() {
        for strength in Strength::ALL {
            let told = reply("f3 e5 g4", strength, Duration::from_millis(20));
            assert_eq!(told.mv.as_deref(), Some("Qh4#"), "{strength:?}");
            assert_eq!(told.verdict, "wins");
        }
    }

    #[test]
    fn slices_change_nothing_where_depth_decides() {
        let whole = reply("e4 e5", Strength::Casual, Duration::from_mins(1));
        let sliced = reply("e4 e5", Strength::Casual, Duration::from_micros(300));
        assert_eq!((whole.mv, whole.depth), (sliced.mv, sliced.depth));
    }

    #[test]
    fn a_finished_game_has_no_answer() {
        let told = reply("f3 e5 g4 Qh4#", Strength::Club, Duration::from_millis(1));
        assert_eq!(told.mv, None);
    }
}
