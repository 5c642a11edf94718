//! The sign test: of the pairs that somebody won, how many, and could that be
//! chance? Exact, by the binomial distribution; it assumes nothing about
//! variances and ignores pairs that were shared. Beyond 10¹⁰ pairs, where the
//! sum has too many terms, by the normal one.

use crate::normal;
use serde::{Deserialize, Serialize};
use statrs::function::factorial::ln_binomial;

/// The exact two-sided sign test on decisive pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignTest {
    /// Pairs in which the first player made more than one point.
    pub better: u64,
    /// Pairs in which it made less.
    pub worse: u64,
    /// The probability of a split at least as uneven between equal players.
    pub p_value: f64,
}

impl SignTest {
    /// The test on `better` against `worse` decisive pairs.
    ///
    /// ```
    /// use evalsmith_stats::elo::SignTest;
    /// // 8 of 10: 2 (45 + 10 + 1) / 1024.
    /// assert!((SignTest::new(8, 2).p_value - 0.109_375).abs() < 1e-12);
    /// assert_eq!(SignTest::new(0, 0).p_value, 1.0);
    /// ```
    pub fn new(better: u64, worse: u64) -> Self {
        const EXACT_TO: u64 = 10_000_000_000;
        let n = better.saturating_add(worse);
        let more = better.max(worse);
        let p_value = if better == worse {
            1.0
        } else if n <= EXACT_TO {
            (2.0 * upper_tail(n, more)).min(1.0)
        } else {
            normal::two_sided((better.abs_diff(worse) - 1) as f64 / (n as f64).sqrt())
        };
        Self { better, worse, p_value }
    }

    /// Whether equal players would split so unevenly in fewer than 5 of 100 matches.
    pub fn is_significant(&self) -> bool {
        self.p_value < 0.05
    }
}

/// The probability of at least `k > n/2` heads in `n` throws. From `k` on every
/// term is smaller than the one before, so the sum may stop when one vanishes.
fn upper_tail(n: u64, k: u64) -> f64 {
    let first = ln_binomial(n, k) - n as f64 * std::f64::consts::LN_2;
    let mut term = 1.0;
    let mut sum = 0.0;
    for heads in k..=n {
        sum += term;
        term *= (n - heads) as f64 / (heads + 1) as f64;
        if term < sum * 1e-18 {
            break;
        }
    }
    (first + f64::ln(sum)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All splits of up to 60 pairs against sums of exact binomials.
    #[test]
    fn equals_the_plain_sum() {
        for n in 0..=60_u64 {
            let mut row = vec![1_u128];
            for _ in 0..n {
                let mut next = vec![1];
                next.extend(row.windows(2).map(|w| w[0] + w[1]));
                next.push(1);
                row = next;
            }
            for better in 0..=n {
                let uneven = better.max(n - better);
                let tail: u128 = row[uneven as usize..].iter().sum();
                let expected = (2.0 * tail as f64 / 2.0_f64.powi(n as i32)).min(1.0);
                let found = SignTest::new(better, n - better).p_value;
                assert!((found / expected - 1.0).abs() < 1e-11, "{better} of {n}: {found}");
            }
        }
    }

    #[test]
    fn large_matches_approach_the_normal_test() {
        let test = SignTest::new(501_000, 499_000);
        let continuity = (1000.0 - 0.5) / 250_000.0_f64.sqrt();
        assert!((test.p_value / normal::two_sided(continuity) - 1.0).abs() < 1e-3, "{test:?}");
        assert!(SignTest::new(1_000_000, 0).p_value < 1e-300);
        let (below, above) = (4_999_900_000, 5_000_100_000);
        let exact = SignTest::new(above, below).p_value;
        let normal = SignTest::new(above + 1, below).p_value;
        assert!((exact / normal - 1.0).abs() < 1e-3, "{exact} {normal}");
        assert!(SignTest::new(u64::MAX, u64::MAX - 9).p_value > 0.99);
        assert!(!SignTest::new(5, 0).is_significant() && SignTest::new(6, 0).is_significant());
    }
}
