//! Position types (buro98 section 5): how a group of stages gets weights for states it
//! has met too seldom.
//!
//! The paper's rule: a weight met in more than twenty positions of the group is its own,
//! one met in four or fewer is zero, and one in between is that of neighbouring groups
//! merged, or lies on a line `a k + b` through theirs, `k` the number of the group.
//!
//! The one invariant to know: every rule sees the group and as many neighbours on
//! either side as the radius says, and nothing of the games held out but their error.

use super::GroupParams;
use serde::{Deserialize, Serialize};

/// Where weights of seldom states come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TypeRule {
    /// All weights are held to those of the group and its neighbours together.
    #[default]
    Pooled,
    /// Each group stands alone.
    Own,
    /// By counts: between the limits, those of the group and its neighbours together.
    Merged,
    /// By counts: between the limits, from a line through the groups' own.
    Line,
    /// All weights are means over the neighbours, by counts and nearness.
    Smoothed,
}

impl TypeRule {
    /// All rules.
    pub const ALL: [Self; 5] = [Self::Pooled, Self::Own, Self::Merged, Self::Line, Self::Smoothed];

    /// The rule's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pooled => "pooled",
            Self::Own => "own",
            Self::Merged => "merged",
            Self::Line => "line",
            Self::Smoothed => "smoothed",
        }
    }
}

/// Positions above which a weight is the group's own.
const OWN: u32 = 20;
/// Positions up to which a weight is zero.
const ZERO: u32 = 4;

/// The weights of one neighbour fitted alone.
pub(super) struct Alone {
    /// The number of the group among those of its lane.
    pub(super) group: usize,
    pub(super) weights: Vec<f32>,
    pub(super) counts: Vec<u32>,
}

/// Means over neighbours, by counts and nearness; a weight nobody has met is `prior`.
pub(super) fn smoothed(alone: &[Alone], group: usize, prior: &[f32]) -> Vec<f32> {
    let mean = |(i, &before): (usize, &f32)| {
        let share = |a: &Alone| f64::from(a.counts[i]) / (1.0 + a.group.abs_diff(group) as f64);
        let total: f64 = alone.iter().map(share).sum();
        let sum: f64 = alone.iter().map(|a| share(a) * f64::from(a.weights[i])).sum();
        if total > 0.0 { (sum / total) as f32 } else { before }
    };
    prior.iter().enumerate().map(mean).collect()
}

/// The value at `group` of the line through the neighbours' weights, by counts; their
/// mean where one group alone has met the state.
pub(super) fn on_line(alone: &[Alone], group: usize, i: usize) -> f32 {
    let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for a in alone {
        let (count, weight) = (f64::from(a.counts[i]), f64::from(a.weights[i]));
        let x = a.group as f64 - group as f64;
        n += count;
        sx += count * x;
        sy += count * weight;
        sxx += count * x * x;
        sxy += count * x * weight;
    }
    let spread = n * sxx - sx * sx;
    if n == 0.0 {
        0.0
    } else if spread <= 1e-9 * n * n {
        (sy / n) as f32
    } else {
        ((sy - sx * (n * sxy - sx * sy) / spread) / n) as f32
    }
}

/// By the counts of the group: where each weight starts, and which ones stay there.
/// `between` says the weight of a state that is neither frequent nor rare.
pub(super) fn by_counts(
    counts: &[u32],
    start: &[f32],
    params: &GroupParams,
    between: impl Fn(usize) -> f32,
) -> (Vec<f32>, Vec<u32>) {
    let mut weights = start.to_vec();
    let mut fixed = params.fixed.clone();
    for (i, &count) in counts.iter().enumerate() {
        if count <= OWN && !params.fixed.contains(&(i as u32)) {
            weights[i] = if count <= ZERO { 0.0 } else { between(i) };
            fixed.push(i as u32);
        }
    }
    (weights, fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(group: usize, weight: f32, count: u32) -> Alone {
        Alone { group, weights: vec![weight], counts: vec![count] }
    }

    #[test]
    fn a_line_is_found_and_one_point_is_its_own() {
        let three = [alone(1, 1.0, 9), alone(2, 3.0, 5), alone(3, 5.0, 7)];
        assert!((on_line(&three, 2, 0) - 3.0).abs() < 1e-6);
        assert!((on_line(&three, 4, 0) - 7.0).abs() < 1e-5);
        let one = [alone(1, 4.0, 9), alone(2, 0.0, 0)];
        assert_eq!((on_line(&one, 2, 0), on_line(&[], 2, 0)), (4.0, 0.0));
        let near = smoothed(&three, 2, &[0.0]);
        assert!((near[0] - (4.5 + 15.0 + 17.5) / (4.5 + 5.0 + 3.5)).abs() < 1e-6);
        assert_eq!(smoothed(&[alone(0, 1.0, 0)], 0, &[8.0]), [8.0]);
    }

    #[test]
    fn counts_decide_who_is_free() {
        let params = GroupParams { fixed: vec![3], ..GroupParams::default() };
        let (weights, fixed) = by_counts(&[21, 20, 4, 0], &[1.0; 4], &params, |_| 9.0);
        assert_eq!((weights, fixed), (vec![1.0, 9.0, 0.0, 1.0], vec![3, 1, 2]));
    }
}
