//! A uniform random sample of the positions a search evaluates (buro98 section 3).
//!
//! The hook is an evaluation function around another: it answers as the inner one
//! does, so that no search can tell, and keeps some of the positions it is asked
//! about. Which ones is decided by Li's Algorithm L (1994): the number of
//! evaluations to skip before the next kept one is drawn at once, and all others
//! cost a decrement.
//!
//! The one invariant to know: after `n` evaluations every one of them is in the
//! sample with probability `min(1, capacity / n)`. It holds for one search at a
//! time: searches on several threads need a sampler each.

use evalsmith_core::rng::{self, Rng};
use evalsmith_core::{Evaluate, Explanation, Outcome, Position, Score, Window};
use rand::RngExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An evaluation function that remembers a sample of what it was asked.
pub struct Sampling<P, E> {
    function: E,
    /// Evaluations to let pass before the next one that is kept.
    skip: AtomicU64,
    /// Half-moves of the game before the position the search began with.
    root_ply: AtomicU64,
    reservoir: Mutex<Reservoir<P>>,
}

/// A position that a search evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled<P> {
    /// The position, seen by the side to move.
    pub position: P,
    /// Half-moves from the start of the game.
    pub ply: usize,
}

struct Reservoir<P> {
    kept: Vec<Sampled<P>>,
    capacity: usize,
    /// The largest of `capacity` numbers drawn for those kept (Li's W).
    threshold: f64,
    dice: Rng,
}

impl<P, E> Sampling<P, E> {
    /// Wraps a function and keeps up to `capacity` positions.
    pub fn new(function: E, capacity: usize) -> Self {
        let dice = rng::stream(0, "sampling", 0);
        let reservoir = Reservoir { kept: Vec::new(), capacity, threshold: 1.0, dice };
        let sampling = Self {
            function,
            skip: AtomicU64::new(0),
            root_ply: AtomicU64::new(0),
            reservoir: Mutex::new(reservoir),
        };
        sampling.restart(0);
        sampling
    }

    /// Forgets the sample and begins another; all chance comes from `seed`.
    pub fn restart(&self, seed: u64) {
        let mut reservoir = self.lock();
        reservoir.kept.clear();
        reservoir.threshold = 1.0;
        reservoir.dice = rng::stream(seed, "sampling", 0);
        self.skip.store(if reservoir.capacity == 0 { u64::MAX } else { 0 }, Relaxed);
    }

    /// Says how many half-moves were played before the next search's position.
    pub fn search_from(&self, ply: usize) {
        self.root_ply.store(ply as u64, Relaxed);
    }

    /// Takes the sample out and leaves none behind.
    pub fn take(&self) -> Vec<Sampled<P>> {
        std::mem::take(&mut self.lock().kept)
    }

    fn lock(&self) -> MutexGuard<'_, Reservoir<P>> {
        // A panic elsewhere leaves the reservoir a sample still.
        self.reservoir.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Position, E> Sampling<P, E> {
    #[cold]
    fn keep(&self, position: &P, below_root: u16) {
        let ply = self.root_ply.load(Relaxed) as usize + usize::from(below_root);
        let skip = self.lock().keep(Sampled { position: position.clone(), ply });
        self.skip.store(skip, Relaxed);
    }
}

impl<P> Reservoir<P> {
    /// Keeps an item and says how many to let pass.
    fn keep(&mut self, item: Sampled<P>) -> u64 {
        if self.kept.len() < self.capacity {
            self.kept.push(item);
            if self.kept.len() < self.capacity {
                return 0;
            }
        } else {
            let place = self.dice.random_range(0..self.capacity);
            self.kept[place] = item;
        }
        self.threshold *= self.uniform().powf(1.0 / self.capacity as f64);
        let skip = self.uniform().ln() / (-self.threshold).ln_1p();
        // A cast from beyond the range, or from infinity, is the largest number.
        skip as u64
    }

    /// A number above 0 and up to 1.
    fn uniform(&mut self) -> f64 {
        1.0 - self.dice.random::<f64>()
    }
}

impl<P: Position, E: Evaluate<P>> Evaluate<P> for Sampling<P, E> {
    /// The inner state, and the plies below the root.
    type State = (E::State, u16);

    #[inline]
    fn start(&self, position: &P) -> Self::State {
        (self.function.start(position), 0)
    }

    #[inline]
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &Self::State) -> Self::State {
        (self.function.advance(before, m, after, &state.0), state.1.saturating_add(1))
    }

    #[inline]
    fn value(&self, position: &P, state: &Self::State, window: Window) -> Score {
        let skip = self.skip.load(Relaxed);
        if skip == 0 {
            self.keep(position, state.1);
        } else {
            self.skip.store(skip - 1, Relaxed);
        }
        self.function.value(position, &state.0, window)
    }

    #[inline]
    fn outcome(&self, outcome: Outcome) -> Score {
        self.function.outcome(outcome)
    }

    fn explain(&self, position: &P) -> Explanation {
        self.function.explain(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::{Dag, Noise, Noughts, record};
    use crate::{Limits, Searcher};
    use evalsmith_core::Trivial;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn every_evaluation_is_kept_equally_often() {
        const EVALUATIONS: usize = 40;
        let mut counts = [0_u32; EVALUATIONS];
        let sampling = Sampling::new(Trivial, 4);
        for seed in 0..20_000 {
            sampling.restart(seed);
            for ply in 0..EVALUATIONS {
                sampling.search_from(ply);
                sampling.value(&Noughts(0, 0), &((), 0), Window::FULL);
            }
            let kept = sampling.take();
            assert_eq!(kept.len(), 4);
            for sampled in kept {
                counts[sampled.ply] += 1;
            }
        }
        // Five standard deviations of a binomial with mean 2000.
        assert!(counts.iter().all(|&n| (1790..2210).contains(&n)), "{counts:?}");
    }

    #[test]
    fn all_are_kept_while_there_is_room_and_none_without_any() {
        for (capacity, expected) in [(100, 7), (7, 7), (3, 3), (0, 0)] {
            let sampling = Sampling::new(Trivial, capacity);
            for _ in 0..7 {
                sampling.value(&Noughts(0, 0), &((), 2), Window::FULL);
            }
            let kept = sampling.take();
            assert_eq!(kept.len(), expected);
            assert!(kept.iter().all(|sampled| sampled.ply == 2));
        }
    }

    #[test]
    fn a_search_cannot_tell_and_the_sample_lies_at_its_horizon() {
        for seed in 0..50 {
            let noise = Noise { seed: u64::from(seed), spread: 30, early: true, mixed: false };
            let game = record(Dag::new(seed), 12);
            let never = AtomicBool::new(false);
            let limits = Limits::depth(4);
            let plain = Searcher::new(noise, 1 << 12).search(&game, &limits, &never);
            let mut sampled = Searcher::new(Sampling::new(noise, 1000), 1 << 12);
            sampled.function().search_from(7);
            let found = sampled.search(&game, &limits, &never);
            assert_eq!(
                (found.value, found.line, found.nodes),
                (plain.value, plain.line, plain.nodes)
            );
            let kept = sampled.function().take();
            assert!(!kept.is_empty());
            // The root's own value is asked once, the rest at depths 1 to 4.
            assert!(kept.iter().all(|s| (7..=11).contains(&s.ply)));
            assert!(kept.iter().filter(|s| s.ply == 7).count() <= 1);
        }
    }
}
