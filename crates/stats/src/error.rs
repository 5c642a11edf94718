//! What can be wrong with the numbers handed in.

use std::fmt;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// Two hypotheses that no test can tell apart, or beyond any player.
    #[error(
        "the hypotheses {null} and {alternative}: the second must be the greater, and both \
         between -{limit} and {limit}"
    )]
    Hypotheses {
        /// The difference in strength under H0.
        null: f64,
        /// The difference in strength under H1.
        alternative: f64,
        /// How far from level a hypothesis may be.
        limit: f64,
    },
    /// One hypothesis in logistic Elo and one in normalised Elo.
    #[error("one hypothesis is in logistic and one in normalised Elo: give both on one scale")]
    MixedScales,
    /// Error rates that no test has.
    #[error("alpha {alpha} and beta {beta}: each must be above 0, and their sum below 1")]
    ErrorRates {
        /// The wanted rate of accepting H1 under H0.
        alpha: f64,
        /// The wanted rate of accepting H0 under H1.
        beta: f64,
    },
    /// A true strength to forecast from that is not a number.
    #[error("the true difference in strength is not a number")]
    NoTruth,
    /// A setting of a simulation that no game has.
    #[error("{what} is {value}: it must lie between {low} and {high}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// The least it may be.
        low: f64,
        /// The most it may be.
        high: f64,
    },
    /// Probabilities that are none.
    #[error("the probabilities {0:?} must be finite, not negative, and sum to 1")]
    Probabilities([f64; 5]),
    /// A number that counts something and is zero.
    #[error("the number of {0} must be at least 1")]
    Nothing(&'static str),
    /// Fewer than two players cannot be rated.
    #[error("{0} players: a table of ratings needs at least two")]
    TooFewPlayers(usize),
    /// Two players of one name.
    #[error("two players are called {0:?}: give each its own name")]
    SameName(String),
    /// A player who is not in the table.
    #[error("no player {player} in a table of {players}")]
    NoSuchPlayer {
        /// The index or name asked for.
        player: String,
        /// How many players there are.
        players: usize,
    },
    /// A player against itself.
    #[error("{0:?} cannot play against itself")]
    AgainstItself(String),
    /// Players whose ratings cannot be compared, for nobody links their groups.
    #[error("no game links these groups of players: {}; let one player of each meet", Listed(.0))]
    Disconnected(Vec<Vec<String>>),
    /// A fit that did not come to rest.
    #[error(
        "the {what} did not converge in {steps} steps: check the counts for some that are out of \
         all proportion to the others"
    )]
    NoConvergence {
        /// What was fitted.
        what: &'static str,
        /// How many steps were made.
        steps: u32,
    },
    /// A time factor that is none.
    #[error("the time factor {0} must be a positive number")]
    TimeFactor(f64),
    /// A range of time factors that holds none.
    #[error("time factors from {low} to {high}: both must be positive, the second the greater")]
    FactorRange {
        /// The lowest factor allowed.
        low: f64,
        /// The highest factor allowed.
        high: f64,
    },
    /// A precision that cannot be reached.
    #[error("a precision of {0}: the interval's ends must be allowed to differ by a ratio above 1")]
    Precision(f64),
}

struct Listed<'a>(&'a [Vec<String>]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, group) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{{{}}}", group.join(", "))?;
        }
        Ok(())
    }
}
