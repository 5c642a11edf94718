//! Simulated matches: how often intervals hold the truth, how often sequential
//! tests err, and how long they take.
//!
//! A simulated pair is one draw from five probabilities. They come from two
//! games with reversed colours, the opening helping each player once; a game's
//! result follows Rao and Kupper's model as Bayeselo writes it: with advantage
//! `e` the win has probability `σ(e - d)` and the loss `σ(-e - d)`.
//!
//! Invariant: every match draws from its own generator, named by seed, row and
//! match, so results depend on nothing else.

mod tables;

use crate::StatsError;
use crate::elo::{Elo, NormalisedElo, Pentanomial};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
pub use tables::{CoverageRow, CoverageTable, Setting, SprtRow, SprtTable};

/// The probabilities of 0, ½, 1, 1½ and 2 points from a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOdds {
    probabilities: [f64; 5],
    /// A draw of 64 bits brings as many half points as it reaches of these.
    thresholds: [u64; 4],
}

impl PairOdds {
    /// These probabilities.
    ///
    /// # Errors
    /// When they are not probabilities that sum to one (within 10⁻⁹).
    pub fn new(probabilities: [f64; 5]) -> Result<Self, StatsError> {
        let sum: f64 = probabilities.iter().sum();
        if !(probabilities.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() < 1e-9) {
            return Err(StatsError::Probabilities(probabilities));
        }
        let mut below = 0.0;
        let thresholds = std::array::from_fn(|i| {
            below += probabilities[i];
            // The cast saturates, so that what never comes stays beyond reach.
            (below * 2.0_f64.powi(64)) as u64
        });
        Ok(Self { probabilities, thresholds })
    }

    /// A pair of games between players this far apart, from openings that are
    /// worth `bias` to one colour. The larger `draws`, the more games are drawn;
    /// with zero none is. The expected share is exactly the difference's.
    ///
    /// # Errors
    /// When a number is beyond ±2000 or is none, or the draws are negative.
    ///
    /// ```
    /// use evalsmith_stats::elo::Elo;
    /// use evalsmith_stats::simulation::PairOdds;
    /// let odds = PairOdds::of_games(Elo(20.0), Elo(100.0), Elo(150.0))?;
    /// assert!((odds.share() - Elo(20.0).share()).abs() < 1e-12);
    /// # Ok::<(), evalsmith_stats::StatsError>(())
    /// ```
    pub fn of_games(difference: Elo, bias: Elo, draws: Elo) -> Result<Self, StatsError> {
        const LIMIT: f64 = 2000.0;
        for (what, value, low) in [
            ("the difference", difference.0, -LIMIT),
            ("the bias", bias.0, -LIMIT),
            ("the draw Elo", draws.0, 0.0),
        ] {
            if !(low..=LIMIT).contains(&value) {
                return Err(StatsError::OutOfRange { what, value, low, high: LIMIT });
            }
        }
        let pair = |advantage: f64| {
            let game = |advantage: f64| {
                let win = Elo(advantage - draws.0).share();
                let loss = Elo(-advantage - draws.0).share();
                [loss, 1.0 - win - loss, win]
            };
            let (one, two) = (game(advantage + bias.0), game(advantage - bias.0));
            let mut five = [0.0; 5];
            for (i, p) in one.iter().enumerate() {
                for (j, q) in two.iter().enumerate() {
                    five[i + j] += (p * q).max(0.0);
                }
            }
            five
        };
        // Draws and bias weigh on the score, so the advantage is more than the
        // difference it shows as.
        let wanted = difference.share();
        let (mut low, mut high) = (-4.0 * LIMIT, 4.0 * LIMIT);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if mean(&pair(middle)) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self::new(pair(f64::midpoint(low, high)))
    }

    /// The five probabilities.
    pub fn probabilities(&self) -> [f64; 5] {
        self.probabilities
    }

    /// The expected share of the points.
    pub fn share(&self) -> f64 {
        mean(&self.probabilities)
    }

    /// The variance of a pair's share of its points.
    pub fn variance(&self) -> f64 {
        let share = self.share();
        let square = |i: usize| (i as f64 / 4.0 - share).powi(2);
        self.probabilities.iter().enumerate().map(|(i, p)| p * square(i)).sum()
    }

    /// The true difference in normalised Elo.
    pub fn normalised_elo(&self) -> NormalisedElo {
        NormalisedElo::of_lead(self.share() - 0.5, (2.0 * self.variance()).sqrt())
    }

    /// A match of so many pairs, the same for the same seed and index.
    pub fn play(&self, pairs: u64, seed: u64, index: u64) -> Pentanomial {
        let mut counts = Pentanomial::default();
        self.play_on(&mut counts, pairs, &mut generator(seed, index));
        counts
    }

    fn play_on(&self, counts: &mut Pentanomial, pairs: u64, rng: &mut Xoshiro256PlusPlus) {
        for _ in 0..pairs {
            let drawn = rng.next_u64();
            let half_points: usize =
                self.thresholds.iter().map(|&threshold| usize::from(drawn >= threshold)).sum();
            counts.0[half_points] += 1;
        }
    }
}

fn mean(probabilities: &[f64; 5]) -> f64 {
    (0..).zip(probabilities).map(|(i, p)| f64::from(i) / 4.0 * p).sum()
}

/// The generator of match `index`.
fn generator(seed: u64, index: u64) -> Xoshiro256PlusPlus {
    // Not the generator's own increment, with which neighbours would share words.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03))
}

#[cfg(test)]
mod tests;
