//! The generalised sequential probability ratio test: play until one of two
//! hypotheses about the difference in strength has won.
//!
//! The log-likelihood ratio is the exact generalised one that fishtest and
//! fastchess compute: the greatest likelihood of all distributions of outcomes
//! with H1's strength over the greatest with H0's, nothing assumed of draws,
//! openings or variance. Wald's bounds `ln(β / (1-α))` and `ln((1-β) / α)` then
//! hold the error rates, to the little by which the last pair oversteps.
//!
//! Invariant: the ratio is a finite number for any counts.

mod forecast;
mod likelihood;

use crate::elo::{Elo, NormalisedElo, Sample};
use crate::{Interval, StatsError};
pub use forecast::Forecast;
use likelihood::Observed;
use serde::{Deserialize, Serialize};

/// A difference in strength, on the scale in which it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// In logistic Elo: fixes the expected score.
    Logistic(Elo),
    /// In normalised Elo: fixes the lead in standard deviations of a game.
    Normalised(NormalisedElo),
}

impl Strength {
    fn number(self) -> f64 {
        match self {
            Self::Logistic(elo) => elo.0,
            Self::Normalised(elo) => elo.0,
        }
    }

    /// The expected share when an observation of `games` games has this variance.
    fn share(self, variance: f64, games: f64) -> f64 {
        match self {
            Self::Logistic(elo) => elo.share(),
            Self::Normalised(elo) => 0.5 + elo.t() * (games * variance).sqrt(),
        }
    }
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Neither hypothesis has won: play on.
    Continue,
    /// The weaker hypothesis has won.
    AcceptH0,
    /// The stronger hypothesis has won.
    AcceptH1,
}

/// A test of H0 against the stronger H1.
///
/// ```
/// use evalsmith_stats::elo::{NormalisedElo, Pentanomial};
/// use evalsmith_stats::sprt::{Sprt, Verdict};
/// let sprt = Sprt::normalised([NormalisedElo(0.0), NormalisedElo(2.0)], 0.05, 0.05)?;
/// let pairs = Pentanomial([365, 16618, 36229, 16974, 390]);
/// assert_eq!(format!("{:.2}", sprt.llr(&pairs)), "2.25");
/// assert_eq!(format!("{:.2}", sprt.bounds().high), "2.94");
/// assert_eq!(sprt.verdict(&pairs), Verdict::Continue);
/// # Ok::<(), evalsmith_stats::StatsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Sprt {
    null: Strength,
    alternative: Strength,
    alpha: f64,
    beta: f64,
}

/// A test as files hold it, not yet checked.
#[derive(Deserialize)]
struct Written {
    null: Strength,
    alternative: Strength,
    alpha: f64,
    beta: f64,
}

impl TryFrom<Written> for Sprt {
    type Error = StatsError;

    fn try_from(written: Written) -> Result<Self, StatsError> {
        let Written { null, alternative, alpha, beta } = written;
        match (null, alternative) {
            (Strength::Logistic(h0), Strength::Logistic(h1)) => {
                Self::logistic([h0, h1], alpha, beta)
            }
            (Strength::Normalised(h0), Strength::Normalised(h1)) => {
                Self::normalised([h0, h1], alpha, beta)
            }
            _ => Err(StatsError::MixedScales),
        }
    }
}

impl Sprt {
    /// How far from level a hypothesis in logistic Elo may be.
    pub const MAX_ELO: Elo = Elo(2000.0);
    /// How far from level a hypothesis in normalised Elo may be.
    pub const MAX_NORMALISED: NormalisedElo = NormalisedElo(150.0);

    /// H0 and H1 in logistic Elo, with the rate `alpha` of accepting H1 under H0
    /// and the rate `beta` of accepting H0 under H1.
    ///
    /// # Errors
    /// When H1 is not above H0, either is beyond [`Self::MAX_ELO`], or the rates
    /// are not rates of a test.
    pub fn logistic([h0, h1]: [Elo; 2], alpha: f64, beta: f64) -> Result<Self, StatsError> {
        let (null, alternative) = (Strength::Logistic(h0), Strength::Logistic(h1));
        Self { null, alternative, alpha, beta }.checked(Self::MAX_ELO.0)
    }

    /// H0 and H1 in normalised Elo, with error rates as in [`Self::logistic`].
    ///
    /// # Errors
    /// When H1 is not above H0, either is beyond [`Self::MAX_NORMALISED`], or the
    /// rates are not rates of a test.
    pub fn normalised(
        [h0, h1]: [NormalisedElo; 2],
        alpha: f64,
        beta: f64,
    ) -> Result<Self, StatsError> {
        let (null, alternative) = (Strength::Normalised(h0), Strength::Normalised(h1));
        Self { null, alternative, alpha, beta }.checked(Self::MAX_NORMALISED.0)
    }

    fn checked(self, limit: f64) -> Result<Self, StatsError> {
        let (null, alternative) = (self.null.number(), self.alternative.number());
        let inside = -limit..=limit;
        // Written so that no comparison with NaN passes.
        if !(null < alternative && inside.contains(&null) && inside.contains(&alternative)) {
            return Err(StatsError::Hypotheses { null, alternative, limit });
        }
        let (alpha, beta) = (self.alpha, self.beta);
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(StatsError::ErrorRates { alpha, beta });
        }
        Ok(self)
    }

    /// H0 and H1.
    pub fn hypotheses(&self) -> [Strength; 2] {
        [self.null, self.alternative]
    }

    /// The rates of accepting H1 under H0 and of accepting H0 under H1.
    pub fn error_rates(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// The ratio at which H0 wins, and that at which H1 does.
    pub fn bounds(&self) -> Interval<f64> {
        Interval {
            low: (self.beta / (1.0 - self.alpha)).ln(),
            high: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// The generalised log-likelihood ratio of H1 over H0; zero without a game.
    pub fn llr<S: Sample>(&self, sample: &S) -> f64 {
        let counts = sample.counts();
        let games = f64::from(S::GAMES);
        match (<&[u64; 5]>::try_from(counts), <&[u64; 3]>::try_from(counts)) {
            _ if sample.total() == 0 => 0.0,
            (Ok(five), _) => self.ratio(&Observed::new(five), games),
            (_, Ok(three)) => self.ratio(&Observed::new(three), games),
            _ => unreachable!("a sample has three outcomes or five"),
        }
    }

    fn ratio<const N: usize>(&self, observed: &Observed<N>, games: f64) -> f64 {
        let at = |strength| match strength {
            Strength::Logistic(elo) => observed.at_expectation(elo.share()),
            Strength::Normalised(elo) => observed.at_t(elo.t() * games.sqrt()),
        };
        at(self.alternative) - at(self.null)
    }

    /// What a log-likelihood ratio means.
    pub fn verdict_at(&self, llr: f64) -> Verdict {
        let Interval { low, high } = self.bounds();
        if llr >= high {
            Verdict::AcceptH1
        } else if llr <= low {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }

    /// What the test says of a sample.
    pub fn verdict<S: Sample>(&self, sample: &S) -> Verdict {
        self.verdict_at(self.llr(sample))
    }

    /// What is to be expected of the test after this sample, if the difference
    /// in strength is `truth`. Observations vary as they did so far, one with
    /// all outcomes as likely counted in; so without any the forecast is rough.
    ///
    /// # Errors
    /// When the truth is not a number.
    ///
    /// ```
    /// use evalsmith_stats::elo::{Elo, Pentanomial};
    /// use evalsmith_stats::sprt::{Sprt, Strength};
    /// let sprt = Sprt::logistic([Elo(0.0), Elo(5.0)], 0.05, 0.05)?;
    /// let so_far = Pentanomial([40, 240, 430, 250, 40]);
    /// let forecast = sprt.forecast(&so_far, Strength::Logistic(Elo(5.0)))?;
    /// assert!(forecast.accepts > 0.9 && forecast.remaining > 1000.0);
    /// # Ok::<(), evalsmith_stats::StatsError>(())
    /// ```
    pub fn forecast<S: Sample>(&self, sample: &S, truth: Strength) -> Result<Forecast, StatsError> {
        if truth.number().is_nan() {
            return Err(StatsError::NoTruth);
        }
        let variance = typical_variance(sample);
        let share = truth.share(variance, f64::from(S::GAMES)).clamp(0.0, 1.0);
        Ok(self.forecast_from(self.llr(sample), variance, share, S::GAMES))
    }

    /// The forecast from this ratio on, when an observation of `games` games has
    /// this variance and expectation.
    pub(crate) fn forecast_from(
        &self,
        llr: f64,
        variance: f64,
        share: f64,
        games: u32,
    ) -> Forecast {
        let [s0, s1] = self.hypotheses().map(|h| h.share(variance, f64::from(games)));
        let step = s1 - s0;
        let drift = (share - f64::midpoint(s0, s1)) * step / variance;
        let Interval { low, high } = self.bounds();
        forecast::first_passage(drift, step * step / variance, low - llr, high - llr)
    }
}

/// The variance of an observation, one with all outcomes as likely counted in.
fn typical_variance<S: Sample>(sample: &S) -> f64 {
    let best = (sample.counts().len() - 1) as f64;
    let even = (best + 2.0) / (12.0 * best);
    let n = sample.total() as f64;
    let seen = sample.standard_error().map_or(0.0, |error| error * error * n * (n - 1.0));
    (seen + even) / (n + 1.0)
}

#[cfg(test)]
mod tests;
