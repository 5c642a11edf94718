//! `GenConf`: every configuration that matches often enough (buro98 section 3).
//!
//! A configuration is a conjunction of relations `atom = value`, at most one for
//! each atom. Configurations are specialised in the order of the atoms, so that
//! each is met once; one that is too rare has no frequent specialisation and is
//! not followed.
//!
//! Where the paper intersects bit rows, this counts in *projections*: the
//! positions that match a configuration, reduced to the atoms that may still be
//! added, equal ones merged into one with a weight. Positions are kept sorted
//! with the last atom as the leading digit, so that dropping the atoms used up
//! keeps the order, equal remainders become neighbours, and a projection with its
//! merging is one pass. The deeper a configuration, the fewer different
//! remainders there are: what is left costs nanoseconds.

/// Positions by their atoms, equal ones merged.
///
/// Invariant: codes rise strictly.
#[derive(Clone, Debug, Default)]
struct Projection {
    codes: Vec<u64>,
    weights: Vec<u32>,
}

impl Projection {
    fn push(&mut self, code: u64, weight: u32) {
        match self.codes.last() {
            Some(&last) if last == code => {
                *self.weights.last_mut().expect("a weight a code") += weight;
            }
            _ => {
                self.codes.push(code);
                self.weights.push(weight);
            }
        }
    }

    fn clear(&mut self) {
        self.codes.clear();
        self.weights.clear();
    }
}

/// One relation of a configuration: the atom has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation {
    /// The atom's number.
    pub atom: u16,
    /// Its value.
    pub value: u8,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigurationParams {
    /// Matching positions that make a configuration valid.
    pub min_count: u32,
    /// The most relations of a configuration.
    pub max_length: usize,
}

/// Why configurations cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A minimum of zero is met by everything.
    #[error("a minimum count of 0 makes every configuration valid; ask for at least 1")]
    MinCount,
    /// The atoms' values do not fit into a code.
    #[error("{atoms} atoms need {bits} bits a position, and 64 is the most; choose fewer atoms")]
    TooWide {
        /// How many atoms.
        atoms: usize,
        /// The bits they need.
        bits: u32,
    },
    /// A position has a value that its atom cannot take.
    #[error("position {row} has value {value} for atom {atom}, which takes {range} values")]
    Value {
        /// The position.
        row: usize,
        /// The atom.
        atom: usize,
        /// The value found.
        value: u8,
        /// How many values the atom takes.
        range: u8,
    },
}

/// Calls `visit` with every valid configuration and its count, specialisations
/// after what they specialise. `positions` holds the atoms of one position after
/// another; `ranges` says how many values each takes.
///
/// # Errors
/// When the atoms are too many for a code, or a value is out of range.
pub fn configurations(
    positions: &[u8],
    ranges: &[u8],
    params: &ConfigurationParams,
    mut visit: impl FnMut(&[Relation], u32),
) -> Result<(), ConfigurationError> {
    if params.min_count == 0 {
        return Err(ConfigurationError::MinCount);
    }
    let layout = Layout::new(ranges)?;
    if ranges.is_empty() || params.max_length == 0 {
        return Ok(());
    }
    let whole = layout.merged(positions, ranges)?;
    let mut miner = Miner {
        layout: &layout,
        params: *params,
        prefix: Vec::new(),
        spare: Vec::new(),
        counts: vec![0; layout.cells],
    };
    miner.specialise(&whole, 0, &mut visit);
    Ok(())
}

/// Where each atom's value stands in a code: the first atom lowest.
struct Layout {
    bits: Vec<u32>,
    /// Where each atom's counts begin, in a list of all values of all atoms.
    first_cell: Vec<usize>,
    ranges: Vec<u8>,
    cells: usize,
}

impl Layout {
    fn new(ranges: &[u8]) -> Result<Self, ConfigurationError> {
        let bits: Vec<u32> = ranges
            .iter()
            .map(|&range| u8::BITS - range.saturating_sub(1).leading_zeros())
            .collect();
        let total: u32 = bits.iter().sum();
        if total > u64::BITS {
            return Err(ConfigurationError::TooWide { atoms: ranges.len(), bits: total });
        }
        let mut cells = 0;
        let mut first_cell = Vec::with_capacity(ranges.len());
        for &range in ranges {
            first_cell.push(cells);
            cells += usize::from(range);
        }
        Ok(Self { bits, first_cell, ranges: ranges.to_vec(), cells })
    }

    fn merged(&self, positions: &[u8], ranges: &[u8]) -> Result<Projection, ConfigurationError> {
        let mut codes = Vec::with_capacity(positions.len() / ranges.len());
        for (row, values) in positions.chunks_exact(ranges.len()).enumerate() {
            let mut code = 0;
            for (atom, (&value, &range)) in values.iter().zip(ranges).enumerate().rev() {
                if value >= range {
                    return Err(ConfigurationError::Value { row, atom, value, range });
                }
                code = code << self.bits[atom] | u64::from(value);
            }
            codes.push(code);
        }
        codes.sort_unstable();
        let mut merged = Projection::default();
        for code in codes {
            merged.push(code, 1);
        }
        Ok(merged)
    }
}

struct Miner<'a> {
    layout: &'a Layout,
    params: ConfigurationParams,
    prefix: Vec<Relation>,
    /// Projections to use again.
    spare: Vec<Projection>,
    counts: Vec<u32>,
}

impl Miner<'_> {
    /// Adds every later relation to the prefix whose positions, reduced to the
    /// atoms from `first` on, are those of `here`.
    fn specialise(
        &mut self,
        here: &Projection,
        first: usize,
        visit: &mut impl FnMut(&[Relation], u32),
    ) {
        let layout = self.layout;
        let atoms = layout.bits.len();
        let begin = layout.first_cell[first];
        self.counts[begin..].fill(0);
        for (&code, &weight) in here.codes.iter().zip(&here.weights) {
            let mut rest = code;
            for atom in first..atoms {
                let bits = layout.bits[atom];
                let value = (rest & ((1 << bits) - 1)) as usize;
                self.counts[layout.first_cell[atom] + value] += weight;
                rest = rest.checked_shr(bits).unwrap_or(0);
            }
        }
        let counts = self.counts[begin..].to_vec();
        let deeper = self.prefix.len() + 1 < self.params.max_length;
        let mut used = 0;
        for atom in first..atoms {
            let bits = layout.bits[atom];
            let of_atom = layout.first_cell[atom] - begin;
            for value in 0..layout.ranges[atom] {
                let count = counts[of_atom + usize::from(value)];
                if count < self.params.min_count {
                    continue;
                }
                self.prefix.push(Relation { atom: atom as u16, value });
                visit(&self.prefix, count);
                if deeper && atom + 1 < atoms {
                    let below = self.project(here, used, bits, value);
                    self.specialise(&below, atom + 1, visit);
                    self.spare.push(below);
                }
                self.prefix.pop();
            }
            used += bits;
        }
    }

    /// The positions with this value behind the `used` bits, reduced to what
    /// stands behind the value.
    fn project(&mut self, here: &Projection, used: u32, bits: u32, value: u8) -> Projection {
        let mut below = self.spare.pop().unwrap_or_default();
        below.clear();
        let mask = (1_u64 << bits) - 1;
        for (&code, &weight) in here.codes.iter().zip(&here.weights) {
            let rest = code >> used;
            if rest & mask == u64::from(value) {
                below.push(rest >> bits, weight);
            }
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn all(
        positions: &[u8],
        ranges: &[u8],
        min_count: u32,
        max_length: usize,
    ) -> BTreeMap<Vec<Relation>, u32> {
        let mut found = BTreeMap::new();
        let params = ConfigurationParams { min_count, max_length };
        configurations(positions, ranges, &params, |relations, count| {
            assert!(found.insert(relations.to_vec(), count).is_none(), "{relations:?} twice");
        })
        .unwrap();
        found
    }

    /// Every conjunction, counted one position at a time.
    fn slowly(
        positions: &[u8],
        ranges: &[u8],
        min_count: u32,
        max_length: usize,
    ) -> BTreeMap<Vec<Relation>, u32> {
        let mut counts: BTreeMap<Vec<Relation>, u32> = BTreeMap::new();
        for row in positions.chunks_exact(ranges.len()) {
            for chosen in 1_u32..1 << ranges.len() {
                if chosen.count_ones() as usize <= max_length {
                    let relation = |atom: usize| Relation { atom: atom as u16, value: row[atom] };
                    let atoms = (0..ranges.len()).filter(|atom| chosen >> atom & 1 == 1);
                    *counts.entry(atoms.map(relation).collect()).or_default() += 1;
                }
            }
        }
        counts.retain(|_, count| *count >= min_count);
        counts
    }

    proptest! {
        #[test]
        fn exactly_the_valid_ones_are_found(
            ranges in prop::collection::vec(1_u8..5, 1..7),
            cells in prop::collection::vec(any::<u8>(), 0..240),
            min_count in 1_u32..12,
            max_length in 0_usize..8,
        ) {
            let whole = cells.len() / ranges.len() * ranges.len();
            let cycle = ranges.iter().cycle();
            let positions: Vec<u8> =
                cells[..whole].iter().zip(cycle).map(|(cell, range)| cell % range).collect();
            prop_assert_eq!(
                all(&positions, &ranges, min_count, max_length),
                slowly(&positions, &ranges, min_count, max_length)
            );
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let run = |positions: &[u8], ranges: &[u8], min_count| {
            let params = ConfigurationParams { min_count, max_length: 3 };
            configurations(positions, ranges, &params, |_, _| {}).unwrap_err()
        };
        assert_eq!(run(&[0], &[3], 0), ConfigurationError::MinCount);
        assert!(matches!(
            run(&[0; 33], &[3; 33], 1),
            ConfigurationError::TooWide { atoms: 33, bits: 66 }
        ));
        let wrong = run(&[0, 1, 2, 3], &[3, 3], 1);
        assert!(matches!(wrong, ConfigurationError::Value { row: 1, atom: 1, value: 3, .. }));
    }

    #[test]
    fn sixty_four_bits_are_enough() {
        let positions: Vec<u8> = (0..64).map(|i| (i % 3) as u8).collect();
        let found = all(&positions, &[3; 32], 2, 2);
        assert_eq!(found, slowly_pairs(&positions));
    }

    /// Pairs of the two positions of 32 atoms that both share.
    fn slowly_pairs(positions: &[u8]) -> BTreeMap<Vec<Relation>, u32> {
        let shared: Vec<Relation> = (0..32)
            .filter(|&atom| positions[atom] == positions[32 + atom])
            .map(|atom| Relation { atom: atom as u16, value: positions[atom] })
            .collect();
        let mut found = BTreeMap::new();
        for (i, &a) in shared.iter().enumerate() {
            found.insert(vec![a], 2);
            for &b in &shared[i + 1..] {
                found.insert(vec![a, b], 2);
            }
        }
        found
    }
}
