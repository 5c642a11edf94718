//! What a small node does instead of counting every bin: it visits the values it
//! has, in order.

use super::grow::Cell;
use super::ranks::NARROW;

/// From this many pairs on sorting by radix is quicker than by comparing.
const RADIX: usize = 512;
/// Bits a pass of the radix sort.
const DIGIT: u32 = 10;

/// Counts of a narrow column, and which of them are not empty.
pub(super) struct Seen {
    cells: [Cell; NARROW],
    present: [u64; NARROW / 64],
}

impl Default for Seen {
    fn default() -> Self {
        Self { cells: [Cell::default(); NARROW], present: [0; NARROW / 64] }
    }
}

impl Seen {
    #[inline]
    pub(super) fn add(&mut self, rank: u8, label: i32) {
        self.cells[usize::from(rank)].add(label);
        self.present[usize::from(rank >> 6)] |= 1 << (rank & 63);
    }

    /// The cells that are not empty, in order; all are empty afterwards, provided
    /// that the last is asked for.
    #[inline]
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (u32, Cell)> + '_ {
        let Self { cells, present } = self;
        (0..)
            .zip(present)
            .flat_map(move |(word, bits)| {
                let mut left = std::mem::take(bits);
                std::iter::from_fn(move || {
                    let bit = (left != 0).then(|| left.trailing_zeros())?;
                    left &= left - 1;
                    Some(64 * word + bit)
                })
            })
            .map(|rank| (rank, std::mem::take(&mut cells[rank as usize])))
    }
}

/// Pairs of ranks below `distinct` and labels, by rank.
pub(super) fn sorted(pairs: impl Iterator<Item = (u32, i32)>, distinct: usize) -> Vec<(u32, i32)> {
    let mut pairs: Vec<(u32, i32)> = pairs.collect();
    if pairs.len() < RADIX {
        pairs.sort_unstable();
        return pairs;
    }
    let mut spare = vec![(0, 0); pairs.len()];
    let bits = (distinct as u32).max(2).ilog2() + 1;
    for shift in (0..bits).step_by(DIGIT as usize) {
        let digit = |rank: u32| (rank >> shift & ((1 << DIGIT) - 1)) as usize;
        let mut starts = [0_usize; 1 << DIGIT];
        for pair in &pairs {
            starts[digit(pair.0)] += 1;
        }
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        for &pair in &pairs {
            let start = &mut starts[digit(pair.0)];
            spare[*start] = pair;
            *start += 1;
        }
        std::mem::swap(&mut pairs, &mut spare);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_sorts_order_ranks_and_keep_every_pair(
            pairs in prop::collection::vec((0_u32..70_000, any::<i32>()), 0..2000),
        ) {
            let mut found = sorted(pairs.iter().copied(), 70_000);
            prop_assert!(found.windows(2).all(|w| w[0].0 <= w[1].0));
            let mut expected = pairs;
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn draining_tells_all_that_was_added_once(
            added in prop::collection::vec((any::<u8>(), -5_i32..5), 0..300),
        ) {
            let mut seen = Seen::default();
            for &(rank, label) in &added {
                seen.add(rank, label);
            }
            let told: Vec<(u32, Cell)> = seen.drain().collect();
            prop_assert!(told.windows(2).all(|w| w[0].0 < w[1].0));
            for (rank, cell) in &told {
                let mine = added.iter().filter(|(r, _)| u32::from(*r) == *rank);
                prop_assert_eq!(cell.sum, mine.clone().map(|&(_, l)| i64::from(l)).sum::<i64>());
                prop_assert_eq!(cell.count, mine.count() as i64);
            }
            prop_assert_eq!(told.iter().map(|(_, c)| c.count).sum::<i64>(), added.len() as i64);
            prop_assert_eq!(seen.drain().count(), 0);
        }
    }
}
