//! Match results as ratings, with the pair of games as the unit.
//!
//! Two players meet twice from every opening, once with each colour. The two
//! games share the opening's bias, so they are one observation: variances are
//! taken over pairs (the pentanomial model of fishtest and fastchess), never
//! over games.
//!
//! Invariant: nothing here is ever NaN, whatever the counts. A number that does
//! not exist (the share of no game) is `None`; a rating beyond all bounds is an
//! infinite [`Elo`] and is written as such.

mod normalised;
mod pentanomial;
mod sample;
mod sign;
mod trinomial;

use crate::Interval;
use crate::mean::{Mean, Sums};
pub use normalised::NormalisedElo;
pub use pentanomial::Pentanomial;
pub use sample::{Sample, Summary};
pub use sign::SignTest;
pub use trinomial::Trinomial;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A difference in strength on Elo's logistic scale: a share `s` of the points
/// is worth `-400 log10(1/s - 1)`.
///
/// In files a finite difference is a number, and an infinite one the word
/// `"inf"` or `"-inf"`.
///
/// ```
/// use evalsmith_stats::elo::Elo;
/// assert_eq!(Elo::of_share(0.5), Elo(0.0));
/// assert!((Elo::of_share(0.76).0 - 200.24).abs() < 0.01);
/// assert_eq!(Elo::of_share(1.0), Elo(f64::INFINITY));
/// assert!((Elo(200.0).share() - 0.759_747).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The difference that explains a share of the points, from 0 to 1.
    pub fn of_share(share: f64) -> Self {
        // From the smaller side, so that the two players' ratings are opposites.
        let size = |below: f64| 400.0 * (1.0 / below - 1.0).log10();
        Self(if share < 0.5 { -size(share) } else { size(1.0 - share) })
    }

    /// The share of the points that this difference predicts.
    pub fn share(self) -> f64 {
        1.0 / (1.0 + 10.0_f64.powf(-self.0 / 400.0))
    }
}

impl Serialize for Elo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        }
    }
}

impl<'de> Deserialize<'de> for Elo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(elo) if !elo.is_nan() => Ok(Self(elo)),
            Written::Word(word) if word == "inf" => Ok(Self(f64::INFINITY)),
            Written::Word(word) if word == "-inf" => Ok(Self(f64::NEG_INFINITY)),
            _ => Err(de::Error::custom("an Elo difference is a number, \"inf\" or \"-inf\"")),
        }
    }
}

/// Everything a match says about its first player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStats {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs by the points they brought.
    pub pairs: Pentanomial,
    /// The share of the points; none without a game.
    pub share: Option<f64>,
    /// The share's standard error from the variance between pairs; none with
    /// fewer than two pairs.
    pub share_error: Option<f64>,
    /// The 95 % interval of the share.
    pub share_interval: Interval<f64>,
    /// The Elo difference; none without a game.
    pub elo: Option<Elo>,
    /// The 95 % interval of the Elo difference: the share's, transformed.
    pub elo_interval: Interval<Elo>,
    /// The likelihood of superiority: how probable it is that the first player
    /// is the stronger.
    pub superiority: f64,
    /// The exact sign test on the pairs that one player won.
    pub sign_test: SignTest,
    /// The mean margin of a game, in the game's own unit, with its interval over the
    /// pairs; none without a game.
    pub margin: Option<Mean>,
}

impl MatchStats {
    /// The statistics of a match, from each pair's two margins for the first
    /// player. A margin's sign says who won.
    ///
    /// ```
    /// use evalsmith_stats::elo::MatchStats;
    /// let stats = MatchStats::of_pairs([[12, -4], [2, 0], [0, 0], [30, 8]]);
    /// assert_eq!((stats.wins, stats.draws, stats.losses), (4, 3, 1));
    /// assert_eq!(stats.share, Some(0.6875));
    /// ```
    pub fn of_pairs(pairs: impl IntoIterator<Item = [i16; 2]>) -> Self {
        let mut results = [0_u64; 3];
        let mut counts = Pentanomial::default();
        let mut margins = Sums::default();
        for pair in pairs {
            for margin in pair {
                results[(margin.signum() + 1) as usize] += 1;
            }
            counts.add_pair(pair);
            margins.add(i64::from(pair[0]) + i64::from(pair[1]));
        }
        let of_pairs = Summary::of(&counts);
        Self {
            wins: results[2],
            draws: results[1],
            losses: results[0],
            pairs: counts,
            share: of_pairs.share,
            share_error: of_pairs.share_error,
            share_interval: of_pairs.share_interval,
            elo: of_pairs.elo,
            elo_interval: of_pairs.elo_interval,
            superiority: of_pairs.superiority,
            sign_test: of_pairs.sign_test,
            // Two games are a pair.
            margin: margins.mean(0.5),
        }
    }

    /// The summary of its pairs, normalised Elo and ratios included.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.pairs)
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_extremes_are_numbers_or_none() {
        let none = MatchStats::of_pairs([]);
        assert_eq!((none.share, none.share_error, none.elo, none.margin), (None, None, None, None));
        assert_eq!(none.share_interval, Interval { low: 0.0, high: 1.0 });
        assert_eq!(none.elo_interval.high, Elo(f64::INFINITY));
        assert_eq!((none.superiority, none.sign_test.p_value), (0.5, 1.0));

        let won = MatchStats::of_pairs([[6, 2]; 100]);
        assert_eq!(won.elo, Some(Elo(f64::INFINITY)));
        assert_eq!(won.elo_interval.high, Elo(f64::INFINITY));
        // 400 log10(100 / z²).
        assert!((won.elo_interval.low.0 - 566.2).abs() < 0.1, "{:?}", won.elo_interval);
        assert!(won.superiority > 0.999_999);

        let drawn = MatchStats::of_pairs([[0, 0]; 100]);
        assert_eq!((drawn.elo, drawn.superiority), (Some(Elo(0.0)), 0.5));
        assert!(drawn.elo_interval.low < Elo(-5.0) && drawn.elo_interval.high > Elo(5.0));

        let one = MatchStats::of_pairs([[3, 1]]);
        assert_eq!(one.share_error, None);
        assert!(one.elo_interval.low < Elo(0.0), "one pair proves nothing: {one:?}");
    }

    proptest! {
        #[test]
        fn nothing_is_ever_nan_and_the_loser_sees_the_mirror(
            pairs in prop::collection::vec([-64_i16..=64, -64_i16..=64], 0..40),
            extreme in prop::sample::select(vec![None, Some(i16::MAX), Some(-i16::MAX), Some(0)]),
        ) {
            let pairs: Vec<[i16; 2]> =
                pairs.into_iter().map(|p| p.map(|m| extreme.unwrap_or(m))).collect();
            let stats = MatchStats::of_pairs(pairs.iter().copied());
            let mirror = MatchStats::of_pairs(pairs.iter().map(|p| p.map(|m| -m)));

            prop_assert_eq!(stats.games(), 2 * pairs.len() as u64);
            let inner = stats.share_interval;
            prop_assert!(0.0 <= inner.low && inner.low <= inner.high && inner.high <= 1.0);
            prop_assert!(inner.low < inner.high, "no interval is certain: {:?}", inner);
            prop_assert!((0.0..=1.0).contains(&stats.superiority));
            prop_assert!((0.0..=1.0).contains(&stats.sign_test.p_value));
            prop_assert!(stats.elo_interval.low <= stats.elo_interval.high);
            if let (Some(share), Some(elo)) = (stats.share, stats.elo) {
                prop_assert!(inner.contains(&share));
                prop_assert!(stats.elo_interval.contains(&elo));
                let mirrored = mirror.elo.expect("as many games");
                prop_assert!(mirrored.0 == -elo.0 || (mirrored.0 + elo.0).abs() < 1e-9);
            }
            if let Some(margin) = &stats.margin {
                prop_assert!(margin.mean.is_finite());
                prop_assert!(margin.interval.is_none_or(|i| i.contains(&margin.mean)));
            }

            prop_assert!((mirror.share_interval.low - (1.0 - inner.high)).abs() < 1e-12);
            prop_assert!((mirror.superiority - (1.0 - stats.superiority)).abs() < 1e-12);
            prop_assert_eq!(mirror.sign_test.p_value, stats.sign_test.p_value);
        }
    }
}
