//! Any evaluation function of Othello as the engine's judge.
//!
//! Functions speak in log-odds of a win; the engine counts discs. The rate is that
//! of the protocols, so a value is shown as it was judged. Patterns of squares, with at
//! most the difference of moves beside them, the engine reads by itself, much faster.

use crate::failure::Usage;
use evalsmith_engine_othello::{DISC, Judge, OfChildren, ProbCut, SquareJudge, SquareTables, Term};
use evalsmith_lab::prelude::{
    Evaluate, Function, FunctionName, PatternFunction, Score, Stage, Window, open,
};
use evalsmith_othello::features::Chosen;
use evalsmith_othello::{Board, Kernel, Othello};
use evalsmith_protocol::DISCS_A_LOGIT;

/// The patterns that come with the program; `models/README.md` says how they were made.
const PATTERNS: &[u8] = include_bytes!("../../../../models/othello-patterns.safetensors");
/// How far searches with them are off, as `engine fit-probcut` found.
const PROBCUT: &str = include_str!("../../../../models/othello-patterns.probcut");

/// The error model of the judge that comes with the program.
pub(crate) fn shipped_probcut() -> ProbCut {
    PROBCUT.parse().expect("a test reads the shipped file")
}

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
        let function = match open(&Othello::new(), name, Some(PATTERNS))? {
            Function::Moves(_) => {
                let message = "values moves, not positions; play it with: evalsmith match run";
                return Err(Usage(format!("{name} {message}")).into());
            }
            function => function,
        };
        let squares = match &function {
            Function::Patterns(patterns) => squares(patterns),
            _ => None,
        };
        Ok(squares.map_or(Self::Asked(function), Self::Squares))
    }

    /// A function's name with a digest of its weights.
    pub(crate) fn identity(name: &FunctionName) -> anyhow::Result<String> {
        Ok(open(&Othello::new(), name, Some(PATTERNS))?.identity(name))
    }

    /// What the value of a position is made of, where that can be told square by square.
    pub(crate) fn explain<K: Kernel>(&self, board: &Board<K>) -> Vec<Term> {
        match self {
            Self::Squares(judge) => judge.explain(board),
            Self::Asked(_) => Vec::new(),
        }
    }
}

/// The feature that the engine counts itself.
const MOVES: &str = "moves";

/// A judge by a model's own tables, where it needs nothing but squares and moves.
fn squares(function: &PatternFunction<Chosen>) -> Option<SquareJudge> {
    let (model, tables) = (function.model(), function.tables());
    if tables.is_sparse() {
        return None;
    }
    let moves = match &model.plan().counts[..] {
        [] => None,
        [count] if count.feature == MOVES => {
            Some((count.low, count.high, *tables.count_bases().first()?))
        }
        _ => return None,
    };
    let instances = function.set().instance_atoms();
    let name = |&(pattern, _): &(usize, _)| model.plan().patterns[pattern].name.clone();
    let names = instances.iter().map(name).collect();
    let squares = |atoms: Vec<u16>| atoms.into_iter().map(|a| u8::try_from(a).ok()).collect();
    let instances = instances.into_iter().map(|(_, atoms)| squares(atoms));
    let groups = model.groups();
    SquareJudge::new(SquareTables {
        instances: instances.collect::<Option<_>>()?,
        names,
        bases: tables.bases().to_vec(),
        moves,
        weights: tables.steps().into(),
        group_of_discs: std::array::from_fn(|discs| groups.of(Stage(discs as u8)) as u8),
        discs_a_step: tables
            .log_odds_a_step()
            .iter()
            .map(|logits| (logits * DISCS_A_LOGIT) as f32)
            .collect(),
    })
    .ok()
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

    #[test]
    fn the_shipped_patterns_are_read_square_by_square_and_their_errors_are_known() {
        let judge = ByFunction::open(&FunctionName::Shipped).unwrap();
        assert!(matches!(judge, ByFunction::Squares(_)));
        let board = Othello::new().start();
        let sum: f64 = judge.explain(&board).iter().map(|term| term.discs).sum();
        let value = f64::from(judge.value(&board, board.mobility())) / f64::from(DISC);
        assert!((sum - value).abs() < 0.1, "{sum} for {value}");
        assert_eq!(shipped_probcut().to_string().parse(), Ok(shipped_probcut()));
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
