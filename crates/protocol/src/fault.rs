//! What can go wrong with an outside engine, and whose fault it is.

use evalsmith_core::{FaultKind, PlayerError, Protocol};
use std::time::Duration;

/// What an engine, or its user, did wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The program could not be started.
    #[error("{command} did not start: {reason}; {remedy}")]
    DidNotStart {
        /// The command.
        command: String,
        /// What the system says.
        reason: String,
        /// What can be done.
        remedy: String,
    },
    /// The program ended, or closed its output.
    #[error("the engine ended while {waiting_for} was awaited ({status}){}", told(.stderr))]
    Died {
        /// What was awaited.
        waiting_for: String,
        /// How it ended.
        status: String,
        /// The end of what it wrote to its standard error.
        stderr: String,
    },
    /// An answer did not come in time.
    #[error("no answer within {after:.1?} while {waiting_for} was awaited")]
    TimedOut {
        /// What was awaited.
        waiting_for: String,
        /// How long.
        after: Duration,
    },
    /// More was written than anybody reads.
    #[error("the engine flooded its output: {what}")]
    Flooded {
        /// Which bound was broken.
        what: String,
    },
    /// A line that is no answer.
    #[error("{line:?} is no answer where {expected} is awaited")]
    Garbage {
        /// The line.
        line: String,
        /// What was awaited.
        expected: String,
    },
    /// The engine says that it cannot do what was asked.
    #[error("the engine refused {command:?}: {answer}")]
    Refused {
        /// What was asked.
        command: String,
        /// What it answered.
        answer: String,
    },
    /// A move that the rules do not allow.
    #[error("illegal move {text:?}: {reason}")]
    IllegalMove {
        /// The move as the engine wrote it.
        text: String,
        /// Why it is none.
        reason: String,
    },
    /// The time for the move, or the clock, ran out.
    #[error("lost on time: used {used:?} of {allowed:?}")]
    LostOnTime {
        /// Time used.
        used: Duration,
        /// Time there was.
        allowed: Duration,
    },
    /// The engine offers no option of that name, or not that value.
    #[error("option {name} = {value}: {reason}")]
    Option {
        /// The option.
        name: String,
        /// Its value.
        value: String,
        /// What is wrong, and what the engine offers.
        reason: String,
    },
    /// The protocol, or the engine, has no words for what was asked.
    #[error("{protocol} cannot say {what}; {remedy}")]
    Unsupported {
        /// The protocol.
        protocol: Protocol,
        /// What was to be said.
        what: String,
        /// What can be done.
        remedy: String,
    },
    /// The engine is no longer there, because of an earlier fault.
    #[error("the engine is not running since its last fault; it starts again with the next game")]
    NotRunning,
}

fn told(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it said:\n{}", stderr.trim_end()) }
}

/// Who has to mend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The engine's author.
    Engine,
    /// Whoever set the engine up.
    User,
}

impl Fault {
    /// Whose fault it is.
    pub fn blame(&self) -> Blame {
        match self {
            Self::DidNotStart { .. } | Self::Option { .. } | Self::Unsupported { .. } => {
                Blame::User
            }
            _ => Blame::Engine,
        }
    }

    /// The kind of fault, as a match scores it.
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::DidNotStart { .. } => FaultKind::NotStarted,
            Self::Died { .. } => FaultKind::Died,
            Self::TimedOut { .. } => FaultKind::TimedOut,
            Self::Flooded { .. } => FaultKind::Flooded,
            Self::Garbage { .. } => FaultKind::Garbled,
            Self::IllegalMove { .. } => FaultKind::Illegal,
            Self::LostOnTime { .. } => FaultKind::LostOnTime,
            Self::Option { .. } | Self::Unsupported { .. } => FaultKind::Misconfigured,
            Self::Refused { .. } | Self::NotRunning => FaultKind::Unable,
        }
    }

    /// Whether the dialogue can go on: both ends still know what was said last.
    pub(crate) fn leaves_in_step(&self) -> bool {
        matches!(
            self,
            Self::IllegalMove { .. }
                | Self::Option { .. }
                | Self::Unsupported { .. }
                | Self::Refused { .. }
        )
    }
}

/// A fault, the engine's name, and the end of the dialogue before it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("engine {engine}: {fault}")]
pub struct Failure {
    /// The engine.
    pub engine: String,
    /// What happened; boxed, since failures travel in every result.
    pub fault: Box<Fault>,
    /// What was said before, each line with its time.
    pub dialogue: String,
}

impl From<Failure> for PlayerError {
    fn from(failure: Failure) -> Self {
        let mut error = Self::new(failure.engine, failure.fault.to_string());
        error.kind = failure.fault.kind();
        error.dialogue = failure.dialogue;
        error
    }
}
