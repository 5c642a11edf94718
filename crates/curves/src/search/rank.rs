//! A property cut into at most 255 ranks, once, so that every threshold is tried
//! by adding up ranks.

/// Rank 0 is unknown; thresholds lie between the others.
pub(super) const RANKS: usize = 256;
/// Values of a property whose single values are tried: the squares of Shogi take 29.
const ATOM_VALUES: usize = 32;
/// Levels of a property in a pair.
pub(super) const LEVELS: usize = 8;

/// The ranks of a property.
pub(super) struct Ranked {
    pub(super) ranks: Vec<u8>,
    /// The smallest value of rank `i + 1`.
    lows: Vec<f64>,
    /// Whether some values are unknown.
    pub(super) gaps: bool,
}

impl Ranked {
    pub(super) fn of(column: impl Iterator<Item = f64> + Clone) -> Self {
        let mut sorted: Vec<f64> = column.clone().filter(|x| !x.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut lows: Vec<f64> = sorted.chunk_by(|a, b| a == b).map(|same| same[0]).collect();
        if lows.len() > RANKS - 1 {
            // Equal shares of the rows; values that many rows share have their own.
            lows = (0..RANKS - 1).map(|i| sorted[sorted.len() * i / (RANKS - 1)]).collect();
            lows.dedup();
        }
        let rank = |x: f64| lows.partition_point(|&low| low <= x) as u8;
        let ranks: Vec<u8> = column.map(|x| if x.is_nan() { 0 } else { rank(x) }).collect();
        let gaps = sorted.len() < ranks.len();
        Self { ranks, lows, gaps }
    }

    /// The largest rank.
    pub(super) fn top(&self) -> u8 {
        self.lows.len() as u8
    }

    /// Whether the property is an atom: known everywhere, with few values, all whole.
    pub(super) fn is_atom(&self) -> bool {
        let few = (2..=ATOM_VALUES).contains(&self.lows.len());
        !self.gaps && few && self.lows.iter().all(|low| low.fract() == 0.0)
    }

    /// The smallest value of a rank.
    pub(super) fn threshold(&self, rank: u8) -> f64 {
        self.lows[usize::from(rank) - 1]
    }

    /// The first ranks of the levels but the lowest: at most seven, at about equal
    /// shares of the rows.
    pub(super) fn cuts(&self) -> Vec<u8> {
        let mut counts = vec![0_usize; RANKS];
        for &rank in &self.ranks {
            counts[usize::from(rank)] += 1;
        }
        let known: usize = counts[1..].iter().sum();
        if usize::from(self.top()) <= LEVELS {
            return (2..=self.top()).collect();
        }
        let (mut cuts, mut below) = (Vec::new(), 0);
        for rank in 1..self.top() {
            below += counts[usize::from(rank)];
            if below * LEVELS >= known * (cuts.len() + 1) && cuts.len() + 1 < LEVELS {
                cuts.push(rank + 1);
            }
        }
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_rise_with_values_and_thresholds_part_them(
            column in prop::collection::vec(
                prop_oneof![6 => -40.0..40.0_f64, 3 => Just(0.0), 1 => Just(f64::NAN)], 1..900),
        ) {
            let ranked = Ranked::of(column.iter().copied());
            for (&x, &rank) in column.iter().zip(&ranked.ranks) {
                prop_assert_eq!(rank == 0, x.is_nan());
                for at in 1..=ranked.top() {
                    prop_assert_eq!(rank >= at, x >= ranked.threshold(at));
                }
            }
            let cuts = ranked.cuts();
            prop_assert!(cuts.len() < LEVELS && cuts.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(cuts.iter().all(|&cut| (2..=ranked.top()).contains(&cut)));
        }
    }
}
