//! Tables over a grid of true differences.

use super::{PairOdds, generator};
use crate::StatsError;
use crate::elo::{Elo, NormalisedElo, Pentanomial, Sample};
use crate::sprt::{Sprt, Verdict};
use serde::Serialize;

/// What all rows of a table share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// What the opening is worth to one colour.
    pub bias: Elo,
    /// Bayeselo's draw Elo: the larger, the more draws.
    pub draws: Elo,
    /// Simulated matches a row.
    pub matches: u64,
    /// The seed of all of them.
    pub seed: u64,
}

impl Setting {
    fn odds(&self, difference: Elo) -> Result<PairOdds, StatsError> {
        if self.matches == 0 {
            return Err(StatsError::Nothing("simulated matches"));
        }
        PairOdds::of_games(difference, self.bias, self.draws)
    }

    /// The index of a row's match among all generators.
    fn index(&self, row: usize, game: u64) -> u64 {
        (row as u64).wrapping_mul(self.matches).wrapping_add(game)
    }
}

/// How often the 95 % intervals of a match hold the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoverageTable {
    /// What was simulated.
    pub setting: Setting,
    /// A row for each length and true difference.
    pub rows: Vec<CoverageRow>,
}

/// One true difference and length of match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CoverageRow {
    /// The true difference.
    pub difference: Elo,
    /// The true difference in normalised Elo.
    pub normalised: NormalisedElo,
    /// The pairs of a match.
    pub pairs: u64,
    /// The share of matches whose Elo interval held the truth.
    pub elo: f64,
    /// The share of matches whose interval of normalised Elo did.
    pub normalised_elo: f64,
    /// The share of matches whose likelihood of superiority was above 97.5 %.
    pub superior: f64,
}

impl CoverageTable {
    /// Simulates matches of each length at each true difference.
    ///
    /// # Errors
    /// When there is nothing to simulate or a difference is out of range.
    pub fn simulate(
        setting: Setting,
        differences: &[Elo],
        lengths: &[u64],
    ) -> Result<Self, StatsError> {
        let mut rows = Vec::with_capacity(differences.len() * lengths.len());
        for &pairs in lengths {
            for &difference in differences {
                let odds = setting.odds(difference)?;
                let normalised = odds.normalised_elo();
                let mut held = [0_u64; 3];
                for game in 0..setting.matches {
                    let counts = odds.play(pairs, setting.seed, setting.index(rows.len(), game));
                    held[0] += u64::from(counts.share_interval().contains(&odds.share()));
                    held[1] += u64::from(counts.normalised_interval().contains(&normalised));
                    held[2] += u64::from(counts.superiority() > 0.975);
                }
                let [elo, normalised_elo, superior] =
                    held.map(|n| n as f64 / setting.matches as f64);
                rows.push(CoverageRow {
                    difference,
                    normalised,
                    pairs,
                    elo,
                    normalised_elo,
                    superior,
                });
            }
        }
        Ok(Self { setting, rows })
    }
}

/// What a sequential test does at each true difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtTable {
    /// What was simulated.
    pub setting: Setting,
    /// The test.
    pub sprt: Sprt,
    /// After how many further pairs the test looks again.
    pub batch: u64,
    /// After how many pairs a match is given up.
    pub longest: u64,
    /// A row for each true difference.
    pub rows: Vec<SprtRow>,
}

/// One true difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtRow {
    /// The true difference.
    pub difference: Elo,
    /// The true difference in normalised Elo.
    pub normalised: NormalisedElo,
    /// The share of tests that accepted H1.
    pub accepts: f64,
    /// The share of tests that were given up.
    pub undecided: f64,
    /// The mean number of pairs.
    pub mean_pairs: f64,
    /// The longest test, in pairs.
    pub most_pairs: u64,
    /// The number of pairs that [`Sprt::forecast`] expects.
    pub forecast_pairs: f64,
}

impl SprtTable {
    /// Simulates tests at each true difference.
    ///
    /// # Errors
    /// When there is nothing to simulate or a difference is out of range.
    pub fn simulate(
        setting: Setting,
        sprt: Sprt,
        differences: &[Elo],
        batch: u64,
        longest: u64,
    ) -> Result<Self, StatsError> {
        if batch == 0 {
            return Err(StatsError::Nothing("pairs between looks"));
        }
        let mut rows = Vec::with_capacity(differences.len());
        for &difference in differences {
            let odds = setting.odds(difference)?;
            let (mut accepted, mut undecided, mut pairs, mut most_pairs) = (0_u64, 0_u64, 0.0, 0);
            for game in 0..setting.matches {
                let mut rng = generator(setting.seed, setting.index(rows.len(), game));
                let mut counts = Pentanomial::default();
                let verdict = loop {
                    odds.play_on(&mut counts, batch, &mut rng);
                    let verdict = sprt.verdict(&counts);
                    if verdict != Verdict::Continue || counts.pairs() >= longest {
                        break verdict;
                    }
                };
                accepted += u64::from(verdict == Verdict::AcceptH1);
                undecided += u64::from(verdict == Verdict::Continue);
                pairs += counts.pairs() as f64;
                most_pairs = most_pairs.max(counts.pairs());
            }
            let tests = setting.matches as f64;
            let expected =
                sprt.forecast_from(0.0, odds.variance(), odds.share(), Pentanomial::GAMES);
            rows.push(SprtRow {
                difference,
                normalised: odds.normalised_elo(),
                accepts: accepted as f64 / tests,
                undecided: undecided as f64 / tests,
                mean_pairs: pairs / tests,
                most_pairs,
                forecast_pairs: expected.remaining,
            });
        }
        Ok(Self { setting, sprt, batch, longest, rows })
    }
}
