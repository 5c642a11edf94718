//! `GenConf`: every configuration that matches often enough (buro98 section 3).
//!
//! A configuration is a conjunction of relations `atom = value`, at most one for
//! each atom. Configurations are specialised in the order of the atoms, so that
//! each is met once; one that is too rare has no frequent specialisation and is
//! not followed.
//!
//! Positions whose atoms fit into a word are counted in *projections*, merged and at
//! last summed up in cubes (`projected`); wider ones by the paper's bit rows
//! (`bit_rows`). Both find the same, which one is a question of speed alone.

mod bit_rows;
mod match_heuristic;
mod projected;

pub use match_heuristic::{Agreement, MatchHeuristic};

use std::ops::ControlFlow;

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
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A minimum of zero is met by everything.
    #[error("a minimum count of 0 makes every configuration valid; ask for at least 1")]
    MinCount,
    /// The positions' values do not make up whole positions.
    #[error("{values} values are no whole number of positions of {atoms} atoms")]
    Ragged {
        /// How many values.
        values: usize,
        /// How many atoms.
        atoms: usize,
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
    /// Chunks or a confidence that decide nothing.
    #[error(
        "chunks of {chunk} positions and a confidence of {confidence} decide nothing; take chunks of one position or more, and a confidence above 0"
    )]
    Heuristic {
        /// The size of a chunk.
        chunk: usize,
        /// The confidence.
        confidence: f64,
    },
}

/// Calls `visit` with every valid configuration and its count, each after the one
/// without its last relation, until it has seen enough. `positions` holds the atoms of
/// one position after another; `ranges` says how many values each takes.
///
/// # Errors
/// When a value is out of range, or all configurations would be valid.
pub fn configurations(
    positions: &[u8],
    ranges: &[u8],
    params: &ConfigurationParams,
    mut visit: impl FnMut(&[Relation], u32) -> ControlFlow<()>,
) -> Result<(), ConfigurationError> {
    check(positions, ranges, params)?;
    // That the visitor has seen enough is no news to it.
    let _ = match projected::Layout::new(ranges) {
        Some(layout) => projected::find(&layout, positions, params, &mut visit),
        None => bit_rows::find(positions, ranges, params, &mut bit_rows::Exact, &mut visit),
    };
    Ok(())
}

/// As [`configurations`], but whether a configuration is valid is decided on a sample
/// as soon as that tells it with confidence: counts are estimates, and some
/// configurations near the limit are judged wrongly.
///
/// # Errors
/// As [`configurations`], and when the heuristic decides nothing.
pub fn probable_configurations(
    positions: &[u8],
    ranges: &[u8],
    params: &ConfigurationParams,
    heuristic: &MatchHeuristic,
    mut visit: impl FnMut(&[Relation], u32) -> ControlFlow<()>,
) -> Result<(), ConfigurationError> {
    check(positions, ranges, params)?;
    heuristic.check()?;
    let shuffled = heuristic.shuffled(positions, ranges.len());
    let mut decide = heuristic.decider(shuffled.len() / ranges.len().max(1), params.min_count);
    let _ = bit_rows::find(&shuffled, ranges, params, &mut decide, &mut visit);
    Ok(())
}

fn check(
    positions: &[u8],
    ranges: &[u8],
    params: &ConfigurationParams,
) -> Result<(), ConfigurationError> {
    if params.min_count == 0 {
        return Err(ConfigurationError::MinCount);
    }
    if !positions.len().is_multiple_of(ranges.len().max(1))
        || ranges.is_empty() && !positions.is_empty()
    {
        let (values, atoms) = (positions.len(), ranges.len());
        return Err(ConfigurationError::Ragged { values, atoms });
    }
    for (row, values) in positions.chunks_exact(ranges.len().max(1)).enumerate() {
        let wrong = values.iter().zip(ranges).position(|(value, range)| value >= range);
        if let Some(atom) = wrong {
            let (value, range) = (values[atom], ranges[atom]);
            return Err(ConfigurationError::Value { row, atom, value, range });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::ops::ControlFlow::Continue;

    fn all(
        positions: &[u8],
        ranges: &[u8],
        min_count: u32,
        max_length: usize,
    ) -> BTreeMap<Vec<Relation>, u32> {
        let mut found = BTreeMap::new();
        let params = ConfigurationParams { min_count, max_length };
        configurations(positions, ranges, &params, |relations, count| {
            let shorter = &relations[..relations.len() - 1];
            assert!(shorter.is_empty() || found.contains_key(shorter), "{relations:?} too early");
            assert!(found.insert(relations.to_vec(), count).is_none(), "{relations:?} twice");
            Continue(())
        })
        .unwrap();
        found
    }

    fn by_rows(
        positions: &[u8],
        ranges: &[u8],
        params: &ConfigurationParams,
    ) -> BTreeMap<Vec<Relation>, u32> {
        let mut found = BTreeMap::new();
        let _ = bit_rows::find(positions, ranges, params, &mut bit_rows::Exact, &mut |r, n| {
            assert!(found.insert(r.to_vec(), n).is_none(), "{r:?} twice");
            Continue(())
        });
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
            ranges in prop::collection::vec(1_u8..5, 1..10),
            cells in prop::collection::vec(any::<u8>(), 0..240),
            min_count in 1_u32..12,
            max_length in 0_usize..8,
        ) {
            let whole = cells.len() / ranges.len() * ranges.len();
            let cycle = ranges.iter().cycle();
            let positions: Vec<u8> =
                cells[..whole].iter().zip(cycle).map(|(cell, range)| cell % range).collect();
            let expected = slowly(&positions, &ranges, min_count, max_length);
            prop_assert_eq!(&all(&positions, &ranges, min_count, max_length), &expected);
            let params = ConfigurationParams { min_count, max_length };
            prop_assert_eq!(by_rows(&positions, &ranges, &params), expected);
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let run = |positions: &[u8], ranges: &[u8], min_count| {
            let params = ConfigurationParams { min_count, max_length: 3 };
            configurations(positions, ranges, &params, |_, _| Continue(())).unwrap_err()
        };
        assert_eq!(run(&[0], &[3], 0), ConfigurationError::MinCount);
        let ragged = run(&[0, 1, 2], &[3, 3], 1);
        assert_eq!(ragged, ConfigurationError::Ragged { values: 3, atoms: 2 });
        let wrong = run(&[0, 1, 2, 3], &[3, 3], 1);
        assert!(matches!(wrong, ConfigurationError::Value { row: 1, atom: 1, value: 3, .. }));
    }

    #[test]
    fn who_has_seen_enough_is_left_alone() {
        for atoms in [4, 70] {
            let mut seen = 0;
            let params = ConfigurationParams { min_count: 1, max_length: 2 };
            configurations(&vec![0; atoms], &vec![2; atoms], &params, |_, _| {
                seen += 1;
                if seen == 3 { ControlFlow::Break(()) } else { Continue(()) }
            })
            .unwrap();
            assert_eq!(seen, 3);
        }
    }

    #[test]
    fn words_and_rows_find_the_same_on_either_side_of_the_border() {
        for atoms in [32, 33] {
            let positions: Vec<u8> = (0..2 * atoms).map(|i| (i * i % 3) as u8).collect();
            let found = all(&positions, &vec![3; atoms], 2, 2);
            let shared: Vec<Relation> = (0..atoms)
                .filter(|&atom| positions[atom] == positions[atoms + atom])
                .map(|atom| Relation { atom: atom as u16, value: positions[atom] })
                .collect();
            let pairs = shared.len() * (shared.len() - 1) / 2;
            assert_eq!(found.len(), shared.len() + pairs);
            assert!(found.values().all(|&count| count == 2));
        }
    }
}
