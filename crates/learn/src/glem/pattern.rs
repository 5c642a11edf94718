//! One pattern: some atoms whose values together are a table index.

use serde::{Deserialize, Serialize};

/// Some atoms, by name, in the order in which they make an index: the first one
/// counts least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// What people call it.
    pub name: String,
    /// The names of its atoms.
    pub atoms: Vec<String>,
}

/// The shared numbering of a pattern's states.
///
/// Invariant: two states have the same rank exactly when one of the pattern's
/// own symmetries turns one into the other; ranks are dense from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranks {
    pub(super) of_state: Vec<u32>,
    pub(super) count: u32,
}

/// Ranks the states of a pattern whose places have these ranges, where each
/// permutation of places leaves the pattern as it is.
pub(super) fn ranks(ranges: &[u8], permutations: &[Vec<usize>]) -> Ranks {
    let states: usize = ranges.iter().map(|&r| usize::from(r)).product();
    let strides = strides(ranges);
    let mut of_state = vec![u32::MAX; states];
    let mut count = 0;
    let mut digits = vec![0_u8; ranges.len()];
    for state in 0..states {
        let twin = permutations
            .iter()
            .map(|image| {
                image.iter().zip(&digits).map(|(&to, &d)| strides[to] * usize::from(d)).sum()
            })
            .fold(state, usize::min);
        of_state[state] = if twin < state {
            of_state[twin]
        } else {
            count += 1;
            count - 1
        };
        for (digit, &range) in digits.iter_mut().zip(ranges) {
            *digit += 1;
            if *digit < range {
                break;
            }
            *digit = 0;
        }
    }
    Ranks { of_state, count }
}

/// What each place's value counts for in a state's number.
pub(super) fn strides(ranges: &[u8]) -> Vec<usize> {
    ranges
        .iter()
        .scan(1, |stride, &range| {
            let own = *stride;
            *stride *= usize::from(range);
            Some(own)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_read_from_either_end_is_one_state() {
        let ranks = ranks(&[3; 4], &[vec![3, 2, 1, 0]]);
        assert_eq!(ranks.count, 45);
        let state = |digits: [u32; 4]| digits.iter().rev().fold(0, |s, d| 3 * s + d) as usize;
        assert_eq!(ranks.of_state[state([1, 0, 2, 2])], ranks.of_state[state([2, 2, 0, 1])]);
        assert_ne!(ranks.of_state[state([1, 0, 2, 2])], ranks.of_state[state([1, 0, 2, 1])]);
    }

    #[test]
    fn without_symmetries_every_state_stands_for_itself() {
        let ranks = ranks(&[2, 3, 4], &[]);
        assert_eq!(ranks.of_state, (0..24).collect::<Vec<_>>());
    }
}
