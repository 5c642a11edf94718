//! Normalised Elo: a difference in strength measured by how many games it takes
//! to see it (Van den Bergh, *Normalized Elo*, 2020; fishtest, fastchess).
//!
//! With `t = (s - ½) / σ`, where `s` is the expected score of a game and `σ` its
//! standard deviation (of pairs: the pair's, times √2), normalised Elo is
//! `800 / ln 10 · t`, so that it equals Elo between near equals that never draw.
//! A match of `n` games knows it to about ± 1.96 · 347.4 / √n, whatever the draws
//! and the openings.

use super::Elo;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A difference in strength on the scale of normalised Elo.
///
/// ```
/// use evalsmith_stats::elo::{Elo, NormalisedElo};
/// let share = Elo(1.0).share();
/// let without_draws = (share * (1.0 - share)).sqrt();
/// assert!((NormalisedElo::of_lead(share - 0.5, without_draws).0 - 1.0).abs() < 1e-5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct NormalisedElo(pub f64);

impl NormalisedElo {
    /// Normalised Elo for each unit of `t`, 800 / ln 10.
    pub const PER_T: f64 = 800.0 / std::f64::consts::LN_10;

    /// The difference that explains a lead over one half of the points when a
    /// game's score has this standard deviation.
    pub fn of_lead(lead: f64, deviation: f64) -> Self {
        Self(if lead == 0.0 { 0.0 } else { Self::PER_T * lead / deviation })
    }

    /// The lead over one half in standard deviations of a game.
    pub fn t(self) -> f64 {
        self.0 / Self::PER_T
    }
}

/// As [`Elo`] is written: a number, or the word `"inf"` or `"-inf"`.
impl Serialize for NormalisedElo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Elo(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NormalisedElo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Elo::deserialize(deserializer).map(|elo| Self(elo.0))
    }
}
