//! The weights of one group of stages, with what its neighbours know.
//!
//! A group alone has few positions for each of its weights. So the positions of the
//! group and its neighbours are fitted together first; then those of the group
//! itself, with its weights held to the common ones. How firmly they are held, in
//! positions, is chosen on the games held out, both times.
//!
//! The one invariant to know: a weight that no position speaks about keeps its prior.

use super::types::{self, Alone};
use super::{
    Link, Prior, SparseFit, SparseIteration, SparseMethod, SparseParams, SparseRows, TypeRule,
    fit_sparse,
};

/// Positions of one group: those to fit, and those held out.
#[derive(Clone, Debug)]
pub struct GroupRows {
    /// Of games that the weights are fitted to.
    pub train: SparseRows,
    /// Of games held out.
    pub holdout: SparseRows,
}

/// How to fit a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupParams {
    /// The function between sum and label.
    pub link: Link,
    /// Neighbours on either side that speak too.
    pub radius: usize,
    /// How many places neighbours are apart, as [`StageGroups::lanes`](super::StageGroups::lanes).
    pub lanes: usize,
    /// How firmly weights are held to their prior, in positions: each is tried where
    /// games are held out, the first is taken where none are.
    pub ridges: Vec<f64>,
    /// Passes of one fit, at most.
    pub iterations: usize,
    /// Passes without a smaller error on the games held out before a fit ends.
    pub patience: usize,
    /// How steps are found.
    pub method: SparseMethod,
    /// No free weight grows larger than this.
    pub most: Option<f32>,
    /// Weights that stay at their prior.
    pub fixed: Vec<u32>,
    /// Where weights of seldom states come from.
    pub rule: TypeRule,
}

impl Default for GroupParams {
    fn default() -> Self {
        let ridges = vec![1.0, 5.0, 25.0, 125.0];
        let SparseParams { link, iterations, patience, method, most, .. } = SparseParams::default();
        let (fixed, rule) = (Vec::new(), TypeRule::default());
        let [radius, lanes] = [1; 2];
        Self { link, radius, lanes, ridges, iterations, patience, method, most, fixed, rule }
    }
}

impl GroupParams {
    /// The groups that speak for one: itself, and its neighbours.
    pub fn near(&self, groups: &[GroupRows], group: usize) -> impl Iterator<Item = usize> + use<> {
        let Self { radius, lanes, .. } = *self;
        let alike = (group % lanes..groups.len()).step_by(lanes);
        alike.filter(move |other| other.abs_diff(group) <= radius * lanes)
    }
}

/// A fitted group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupFit {
    /// One weight per configuration and count value.
    pub weights: Vec<f32>,
    /// Positions of the group's own behind each.
    pub counts: Vec<u32>,
    /// The firmness chosen for the group and its neighbours together, where they
    /// spoke, and for the group itself.
    pub ridges: (Option<f64>, f64),
    /// Passes over positions, of all fits.
    pub passes: usize,
    /// The errors over the passes of the first fit that was chosen.
    pub trace: Vec<SparseIteration>,
    /// Mean squared errors: before the fit, and after it.
    pub before: SparseIteration,
    /// After it.
    pub after: SparseIteration,
}

/// Fits group `group` of all; `keep_on` is asked after every pass, with the rows it
/// went over, and an answer of false ends the fit with what it has.
///
/// # Panics
/// When there is no such group, no ridge to try, neighbours are no places apart, or the
/// prior is of other weights.
pub fn fit_group(
    groups: &[GroupRows],
    group: usize,
    prior: &[f32],
    params: &GroupParams,
    keep_on: &mut dyn FnMut(usize) -> bool,
) -> GroupFit {
    let (own, place) = (&groups[group], group / params.lanes);
    let mut job = Job { params, passes: 0, keep_on };
    let (common, (ridge, fit)) = match params.rule {
        TypeRule::Own => (None, job.alone(own, prior)),
        TypeRule::Pooled => {
            let common = job.common(groups, group, prior);
            let start = common.as_ref().map_or(prior, |(_, fit)| &fit.weights);
            let fit = job.alone(own, start);
            (common, fit)
        }
        TypeRule::Merged => {
            let common = job.common(groups, group, prior);
            let merged = common.as_ref().map_or(prior, |(_, fit)| &fit.weights);
            let counts = counts_of(&own.train);
            let (start, fixed) = types::by_counts(&counts, merged, params, |i| merged[i]);
            let fit = job.choose(&[&own.train], &own.holdout, &start, &fixed);
            (common, fit)
        }
        TypeRule::Line => {
            let neighbours = job.neighbours(groups, group, prior);
            let counts = counts_of(&own.train);
            let between = |i| types::on_line(&neighbours, place, i);
            let (start, fixed) = types::by_counts(&counts, prior, params, between);
            (None, job.choose(&[&own.train], &own.holdout, &start, &fixed))
        }
        TypeRule::Smoothed => {
            let neighbours = job.neighbours(groups, group, prior);
            let (ridge, fit) = job.alone(own, prior);
            (
                None,
                (ridge, SparseFit { weights: types::smoothed(&neighbours, place, prior), ..fit }),
            )
        }
    };
    let passes = job.passes;
    let trace = common.as_ref().map_or(&fit, |(_, common)| common).trace.clone();
    let error = |weights: &[f32]| SparseIteration {
        train: super::sparse_error(&own.train, weights, params.link).unwrap_or_default(),
        holdout: super::sparse_error(&own.holdout, weights, params.link),
    };
    GroupFit {
        ridges: (common.map(|(ridge, _)| ridge), ridge),
        passes,
        trace,
        before: error(prior),
        after: error(&fit.weights),
        weights: fit.weights,
        counts: fit.counts,
    }
}

fn counts_of(rows: &SparseRows) -> Vec<u32> {
    super::kernel::diagonal(&[rows], rows.weights()).into_iter().map(|n| n as u32).collect()
}

/// The fits of one group.
struct Job<'a> {
    params: &'a GroupParams,
    passes: usize,
    keep_on: &'a mut dyn FnMut(usize) -> bool,
}

impl Job<'_> {
    /// The group and its neighbours together; none where it has no neighbours.
    fn common(
        &mut self,
        groups: &[GroupRows],
        group: usize,
        prior: &[f32],
    ) -> Option<(f64, SparseFit)> {
        let near = self.params.near(groups, group);
        let train: Vec<&SparseRows> = near.map(|near| &groups[near].train).collect();
        let rows: usize = train.iter().map(|rows| rows.len()).sum();
        let fixed = &self.params.fixed;
        (rows > groups[group].train.len())
            .then(|| self.choose(&train, &groups[group].holdout, prior, fixed))
    }

    fn alone(&mut self, own: &GroupRows, prior: &[f32]) -> (f64, SparseFit) {
        self.choose(&[&own.train], &own.holdout, prior, &self.params.fixed)
    }

    /// Every neighbour, and the group itself, fitted alone.
    fn neighbours(&mut self, groups: &[GroupRows], group: usize, prior: &[f32]) -> Vec<Alone> {
        let params = self.params;
        params
            .near(groups, group)
            .map(|near| {
                let (_, SparseFit { weights, counts, .. }) = self.alone(&groups[near], prior);
                Alone { group: near / params.lanes, weights, counts }
            })
            .collect()
    }

    /// The best fit over the firmnesses, by the error on the rows held out; the first
    /// where there are none.
    fn choose(
        &mut self,
        train: &[&SparseRows],
        holdout: &SparseRows,
        prior: &[f32],
        fixed: &[u32],
    ) -> (f64, SparseFit) {
        let params = self.params;
        let mut best: Option<(f64, SparseFit)> = None;
        let mut go_on = true;
        let rows = train.iter().map(|rows| rows.len()).sum();
        for &ridge in &params.ridges {
            let sparse = SparseParams {
                link: params.link,
                ridge,
                iterations: params.iterations,
                patience: params.patience,
                method: params.method,
                most: params.most,
            };
            let prior = Prior { weights: prior, fixed };
            let fit = fit_sparse(train, holdout, prior, &sparse, |_| {
                self.passes += 1;
                go_on = (self.keep_on)(rows);
                go_on
            });
            let error = |fit: &SparseFit| fit.trace[fit.best].holdout;
            if best.as_ref().is_none_or(|(_, old)| error(&fit) < error(old)) {
                best = Some((ridge, fit));
            }
            if !go_on || holdout.is_empty() {
                break;
            }
        }
        best.expect("a ridge to try")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Rng;

    /// Groups whose true weights drift slowly, with `count` noisy rows each.
    fn groups(count: usize, noise: f32, seed: u64) -> Vec<GroupRows> {
        let mut dice = Rng::seed_from_u64(seed);
        let mut rows = |group: usize, count: usize, noise: f32| {
            let mut rows = SparseRows::with_tables(vec![0, 50], vec![50, 50], 100);
            for _ in 0..count {
                let active = [dice.random_range(0..50), dice.random_range(0..50)];
                let weight = |i: u32| (i as f32).sin() * (1.0 + 0.05 * group as f32);
                let sum = weight(active[0]) + weight(active[1] + 50);
                rows.push(&active, sum + noise * (dice.random::<f32>() - 0.5));
            }
            rows
        };
        (0..3)
            .map(|group| GroupRows {
                train: rows(group, count, noise),
                holdout: rows(group, 2000, 0.0),
            })
            .collect()
    }

    #[test]
    fn neighbours_help_where_a_group_has_few_positions() {
        let groups = groups(150, 4.0, 1);
        let zeros = [0.0; 100];
        let fit = |radius| {
            let params = GroupParams { radius, ..GroupParams::default() };
            fit_group(&groups, 1, &zeros, &params, &mut |_| true)
        };
        let (alone, together) = (fit(0), fit(1));
        assert_eq!(alone.ridges.0, None);
        assert!(together.ridges.0.is_some());
        let error = |fit: &GroupFit| fit.after.holdout.unwrap();
        assert!(error(&together) < 0.8 * error(&alone), "{together:?} {alone:?}");
        assert!(error(&alone) < alone.before.holdout.unwrap());
    }

    #[test]
    fn every_rule_learns_and_none_looks_beyond_its_radius() {
        let groups = groups(800, 4.0, 4);
        for rule in TypeRule::ALL {
            let params = GroupParams { rule, radius: 1, ..GroupParams::default() };
            let fit =
                |groups: &[GroupRows]| fit_group(groups, 0, &[0.0; 100], &params, &mut |_| true);
            let whole = fit(&groups);
            let error = whole.after.holdout.unwrap();
            assert!(error < 0.5 * whole.before.holdout.unwrap(), "{rule:?} {error}");
            assert_eq!(whole.weights, fit(&groups[..2]).weights, "{rule:?}");
        }
    }

    #[test]
    fn neighbours_of_one_lane_speak_and_those_between_do_not() {
        let [own, other] = [groups(150, 4.0, 1), groups(150, 40.0, 9)];
        let woven: Vec<GroupRows> =
            own.iter().zip(&other).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        for rule in TypeRule::ALL {
            let params = |lanes| GroupParams { lanes, rule, ..GroupParams::default() };
            let fit = |groups: &[GroupRows], group, lanes| {
                fit_group(groups, group, &[0.0; 100], &params(lanes), &mut |_| true)
            };
            assert_eq!(fit(&woven, 2, 2), fit(&own, 1, 1), "{rule:?}");
            assert_eq!(fit(&woven, 5, 2), fit(&other, 2, 1), "{rule:?}");
        }
    }

    #[test]
    fn noisy_labels_are_held_more_firmly_than_clean_ones() {
        let params = GroupParams { radius: 0, ..GroupParams::default() };
        let ridge = |noise| {
            fit_group(&groups(1000, noise, 2), 0, &[0.0; 100], &params, &mut |_| true).ridges.1
        };
        assert!(ridge(20.0) > ridge(0.1));
    }

    #[test]
    fn unseen_weights_keep_their_prior_and_a_fit_can_be_ended() {
        let full = groups(100, 4.0, 3);
        let ended = fit_group(&full, 0, &[0.0; 100], &GroupParams::default(), &mut |_| false);
        assert!(ended.passes <= 2);
        let without = |part: &GroupRows| GroupRows {
            train: part.train.empty(),
            holdout: part.holdout.clone(),
        };
        let groups: Vec<GroupRows> = full.iter().map(without).collect();
        let prior: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let fit = fit_group(&groups, 0, &prior, &GroupParams::default(), &mut |_| true);
        assert_eq!((fit.weights, fit.passes), (prior, 0));
    }
}
