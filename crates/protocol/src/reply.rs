//! What an engine answers.

use evalsmith_core::{LogOdds, Outcome, Score};
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

/// Hundredths of a pawn to a unit of log-odds: at 400 the odds are ten to one.
pub const CENTIPAWNS_A_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Discs to a unit of log-odds, about what midgame positions of Othello show.
pub const DISCS_A_LOGIT: f64 = 5.0;

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
    /// The value on the common scale, at the rates by which our own engines speak
    /// ([`CENTIPAWNS_A_LOGIT`], [`DISCS_A_LOGIT`]): good enough for notes and for
    /// ending decided games, no measure of how an engine's values relate to results.
    ///
    /// ```
    /// use evalsmith_protocol::Value;
    /// assert!(Value::Mate(3).score().is_decisive() && Value::Mate(3).score().0 > 0);
    /// assert!(Value::Mate(-3).score().is_decisive() && Value::Mate(-3).score().0 < 0);
    /// assert!((Value::Centipawns(400).score().log_odds().win_prob().0 - 10.0 / 11.0).abs() < 1e-3);
    /// assert_eq!(Value::Discs(5.0).score().log_odds().0, 1.0);
    /// ```
    pub fn score(self) -> Score {
        match self {
            Self::Mate(moves) if moves > 0 => Score::of_outcome(Outcome::WIN),
            Self::Mate(_) => Score::of_outcome(Outcome::LOSS),
            Self::Centipawns(value) => LogOdds(f64::from(value) / CENTIPAWNS_A_LOGIT).into(),
            Self::Discs(value) => LogOdds(value / DISCS_A_LOGIT).into(),
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
    /// Whether it offered a draw with its move.
    pub offers_draw: bool,
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
