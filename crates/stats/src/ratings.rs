//! Ratings of many players from a round robin, a gauntlet or anything between.
//!
//! The model is Elo's own: the expected share of `i` against `j` is the logistic
//! function of the difference of their ratings, a draw is half a point. Ratings
//! solve "points made = points expected" for every player, which are the
//! likelihood equations of Bradley and Terry (1952) with draws as half wins. A
//! model of draws (Davidson 1970; Rao and Kupper 1967) would add a parameter
//! and the assumption that all players draw alike; the score equations need
//! neither, and for two players they give exactly [`Elo::of_share`]. What the
//! draws do to the errors comes from the data: the covariance is the sandwich
//! `A⁻¹ M A⁻¹` with pairs of games as clusters (White 1982).
//!
//! The equations have a finite solution when the players cannot be split so that
//! one part took no point from the other (Ford 1957). Where they can (perfect
//! scores), every player gets half a draw against a player of the pool's mean,
//! and [`Ratings::with_prior`] says so.

mod cross_table;
mod groups;

use crate::elo::{Elo, Sample};
use crate::logistic::{PER_ELO, logistic};
use crate::matrix::Symmetric;
use crate::{Interval, StatsError, normal};
pub use cross_table::CrossTable;
use serde::Serialize;

/// The games of the weak prior, each half a point.
const PRIOR_GAMES: f64 = 0.5;

/// Who has the rating zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor<'a> {
    /// The mean of all ratings.
    Mean,
    /// The player of this name.
    Player(&'a str),
}

/// Ratings with their covariance, in the table's order of players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    elo: Vec<Elo>,
    /// In squared points of Elo.
    covariance: Symmetric,
    with_prior: bool,
}

/// A rating, or the difference of two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub elo: Elo,
    /// Its standard error in points of Elo.
    pub error: f64,
    /// Its 95 % interval.
    pub interval: Interval<Elo>,
    /// The probability that it is above zero.
    pub superiority: f64,
}

impl Estimate {
    fn new(elo: f64, variance: f64) -> Self {
        let error = variance.max(0.0).sqrt();
        let half = normal::Z95 * error;
        // The anchor itself has the rating zero without any error.
        let superiority = if error > 0.0 { normal::cdf(elo / error) } else { 0.5 };
        let interval = Interval { low: Elo(elo - half), high: Elo(elo + half) };
        Self { elo: Elo(elo), error, interval, superiority }
    }
}

impl Ratings {
    /// Rates the players of a table.
    ///
    /// # Errors
    /// When some group of players never met the others (the error names the
    /// groups), or the anchor is none of the players.
    ///
    /// ```
    /// use evalsmith_stats::elo::Pentanomial;
    /// use evalsmith_stats::ratings::{Anchor, CrossTable, Ratings};
    /// let mut table = CrossTable::new(["old", "new", "tuned"])?;
    /// table.add(1, 0, &Pentanomial([2, 10, 20, 12, 6]))?;
    /// table.add(2, 1, &Pentanomial([3, 9, 20, 13, 5]))?;
    /// let ratings = Ratings::fit(&table, Anchor::Player("old"))?;
    /// // Nobody played old against tuned, yet the difference has its interval.
    /// let gain = ratings.difference(2, 0);
    /// assert!(gain.elo.0 > 60.0 && gain.interval.contains(&gain.elo));
    /// # Ok::<(), evalsmith_stats::StatsError>(())
    /// ```
    pub fn fit(table: &CrossTable, anchor: Anchor<'_>) -> Result<Self, StatsError> {
        let players = table.names().len();
        let zero = match anchor {
            Anchor::Mean => vec![1.0 / players as f64; players],
            Anchor::Player(name) => {
                let anchor = table.index(name)?;
                (0..players).map(|i| if i == anchor { 1.0 } else { 0.0 }).collect()
            }
        };
        let groups = groups::linked(table);
        if groups.len() > 1 {
            let names =
                |group: Vec<usize>| group.iter().map(|&i| table.names()[i].clone()).collect();
            return Err(StatsError::Disconnected(groups.into_iter().map(names).collect()));
        }
        let with_prior = !groups::every_part_scored(table);
        let equations = Equations { table, prior: if with_prior { PRIOR_GAMES } else { 0.0 } };
        let solution = equations.solve()?;
        let mut covariance = equations.covariance(&solution)?;

        let shift: f64 = solution.iter().zip(&zero).map(|(r, w)| r * w).sum();
        let rows: Vec<Vec<f64>> = (0..players)
            .map(|i| (0..players).map(|j| f64::from(u8::from(i == j)) - zero[j]).collect())
            .collect();
        covariance = covariance.transformed(&rows);
        covariance.scale(PER_ELO.powi(-2));
        let elo = solution.iter().map(|r| Elo((r - shift) / PER_ELO)).collect();
        Ok(Self { elo, covariance, with_prior })
    }

    /// The ratings, in the table's order.
    pub fn elo(&self) -> &[Elo] {
        &self.elo
    }

    /// The covariance of the ratings, in squared points of Elo.
    pub fn covariance(&self) -> &Symmetric {
        &self.covariance
    }

    /// Whether perfect scores made the weak prior necessary.
    pub fn with_prior(&self) -> bool {
        self.with_prior
    }

    /// The rating of a player against the anchor.
    ///
    /// # Panics
    /// When there is no such player.
    pub fn rating(&self, player: usize) -> Estimate {
        Estimate::new(self.elo[player].0, self.covariance.get(player, player))
    }

    /// By how much the first player is the stronger.
    ///
    /// # Panics
    /// When there is no such player.
    pub fn difference(&self, first: usize, second: usize) -> Estimate {
        let c = |i, j| self.covariance.get(i, j);
        let variance = c(first, first) + c(second, second) - 2.0 * c(first, second);
        Estimate::new(self.elo[first].0 - self.elo[second].0, variance)
    }

    /// The players from best to worst; equals in the table's order.
    pub fn ranking(&self) -> Vec<usize> {
        let mut players: Vec<usize> = (0..self.elo.len()).collect();
        players.sort_by(|&i, &j| self.elo[j].0.total_cmp(&self.elo[i].0));
        players
    }
}

/// "Points made = points expected" for every player; ratings in log-odds.
struct Equations<'a> {
    table: &'a CrossTable,
    prior: f64,
}

impl Equations<'_> {
    /// By Newton's method, which the concave likelihood and bounded steps keep
    /// on its way.
    fn solve(&self) -> Result<Vec<f64>, StatsError> {
        const STEPS: u32 = 200;
        let mut ratings = vec![0.0; self.table.names().len()];
        for _ in 0..STEPS {
            let (missing, information) = self.at(&ratings);
            let steps = information.cholesky().map_err(|_| Self::lost(STEPS))?.solve(&missing);
            let longest = steps.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
            let scale = if longest > 1.0 { 1.0 / longest } else { 1.0 };
            ratings.iter_mut().zip(&steps).for_each(|(rating, step)| *rating += scale * step);
            if longest < 1e-10 {
                return Ok(ratings);
            }
        }
        Err(Self::lost(STEPS))
    }

    fn lost(steps: u32) -> StatsError {
        StatsError::NoConvergence { what: "fit of the ratings", steps }
    }

    /// The points made beyond those expected, and the information.
    fn at(&self, ratings: &[f64]) -> (Vec<f64>, Symmetric) {
        let mut missing = vec![0.0; ratings.len()];
        let mut information = Laplacian::new(ratings.len());
        for (i, j, pairs) in self.table.matches() {
            let games = 2.0 * pairs.pairs() as f64;
            let expected = logistic(ratings[i] - ratings[j]);
            let surplus = games * (pairs.share().unwrap_or(expected) - expected);
            missing[i] += surplus;
            missing[j] -= surplus;
            information.add(i, j, games * expected * (1.0 - expected));
        }
        let mut information = information.finish();
        let own: Vec<f64> = ratings
            .iter()
            .zip(&mut missing)
            .map(|(&rating, missing)| {
                let expected = logistic(rating);
                *missing += self.prior * (0.5 - expected);
                self.prior * expected * (1.0 - expected)
            })
            .collect();
        information.add_to_diagonal(&own);
        if self.prior == 0.0 {
            // Only differences are known. This fixes the sum, which nothing else
            // touches, on the scale of the rest so that no pivot is lost.
            let ones = vec![1.0; ratings.len()];
            let scale = (0..ratings.len()).map(|i| information.get(i, i)).fold(0.0, f64::max);
            information.add_outer(scale / ratings.len() as f64, &ones);
        }
        (missing, information)
    }

    /// The sandwich: how the points made vary from pair to pair, seen through
    /// what a point is worth.
    fn covariance(&self, ratings: &[f64]) -> Result<Symmetric, StatsError> {
        let (_, information) = self.at(ratings);
        let inverse = information.cholesky().map_err(|_| Self::lost(0))?.inverse();
        let mut variance = Laplacian::new(ratings.len());
        for (i, j, pairs) in self.table.matches() {
            let expected = logistic(ratings[i] - ratings[j]);
            variance.add(i, j, pairs.squared_residuals(expected));
        }
        Ok(variance.finish().transformed(&inverse.rows()))
    }
}

/// A sum of `weight (e_i - e_j)(e_i - e_j)'`.
struct Laplacian {
    size: usize,
    lower: Vec<f64>,
}

impl Laplacian {
    fn new(size: usize) -> Self {
        Self { size, lower: vec![0.0; size * (size + 1) / 2] }
    }

    fn add(&mut self, i: usize, j: usize, weight: f64) {
        let at = |row: usize, column: usize| row * (row + 1) / 2 + column;
        self.lower[at(i, i)] += weight;
        self.lower[at(j, j)] += weight;
        self.lower[at(i.max(j), i.min(j))] -= weight;
    }

    fn finish(self) -> Symmetric {
        Symmetric::from_lower(self.size, self.lower)
    }
}

#[cfg(test)]
mod tests;
