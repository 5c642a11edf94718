//! The logistic curve through the observations, with errors clustered by game.
//!
//! P(win) = 1 / (1 + exp(-(offset + scale · value))) by maximum likelihood (see
//! `newton`). A function whose values are true log-odds has scale 1 and offset 0.
//! Invariant: a fit is given only where the likelihood has a maximum,
//! that is, where values of won and lost positions overlap.

use crate::newton::{self, Aim, Rows};
use evalsmith_core::{LogOdds, WinProb};
use serde::{Deserialize, Serialize};

/// Positions of one game at one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) game: u32,
    /// The bin's number; a game has one group a bin.
    pub(crate) bin: i32,
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
    pub(crate) fn fit(groups: &[Group]) -> Option<Self> {
        let unit = Unit::of(groups)?;
        let column = |of: fn(&Group) -> f64| groups.iter().map(of).collect::<Vec<f64>>();
        let (points, counts) = (column(|g| g.points), column(|g| g.count));
        let (ones, units) =
            (column(|_| 1.0), groups.iter().map(|g| unit.place(g)).collect::<Vec<_>>());
        let clusters: Vec<u32> = groups.iter().map(|g| g.game).collect();
        let columns = vec![&ones[..], &units[..]];
        let rows = Rows { columns, points: &points, counts: Some(&counts), clusters: &clusters };
        let found = newton::fit(&rows, Aim::Likelihood, None).ok()?;
        // value = mean + deviation · u, so these rows turn the weights of 1 and
        // u into those of 1 and value.
        let slope = 1.0 / unit.deviation;
        let turned =
            found.clustered.transformed(&[vec![1.0, -unit.mean * slope], vec![0.0, slope]]);
        let error = |i: usize| turned.get(i, i).max(0.0).sqrt();
        let fit = Self {
            scale: found.weights[1] * slope,
            scale_error: error(1),
            offset: found.weights[0] - found.weights[1] * unit.mean * slope,
            offset_error: error(0),
        };
        let numbers = [fit.scale, fit.scale_error, fit.offset, fit.offset_error];
        numbers.iter().all(|x| x.is_finite()).then_some(fit)
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
    fn of(groups: &[Group]) -> Option<Self> {
        let (mut count, mut sum) = (0.0, 0.0);
        let (mut won, mut lost) = (Extent::NONE, Extent::NONE);
        let (mut first, mut several) = (None, false);
        for g in groups {
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
        let squares: f64 = groups.iter().map(|g| g.count * (g.value - mean).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        (deviation > 0.0 && deviation.is_finite()).then_some(Self { mean, deviation })
    }

    fn place(self, group: &Group) -> f64 {
        (group.value - self.mean) / self.deviation
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

#[cfg(test)]
mod tests {
    use super::*;

    fn position(game: u32, value: f64, points: f64) -> Group {
        Group { game, bin: 0, value, count: 1.0, points }
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
        let fit = Logistic::fit(&groups).expect("values overlap");
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
            let at = |game: u32| {
                let value = f64::from(game % 8) - 3.0;
                position(game, value * unit, f64::from(u8::from(game * 5 % 13 < 4 + game % 8)))
            };
            (0..40).map(at).collect::<Vec<_>>()
        };
        let (one, small) = (Logistic::fit(&groups(1.0)), Logistic::fit(&groups(1e-7)));
        let (one, small) = (one.expect("overlap"), small.expect("overlap"));
        assert!((one.scale - small.scale * 1e-7).abs() < 1e-9);
        assert!((one.offset - small.offset).abs() < 1e-9);
        assert!((one.offset_error - small.offset_error).abs() < 1e-9);
        assert!((one.win_prob(2.0).0 - small.win_prob(2e-7).0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_fitted_where_nothing_is_fixed() {
        let fit = |rows: &[(u32, f64, f64)]| {
            let group = |&(game, value, points): &(u32, f64, f64)| position(game, value, points);
            Logistic::fit(&rows.iter().map(group).collect::<Vec<_>>())
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
