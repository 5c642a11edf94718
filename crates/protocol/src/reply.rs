//! What an engine answers.

use evalsmith_core::{Outcome, Score};
use std::time::Duration;

/// What an engine wants to do. A pass is a move, in the protocol's own writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Play this move.
    Move(String),
    /// Give up.
    Resign,
    /// The game is won, by the rules.
    ClaimWin,
    /// The game is drawn, by the rules.
    ClaimDraw,
    /// There is no move.
    Nothing,
}

/// How well an engine thinks it stands, in its own unit, from its own view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves until mate (plies in USI): negative when the engine is mated, and
    /// zero when it is mated now.
    Mate(i32),
    /// Discs more at the end.
    Discs(f64),
}

impl Value {
    /// The value on the common scale, where it says that the game is decided;
    /// other units have no exchange rate that holds for every engine.
    ///
    /// ```
    /// use evalsmith_protocol::Value;
    /// assert!(Value::Mate(3).decided().unwrap().0 > 0);
    /// assert!(Value::Mate(-3).decided().unwrap().0 < 0);
    /// assert_eq!(Value::Centipawns(900).decided(), None);
    /// ```
    pub fn decided(self) -> Option<Score> {
        match self {
            Self::Mate(moves) if moves > 0 => Some(Score::of_outcome(Outcome::WIN)),
            Self::Mate(_) => Some(Score::of_outcome(Outcome::LOSS)),
            Self::Centipawns(_) | Self::Discs(_) => None,
        }
    }
}

/// What an engine told of its search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The value of its move.
    pub value: Option<Value>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The expected line, in the protocol's own writing.
    pub line: String,
}

/// An answer with everything that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What to do.
    pub answer: Answer,
    /// What it told of its search.
    pub report: Report,
    /// Time on the wall between the question and the answer.
    pub wall: Duration,
    /// Time of the processor that the engine and its children used, where the
    /// system tells.
    pub cpu: Option<Duration>,
}
