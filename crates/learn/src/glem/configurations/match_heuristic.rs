//! `MatchHeuristic` (buro98 section 3): whether a conjunction matches often enough is
//! decided on random chunks of the positions, as soon as they tell it with confidence.
//!
//! After `d` positions with `u` matches, and `q` the share that is enough,
//!
//! ```text
//! u >= d q + t sqrt(d q (1 - q))  says yes,   u < d q - t sqrt(d q (1 - q))  says no,
//! ```
//!
//! and after the last chunk the exact comparison does.

use super::bit_rows::{Decide, Matches};
use super::{ConfigurationError, Relation};
use evalsmith_core::rng;
use rand::seq::SliceRandom;
use std::collections::HashSet;

/// How soon to decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchHeuristic {
    /// Positions of a chunk; rounded up to whole words of 64.
    pub chunk: usize,
    /// The confidence `t`, in standard deviations.
    pub confidence: f64,
    /// Shuffles the positions.
    pub seed: u64,
}

impl Default for MatchHeuristic {
    fn default() -> Self {
        Self { chunk: 4096, confidence: 3.0, seed: 1 }
    }
}

impl MatchHeuristic {
    pub(super) fn check(&self) -> Result<(), ConfigurationError> {
        let Self { chunk, confidence, .. } = *self;
        if chunk == 0 || confidence.is_nan() || confidence <= 0.0 {
            return Err(ConfigurationError::Heuristic { chunk, confidence });
        }
        Ok(())
    }

    /// The positions in random order.
    pub(super) fn shuffled(&self, positions: &[u8], atoms: usize) -> Vec<u8> {
        let mut order: Vec<&[u8]> = positions.chunks_exact(atoms.max(1)).collect();
        order.shuffle(&mut rng::stream(self.seed, "match heuristic", 0));
        order.concat()
    }

    pub(super) fn decider(&self, positions: usize, min_count: u32) -> Decider {
        let words = self.chunk.div_ceil(64);
        Decider {
            words,
            positions,
            share: f64::from(min_count) / positions.max(1) as f64,
            confidence: self.confidence,
        }
    }
}

pub(super) struct Decider {
    words: usize,
    positions: usize,
    share: f64,
    confidence: f64,
}

impl Decide for Decider {
    fn enough(&mut self, matches: &Matches<'_>, min_count: u32) -> Option<u32> {
        let mut found = 0;
        if matches.by_words() {
            let whole = self.positions.div_ceil(64);
            let mut words = 0;
            while words < whole {
                found += matches.count(words, self.words);
                words += self.words;
                let seen = (64 * words).min(self.positions) as f64;
                let expected = seen * self.share;
                let margin = self.confidence * (expected * (1.0 - self.share)).sqrt();
                if words >= whole {
                    break;
                }
                if f64::from(found) >= expected + margin {
                    return Some((f64::from(found) * self.positions as f64 / seen) as u32);
                }
                if f64::from(found) < expected - margin {
                    return None;
                }
            }
        } else {
            found = matches.count(0, usize::MAX);
        }
        (found >= min_count).then_some(found)
    }
}

/// How well a heuristic's configurations agree with all valid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Valid, and found.
    pub both: usize,
    /// Valid, but not found.
    pub missed: usize,
    /// Found, but not valid.
    pub wrong: usize,
}

impl Agreement {
    /// Compares what was found with what there is.
    pub fn of(found: &HashSet<Vec<Relation>>, valid: &HashSet<Vec<Relation>>) -> Self {
        let both = found.intersection(valid).count();
        Self { both, missed: valid.len() - both, wrong: found.len() - both }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ConfigurationParams, configurations, probable_configurations};
    use super::*;
    use rand::RngExt;
    use std::ops::ControlFlow::Continue;

    fn positions() -> Vec<u8> {
        let mut dice = rng::stream(5, "positions", 0);
        (0..20_000 * 8).map(|i| (dice.random::<f64>().powi(1 + i % 4) * 3.0) as u8).collect()
    }

    fn found(heuristic: Option<MatchHeuristic>) -> HashSet<Vec<Relation>> {
        let params = ConfigurationParams { min_count: 300, max_length: 4 };
        let mut all = HashSet::new();
        let visit = |relations: &[Relation], _: u32| {
            all.insert(relations.to_vec());
            Continue(())
        };
        match heuristic {
            None => configurations(&positions(), &[3; 8], &params, visit).unwrap(),
            Some(heuristic) => {
                probable_configurations(&positions(), &[3; 8], &params, &heuristic, visit).unwrap();
            }
        }
        all
    }

    #[test]
    fn confidence_buys_agreement_and_chunks_of_everything_are_exact() {
        let valid = found(None);
        let share = |confidence, chunk| {
            let heuristic = MatchHeuristic { chunk, confidence, seed: 3 };
            let agreement = Agreement::of(&found(Some(heuristic)), &valid);
            assert_eq!(agreement.both + agreement.missed, valid.len());
            (agreement.missed + agreement.wrong) as f64 / valid.len() as f64
        };
        assert!(share(3.0, 1024) < 0.03, "{}", share(3.0, 1024));
        assert!(share(0.1, 64) > share(3.0, 1024));
        assert_eq!(share(3.0, 20_000), 0.0);
    }

    #[test]
    fn what_decides_nothing_is_refused() {
        for (chunk, confidence) in [(0, 3.0), (64, 0.0), (64, f64::NAN)] {
            let heuristic = MatchHeuristic { chunk, confidence, seed: 1 };
            let params = ConfigurationParams { min_count: 1, max_length: 1 };
            let run = probable_configurations(&[0], &[1], &params, &heuristic, |_, _| Continue(()));
            assert!(run.unwrap_err().to_string().contains("decide nothing"));
        }
    }
}
