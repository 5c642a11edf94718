//! Quiescence: at the horizon, a search plays on until the position is quiet.
//!
//! A static value is worth little in the middle of an exchange (Shannon 1950), so
//! at depth zero of a game that names noisy moves ([`Position::has_noisy_moves`]) the value
//! of an unfinished position `p` is
//!
//! ```text
//! Q(p) = max( value(p), max over noisy m of -Q(p·m) )     as a rule
//! Q(p) = max over all m of -Q(p·m)                        where p must answer
//! Q(p) = value(p)                                         after MAX_PLIES plies
//! ```
//!
//! The first term is *standing pat*: the side to move need not enter the
//! exchange. Under a threat that [must be answered](Position::must_answer) it
//! may not, and looks at every move. Ends by rules, repetition and the record's
//! bound on plies are those of the tree above.
//!
//! The invariants:
//!
//! - **The value is `Q` exactly**, for alpha-beta here is the same fail-soft as
//!   above. Nothing is left out that the window does not rule out: delta pruning
//!   and exchange evaluation need the worth of a capture, which no game is asked
//!   for, and would make the value depend on the window.
//! - **The line ends at the position whose static value is the value**, unless
//!   it ends with the game: that leaf is what evaluation curves and fits look at.
//! - **`Q` belongs to a position**: it counts its plies from the horizon, so a
//!   value at depth `d` is still a function of position and depth (and of the
//!   plies left, near the record's bound), and the table stays valid. The table
//!   itself is not asked here: exchanges are short, and a tree of a few nodes is
//!   searched faster than looked up.
//! - **Order is everything but the value.** Without the game's
//!   [promises](Position::promise) some Chess positions need ten times the
//!   nodes.
//! - **Standing pat is a horizon.** Only where every line was forced to the end
//!   of the game is a search complete.

use super::{Iteration, Tree, driver};
use evalsmith_core::{Evaluate, Position, Score, Window};

/// Quiescence stands pat after so many plies, whatever is still hanging: noisy
/// lines worth following are shorter, and in Shogi, where every capture arms the
/// next, a longer leash takes minutes a game.
pub(crate) const MAX_PLIES: u8 = 8;

impl<P: Position, E: Evaluate<P>> Tree<'_, P, E> {
    /// Whether the game names noisy moves.
    pub(crate) fn is_noisy(&self) -> bool {
        self.root.has_noisy_moves()
    }

    /// How far below `depth` a line can go.
    pub(super) fn last_ply(&self, depth: u8) -> usize {
        usize::from(depth) + if self.is_noisy() { usize::from(MAX_PLIES) } else { 0 }
    }

    /// The root's quiet value and the line to it; None when the search was
    /// stopped before that was known.
    pub(crate) fn quiesce(&mut self) -> Option<Iteration<P::Move>> {
        if !self.begin(0) {
            return None;
        }
        self.memory.lines[0].clear();
        // The driver enters the key of every position it plays from, the root's too.
        let root_key = self.memory.keys.pop();
        let value = self.quiet_value();
        self.memory.keys.extend(root_key);
        let line = self.memory.lines[0].clone();
        (!self.brake.stopped()).then_some(Iteration { value, line, complete: self.horizons == 0 })
    }
    fn quiet_value(&mut self) -> Score {
        let (root, state) = (self.root, self.root_state.clone());
        #[cfg(target_arch = "x86_64")]
        if self.fastest {
            // SAFETY: the processor has every feature the function was compiled for.
            #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
            return unsafe {
                driver::x86_v3::quiesce::<P, E, true>(self, root, &state, Window::FULL, 0)
            };
        }
        driver::portable::quiesce::<P, E, true>(self, root, &state, Window::FULL, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::{Noise, record, static_value};
    use crate::{Limits, Searcher};
    use evalsmith_core::Outcome;
    use std::sync::atomic::AtomicBool;

    const FUNCTION: Noise = Noise { seed: 5, spread: 40, early: true, mixed: false };

    /// A position with a static value and an exchange or two: moves by name.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    enum Exchange {
        Start,
        Quiet,
        Taken,
        Retaken,
    }

    impl Position for Exchange {
        type Move = char;
        type Moves = std::vec::IntoIter<char>;
        fn has_noisy_moves(&self) -> bool {
            true
        }
        fn moves(&self) -> Self::Moves {
            match self {
                Self::Start => vec!['q', 'x'],
                Self::Taken => vec!['q', 'r'],
                Self::Quiet | Self::Retaken => vec!['q'],
            }
            .into_iter()
        }
        fn play(&self, m: char) -> Self {
            match m {
                'x' => Self::Taken,
                'r' => Self::Retaken,
                _ => Self::Quiet,
            }
        }
        fn outcome(&self) -> Option<Outcome> {
            None
        }
        fn promise(&self, m: char) -> u8 {
            u8::from(m != 'q')
        }
    }

    /// What the side to move has more than the opponent, by name.
    struct Material {
        start: i32,
        taken: i32,
        retaken: i32,
    }

    impl Evaluate<Exchange> for Material {
        type State = ();
        fn start(&self, _: &Exchange) {}
        fn advance(&self, _: &Exchange, _: char, _: &Exchange, _state: &()) {}
        fn value(&self, position: &Exchange, _state: &(), window: Window) -> Score {
            window.clamp(Score(match position {
                Exchange::Start => self.start,
                Exchange::Quiet => 0,
                Exchange::Taken => self.taken,
                Exchange::Retaken => self.retaken,
            }))
        }
        fn explain(&self, _: &Exchange) -> evalsmith_core::Explanation {
            evalsmith_core::Explanation { total: 0.0, terms: Vec::new() }
        }
    }

    #[test]
    fn a_defended_pawn_is_left_alone_and_a_hanging_one_taken() {
        let line_and_value = |function| {
            let found = Searcher::new(function, 0).quiet(&record(Exchange::Start, 99));
            (String::from_iter(found.line), found.value.0)
        };
        // A queen takes a pawn and is lost: better to stand pat.
        let defended = Material { start: 0, taken: -100, retaken: -800 };
        assert_eq!(line_and_value(defended), (String::new(), 0));
        // To take back costs the opponent more than the pawn.
        let hanging = Material { start: 0, taken: -100, retaken: 500 };
        assert_eq!(line_and_value(hanging), ("x".to_owned(), 100));
        // An even exchange that leaves the first side a little better.
        let exchange = Material { start: 0, taken: -500, retaken: 30 };
        assert_eq!(line_and_value(exchange), ("xr".to_owned(), 30));
    }

    /// One move each, and it has to be found.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Checks(u16);

    impl Position for Checks {
        type Move = ();
        type Moves = std::iter::Once<()>;
        fn has_noisy_moves(&self) -> bool {
            true
        }
        fn moves(&self) -> Self::Moves {
            std::iter::once(())
        }
        fn play(&self, (): ()) -> Self {
            Self(self.0 + 1)
        }
        fn outcome(&self) -> Option<Outcome> {
            None
        }
        fn must_answer(&self) -> bool {
            true
        }
    }

    #[test]
    fn endless_threats_end_at_the_last_ply() {
        let game = record(Checks(0), 9999);
        for depth in [0, 1, 7, u8::MAX] {
            let found = Searcher::new(FUNCTION, 1 << 12).fixed_depth(&game, depth);
            let plies = u16::from(depth) + u16::from(MAX_PLIES);
            let leaf = static_value(&FUNCTION, &Checks(plies));
            assert_eq!(found.line.len(), usize::from(plies));
            assert_eq!(found.value, if plies.is_multiple_of(2) { leaf } else { -leaf });
            assert_eq!((found.nodes, found.complete), (u64::from(plies) + 1, false));
        }
    }

    #[test]
    fn a_line_forced_to_the_end_of_the_game_is_complete() {
        let found = Searcher::new(FUNCTION, 0).quiet(&record(Checks(0), 6));
        assert_eq!((found.value, found.line.len(), found.complete), (Score(0), 6, true));
    }

    #[test]
    fn limits_hold_in_quiescence() {
        let game = record(Checks(0), 9999);
        let never = AtomicBool::new(false);
        let all = u64::from(MAX_PLIES) + 1;
        for nodes in 0..=all {
            let limits = Limits { depth: 0, ..Limits::nodes(nodes) };
            let found = Searcher::new(FUNCTION, 0).search(&game, &limits, &never);
            assert_eq!((found.nodes, found.stopped), (nodes, nodes < all));
            if found.stopped {
                assert_eq!(found.value, static_value(&FUNCTION, game.position()));
                assert!(found.line.is_empty() && found.best == Some(()));
            }
        }
    }
}
