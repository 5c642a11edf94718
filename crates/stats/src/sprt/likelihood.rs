//! The likelihood of a sample when the strength is fixed and all else is free.
//!
//! Among all distributions over the outcomes `a` whose mean of some `d(a)` is
//! zero, the one that makes observed shares `q` likeliest is
//! `p = q / w` with `w = 1 + θ d`, where `θ` solves the secular equation
//! `Σ q d / (1 + θ d) = 0` (Van den Bergh, *Comparing the approximations for the
//! generalized log likelihood ratio of a multinomial distribution*, prop. 1.1).
//! A fixed expectation `s` is `d = a - s`. A fixed `t = (μ - ½) / σ` is not
//! linear; its tangent at a distribution with mean `μ` and deviation `σ` is
//! `d = a - ½ - tσ/2 (1 + ((a - μ)/σ)²)`, and the tangent is drawn anew until the
//! distribution stays (*Normalized Elo practical*, section 4.1).
//!
//! Invariant: every observed share is positive (an outcome never seen counts as
//! [`UNSEEN`] observations, as in fishtest and fastchess), so both functions have
//! one finite answer.

/// The observations counted for an outcome that never came.
pub(super) const UNSEEN: f64 = 1e-3;

/// Shares of `N` equally spaced outcomes from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed<const N: usize> {
    total: f64,
    shares: [f64; N],
}

impl<const N: usize> Observed<N> {
    pub(super) fn new(counts: &[u64; N]) -> Self {
        let seen = counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = seen.iter().sum();
        Self { total, shares: seen.map(|count| count / total) }
    }

    fn outcomes() -> [f64; N] {
        std::array::from_fn(|i| i as f64 / (N - 1) as f64)
    }

    /// The greatest log-likelihood of all observations at an expectation inside
    /// (0, 1), less the greatest of all.
    pub(super) fn at_expectation(&self, expectation: f64) -> f64 {
        self.at(&Self::outcomes().map(|a| a - expectation)).map_or(0.0, |w| self.log_likelihood(&w))
    }

    /// The same at `(μ - ½) / σ = t`.
    pub(super) fn at_t(&self, t: f64) -> f64 {
        self.log_likelihood(&self.weights_at_t(t))
    }

    fn weights_at_t(&self, t: f64) -> [f64; N] {
        // The slowest of 15,000 odd samples with |t| below 0.62 took 77.
        const STEPS: u32 = 200;
        const STILL: f64 = 1e-12;
        let outcomes = Self::outcomes();
        let mut p = [1.0 / N as f64; N];
        let mut weights = [1.0; N];
        for _ in 0..STEPS {
            let mean = dot(&p, &outcomes);
            let variance = dot(&p, &outcomes.map(|a| (a - mean).powi(2)));
            let deviation = variance.sqrt();
            let tangent =
                outcomes.map(|a| a - 0.5 - 0.5 * t * (deviation + (a - mean).powi(2) / deviation));
            // A tangent that no distribution touches cannot improve the last one.
            let Some(w) = self.at(&tangent) else { break };
            weights = w;
            let next: [f64; N] = std::array::from_fn(|i| self.shares[i] / w[i]);
            let change = (0..N).map(|i| (next[i] - p[i]).abs()).fold(0.0, f64::max);
            p = next;
            if change < STILL {
                break;
            }
        }
        weights
    }

    fn log_likelihood(&self, weights: &[f64; N]) -> f64 {
        -self.total * dot(&self.shares, &weights.map(f64::ln))
    }

    /// The `w = 1 + θ d` of the secular equation; none unless `d` has both signs.
    fn at(&self, d: &[f64; N]) -> Option<[f64; N]> {
        let far = |sign: f64| {
            let at = (0..N).max_by(|&i, &j| (sign * d[i]).total_cmp(&(sign * d[j])));
            at.filter(|&i| sign * d[i] > 0.0)
        };
        let (most, least) = (far(1.0)?, far(-1.0)?);
        // θ takes from the side where the mean lies and gives to the other end,
        // whose weight `slack` falls from 1 (θ = 0) towards 0. Counting θ from
        // there, no weight is a difference of almost equal numbers.
        let end = if dot(&self.shares, d) > 0.0 { least } else { most };
        let r = d.map(|value| -value / d[end]);
        let weights = |slack: f64| r.map(|r| (1.0 + r) - slack * r);
        // The end's probability, its share over the slack, is at most 1.
        let (mut low, mut high) = (self.shares[end], 1.0);
        let mut slack = 1.0;
        for _ in 0..200 {
            let w = weights(slack);
            let ratio: [f64; N] = std::array::from_fn(|i| r[i] / w[i]);
            let value = dot(&self.shares, &ratio);
            let slope = dot(&self.shares, &ratio.map(|x| x * x));
            if value > 0.0 {
                high = slack;
            } else {
                low = slack;
            }
            let newton = slack - value / slope;
            let inside = low < newton && newton < high;
            let next = if inside { newton } else { (low * high).sqrt() };
            // Newton's error is about the square of his last step.
            let last = inside && (next - slack).abs() <= 1e-9 * slack;
            slack = next;
            if last || low == high {
                break;
            }
        }
        Some(weights(slack))
    }
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moments(p: &[f64; 5]) -> (f64, f64) {
        let a = Observed::<5>::outcomes();
        let mean = dot(p, &a);
        (mean, dot(p, &a.map(|a| (a - mean).powi(2))).sqrt())
    }

    fn count() -> impl Strategy<Value = u64> {
        prop_oneof![3 => Just(0), 5 => 0..20_u64, 2 => 0..10_000_000_u64, 1 => Just(u64::MAX)]
    }

    proptest! {
        /// The tilted distribution is one, has the expectation asked for, and no
        /// step along the constraint makes the sample likelier.
        #[test]
        fn the_tilt_is_the_constrained_maximum(
            counts in [count(), count(), count(), count(), count()],
            expectation in 0.001..0.999_f64,
        ) {
            let observed = Observed::new(&counts);
            let d = Observed::<5>::outcomes().map(|a| a - expectation);
            let w = observed.at(&d).expect("the expectation lies inside");
            let p: [f64; 5] = std::array::from_fn(|i| observed.shares[i] / w[i]);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{:?}", p);
            prop_assert!((moments(&p).0 - expectation).abs() < 1e-9, "{:?}", p);
            // Directions that keep total and mean: (1, -2, 1) at each inner outcome.
            for i in 1..4 {
                let step = 0.01 * p[i - 1].min(p[i]).min(p[i + 1]);
                for step in [step, -step] {
                    let mut moved = p;
                    moved[i - 1] += step;
                    moved[i] -= 2.0 * step;
                    moved[i + 1] += step;
                    prop_assume!(moved.iter().all(|&p| p > 0.0));
                    let gain: f64 =
                        (0..5).map(|j| observed.shares[j] * (moved[j] / p[j]).ln()).sum();
                    prop_assert!(gain <= 1e-12, "{} {:?} {:?}", gain, p, moved);
                }
            }
        }

        #[test]
        fn the_tangents_lead_to_the_t_asked_for(
            counts in [count(), count(), count(), count(), count()],
            t in -0.61..0.61_f64,
        ) {
            let observed = Observed::new(&counts);
            let w = observed.weights_at_t(t);
            let p: [f64; 5] = std::array::from_fn(|i| observed.shares[i] / w[i]);
            let (mean, deviation) = moments(&p);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{:?}", p);
            prop_assert!(((mean - 0.5) / deviation - t).abs() < 1e-7, "{:?}", p);
        }

        #[test]
        fn likelihoods_are_finite_and_never_above_the_greatest(
            counts in [count(), count(), count(), count(), count()],
            t in -0.61..0.61_f64,
        ) {
            let observed = Observed::new(&counts);
            let rounding = 1e-13 * observed.total;
            for found in [observed.at_t(t), observed.at_expectation(0.5 + 0.7 * t)] {
                prop_assert!(found.is_finite() && found <= rounding, "{}", found);
            }
        }

        /// At its own strength a sample is as likely as can be.
        #[test]
        fn the_samples_own_strength_is_the_likeliest(
            counts in [1..900_u64, 1..900_u64, 1..900_u64, 1..900_u64, 1..900_u64],
        ) {
            let observed = Observed::new(&counts);
            let (mean, deviation) = moments(&observed.shares);
            let t = (mean - 0.5) / deviation;
            prop_assert!(observed.at_expectation(mean).abs() < 1e-9);
            if t.abs() < 0.6 {
                prop_assert!(observed.at_t(t).abs() < 1e-9);
                prop_assert!(observed.at_t(t + 0.01) < -1e-7);
            }
        }
    }
}
