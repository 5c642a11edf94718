//! Evaluation functions as a search sees them, and as people do.

use crate::{Outcome, Position, Score, Window};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An alpha-beta-evaluation function (heinz93): it may stop as soon as it knows
/// which end of the window its value lies beyond.
///
/// Invariant: `value(p, s, w) == w.clamp(value(p, s, Window::FULL))`, so that a
/// search cannot tell an early stop from a full computation.
pub trait Evaluate<P: Position>: Send + Sync {
    /// What is kept up to date along the moves of a search.
    type State: Clone;

    /// The state from scratch.
    fn start(&self, position: &P) -> Self::State;

    /// The state after `m` led from `before` to `after`.
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &Self::State) -> Self::State;

    /// The value of an unfinished position for the side to move, clamped to the window.
    fn value(&self, position: &P, state: &Self::State, window: Window) -> Score;

    /// A finished or solved game on this function's scale.
    #[inline]
    fn outcome(&self, outcome: Outcome) -> Score {
        Score::of_outcome(outcome)
    }

    /// Why the value is what it is, term by term.
    fn explain(&self, position: &P) -> Explanation;
}

/// Whatever refers to a shared evaluation function is one.
macro_rules! through_reference {
    ($($reference:ty),*) => {
        $(impl<P: Position, E: Evaluate<P> + ?Sized> Evaluate<P> for $reference {
            type State = E::State;
            #[inline]
            fn start(&self, position: &P) -> Self::State {
                (**self).start(position)
            }
            #[inline]
            fn advance(
                &self,
                before: &P,
                m: P::Move,
                after: &P,
                state: &Self::State,
            ) -> Self::State {
                (**self).advance(before, m, after, state)
            }
            #[inline]
            fn value(&self, position: &P, state: &Self::State, window: Window) -> Score {
                (**self).value(position, state, window)
            }
            #[inline]
            fn outcome(&self, outcome: Outcome) -> Score {
                (**self).outcome(outcome)
            }
            fn explain(&self, position: &P) -> Explanation {
                (**self).explain(position)
            }
        })*
    };
}
through_reference!(&E, Arc<E>);

/// A value taken apart: the contributions add up to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The whole value, in log-odds of the side to move.
    pub total: f64,
    /// Its terms, in the function's own order.
    pub terms: Vec<Term>,
}

/// One term of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The feature, configuration or tree node that speaks.
    pub name: String,
    /// Its value in this position, where it has one.
    pub feature: Option<f64>,
    /// Its weight at this stage, where it has one.
    pub weight: Option<f64>,
    /// What it adds to the total, in log-odds.
    pub contribution: f64,
}

/// Knows finished games and nothing else (heinz93's first function).
#[derive(Clone, Copy, Debug, Default)]
pub struct Trivial;

impl<P: Position> Evaluate<P> for Trivial {
    type State = ();
    #[inline]
    fn start(&self, _position: &P) {}
    #[inline]
    fn advance(&self, _before: &P, _m: P::Move, _after: &P, _state: &()) {}
    #[inline]
    fn value(&self, _position: &P, _state: &(), window: Window) -> Score {
        window.clamp(Score(0))
    }
    fn explain(&self, _position: &P) -> Explanation {
        Explanation { total: 0.0, terms: Vec::new() }
    }
}
