//! The logistic curve through the observations, with errors clustered by game.
//!
//! P(win) = 1 / (1 + exp(-(offset + scale · value))) by maximum likelihood
//! (Newton's method). A function whose values are true log-odds has scale 1 and
//! offset 0. The errors are those of the sandwich A⁻¹BA⁻¹ with the scores of a
//! game summed before they are squared (Liang and Zeger 1986) and the factor
//! G/(G-1). Invariant: a fit is given only where the likelihood has a maximum,
//! that is, where values of won and lost positions overlap.

use evalsmith_core::{LogOdds, WinProb};
use serde::{Deserialize, Serialize};

/// Positions of one game at one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) game: u32,
    pub(crate) value: f64,
    pub(crate) count: f64,
    pub(crate) points: f64,
}

/// A fitted logistic curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logistic {
    /// Log-odds of winning per unit of value.
    pub scale: f64,
    /// Its standard error, clustered by game.
    pub scale_error: f64,
    /// Log-odds of winning at value zero.
    pub offset: f64,
    /// Its standard error, clustered by game.
    pub offset_error: f64,
}

impl Logistic {
    /// The win probability at a value.
    pub fn win_prob(&self, value: f64) -> WinProb {
        LogOdds(self.offset + self.scale * value).win_prob()
    }

    /// Fits `groups`, which must come game by game; none where the data fix no
    /// curve: fewer than two games, or values that part wins from losses.
    pub(crate) fn fit(groups: impl Iterator<Item = Group> + Clone) -> Option<Self> {
        let unit = Unit::of(groups.clone())?;
        let mut weights = [0.0; 2];
        let mut likelihood = log_likelihood(groups.clone(), unit, weights);
        for _ in 0..100 {
            let (gradient, information) = derivatives(groups.clone(), unit, weights);
            let step = information.inverse()?.times(gradient);
            let mut share = 1.0;
            let next = loop {
                let next = [weights[0] + share * step[0], weights[1] + share * step[1]];
                let reached = log_likelihood(groups.clone(), unit, next);
                // Rounding alone may lower it next to the maximum.
                if reached >= likelihood - 1e-12 * likelihood.abs() {
                    likelihood = reached;
                    break next;
                }
                share *= 0.5;
                if share < 1e-9 {
                    return None;
                }
            };
            weights = next;
            if step.iter().zip(weights).all(|(s, w)| s.abs() <= 1e-10 * (1.0 + w.abs())) {
                return Self::with_errors(groups, unit, weights);
            }
        }
        None
    }

    fn with_errors(
        groups: impl Iterator<Item = Group> + Clone,
        unit: Unit,
        weights: [f64; 2],
    ) -> Option<Self> {
        let (_, information) = derivatives(groups.clone(), unit, weights);
        let bread = information.inverse()?;
        let (meat, games) = meat(groups, unit, weights);
        let factor = games / (games - 1.0);
        // value = mean + deviation · u, so these rows turn the weights of 1 and
        // u into those of 1 and value.
        let rows = [[1.0, -unit.mean / unit.deviation], [0.0, 1.0 / unit.deviation]];
        let [offset, scale] = rows.map(|row| dot(row, weights));
        let [offset_error, scale_error] = rows.map(|row| {
            let half = bread.times(row);
            (factor * dot(half, meat.times(half))).max(0.0).sqrt()
        });
        let fit = Self { scale, scale_error, offset, offset_error };
        [scale, scale_error, offset, offset_error].iter().all(|x| x.is_finite()).then_some(fit)
    }
}

/// Values are fitted in units of their own spread, so that Newton's method does
/// not depend on the scale of a function.
#[derive(Clone, Copy)]
struct Unit {
    mean: f64,
    deviation: f64,
}

impl Unit {
    /// None where no maximum of the likelihood exists (or no error can be had).
    fn of(groups: impl Iterator<Item = Group> + Clone) -> Option<Self> {
        let (mut count, mut sum) = (0.0, 0.0);
        let (mut won, mut lost) = (Extent::NONE, Extent::NONE);
        let (mut first, mut several) = (None, false);
        for g in groups.clone() {
            several |= *first.get_or_insert(g.game) != g.game;
            count += g.count;
            sum += g.count * g.value;
            if g.points > 0.0 {
                won.include(g.value);
            }
            if g.points < g.count {
                lost.include(g.value);
            }
        }
        let parted = lost.max <= won.min || won.max <= lost.min;
        if parted || !several {
            return None;
        }
        let mean = sum / count;
        let squares: f64 = groups.map(|g| g.count * (g.value - mean).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        (deviation > 0.0 && deviation.is_finite()).then_some(Self { mean, deviation })
    }

    fn row(self, group: &Group) -> [f64; 2] {
        [1.0, (group.value - self.mean) / self.deviation]
    }
}

struct Extent {
    min: f64,
    max: f64,
}

impl Extent {
    const NONE: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn include(&mut self, x: f64) {
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }
}

fn log_likelihood(groups: impl Iterator<Item = Group>, unit: Unit, weights: [f64; 2]) -> f64 {
    // log(1 + e^x) without overflow.
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    groups
        .map(|g| {
            let logit = dot(unit.row(&g), weights);
            -(g.points * softplus(-logit) + (g.count - g.points) * softplus(logit))
        })
        .sum()
}

fn derivatives(
    groups: impl Iterator<Item = Group>,
    unit: Unit,
    weights: [f64; 2],
) -> ([f64; 2], Symmetric) {
    let mut gradient = [0.0; 2];
    let mut information = Symmetric::default();
    for g in groups {
        let row = unit.row(&g);
        let p = LogOdds(dot(row, weights)).win_prob().0;
        let residual = g.points - g.count * p;
        gradient = [gradient[0] + residual * row[0], gradient[1] + residual * row[1]];
        information.add(g.count * p * (1.0 - p), row);
    }
    (gradient, information)
}

/// The games' summed scores, squared, and how many games there are.
fn meat(groups: impl Iterator<Item = Group>, unit: Unit, weights: [f64; 2]) -> (Symmetric, f64) {
    let mut meat = Symmetric::default();
    let mut games = 0.0;
    let mut game = None;
    let mut score = [0.0; 2];
    for g in groups {
        if game != Some(g.game) {
            meat.add(1.0, score);
            (game, score) = (Some(g.game), [0.0; 2]);
            games += 1.0;
        }
        let row = unit.row(&g);
        let residual = g.points - g.count * LogOdds(dot(row, weights)).win_prob().0;
        score = [score[0] + residual * row[0], score[1] + residual * row[1]];
    }
    meat.add(1.0, score);
    (meat, games)
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A symmetric 2 × 2 matrix.
#[derive(Clone, Copy, Default)]
struct Symmetric {
    a: f64,
    b: f64,
    c: f64,
}

impl Symmetric {
    /// Adds `weight` times the outer square of `row`.
    fn add(&mut self, weight: f64, row: [f64; 2]) {
        self.a += weight * row[0] * row[0];
        self.b += weight * row[0] * row[1];
        self.c += weight * row[1] * row[1];
    }

    fn times(self, v: [f64; 2]) -> [f64; 2] {
        [self.a * v[0] + self.b * v[1], self.b * v[0] + self.c * v[1]]
    }

    fn inverse(self) -> Option<Self> {
        let det = self.a * self.c - self.b * self.b;
        (det > 1e-14 * self.a * self.c).then(|| Self {
            a: self.c / det,
            b: -self.b / det,
            c: self.a / det,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(game: u32, value: f64, points: f64) -> Group {
        Group { game, value, count: 1.0, points }
    }

    /// statsmodels 0.15: `Logit(points, [1, value]).fit(cov_type="cluster")` with
    /// the games as groups, without its own correction, errors times √(12/11).
    #[test]
    fn agrees_with_statsmodels() {
        let groups: Vec<_> = (0..60)
            .map(|i| {
                let (game, j) = (i / 5, i % 5);
                let points = f64::from(u8::from(game * 7 % 12 >= 5));
                let spread = f64::from((game * 5 + j * 3) % 11) - 5.0;
                position(game, 0.4 * spread + 1.2 * points - 0.6, points)
            })
            .collect();
        let fit = Logistic::fit(groups.iter().copied()).expect("values overlap");
        for (ours, theirs) in [
            (fit.offset, 0.371_643_448_585_05),
            (fit.scale, 0.765_852_974_512_37),
            (fit.offset_error, 0.626_289_585_852_17),
            (fit.scale_error, 0.136_845_399_269_49),
        ] {
            assert!((ours - theirs).abs() < 1e-9, "{ours} is not {theirs}");
        }
    }

    #[test]
    fn a_change_of_unit_changes_the_scale_alone() {
        let groups = |unit: f64| {
            (0..40).map(move |game| {
                let value = f64::from(game % 8) - 3.0;
                position(game, value * unit, f64::from(u8::from(game * 5 % 13 < 4 + game % 8)))
            })
        };
        let (one, small) = (Logistic::fit(groups(1.0)), Logistic::fit(groups(1e-7)));
        let (one, small) = (one.expect("overlap"), small.expect("overlap"));
        assert!((one.scale - small.scale * 1e-7).abs() < 1e-9);
        assert!((one.offset - small.offset).abs() < 1e-9);
        assert!((one.offset_error - small.offset_error).abs() < 1e-9);
        assert!((one.win_prob(2.0).0 - small.win_prob(2e-7).0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_fitted_where_nothing_is_fixed() {
        let fit = |rows: &[(u32, f64, f64)]| {
            Logistic::fit(rows.iter().map(|&(game, value, points)| position(game, value, points)))
        };
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(0, 1.0, 1.0), (1, 2.0, 1.0)]), None, "only wins");
        assert_eq!(fit(&[(0, -1.0, 0.0), (1, 1.0, 1.0)]), None, "values part the results");
        assert_eq!(fit(&[(0, -1.0, 0.0), (1, 0.0, 1.0), (2, 0.0, 0.0)]), None, "all but one value");
        assert_eq!(fit(&[(0, 1.0, 0.0), (1, 1.0, 1.0)]), None, "one value");
        assert_eq!(fit(&[(0, 0.0, 1.0), (0, 1.0, 0.0), (0, 2.0, 1.0)]), None, "one game");
        assert!(fit(&[(0, 0.0, 1.0), (1, 1.0, 0.0), (2, 2.0, 1.0)]).is_some());
    }
}
