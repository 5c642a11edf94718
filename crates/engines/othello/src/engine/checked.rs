//! A line of play checked move by move.
//!
//! A search tells one line and searches only that one with open bounds; what its
//! tables remember of the moves further down may have come from narrower questions.
//! So the line is walked: every position of it is searched to the depth that is left,
//! and where the line ends before the depth does, the search's own move goes on.
//!
//! Invariant: the value of a move and of the best one are of the same depth.

use super::{Certainty, Engine, Limits};
use crate::judge::Judge;
use crate::value::Value;
use crate::worker::Watch;
use evalsmith_core::Position;
use evalsmith_othello::{Board, Kernel, Move};
use std::time::Instant;

/// A move of a line, and what a search of its position says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedMove {
    /// The line's move, or the search's where the line ended before.
    pub mv: Move,
    /// What it is worth to the side that plays it.
    pub value: Value,
    /// The move that the search prefers; another only where it is worth more.
    pub best: Move,
    /// What that is worth.
    pub best_value: Value,
    /// Plies looked ahead from here.
    pub depth: u32,
    /// How far the values can be trusted.
    pub certainty: Certainty,
}

impl CheckedMove {
    /// Whether the line would be left here.
    pub fn is_left(&self) -> bool {
        self.best != self.mv
    }
}

/// A line as far as it was walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLine {
    /// Its moves.
    pub moves: Vec<CheckedMove>,
    /// Whether the walk came to its end: it was neither stopped nor short of time.
    pub whole: bool,
}

impl<J: Judge> Engine<J> {
    /// Walks down a line as far as `limits.depth` plies (passes are not counted) or the
    /// end of the game, searching every position to the depth that is left. A move that
    /// is not legal ends the line given. A stopped watch ends the walk, and so does
    /// `limits.time` for all of it together, on the wall.
    pub fn check_line<K: Kernel>(
        &mut self,
        board: &Board<K>,
        line: &[Move],
        limits: Limits,
        watch: &Watch<'_>,
    ) -> CheckedLine {
        let until = limits.time.and_then(|time| Instant::now().checked_add(time));
        let over = || watch.stopped() || until.is_some_and(|until| Instant::now() >= until);
        let mut at = *board;
        let mut left = limits.depth.unwrap_or(u32::MAX).min(at.empty().count_ones());
        let mut given = line.iter();
        let mut checked = Vec::new();
        while left > 0 && at.outcome().is_none() {
            let time = until.map(|until| until.saturating_duration_since(Instant::now()));
            let limits = Limits { depth: Some(left), time, ..limits };
            let found = self.think(&at, limits, watch, |_| {});
            let Some(best) = found.best.filter(|_| !over()) else { break };
            let next = given.next().copied();
            let mv = next.filter(|m| at.moves().any(|legal| legal == *m));
            if mv.is_none() {
                given = [].iter();
            }
            let mv = mv.unwrap_or(best);
            let mut value = found.value;
            if mv != best {
                value = self.think_among(&at, mv.bit(), limits, watch).value;
                if over() {
                    break;
                }
            }
            checked.push(CheckedMove {
                mv,
                // Selective searches of one move may find more in it than a search of all.
                value,
                best: if value < found.value { best } else { mv },
                best_value: found.value.max(value),
                depth: found.depth,
                certainty: found.certainty,
            });
            at = at.play(mv);
            left -= u32::from(mv != Move::PASS);
        }
        CheckedLine { whole: left == 0 || at.outcome().is_some(), moves: checked }
    }
}
