//! Proportions and their intervals, plain and clustered.
//!
//! Positions of one game share its result, so a win probability taken over
//! positions is a ratio of cluster totals, not a binomial share: with y and n
//! the successes and trials of cluster g of G, p = Σy / Σn has the linearised
//! variance (Cochran, *Sampling Techniques*, §6.3)
//!
//! ```text
//! var(p) = G/(G-1) · Σ (y - p n)² / (Σn)²
//! ```
//!
//! Intervals are Wilson's at an effective sample size (Korn and Graubard 1998):
//! p(1-p)/var(p), but never more than cluster sizes and the likeness of trials
//! within clusters allow, because where almost everything succeeds the few
//! clusters that fail estimate the variance badly. Invariant: an interval lies
//! in [0, 1], contains its proportion and is never NaN, all-success samples
//! included.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{Interval, normal};

/// Wilson's score interval for `successes` of `trials` at ±`z` standard errors.
///
/// Fractional counts are welcome (effective sizes, half points). Without trials
/// everything is possible; a share beyond 0 or 1 counts as 0 or 1.
///
/// ```
/// use evalsmith_stats::{normal::Z95, proportion::wilson};
/// let i = wilson(81.0, 263.0, Z95);
/// assert!((i.low - 0.2553).abs() < 5e-5 && (i.high - 0.3662).abs() < 5e-5);
/// ```
pub fn wilson(successes: f64, trials: f64, z: f64) -> Interval<f64> {
    let p = (successes / trials).clamp(0.0, 1.0);
    if trials <= 0.0 || p.is_nan() || z.is_nan() {
        return Interval::UNKNOWN;
    }
    let z2 = z * z / trials;
    let centre = (p + z2 / 2.0) / (1.0 + z2);
    let half = (z2 * p * (1.0 - p) + z2 * z2 / 4.0).sqrt() / (1.0 + z2);
    if !half.is_finite() {
        return Interval::UNKNOWN;
    }
    // Rounding must not push a limit past the share itself.
    Interval { low: (centre - half).clamp(0.0, p), high: (centre + half).clamp(p, 1.0) }
}

/// Successes and trials added cluster by cluster, in constant memory.
///
/// ```
/// use evalsmith_stats::proportion::Clustered;
/// let mut games = Clustered::default();
/// for (wins, positions) in [(2.0, 3.0), (0.0, 2.0), (4.0, 4.0), (1.0, 1.0)] {
///     games.add(wins, positions);
/// }
/// let p = games.proportion().expect("there are trials");
/// assert!((p.value - 0.7).abs() < 1e-12);
/// assert!((p.error - 0.216_025).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clustered {
    clusters: u64,
    trials: f64,
    successes: f64,
    failures: f64,
    trials_squared: f64,
    successes_squared: f64,
    failures_squared: f64,
    product: f64,
    within: f64,
}

impl Clustered {
    /// Adds one cluster; a cluster without trials is none.
    pub fn add(&mut self, successes: f64, trials: f64) {
        if trials <= 0.0 {
            return;
        }
        let failures = trials - successes;
        self.clusters += 1;
        self.trials += trials;
        self.successes += successes;
        self.failures += failures;
        self.trials_squared += trials * trials;
        self.successes_squared += successes * successes;
        self.failures_squared += failures * failures;
        self.product += successes * failures;
        self.within += successes * failures / trials;
    }

    /// The proportion with its clustered error; none without trials.
    pub fn proportion(&self) -> Option<Proportion> {
        if self.trials <= 0.0 {
            return None;
        }
        let p = (self.successes / self.trials).clamp(0.0, 1.0);
        let q = (self.failures / self.trials).clamp(0.0, 1.0);
        if p == 0.0 || q == 0.0 || self.clusters < 2 {
            // Nothing varies between clusters: each counts as one trial.
            let effective = self.trials / self.design_effect(1.0);
            let error = (p * q / effective).sqrt();
            let estimated = false;
            return Some(Proportion {
                value: p,
                error,
                clusters: self.clusters,
                effective,
                estimated,
            });
        }
        // y - pn = qy - pm with m the failures: no difference of large numbers
        // remains where p is near 0 or 1.
        let spread = q * q * self.successes_squared - 2.0 * p * q * self.product
            + p * p * self.failures_squared;
        let clusters = self.clusters as f64;
        let variance = spread.max(0.0) / (self.trials * self.trials) * clusters / (clusters - 1.0);
        let likeness = self.likeness(p * q);
        let effective = (p * q / variance).min(self.trials / self.design_effect(likeness));
        Some(Proportion {
            value: p,
            error: variance.sqrt(),
            clusters: self.clusters,
            effective,
            estimated: true,
        })
    }

    /// How alike two trials of a cluster are: 0 as chance has it, 1 identical
    /// (the intraclass correlation of Fleiss and Cuzick 1979).
    fn likeness(&self, variance: f64) -> f64 {
        let pairs = self.trials - self.clusters as f64;
        if pairs <= 0.0 { 0.0 } else { (1.0 - self.within / (pairs * variance)).clamp(0.0, 1.0) }
    }

    /// The factor by which clusters of these sizes enlarge the variance (Kish).
    fn design_effect(&self, likeness: f64) -> f64 {
        (1.0 + (self.trials_squared / self.trials - 1.0) * likeness).max(1.0)
    }
}

/// A proportion over clustered trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion {
    /// The share of successes.
    pub value: f64,
    /// Its standard error, clustered; zero where every trial ended alike.
    pub error: f64,
    /// How many clusters it rests on.
    pub clusters: u64,
    /// The independent trials that would be as precise.
    pub effective: f64,
    /// Whether the error was estimated from the spread between clusters.
    estimated: bool,
}

impl Proportion {
    /// The interval that holds the true share with this `confidence` (0.95 for
    /// the usual one), wider where few clusters make the error itself uncertain.
    pub fn interval(&self, confidence: f64) -> Interval<f64> {
        let upper = f64::midpoint(1.0, confidence);
        if !(0.5..1.0).contains(&upper) {
            return Interval::UNKNOWN;
        }
        let mut z = normal::quantile(upper);
        // Beyond ten thousand clusters Student's quantile is the normal one.
        if self.estimated && self.clusters <= 10_000 {
            let student = StudentsT::new(0.0, 1.0, (self.clusters - 1) as f64)
                .expect("an estimated error has at least two clusters");
            z = student.inverse_cdf(upper);
        }
        wilson(self.value * self.effective, self.effective, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::Z95;
    use proptest::prelude::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b} within {tolerance}");
    }

    /// Newcombe 1998, table I, method 3.
    #[test]
    fn wilson_agrees_with_newcombe() {
        for (r, n, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let i = wilson(r, n, Z95);
            near(i.low, low, 5e-5);
            near(i.high, high, 5e-5);
        }
        assert_eq!(wilson(20.0, 20.0, Z95).high, 1.0);
    }

    #[test]
    fn strange_input_says_nothing() {
        assert_eq!(wilson(0.0, 0.0, Z95), Interval::UNKNOWN);
        assert_eq!(wilson(f64::NAN, 10.0, Z95), Interval::UNKNOWN);
        assert_eq!(wilson(5.0, 10.0, f64::INFINITY), Interval::UNKNOWN);
        assert_eq!(Clustered::default().proportion(), None);
    }

    #[test]
    fn all_successes_rest_on_the_clusters() {
        let mut c = Clustered::default();
        for _ in 0..20 {
            c.add(50.0, 50.0);
        }
        let p = c.proportion().unwrap();
        assert_eq!((p.value, p.error, p.effective), (1.0, 0.0, 20.0));
        let i = p.interval(0.95);
        near(i.low, 1.0 - 0.1611, 5e-5);
        assert_eq!(i.high, 1.0);
    }

    #[test]
    fn trials_alone_in_their_clusters_are_binomial() {
        let mut c = Clustered::default();
        for k in 0..400 {
            c.add(f64::from(u8::from(k % 4 == 0)), 1.0);
        }
        let p = c.proportion().unwrap();
        near(p.error, (0.25_f64 * 0.75 / 399.0).sqrt(), 1e-12);
        let (ours, plain) = (p.interval(0.95), wilson(100.0, 400.0, Z95));
        near(ours.low, plain.low, 1e-3);
        near(ours.high, plain.high, 1e-3);
    }

    /// Steele, Lea and Flood's generator: enough chance for a simulation.
    struct SplitMix(u64);

    impl SplitMix {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// The share of samples whose interval holds the truth: clustered, naive.
    fn coverage(truth: f64, clusters: u32, shared: f64, seed: u64) -> (f64, f64) {
        let mut random = SplitMix(seed);
        let samples = 4000;
        let (mut ours, mut naive) = (0, 0);
        for _ in 0..samples {
            let mut sample = Clustered::default();
            for _ in 0..clusters {
                let trials = 1 + (random.uniform() * 12.0) as u32;
                let game = random.uniform() < truth;
                let mut won = 0;
                for _ in 0..trials {
                    let own = random.uniform() < truth;
                    won += u32::from(if random.uniform() < shared { game } else { own });
                }
                sample.add(f64::from(won), f64::from(trials));
            }
            let p = sample.proportion().unwrap();
            let holds = |i: Interval<f64>| u32::from(i.contains(&truth));
            ours += holds(p.interval(0.95));
            naive += holds(wilson(sample.successes, sample.trials, Z95));
        }
        (f64::from(ours) / f64::from(samples), f64::from(naive) / f64::from(samples))
    }

    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        for (truth, clusters, shared) in [
            (0.5, 200, 1.0),
            (0.9, 200, 1.0),
            (0.97, 120, 1.0),
            (0.3, 30, 1.0),
            (0.6, 100, 0.4),
            (0.6, 100, 0.0),
            (0.97, 100, 0.4),
        ] {
            let (ours, naive) = coverage(truth, clusters, shared, 20_071_013);
            assert!((0.935..=0.975).contains(&ours), "{ours} at {truth} of {clusters}");
            if shared == 1.0 {
                assert!(naive < 0.75, "positions taken as independent cover {naive}");
            }
        }
    }

    fn clusters() -> impl Strategy<Value = Vec<(u32, u32)>> {
        let cluster = (0_u32..60).prop_flat_map(|n| (0..=n, Just(n)));
        prop::collection::vec(cluster, 1..40)
    }

    proptest! {
        #[test]
        fn the_running_sums_equal_the_definition(clusters in clusters()) {
            let mut c = Clustered::default();
            for &(y, n) in &clusters {
                c.add(f64::from(y), f64::from(n));
            }
            let used: Vec<_> = clusters
                .iter()
                .filter(|c| c.1 > 0)
                .map(|&(y, n)| (f64::from(y), f64::from(n)))
                .collect();
            let total: f64 = used.iter().map(|c| c.1).sum();
            let Some(p) = c.proportion() else {
                prop_assert!(used.is_empty());
                return Ok(());
            };
            let share = used.iter().map(|c| c.0).sum::<f64>() / total;
            prop_assert!((p.value - share).abs() < 1e-12);
            if used.len() > 1 {
                let squares: f64 = used.iter().map(|(y, n)| (y - share * n).powi(2)).sum();
                let g = used.len() as f64;
                let variance = squares * g / (g - 1.0) / (total * total);
                prop_assert!((p.error.powi(2) - variance).abs() < 1e-13, "{p:?}, not {variance}");
            }
        }

        #[test]
        fn intervals_hold_the_share_and_grow_with_confidence(clusters in clusters()) {
            let mut c = Clustered::default();
            for &(y, n) in &clusters {
                c.add(f64::from(y), f64::from(n));
            }
            if let Some(p) = c.proportion() {
                let (narrow, wide) = (p.interval(0.95), p.interval(0.999));
                prop_assert!(0.0 <= wide.low && wide.high <= 1.0);
                prop_assert!(narrow.low <= p.value && p.value <= narrow.high);
                prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
                prop_assert!(narrow.low < narrow.high);
                prop_assert!(p.error.is_finite() && p.effective >= 0.0);
            }
        }
    }
}
