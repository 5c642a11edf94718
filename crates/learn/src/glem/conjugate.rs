//! The weights of one stage by preconditioned conjugate gradients (buro98 section 4
//! names the method as better than its own plain gradient).
//!
//! Minimised is
//!
//! ```text
//! sum over rows of (label - g(sum of active weights))^2  +  ridge * |w - prior|^2
//! ```
//!
//! For the identity this is one linear system, `(H'H + ridge) d = H'r`, and for the
//! sigmoids a sequence of them (Gauss-Newton, a few steps each). The
//! preconditioner is the diagonal: a weight's step is divided by how often it is
//! active, which is what the paper's own rule does.
//!
//! The one invariant to know: stopping early is part of the model. The weights
//! returned are those of the iteration with the smallest error on rows held out,
//! or the last ones where none are.

use super::gradient;
use super::kernel::{added, diagonal, spread, sums};
use super::{Link, SparseRows};

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseParams {
    /// The function between sum and label.
    pub link: Link,
    /// How strongly a weight is held to its prior, in rows.
    pub ridge: f64,
    /// Passes over the rows, at most.
    pub iterations: usize,
    /// Stop after so many passes that do not make the held-out error smaller by
    /// a part in ten thousand.
    pub patience: usize,
    /// How steps are found.
    pub method: SparseMethod,
    /// No free weight grows larger than this.
    pub most: Option<f32>,
}

impl Default for SparseParams {
    fn default() -> Self {
        let (method, most) = (SparseMethod::Conjugate, None);
        Self { link: Link::Identity, ridge: 1.0, iterations: 60, patience: 4, method, most }
    }
}

/// How steps are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SparseMethod {
    /// Preconditioned conjugate gradients.
    #[default]
    Conjugate,
    /// The paper's: plain gradient with each weight's own rate.
    Gradient {
        /// The share of the last step that is carried on.
        momentum: f64,
    },
}

/// What one pass reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseIteration {
    /// Mean squared error on the rows fitted.
    pub train: f64,
    /// Mean squared error on the rows held out.
    pub holdout: Option<f64>,
}

/// Fitted weights and how they were found.
#[derive(Clone, Debug)]
pub struct SparseFit {
    /// One weight per configuration.
    pub weights: Vec<f32>,
    /// In how many rows each was active.
    pub counts: Vec<u32>,
    /// Errors before the first pass and after each.
    pub trace: Vec<SparseIteration>,
    /// The pass whose weights these are.
    pub best: usize,
}

/// Passes between two linearisations of a sigmoid.
const INNER: usize = 8;

/// What weights begin with.
#[derive(Clone, Copy, Debug)]
pub struct Prior<'a> {
    /// Where each weight starts, and what it is held to.
    pub weights: &'a [f32],
    /// Weights that stay where they start.
    pub fixed: &'a [u32],
}

impl<'a> Prior<'a> {
    /// Weights that are all free to move.
    pub fn free(weights: &'a [f32]) -> Self {
        Self { weights, fixed: &[] }
    }
}

/// Fits the weights of one stage to all rows of `train`, starting from and held to
/// `prior`.
///
/// `keep_on` is asked after every pass; an answer of false ends the fit with what
/// it has.
///
/// # Panics
/// When the prior or some rows are of another set of weights.
pub fn fit_sparse(
    train: &[&SparseRows],
    holdout: &SparseRows,
    prior: Prior<'_>,
    params: &SparseParams,
    mut keep_on: impl FnMut(&SparseIteration) -> bool,
) -> SparseFit {
    let same = |rows: &SparseRows| rows.weights() == prior.weights.len();
    assert!(same(holdout) && train.iter().all(|rows| same(rows)), "rows over the prior's weights");
    let mut go_on = true;
    let mut keep_on = |reached: &SparseIteration| {
        go_on = keep_on(reached);
        go_on
    };
    let mut fit = |prior: Prior<'_>| match params.method {
        SparseMethod::Conjugate => conjugate(train, holdout, prior, params, &mut keep_on),
        SparseMethod::Gradient { momentum } => {
            gradient::descend(train, holdout, prior, params, momentum, &mut keep_on)
        }
    };
    let free = fit(prior);
    let Some(most) = params.most else { return free };
    // Weights that would grow too large are set to the largest there is and held, and
    // the others are fitted again, until none does.
    let (mut start, mut held) = (prior.weights.to_vec(), prior.fixed.to_vec());
    let mut last = free;
    for _ in 0..ROUNDS {
        let is_held: std::collections::HashSet<u32> = held.iter().copied().collect();
        let too_large = |&(i, w): &(u32, f32)| w.abs() > most && !is_held.contains(&i);
        let large: Vec<(u32, f32)> =
            (0..).zip(last.weights.iter().copied()).filter(too_large).collect();
        if large.is_empty() {
            break;
        }
        for (i, w) in large {
            start[i as usize] = most.copysign(w);
            held.push(i);
        }
        last = fit(Prior { weights: &start, fixed: &held });
    }
    let fixed: std::collections::HashSet<u32> = prior.fixed.iter().copied().collect();
    for (i, weight) in (0..).zip(&mut last.weights) {
        if !fixed.contains(&i) {
            *weight = weight.clamp(-most, most);
        }
    }
    last
}

/// Fits of the free weights before the rest is cut off.
const ROUNDS: usize = 4;

fn conjugate(
    train: &[&SparseRows],
    holdout: &SparseRows,
    Prior { weights: prior, fixed }: Prior<'_>,
    params: &SparseParams,
    keep_on: &mut dyn FnMut(&SparseIteration) -> bool,
) -> SparseFit {
    let unseen = [holdout];
    let mut seen = Sums::new(train, prior, params.link);
    let mut unseen = Sums::new(&unseen, prior, params.link);
    let mut scratch = vec![0.0; seen.now.len()];
    let counts = diagonal(train, prior.len());
    let mut weights: Vec<f64> = prior.iter().map(|&w| f64::from(w)).collect();
    let begun = SparseIteration { train: seen.error(), holdout: unseen.error_if_any() };
    let mut fit = SparseFit::begin(prior, &counts, begun);
    if seen.now.is_empty() {
        return fit;
    }
    let steps = if params.link == Link::Identity { usize::MAX } else { INNER };
    'linearise: while fit.trace.len() <= params.iterations {
        let (slopes, mut answers) = seen.linearised();
        // The mean slope stands for each row's own, squared as in the matrix.
        let scale = slopes.as_ref().map_or(1.0, |s| mean(s.iter().map(|&s| f64::from(s * s))));
        let diagonal = |count: f64| (scale * count + params.ridge).max(f64::MIN_POSITIVE);
        let mut gradient = added(train, prior.len(), &mut answers);
        let hold = |gradient: &mut [f64]| fixed.iter().for_each(|&i| gradient[i as usize] = 0.0);
        for ((g, w), &at) in gradient.iter_mut().zip(&weights).zip(prior) {
            *g += params.ridge * (f64::from(at) - w);
        }
        hold(&mut gradient);
        let mut direction = vec![0.0; gradient.len()];
        let mut before = 0.0;
        for _ in 0..steps {
            let steepest: Vec<f64> =
                gradient.iter().zip(&counts).map(|(g, &n)| g / diagonal(n)).collect();
            let now: f64 = gradient.iter().zip(&steepest).map(|(g, z)| g * z).sum();
            if now <= 0.0 || fit.trace.len() > params.iterations {
                break 'linearise;
            }
            let carried = if before > 0.0 { now / before } else { 0.0 };
            before = now;
            for (d, z) in direction.iter_mut().zip(steepest) {
                *d = z + carried * *d;
            }
            let single: Vec<f32> = direction.iter().map(|&d| d as f32).collect();
            let curved = spread(train, &single, &mut scratch, |row, sum| match &slopes {
                Some(slopes) => slopes[row] * slopes[row] * sum,
                None => sum,
            });
            let curvature: f64 =
                direction.iter().zip(&curved).map(|(d, c)| d * (c + params.ridge * d)).sum();
            if curvature <= 0.0 {
                break 'linearise;
            }
            let step = now / curvature;
            for ((w, g), (d, c)) in
                weights.iter_mut().zip(&mut gradient).zip(direction.iter().zip(&curved))
            {
                *w += step * d;
                *g -= step * (c + params.ridge * d);
            }
            hold(&mut gradient);
            seen.go(&scratch, step as f32);
            unseen.go_along(&single, step as f32);
            let reached = SparseIteration { train: seen.error(), holdout: unseen.error_if_any() };
            if !fit.adopt(reached, &weights, params.patience) || !keep_on(&reached) {
                break 'linearise;
            }
        }
    }
    fit
}

/// The mean squared error of weights on rows, under a link; none for no rows.
///
/// # Panics
/// When the weights are not those of the rows.
pub fn sparse_error(rows: &SparseRows, weights: &[f32], link: Link) -> Option<f64> {
    Sums::new(&[rows], weights, link).error_if_any()
}

impl SparseFit {
    /// What is known before the first pass.
    pub(super) fn begin(prior: &[f32], counts: &[f64], begun: SparseIteration) -> Self {
        let counts = counts.iter().map(|&n| n as u32).collect();
        Self { weights: prior.to_vec(), counts, trace: vec![begun], best: 0 }
    }

    /// Notes what a pass reached; false when it is time to stop.
    pub(super) fn adopt(
        &mut self,
        reached: SparseIteration,
        weights: &[f64],
        patience: usize,
    ) -> bool {
        let best = &self.trace[self.best];
        let better = match (reached.holdout, best.holdout) {
            (Some(now), Some(then)) => now < then * (1.0 - 1e-4),
            _ => reached.train < best.train,
        };
        self.trace.push(reached);
        let pass = self.trace.len() - 1;
        if better {
            self.best = pass;
            self.weights = weights.iter().map(|&w| w as f32).collect();
        }
        pass - self.best < patience.max(1)
    }
}

/// The sums of some rows, kept up to date with the weights.
pub(super) struct Sums<'a> {
    rows: &'a [&'a SparseRows],
    now: Vec<f32>,
    step: Vec<f32>,
    link: Link,
}

impl<'a> Sums<'a> {
    pub(super) fn new(rows: &'a [&'a SparseRows], weights: &[f32], link: Link) -> Self {
        let mut now = vec![0.0; rows.iter().map(|rows| rows.len()).sum()];
        if weights.iter().any(|&w| w != 0.0) {
            sums(rows, weights, &mut now);
        }
        Self { rows, now, step: Vec::new(), link }
    }

    fn go(&mut self, direction: &[f32], step: f32) {
        for (sum, d) in self.now.iter_mut().zip(direction) {
            *sum += step * d;
        }
    }

    pub(super) fn go_along(&mut self, weights: &[f32], step: f32) {
        let mut direction = std::mem::take(&mut self.step);
        direction.resize(self.now.len(), 0.0);
        sums(self.rows, weights, &mut direction);
        self.go(&direction, step);
        self.step = direction;
    }

    /// The sum of each row with its label.
    fn with_targets(&self) -> impl Iterator<Item = (f32, f32)> {
        let targets = self.rows.iter().flat_map(|rows| rows.targets());
        self.now.iter().copied().zip(targets.copied())
    }

    pub(super) fn error(&self) -> f64 {
        let squares = self.with_targets().map(|(sum, target)| {
            let off = f64::from(target - self.link.at(sum).0);
            off * off
        });
        squares.sum::<f64>() / self.now.len().max(1) as f64
    }

    pub(super) fn error_if_any(&self) -> Option<f64> {
        (!self.now.is_empty()).then(|| self.error())
    }

    /// The slope at each row, where it is not one throughout, and the residual
    /// times the slope.
    pub(super) fn linearised(&self) -> (Option<Vec<f32>>, Vec<f32>) {
        let both = self.with_targets().map(|(sum, target)| {
            let (value, slope) = self.link.at(sum);
            (slope, slope * (target - value))
        });
        let (slopes, answers): (Vec<f32>, Vec<f32>) = both.unzip();
        ((self.link != Link::Identity).then_some(slopes), answers)
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1);
    values.sum::<f64>() / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Rng;

    /// Labels from planted weights: `noise` added, squeezed by the link.
    fn planted(link: Link, count: usize, noise: f32, seed: u64) -> (SparseRows, Vec<f32>) {
        let mut dice = Rng::seed_from_u64(seed);
        let truth: Vec<f32> = (0..24).map(|i| 0.4 * (i as f32 - 11.5).sin()).collect();
        let mut rows = SparseRows::with_tables(vec![0, 8, 16, 0], vec![8, 8, 8, 8], 24);
        for _ in 0..count {
            let active: Vec<u32> = (0..4).map(|_| dice.random_range(0..8)).collect();
            let at = |column: usize| truth[[0, 8, 16, 0][column] + active[column] as usize];
            let sum: f32 = (0..4).map(at).sum();
            rows.push(&active, link.at(sum).0 + noise * (dice.random::<f32>() - 0.5));
        }
        (rows, truth)
    }

    fn error(rows: &SparseRows, weights: &[f32], link: Link) -> f64 {
        Sums::new(&[rows], weights, link).error()
    }

    #[test]
    fn planted_labels_are_reproduced_under_every_link() {
        for link in [Link::Identity, Link::Logistic, Link::Range(3.0)] {
            let (train, _) = planted(link, 4000, 0.0, 1);
            let (holdout, _) = planted(link, 1000, 0.0, 2);
            let params = SparseParams {
                link,
                ridge: 1e-6,
                iterations: 100,
                patience: 20,
                ..SparseParams::default()
            };
            let fit = fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| true);
            let reached = error(&holdout, &fit.weights, link);
            assert!(reached < 1e-6, "{link:?}: {reached}");
        }
    }

    #[test]
    fn the_papers_gradient_ends_where_conjugate_gradients_do() {
        for link in [Link::Identity, Link::Logistic, Link::Range(3.0)] {
            let (train, _) = planted(link, 4000, 0.5, 1);
            let (holdout, _) = planted(link, 1000, 0.5, 2);
            let fit = |method, iterations| {
                let usual = SparseParams::default();
                let params = SparseParams { link, method, iterations, patience: 30, ..usual };
                let fit =
                    fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| true);
                error(&holdout, &fit.weights, link)
            };
            let best = fit(SparseMethod::Conjugate, 60);
            let plain = fit(SparseMethod::Gradient { momentum: 0.0 }, 400);
            let heavy = fit(SparseMethod::Gradient { momentum: 0.8 }, 400);
            assert!((plain / best - 1.0).abs() < 2e-3, "{link:?}: {plain} {best}");
            assert!((heavy / best - 1.0).abs() < 2e-3, "{link:?}: {heavy} {best}");
        }
    }

    #[test]
    fn bounded_weights_stay_within_and_the_others_make_up_for_them() {
        let (train, truth) = planted(Link::Identity, 4000, 0.1, 5);
        let (holdout, _) = planted(Link::Identity, 1000, 0.1, 6);
        let most = 0.25;
        assert!(truth.iter().any(|w| w.abs() > 0.35), "something to bound");
        let fit = |most| {
            let params = SparseParams { ridge: 1e-3, most, ..SparseParams::default() };
            fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| true).weights
        };
        let bounded = fit(Some(most));
        assert!(bounded.iter().all(|w| w.abs() <= most), "{bounded:?}");
        let cut: Vec<f32> = fit(None).iter().map(|w| w.clamp(-most, most)).collect();
        let off = |weights: &[f32]| error(&train, weights, Link::Identity);
        assert!(off(&bounded) <= off(&cut), "{} {}", off(&bounded), off(&cut));
    }

    #[test]
    fn the_least_squares_solution_satisfies_the_normal_equations() {
        let (train, _) = planted(Link::Identity, 3000, 1.0, 3);
        let none = SparseRows::with_tables(vec![0, 8, 16, 0], vec![8, 8, 8, 8], 24);
        let params =
            SparseParams { ridge: 2.0, iterations: 200, patience: 200, ..Default::default() };
        let fit = fit_sparse(&[&train], &none, Prior::free(&[0.5; 24]), &params, |_| true);
        let mut sums = vec![0.0; train.len()];
        let answer = |row: usize, sum: f32| train.targets()[row] - sum;
        let left = spread(&[&train], &fit.weights, &mut sums, answer);
        for (gradient, &w) in left.iter().zip(&fit.weights) {
            let whole = gradient - 2.0 * (f64::from(w) - 0.5);
            assert!(whole.abs() < 0.05, "{whole}");
        }
        assert_eq!(fit.counts.iter().map(|&n| u64::from(n)).sum::<u64>(), 4 * 3000);
    }

    #[test]
    fn a_strong_ridge_keeps_the_prior_and_no_rows_keep_it_too() {
        let (train, _) = planted(Link::Identity, 500, 0.0, 4);
        let none = SparseRows::with_tables(vec![0, 8, 16, 0], vec![8, 8, 8, 8], 24);
        let prior: Vec<f32> = (0..24).map(|i| i as f32).collect();
        let params = SparseParams { ridge: 1e9, ..Default::default() };
        let fit = fit_sparse(&[&train], &none, Prior::free(&prior), &params, |_| true);
        assert!(fit.weights.iter().zip(&prior).all(|(a, b)| (a - b).abs() < 1e-2));
        let empty = fit_sparse(&[&none], &none, Prior::free(&prior), &params, |_| true);
        assert_eq!(empty.weights, prior);
    }

    #[test]
    fn the_best_pass_on_unseen_rows_is_returned_and_the_caller_may_stop() {
        let (train, _) = planted(Link::Identity, 60, 4.0, 5);
        let (holdout, _) = planted(Link::Identity, 2000, 4.0, 6);
        let params =
            SparseParams { ridge: 0.0, iterations: 50, patience: 50, ..Default::default() };
        let fit = fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| true);
        let best = fit.trace[fit.best].holdout.unwrap();
        assert!(fit.trace.iter().all(|pass| pass.holdout.unwrap() * 1.001 >= best));
        assert!((error(&holdout, &fit.weights, Link::Identity) - best).abs() < 1e-6);
        let stopped = fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| false);
        assert_eq!(stopped.trace.len(), 2);
    }

    #[test]
    fn fixed_weights_stay_and_linear_terms_find_their_slope() {
        let mut dice = Rng::seed_from_u64(9);
        let mut parts =
            [0, 1].map(|_| SparseRows::with_tables(vec![0], vec![4], 4).with_linear_terms(1));
        for i in 0..2000 {
            let (active, factor) = (dice.random_range(0..4_u32), dice.random::<f32>() * 20.0);
            let label = active as f32 - 0.5 * factor;
            parts[i % 2].push_with(&[active], &[factor], label);
        }
        let none = parts[0].empty();
        let params =
            SparseParams { ridge: 1e-6, iterations: 60, patience: 60, ..Default::default() };
        let start = [5.0, 0.0, 0.0, 0.0, 0.0];
        let fit = |fixed| {
            let prior = Prior { weights: &start, fixed };
            fit_sparse(&[&parts[0], &parts[1]], &none, prior, &params, |_| true).weights
        };
        let free = fit(&[]);
        let close = |(a, b): (&f32, f32)| (a - b).abs() < 1e-3;
        assert!(free.iter().zip([0.0, 1.0, 2.0, 3.0, -0.5]).all(close), "{free:?}");
        let held = fit(&[0]);
        assert_eq!(held[0], 5.0);
        assert!((held[4] + 0.5).abs() > 1e-3, "the others make up for it: {held:?}");
    }

    #[test]
    fn threads_do_not_matter() {
        let (train, _) = planted(Link::Logistic, 200_000, 0.3, 7);
        let (holdout, _) = planted(Link::Logistic, 5000, 0.3, 8);
        let params = SparseParams { link: Link::Logistic, iterations: 10, ..Default::default() };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                fit_sparse(&[&train], &holdout, Prior::free(&[0.0; 24]), &params, |_| true).weights
            })
        };
        assert_eq!(on(1), on(3));
    }
}
