//! How far a conditioned curve lies from the total one, and whether chance alone
//! may have parted them.
//!
//! Size: the mean vertical gap in win probability and the mean horizontal gap in
//! units of value, both over the condition's positions. Test: one curve of any
//! shape (see `hats`) for everybody, against the same curve moved and tilted where
//! the condition holds. Twice the gain in log-likelihood is chi-square with two
//! degrees of freedom only if positions were independent; clustered by game it is
//! larger by the mean design effect of the two new weights (Rao and Scott 1984),
//! by which it is divided. Where values separate wins from losses, all fits have the
//! same ridge and the gain is that of the penalised likelihood. Invariant: gaps are of
//! the condition minus the total.

use crate::count::{Counted, Drawn};
use crate::hats::Hats;
use crate::logistic::Group;
use crate::newton::{self, Aim, Optimum, Rows};
use crate::{Curve, CurveError};
use evalsmith_stats::chi_square;
use evalsmith_stats::matrix::Symmetric;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Knots of the common curve.
const KNOTS: usize = 8;

/// A conditioned curve beside the total one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Mean difference in win probability at equal value.
    pub vertical: f64,
    /// Mean difference in value at equal win probability: what the function
    /// should add where the condition holds. None where no bin has its like.
    pub horizontal: Option<f64>,
    /// Log-odds added where the condition holds, at the mean value of its positions.
    pub log_odds: f64,
    /// Its standard error, clustered by game.
    pub log_odds_error: f64,
    /// Gain in log-likelihood by a curve of its own.
    pub gain: f64,
    /// By how much clustering enlarges the variance of the difference.
    pub design_effect: f64,
    /// The probability of such a gain if the curves are one.
    pub p_value: f64,
}

/// The split of each condition; none where it cannot be told: the condition
/// holds (or fails) too rarely, or its curve has no bin in common.
pub fn split(counted: &Counted) -> Vec<Option<Split>> {
    let compare = |conditioned: &Drawn| compare(&counted.total, conditioned).ok();
    counted.conditioned.iter().map(compare).collect()
}

fn compare(total: &Drawn, conditioned: &Drawn) -> Result<Split, CurveError> {
    let rest = rest(&total.groups, &conditioned.groups);
    let (test, _) = newton::or_ridge(|ridge| test(&conditioned.groups, &rest, ridge))?;
    let (vertical, horizontal) =
        gaps(&total.curve, &conditioned.curve).ok_or(CurveError::NoBest)?;
    Ok(Split { vertical, horizontal, ..test })
}

/// The groups of the total curve without the condition's.
fn rest(total: &[Group], conditioned: &[Group]) -> Vec<Group> {
    let mut inside = conditioned.iter().peekable();
    let mut rest = Vec::new();
    for group in total {
        let mut left = *group;
        // Both are in the order of groups of games, then bins.
        if let Some(part) = inside.next_if(|part| part.game == group.game && part.bin == group.bin)
        {
            left.count -= part.count;
            left.points -= part.points;
        }
        if left.count > 0.0 {
            rest.push(left);
        }
    }
    rest
}

fn test(conditioned: &[Group], rest: &[Group], ridge: f64) -> Result<Split, CurveError> {
    let inside: f64 = conditioned.iter().map(|g| g.count).sum();
    let mean = conditioned.iter().map(|g| g.count * g.value).sum::<f64>() / inside;
    // Groups of games matter to errors alone; the best weights are those of the bins,
    // which are a thousandth as many.
    let (held, failed) = (pooled(conditioned), pooled(rest));
    let bins = together(&held, &failed);
    let hats = Hats::at_quantiles(&spread(&bins), KNOTS);
    let bins = Design::new(&bins, &hats, mean);
    let one = bins.fit(bins.columns.len() - 2, None, ridge)?;
    let start: Vec<f64> = one.weights.iter().copied().chain([0.0, 0.0]).collect();
    let start = bins.fit(bins.columns.len(), Some(&start), ridge)?.weights;
    let all = Design::new(&together(conditioned, rest), &hats, mean);
    let two = all.fit(all.columns.len(), Some(&start), ridge)?;

    let at = one.weights.len();
    let gain = (two.goal - one.goal).max(0.0);
    let (plain, clustered) =
        (two.plain.selected(&[at, at + 1]), two.clustered.selected(&[at, at + 1]));
    let design_effect = mean_ratio(&clustered, &plain).ok_or(CurveError::NoBest)?;
    Ok(Split {
        vertical: 0.0,
        horizontal: None,
        log_odds: two.weights[at],
        log_odds_error: two.clustered.get(at, at).max(0.0).sqrt(),
        gain,
        design_effect,
        p_value: chi_square::upper(2.0 * gain / design_effect, 2.0),
    })
}

/// The same groups for all games: one a bin, each a cluster of its own.
fn pooled(groups: &[Group]) -> Vec<Group> {
    let mut bins: BTreeMap<i32, Group> = BTreeMap::new();
    for group in groups {
        let none = Group { game: bins.len() as u32, count: 0.0, points: 0.0, ..*group };
        let bin = bins.entry(group.bin).or_insert(none);
        bin.count += group.count;
        bin.points += group.points;
    }
    bins.into_values().collect()
}

/// Where the condition holds (1) and where it does not (0), game by game.
fn together<'g>(conditioned: &'g [Group], rest: &'g [Group]) -> Vec<(&'g Group, f64)> {
    let mut all: Vec<(&Group, f64)> = conditioned.iter().map(|g| (g, 1.0)).collect();
    all.extend(rest.iter().map(|g| (g, 0.0)));
    all.sort_by_key(|(group, inside)| (group.game, group.bin, *inside == 0.0));
    all
}

/// What is fitted: the common curve's columns, then the condition's move and tilt.
struct Design {
    columns: Vec<Vec<f64>>,
    counts: Vec<f64>,
    points: Vec<f64>,
    clusters: Vec<u32>,
}

impl Design {
    fn new(all: &[(&Group, f64)], hats: &Hats, mean: f64) -> Self {
        let column = |of: &dyn Fn(&(&Group, f64)) -> f64| all.iter().map(of).collect::<Vec<f64>>();
        let mut columns = hats.columns(&column(&|(g, _)| g.value));
        columns.push(column(&|(_, inside)| *inside));
        columns.push(column(&|(g, inside)| inside * (g.value - mean)));
        Self {
            columns,
            counts: column(&|(g, _)| g.count),
            points: column(&|(g, _)| g.points),
            clusters: all.iter().map(|(g, _)| g.game).collect(),
        }
    }

    /// Fits the first columns.
    fn fit(
        &self,
        columns: usize,
        start: Option<&[f64]>,
        ridge: f64,
    ) -> Result<Optimum, CurveError> {
        let rows = Rows {
            columns: self.columns[..columns].iter().map(|c| &c[..]).collect(),
            points: &self.points,
            counts: Some(&self.counts),
            clusters: &self.clusters,
        };
        newton::fit_with(&rows, Aim::Likelihood, start, ridge)
    }
}

/// The mean of the eigenvalues of `plain`⁻¹ `clustered`.
fn mean_ratio(clustered: &Symmetric, plain: &Symmetric) -> Option<f64> {
    let inverse = plain.cholesky().ok()?.inverse();
    let size = plain.size();
    let trace: f64 = (0..size)
        .map(|i| (0..size).map(|j| inverse.get(i, j) * clustered.get(i, j)).sum::<f64>())
        .sum();
    let mean = trace / size as f64;
    (mean > 0.0 && mean.is_finite()).then_some(mean)
}

/// A thousand values in the proportions of the counts, sorted.
fn spread(groups: &[(&Group, f64)]) -> Vec<f64> {
    let mut pairs: Vec<(f64, f64)> = groups.iter().map(|(g, _)| (g.value, g.count)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let step = pairs.iter().map(|(_, count)| count).sum::<f64>() / 1000.0;
    let (mut so_far, mut spread) = (0.0, Vec::new());
    for (value, count) in pairs {
        so_far += count;
        while (spread.len() as f64) * step < so_far && spread.len() < 1000 {
            spread.push(value);
        }
    }
    spread
}

/// The mean vertical and horizontal gaps over the condition's bins.
fn gaps(total: &Curve, conditioned: &Curve) -> Option<(f64, Option<f64>)> {
    let line: Vec<(f64, f64)> = total.drawn().map(|(bin, p)| (bin.centre, p)).collect();
    let (mut up, mut weight) = (0.0, 0.0);
    let (mut across, mut across_weight) = (0.0, 0.0);
    for (bin, p) in conditioned.drawn() {
        let count = bin.count as f64;
        if let Some(there) = height_at(&line, bin.centre) {
            up += count * (p - there);
            weight += count;
        }
        if let Some(value) = value_at(&line, p) {
            across += count * (value - bin.centre);
            across_weight += count;
        }
    }
    (weight > 0.0).then(|| (up / weight, (across_weight > 0.0).then(|| across / across_weight)))
}

/// The height of the curve at a value: a bin's own, or between two of them.
fn height_at(line: &[(f64, f64)], value: f64) -> Option<f64> {
    let next = line.partition_point(|(centre, _)| *centre < value);
    let &(to, high) = line.get(next)?;
    if to == value {
        return Some(high);
    }
    let &(from, low) = line.get(next.checked_sub(1)?)?;
    Some(low + (high - low) * (value - from) / (to - from))
}

/// The value at which the curve, taken as rising, first reaches a probability.
fn value_at(line: &[(f64, f64)], p: f64) -> Option<f64> {
    let &(first_value, first) = line.first()?;
    if p < first {
        return None;
    }
    let (mut value, mut height) = (first_value, first);
    for &(next_value, next) in &line[1..] {
        if next > height {
            if p <= next {
                return Some(value + (next_value - value) * (p - height) / (next - height));
            }
            height = next;
        }
        value = next_value;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CurveCounter, CurveParams, Expression, TableRows};
    use evalsmith_core::{LogOdds, rng};
    use rand::RngExt;

    /// Games whose property is worth `worth` log-odds that the value leaves out.
    fn splits(worth: f64, seed: u64) -> Split {
        let mut random = rng::stream(seed, "split", 0);
        let params = CurveParams { bin_width: 0.5, min_count: 100, ..CurveParams::default() };
        let condition = Expression::condition("x > 0").expect("a condition");
        let mut counter = CurveCounter::new(&params, &[condition]).expect("parameters");
        for game in 0..3000_u64 {
            let value = random.random_range(-3.0..3.0);
            let x = f64::from(u8::from(random.random::<f64>() < 0.3));
            let chance = LogOdds(value + worth * x).win_prob().0;
            let half = if random.random::<f64>() < chance { 2 } else { 0 };
            let rows = TableRows {
                values: &[value; 6],
                half_points: &[half; 6],
                games: &[game.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20; 6],
                columns: &[vec![x; 6]],
            };
            counter.add(&rows).expect("in range");
        }
        split(&counter.finish().expect("a curve"))[0].expect("a split")
    }

    #[test]
    fn a_planted_split_is_measured_in_all_three_units() {
        let split = splits(0.7, 1);
        assert!((split.log_odds - 0.7).abs() < 4.0 * split.log_odds_error, "{split:?}");
        // The total curve holds three in ten of the positions that are moved.
        assert!((split.horizontal.expect("overlap") - 0.49).abs() < 0.2, "{split:?}");
        assert!((0.05..0.15).contains(&split.vertical), "{split:?}");
        assert!(split.p_value < 1e-4, "{split:?}");
        assert!((3.0..9.0).contains(&split.design_effect), "six alike to a game: {split:?}");
    }

    /// Beyond 4 nobody loses, and the condition holds in one game of a hundred.
    #[test]
    fn a_rare_condition_in_decided_games_has_its_split() {
        let mut random = rng::stream(1, "rare", 0);
        let params = CurveParams { bin_width: 0.25, min_count: 200, ..CurveParams::default() };
        let condition = Expression::condition("x > 0").expect("a condition");
        let mut counter = CurveCounter::new(&params, &[condition]).expect("parameters");
        for game in 0..3000_u64 {
            let value = random.random_range(-8.0..8.0);
            let x = f64::from(u8::from(game % 100 == 0));
            let chance = if value > 4.0 { 1.0 } else { LogOdds(value - 3.0 * x).win_prob().0 };
            let half = if random.random::<f64>() < chance { 2 } else { 0 };
            let rows = TableRows {
                values: &[value; 6],
                half_points: &[half; 6],
                games: &[game.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20; 6],
                columns: &[vec![x; 6]],
            };
            counter.add(&rows).expect("in range");
        }
        let counted = counter.finish().expect("a curve");
        let curve = &counted.conditioned[0].curve;
        assert!(curve.positions == 180 && curve.drawn().count() >= 3, "{curve:?}");
        let split = split(&counted)[0].expect("a split");
        assert!(split.vertical < -0.05 && split.log_odds < -1.0, "{split:?}");
        assert!(split.p_value < 0.05, "{split:?}");
    }

    #[test]
    fn without_a_split_p_values_are_spread_evenly() {
        let values: Vec<f64> = (0..60).map(|seed| splits(0.0, seed).p_value).collect();
        let below = |limit: f64| values.iter().filter(|p| **p < limit).count();
        assert!(below(0.05) <= 8, "{} of 60 below 0.05", below(0.05));
        assert!((18..=42).contains(&below(0.5)), "{} of 60 below 0.5", below(0.5));
    }

    #[test]
    fn a_value_is_found_on_a_wavering_curve() {
        let line = [(0.0, 0.2), (1.0, 0.4), (2.0, 0.3), (3.0, 0.8)];
        for (p, expected) in [(0.3, 0.5), (0.6, 2.5)] {
            let value = value_at(&line, p).expect("inside");
            assert!((value - expected).abs() < 1e-12, "{value} at {p}");
        }
        assert_eq!((value_at(&line, 0.1), value_at(&line, 0.9)), (None, None));
    }
}
