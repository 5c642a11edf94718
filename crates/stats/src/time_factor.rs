//! The time factor of equal strength: "A with time `t` equals B with time 1"
//! (Buro 1995, 1998), found by playing at several factors.
//!
//! The expected share of A with `f` times B's time is the logistic function of
//! `a + b log2 f`. The fit takes pairs of games as clusters, as ratings do; the
//! factor of equal strength is `2^(-a/b)`, and its interval is Fieller's (1954):
//! all factors whose predicted log-odds do not differ from zero by 1.96 of their
//! own standard errors. Where the slope itself is not sure, no interval has two
//! ends, and there is none.
//!
//! Invariant: only counts at each factor matter, never the order of batches.

mod design;

use crate::elo::{Pentanomial, Sample};
use crate::logistic::logistic;
use crate::matrix::Symmetric;
use crate::{Interval, StatsError, normal};
pub use design::{Design, Step};
use serde::{Deserialize, Serialize};

/// The pairs played at one time factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// A's time over B's.
    pub factor: f64,
    /// The pairs by A's points.
    pub pairs: Pentanomial,
}

/// Strength against time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeFit {
    /// A's log-odds with equal time.
    pub intercept: f64,
    /// A's log-odds for each doubling of its time.
    pub slope: f64,
    /// The factor of equal strength; none unless more time helps.
    pub factor: Option<f64>,
    /// Its 95 % interval; none unless the data show that more time helps.
    pub interval: Option<Interval<f64>>,
    /// Whether every factor got half a drawn pair, because otherwise the fit
    /// would have no finite slope.
    pub with_prior: bool,
}

impl TimeFit {
    /// Fits strength against time; none unless two factors were played.
    ///
    /// # Errors
    /// When a factor is not a positive number, or the fit does not converge.
    ///
    /// ```
    /// use evalsmith_stats::elo::Pentanomial;
    /// use evalsmith_stats::time_factor::{Batch, TimeFit};
    /// let fit = TimeFit::of(&[
    ///     Batch { factor: 0.5, pairs: Pentanomial([30, 40, 60, 20, 10]) },
    ///     Batch { factor: 2.0, pairs: Pentanomial([10, 20, 60, 40, 30]) },
    /// ])?
    /// .expect("two factors were played");
    /// assert!((fit.factor.unwrap() - 1.0).abs() < 1e-9);
    /// # Ok::<(), evalsmith_stats::StatsError>(())
    /// ```
    pub fn of(batches: &[Batch]) -> Result<Option<Self>, StatsError> {
        let points = merged(batches)?;
        if points.len() < 2 {
            return Ok(None);
        }
        let with_prior = separated(&points);
        let prior = if with_prior { 0.5 } else { 0.0 };
        let [a, b] = solve(&points, prior)?;
        let covariance = covariance(&points, prior, [a, b])?;
        let factor = (b > 0.0).then(|| (-a / b).exp2());
        let interval = factor.and_then(|_| fieller(a, b, &covariance));
        Ok(Some(Self { intercept: a, slope: b, factor, interval, with_prior }))
    }
}

/// Pairs at a binary logarithm of the time factor.
#[derive(Clone, Copy, Debug)]
struct Point {
    log: f64,
    pairs: Pentanomial,
}

/// One point for each factor at which pairs were played, in rising order.
fn merged(batches: &[Batch]) -> Result<Vec<Point>, StatsError> {
    let mut points: Vec<Point> = Vec::new();
    for batch in batches {
        if !(batch.factor > 0.0 && batch.factor.is_finite()) {
            return Err(StatsError::TimeFactor(batch.factor));
        }
        if batch.pairs.pairs() > 0 {
            points.push(Point { log: batch.factor.log2(), pairs: batch.pairs });
        }
    }
    points.sort_by(|x, y| x.log.total_cmp(&y.log));
    points.dedup_by(|later, kept| {
        let same = later.log == kept.log;
        if same {
            kept.pairs.add(&later.pairs);
        }
        same
    });
    Ok(points)
}

/// Whether some factor parts all points won from all points lost: then ever
/// steeper curves fit ever better.
fn separated(points: &[Point]) -> bool {
    let lost = |p: &&Point| p.pairs.share() < Some(1.0);
    let won = |p: &&Point| p.pairs.share() > Some(0.0);
    let ends = |some: &dyn Fn(&&Point) -> bool| {
        let first = points.iter().find(some).map(|p| p.log);
        first.zip(points.iter().rfind(some).map(|p| p.log))
    };
    match (ends(&lost), ends(&won)) {
        (Some(lost), Some(won)) => lost.1 <= won.0 || won.1 <= lost.0,
        _ => true,
    }
}

/// Newton's method on the concave likelihood, in bounded steps.
fn solve(points: &[Point], prior: f64) -> Result<[f64; 2], StatsError> {
    const STEPS: u32 = 200;
    let lost = || StatsError::NoConvergence { what: "fit of strength against time", steps: STEPS };
    let mut line = [0.0; 2];
    for _ in 0..STEPS {
        let mut missing = [0.0; 2];
        for point in points {
            let expected = logistic(line[0] + line[1] * point.log);
            let share = point.pairs.share().unwrap_or(expected);
            let surplus = 2.0 * point.pairs.pairs() as f64 * (share - expected)
                + 2.0 * prior * (0.5 - expected);
            missing[0] += surplus;
            missing[1] += surplus * point.log;
        }
        let information = information(points, prior, line);
        let step = information.cholesky().map_err(|_| lost())?.solve(&missing);
        // Bounded where it counts: in the log-odds at the points played.
        let change = |point: &Point| (step[0] + step[1] * point.log).abs();
        let longest = points.iter().map(change).fold(0.0, f64::max);
        let scale = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        line = [line[0] + scale * step[0], line[1] + scale * step[1]];
        if longest < 1e-11 {
            return Ok(line);
        }
    }
    Err(lost())
}

fn information(points: &[Point], prior: f64, [a, b]: [f64; 2]) -> Symmetric {
    let mut information = Symmetric::zeros(2);
    for point in points {
        let expected = logistic(a + b * point.log);
        let games = 2.0 * (point.pairs.pairs() as f64 + prior);
        information.add_outer(games * expected * (1.0 - expected), &[1.0, point.log]);
    }
    information
}

/// The sandwich with pairs as clusters.
fn covariance(points: &[Point], prior: f64, [a, b]: [f64; 2]) -> Result<Symmetric, StatsError> {
    let mut variance = Symmetric::zeros(2);
    for point in points {
        let expected = logistic(a + b * point.log);
        variance.add_outer(point.pairs.squared_residuals(expected), &[1.0, point.log]);
    }
    let information = information(points, prior, [a, b]);
    let factor = information.cholesky().map_err(|_| StatsError::NoConvergence {
        what: "covariance of strength against time",
        steps: 0,
    })?;
    Ok(variance.transformed(&factor.inverse().rows()))
}

/// The factors `2^x` with `(a + b x)² <= z² var(a + b x)`, if they have two ends.
fn fieller(a: f64, b: f64, covariance: &Symmetric) -> Option<Interval<f64>> {
    let z2 = normal::Z95.powi(2);
    let square = b * b - z2 * covariance.get(1, 1);
    let linear = a * b - z2 * covariance.get(0, 1);
    let constant = a * a - z2 * covariance.get(0, 0);
    (square > 0.0).then(|| {
        let root = (linear * linear - square * constant).max(0.0).sqrt();
        let end = |root: f64| ((root - linear) / square).exp2();
        Interval { low: end(-root), high: end(root) }
    })
}

#[cfg(test)]
mod tests;
