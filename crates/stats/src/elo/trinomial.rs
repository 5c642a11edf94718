//! Games by their result, where nothing is known of pairs.
//!
//! Games that share an opening are not independent; where the pairs are known,
//! [`super::Pentanomial`] is the honest count.

use super::Sample;
use super::sample::sealed::Sealed;
use serde::{Deserialize, Serialize};

/// How many games were lost, drawn and won.
///
/// ```
/// use evalsmith_stats::elo::{Sample, Trinomial};
/// assert_eq!(Trinomial::new(6, 2, 2).share(), Some(0.7));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trinomial([u64; 3]);

impl Trinomial {
    /// Games won, drawn and lost.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Self {
        Self([losses, draws, wins])
    }
}

impl Sealed for Trinomial {
    fn counts(&self) -> &[u64] {
        &self.0
    }
}

impl Sample for Trinomial {
    const GAMES: u32 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;
    use crate::elo::Elo;

    /// The expected numbers of fastchess's own tests (`app/tests/elo_test.cpp`,
    /// `EloWDL 1` to `3`), which hold to one per cent there. Its errors hold the
    /// variance fixed, so that of the third, far from level, is not compared.
    #[test]
    fn agrees_with_fastchess() {
        let cases = [
            (Trinomial::new(76, 123, 89), -20.76, Some(40.13), 0.1553, 0.477),
            (Trinomial::new(136, 111, 96), 49.77, Some(36.77), 0.9960, 0.558),
            (Trinomial::new(34, 0, 356), -508.44, None, 0.0, 0.087),
        ];
        for (games, normalised, error, superiority, score) in cases {
            let share = games.share().expect("games were played");
            assert!((share / score - 1.0_f64).abs() < 0.01, "{share}");
            let found = games.normalised_elo().expect("games were played").0;
            assert!((found / normalised - 1.0_f64).abs() < 1e-3, "{found}");
            let Interval { low, high } = games.normalised_interval();
            let half = f64::midpoint(high.0, -low.0);
            assert!(error.is_none_or(|error| (half / error - 1.0_f64).abs() < 0.02), "{half}");
            // One further game of the largest variance is counted in here.
            assert!((games.superiority() - superiority).abs() < 2e-3, "{superiority}");
        }
        let Interval { low, high } = Trinomial::new(136, 111, 96).share_interval();
        let half = (Elo::of_share(high).0 - Elo::of_share(low).0) / 2.0;
        assert!((half / 30.43 - 1.0).abs() < 0.01, "{half}");
    }
}
