//! Does a curve rise?
//!
//! A good function's curve must (takeuchi07), but a measured one wavers by
//! chance. A descent is significant where the difference of two bins, the
//! earlier minus the later, stays above zero in Newcombe's hybrid score interval
//! (1998, method 10), built from the bins' own clustered intervals. All pairs
//! are compared, so that a slow descent over many bins counts as well, at a
//! level of 5 % for all of them together (Bonferroni, one-sided). Bins that
//! share games are positively correlated, which makes the test cautious.

use evalsmith_stats::proportion::Proportion;

/// Whether no descent among `bins`, given in the order of their values, is
/// significant.
pub(crate) fn is_monotone(bins: &[Proportion]) -> bool {
    let pairs = bins.len() * bins.len().saturating_sub(1) / 2;
    // The upper tail beyond an interval is half of what the interval leaves out.
    let confidence = 1.0 - 2.0 * 0.05 / pairs.max(1) as f64;
    let limits: Vec<_> = bins.iter().map(|p| (p.value, p.interval(confidence))).collect();
    limits.iter().enumerate().all(|(i, (earlier, low))| {
        limits[i + 1..]
            .iter()
            .all(|(later, high)| earlier - later <= (earlier - low.low).hypot(high.high - later))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_stats::proportion::Clustered;

    fn share(wins: u32, games: u32) -> Proportion {
        let mut clustered = Clustered::default();
        for game in 0..games {
            clustered.add(if game < wins { 5.0 } else { 0.0 }, 5.0);
        }
        clustered.proportion().expect("there are games")
    }

    #[test]
    fn a_rise_and_a_waver_are_monotone_and_a_descent_is_not() {
        assert!(is_monotone(&[]));
        assert!(is_monotone(&[share(10, 100), share(50, 100), share(90, 100)]));
        assert!(is_monotone(&[share(10, 100), share(52, 100), share(50, 100), share(90, 100)]));
        assert!(!is_monotone(&[share(10, 100), share(70, 100), share(30, 100), share(90, 100)]));
    }

    #[test]
    fn a_slow_descent_over_many_bins_is_found() {
        let slow: Vec<_> = (0..12).map(|i| share(280 - 12 * i, 400)).collect();
        assert!(slow.windows(2).all(|pair| is_monotone(&[pair[0], pair[1]])));
        assert!(!is_monotone(&slow));
    }

    #[test]
    fn bins_without_a_loss_are_compared_by_their_intervals() {
        assert!(is_monotone(&[share(40, 40), share(39, 40)]));
        assert!(!is_monotone(&[share(400, 400), share(360, 400)]));
    }
}
