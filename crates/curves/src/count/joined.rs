//! Which neighbouring bins of a condition's curve are drawn as one.
//!
//! A condition that holds rarely would fill no bin. From its fullest bin outwards,
//! neighbours are joined until they hold enough positions; what is left at either end
//! stays alone and is not drawn. Full bins stay as they are.

use std::ops::Range;

/// A rare condition has about so many bins, of no fewer than [`FEWEST`] positions.
const BINS: u64 = 5;
const FEWEST: u64 = 20;

/// Positions that fill a bin of a curve with so many positions in all, where
/// `min_count` fill one of the total curve.
pub(super) fn least(positions: u64, min_count: u64) -> u64 {
    min_count.min((positions / BINS).max(FEWEST))
}

/// Ranges of bins, in their order and without gaps, by the positions in each bin.
pub(super) fn joined(counts: &[u64], least: u64) -> Vec<Range<usize>> {
    let fullest = (0..counts.len()).max_by_key(|&bin| (counts[bin], usize::MAX - bin));
    let Some(fullest) = fullest else { return Vec::new() };
    // Below the fullest bin the walk goes down.
    let mut ranges = walk(counts[..fullest].iter().rev(), least);
    for range in &mut ranges {
        *range = fullest - range.end..fullest - range.start;
    }
    ranges.reverse();
    let above = walk(counts[fullest..].iter(), least);
    ranges.extend(above.into_iter().map(|range| fullest + range.start..fullest + range.end));
    let full = |range: &Range<usize>| counts[range.clone()].iter().sum::<u64>() >= least;
    if !ranges.iter().any(full) && full(&(0..counts.len())) {
        let all = 0..counts.len();
        return vec![all];
    }
    ranges
}

/// Joins from the first bin on.
fn walk<'c>(counts: impl Iterator<Item = &'c u64>, least: u64) -> Vec<Range<usize>> {
    let (mut ranges, mut begin, mut held, mut end) = (Vec::new(), 0, 0, 0);
    for count in counts {
        end += 1;
        held += count;
        if held >= least.max(1) {
            ranges.push(begin..end);
            (begin, held) = (end, 0);
        }
    }
    ranges.extend((begin..end).map(|bin| bin..bin + 1));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_rare_condition_is_joined_from_its_middle() {
        assert_eq!(joined(&[1, 2, 9, 30, 12, 11, 3], 20), [0..1, 1..2, 2..3, 3..4, 4..6, 6..7]);
        assert_eq!(joined(&[5, 5, 6, 5, 5], 10), [0..2, 2..4, 4..5]);
        assert_eq!(joined(&[50, 60, 50], 10), [0..1, 1..2, 2..3], "full bins stay");
        assert_eq!(joined(&[], 10), []);
        assert_eq!((least(100, 1000), least(4000, 1000), least(10_000, 1000)), (20, 800, 1000));
    }

    proptest! {
        #[test]
        fn every_bin_is_in_one_range(counts in prop::collection::vec(0..40_u64, 0..60), least in 0..60_u64) {
            let ranges = joined(&counts, least);
            let bins: Vec<usize> = ranges.iter().cloned().flatten().collect();
            prop_assert_eq!(bins, (0..counts.len()).collect::<Vec<_>>());
            for range in ranges.into_iter().filter(|range| range.len() > 1) {
                prop_assert!(counts[range].iter().sum::<u64>() >= least);
            }
            let full = |r: Range<usize>| counts[r].iter().sum::<u64>() >= least;
            let drawn = joined(&counts, least).into_iter().any(full);
            prop_assert_eq!(drawn, !counts.is_empty() && full(0..counts.len()));
        }
    }
}
