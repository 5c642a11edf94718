//! Any evaluation function of Othello as the engine's judge.
//!
//! Functions speak in log-odds of a win; the engine counts discs. The rate is that
//! of the protocols, so a value is shown as it was judged. Patterns of squares, with at
//! most the difference of moves beside them, the engine reads by itself, much faster.

use crate::failure::Usage;
use evalsmith_engine_othello::{DISC, Judge, OfChildren, SquareJudge, Term, shipped};
use evalsmith_lab::prelude::{Evaluate, Function, FunctionName, PatternFunction, Score, Window};
use evalsmith_othello::features::Chosen;
use evalsmith_othello::{Board, Kernel, Othello};
use evalsmith_protocol::DISCS_A_LOGIT;
use std::sync::Arc;

/// A judge by an opened function.
pub(crate) enum ByFunction {
    /// Asked for its value.
    Asked(Function<Chosen>),
    /// Patterns of squares.
    Squares(SquareJudge),
}

impl ByFunction {
    /// The judge of a function by its name.
    pub(crate) fn open(name: &FunctionName) -> anyhow::Result<Self> {
        if *name == FunctionName::Shipped {
            return Ok(Self::Squares(shipped::patterns().clone()));
        }
        let function = match function(name)? {
            Function::Moves(_) => {
                let message = "values moves, not positions; play it with: evalsmith match run";
                return Err(Usage(format!("{name} {message}")).into());
            }
            function => function,
        };
        let squares = match &function {
            Function::Patterns(own) => {
                SquareJudge::of_patterns(own.model(), own.set(), own.tables(), DISCS_A_LOGIT).ok()
            }
            _ => None,
        };
        Ok(squares.map_or(Self::Asked(function), Self::Squares))
    }

    /// A function's name with a digest of its weights.
    pub(crate) fn identity(name: &FunctionName) -> anyhow::Result<String> {
        Ok(match name {
            // Known without opening it.
            FunctionName::Shipped => format!("{name}@{}", shipped::DIGEST),
            _ => function(name)?.identity(name),
        })
    }

    /// What the value of a position is made of, where that can be told square by square.
    pub(crate) fn explain<K: Kernel>(&self, board: &Board<K>) -> Vec<Term> {
        match self {
            Self::Squares(judge) => judge.explain(board),
            Self::Asked(_) => Vec::new(),
        }
    }
}

/// Opens a function; `shipped` means what the engine ships with.
fn function(name: &FunctionName) -> anyhow::Result<Function<Chosen>> {
    let game = Othello::new();
    Ok(match name {
        FunctionName::Trivial => Function::Trivial,
        FunctionName::Hand => Function::by_hand(&game)?,
        FunctionName::Shipped => {
            let patterns = PatternFunction::open(&game, shipped::pattern_file())?;
            Function::Patterns(Arc::new(patterns))
        }
        FunctionName::File(path) => Function::open_file(&game, path)?,
    })
}

/// The scale of finished games where the function knows one, else that of log-odds.
fn discs(value: Score) -> f64 {
    if value.is_decisive() {
        f64::from((value.0.abs() - Score::WIN.0) * value.0.signum())
    } else {
        DISCS_A_LOGIT * value.log_odds().0
    }
}

impl Judge for ByFunction {
    #[expect(clippy::inline_always, reason = "it vanishes into the engine's drivers")]
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        match self {
            Self::Squares(judge) => judge.value(board, moves),
            Self::Asked(function) => asked(function, board),
        }
    }

    #[expect(clippy::inline_always, reason = "it vanishes into the engine's drivers")]
    #[inline(always)]
    fn of_children<K: Kernel>(&self, parent: &Board<K>) -> impl OfChildren<K> {
        match self {
            Self::Squares(judge) => Children::Squares(judge.of_children(parent)),
            Self::Asked(function) => Children::Asked(function),
        }
    }
}

/// Judges the children of a position.
enum Children<'f, S> {
    Asked(&'f Function<Chosen>),
    Squares(S),
}

impl<K: Kernel, S: OfChildren<K>> OfChildren<K> for Children<'_, S> {
    #[expect(clippy::inline_always, reason = "it vanishes into the engine's drivers")]
    #[inline(always)]
    fn value(&self, square: u8, flips: u64, child: &Board<K>, moves: u64) -> i32 {
        match self {
            Self::Squares(judge) => judge.value(square, flips, child, moves),
            Self::Asked(function) => asked(function, child),
        }
    }

    #[expect(clippy::inline_always, reason = "it vanishes into the engine's drivers")]
    #[inline(always)]
    fn after(&self, square: u8, flips: u64) -> Self {
        match self {
            Self::Squares(judge) => Self::Squares(judge.after(square, flips)),
            Self::Asked(function) => Self::Asked(function),
        }
    }
}

fn asked<K: Kernel>(function: &Function<Chosen>, board: &Board<K>) -> i32 {
    let kept = function.start(board);
    (discs(function.value(board, &kept, Window::FULL)) * f64::from(DISC)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{Game, Outcome};

    /// The digest stands in datasets and logs.
    #[test]
    fn the_shipped_function_is_opened_as_the_full_file_would_be() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/othello-patterns.safetensors");
        let file = FunctionName::File(path.into());
        let digest = |name| {
            let identity = ByFunction::identity(name).unwrap();
            identity.rsplit_once('@').map(|(_, digest)| digest.to_owned()).unwrap()
        };
        assert_eq!(digest(&FunctionName::Shipped), digest(&file));
        let judges = [FunctionName::Shipped, file].map(|name| ByFunction::open(&name).unwrap());
        assert!(judges.iter().all(|judge| matches!(judge, ByFunction::Squares(_))));
        let board = Othello::new().start();
        let [shipped, full] = judges.map(|judge| judge.explain(&board));
        assert_eq!(shipped, full);
    }

    #[test]
    fn values_are_discs_and_speak_for_the_mover() {
        assert_eq!(discs(Score::of_outcome(Outcome::by(-12))), -12.0);
        assert_eq!(discs(Score(2000)), 10.0);
        let game = Othello::new();
        let judge = ByFunction::open(&FunctionName::Hand).unwrap();
        let line = "-------------------------------------X----XXX-----XXOO--------O- X";
        let (board, _) = game.parse(line).unwrap();
        let (own, other) = (judge.value(&board, 0), judge.value(&board.passed(), 0));
        assert!(own != 0 && own.signum() == -other.signum(), "{own} {other}");
    }
}
