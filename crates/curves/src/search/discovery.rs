//! The false discovery rate under any dependence (Benjamini and Yekutieli 2001).

/// For each p-value the smallest rate at which its null is rejected, when `tests`
/// were made in all and those not listed have p-values of one.
pub(super) fn q_values(p_values: &[f64], tests: u64) -> Vec<f64> {
    let harmonic = harmonic(tests);
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut q_values = vec![1.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (before, &at) in order.iter().enumerate().rev() {
        let rate = p_values[at] * tests as f64 * harmonic / (before + 1) as f64;
        smallest = smallest.min(rate);
        q_values[at] = smallest;
    }
    q_values
}

/// 1 + 1/2 + ... + 1/n.
fn harmonic(n: u64) -> f64 {
    let exact = n.min(1000);
    let sum: f64 = (1..=exact).map(|i| 1.0 / i as f64).sum();
    // Euler and Maclaurin from there on.
    if n > exact {
        sum + (n as f64 / exact as f64).ln() + 0.5 * (1.0 / n as f64 - 1.0 / exact as f64)
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels 0.14: `multipletests(p, method="fdr_by")`.
    #[test]
    fn agrees_with_statsmodels() {
        let p = [0.001, 0.03, 0.012, 0.8, 0.004, 0.2];
        let expected = [0.0147, 0.11025, 0.0588, 1.0, 0.0294, 0.588];
        for (ours, theirs) in q_values(&p, 6).iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-12, "{ours} is not {theirs}");
        }
    }

    #[test]
    fn tests_that_are_not_listed_count_as_ones() {
        let listed = q_values(&[1e-6, 1e-3], 5000);
        let mut all = vec![1.0; 5000];
        all[..2].copy_from_slice(&[1e-6, 1e-3]);
        for (short, long) in listed.iter().zip(q_values(&all, 5000)) {
            assert!((short / long - 1.0).abs() < 1e-9, "{short} is not {long}");
        }
        let slow: f64 = (1..=5000).map(|i| 1.0 / f64::from(i)).sum();
        assert!((harmonic(5000) - slow).abs() < 1e-6);
    }
}
