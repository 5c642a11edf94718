//! Sparse patterns (buro98 section 4.2): so many states that only those met often
//! enough have a weight.
//!
//! A pattern's valid states are found by counting the training positions; all others
//! are worth nothing. In play they are reached by two indices, one for each half of
//! the atoms, through an [`OffsetTable`](super::OffsetTable).
//!
//! The one invariant to know: states that a pattern's own symmetries turn into one
//! another are one, the smallest of them.

use super::pattern::strides;
use super::set::{MAX_STATES, copies, numbered};
use super::{Pattern, PatternError};
use std::collections::HashMap;

/// Sparse patterns with all their symmetric copies.
#[derive(Clone, Debug, Default)]
pub struct SparseSet {
    tables: Vec<Table>,
    instances: Vec<Instance>,
}

#[derive(Clone, Debug)]
struct Table {
    ranges: Vec<u8>,
    strides: Vec<u32>,
    permutations: Vec<Vec<usize>>,
    states: u32,
    /// The states with a weight, in order.
    valid: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Instance {
    table: usize,
    atoms: Vec<u16>,
}

/// How often each state of each pattern was met, as far as two bytes can tell.
#[derive(Clone, Debug)]
pub struct StateCounts(Vec<Vec<u16>>);

impl StateCounts {
    /// The states met at least so often, in order.
    pub fn valid(&self, min_count: u16) -> Vec<Vec<u32>> {
        let often = |counts: &Vec<u16>| {
            let states = (0..).zip(counts).filter(|&(_, &count)| count >= min_count.max(1));
            states.map(|(state, _)| state).collect()
        };
        self.0.iter().map(often).collect()
    }
}

impl SparseSet {
    /// Takes patterns over a game's atoms, none of whose states is valid yet;
    /// `symmetries` send every atom to another.
    ///
    /// # Errors
    /// The first pattern that cannot be used, and why.
    pub fn new(
        patterns: &[Pattern],
        names: &[String],
        ranges: &[u8],
        symmetries: &[Vec<u16>],
    ) -> Result<Self, PatternError> {
        let numbers: HashMap<&str, u16> = names.iter().map(String::as_str).zip(0..).collect();
        let mut set = Self::default();
        for pattern in patterns {
            let atoms = numbered(pattern, &numbers, names)?;
            let own: Vec<u8> = atoms.iter().map(|&a| ranges[usize::from(a)]).collect();
            let states = own.iter().map(|&r| u64::from(r)).try_fold(1, u64::checked_mul);
            let states = states.unwrap_or(u64::MAX);
            if states > MAX_STATES || atoms.len() < 2 {
                let pattern = pattern.name.clone();
                return Err(if atoms.len() < 2 {
                    PatternError::NotForPlay(format!(
                        "pattern {pattern:?} has one atom; a sparse one has two or more"
                    ))
                } else {
                    PatternError::TooLarge { pattern, states }
                });
            }
            let (copies, permutations) = copies(&atoms, symmetries);
            let table = set.tables.len();
            set.instances.extend(copies.into_iter().map(|atoms| Instance { table, atoms }));
            set.tables.push(Table {
                strides: strides(&own).into_iter().map(|s| s as u32).collect(),
                ranges: own,
                permutations,
                states: states as u32,
                valid: Vec::new(),
            });
        }
        Ok(set)
    }

    /// The same with these valid states, in order, one list a pattern.
    ///
    /// # Errors
    /// When they are none of the patterns' states.
    pub fn with_valid(mut self, valid: Vec<Vec<u32>>) -> Result<Self, PatternError> {
        let (asked, held) = (self.tables.len(), valid.len());
        if asked != held {
            return Err(PatternError::OtherSet { asked, held });
        }
        for (table, valid) in self.tables.iter_mut().zip(valid) {
            let rising = valid.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = valid.last().is_none_or(|&last| last < table.states);
            // Of states that symmetry turns into one another, only the smallest counts.
            let smallest = |&state: &u32| table.images(state).iter().all(|&image| image >= state);
            if !(rising && inside && valid.iter().all(smallest)) {
                let (asked, held) = (table.states as usize, valid.len());
                return Err(PatternError::OtherSet { asked, held });
            }
            table.valid = valid;
        }
        Ok(self)
    }

    /// Copies of all patterns together.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// The valid states of each pattern, in order.
    pub fn valid(&self) -> impl Iterator<Item = &[u32]> {
        self.tables.iter().map(|table| table.valid.as_slice())
    }

    /// Weights of one group of stages: one a valid state, and before them, for each
    /// pattern, the one of all other states, which stays zero.
    pub fn weights(&self) -> usize {
        self.tables.iter().map(|table| table.valid.len() + 1).sum()
    }

    /// The number of each instance's first weight, counted from the first of all, and
    /// how many it has.
    pub fn columns(&self) -> Vec<(u32, u32)> {
        let bases = self.bases();
        let column = |i: &Instance| (bases[i.table], self.tables[i.table].valid.len() as u32 + 1);
        self.instances.iter().map(column).collect()
    }

    /// The number of each pattern's weight that stays zero, its first.
    pub fn bases(&self) -> Vec<u32> {
        let next = |base: &mut u32, table: &Table| {
            let own = *base;
            *base += table.valid.len() as u32 + 1;
            Some(own)
        };
        self.tables.iter().scan(0, next).collect()
    }

    /// The pattern and the atoms of every instance, in the order of the pattern.
    pub fn instance_atoms(&self) -> Vec<(usize, Vec<u16>)> {
        self.instances.iter().map(|i| (i.table, i.atoms.clone())).collect()
    }

    /// The values of a pattern's atoms in each of its valid states.
    ///
    /// # Panics
    /// When there is no such pattern.
    pub fn configurations_of(&self, pattern: usize) -> Vec<Vec<u8>> {
        let table = &self.tables[pattern];
        let digits = |&state: &u32| {
            let places = table.strides.iter().zip(&table.ranges);
            places.map(|(stride, &range)| (state / stride % u32::from(range)) as u8).collect()
        };
        table.valid.iter().map(digits).collect()
    }

    /// Bytes that counting takes.
    pub fn counting_bytes(&self) -> u64 {
        self.tables.iter().map(|table| 2 * u64::from(table.states)).sum()
    }

    /// No state met yet.
    pub fn no_counts(&self) -> StateCounts {
        StateCounts(self.tables.iter().map(|table| vec![0; table.states as usize]).collect())
    }

    /// Counts the states of a position.
    pub fn count(&self, atoms: &[u8], counts: &mut StateCounts) {
        for instance in &self.instances {
            let state = self.tables[instance.table].smallest(&instance.atoms, atoms);
            let count = &mut counts.0[instance.table][state as usize];
            *count = count.saturating_add(1);
        }
    }

    /// For every instance the place of its state among those of its pattern: zero
    /// where it is not valid.
    pub fn append_active(&self, atoms: &[u8], out: &mut Vec<u32>) {
        out.extend(self.instances.iter().map(|instance| {
            let table = &self.tables[instance.table];
            let state = table.smallest(&instance.atoms, atoms);
            table.valid.binary_search(&state).map_or(0, |place| place as u32 + 1)
        }));
    }

    /// The two halves of every instance, with what each atom's value counts for.
    pub(super) fn halves(&self) -> impl Iterator<Item = (usize, [Vec<(u16, u32)>; 2])> {
        self.instances.iter().map(|instance| {
            let table = &self.tables[instance.table];
            let halves = table.halves().map(|half| {
                let ranges = &table.ranges[half.clone()];
                let strides = strides(ranges).into_iter().map(|s| s as u32);
                instance.atoms[half].iter().copied().zip(strides).collect()
            });
            (instance.table, halves)
        })
    }

    /// The states of each half of a pattern.
    pub(super) fn sides(&self, table: usize) -> [usize; 2] {
        let table = &self.tables[table];
        table.halves().map(|half| table.ranges[half].iter().map(|&r| usize::from(r)).product())
    }

    /// Every state that has a weight, as two indices, with the weight's place among
    /// those of its pattern.
    pub(super) fn pairs(&self, table: usize) -> Vec<(u16, u16, u32)> {
        let [rows, _] = self.sides(table);
        let table = &self.tables[table];
        let mut pairs = Vec::new();
        for (&state, place) in table.valid.iter().zip(1..) {
            let mut images = table.images(state);
            images.push(state);
            images.sort_unstable();
            images.dedup();
            let split = |image: u32| ((image % rows as u32) as u16, (image / rows as u32) as u16);
            pairs.extend(images.into_iter().map(|i| (split(i).0, split(i).1, place)));
        }
        pairs
    }
}

impl Table {
    fn halves(&self) -> [std::ops::Range<usize>; 2] {
        let middle = self.ranges.len().div_ceil(2);
        [0..middle, middle..self.ranges.len()]
    }

    /// The state of an instance, or the smallest that symmetry makes of it.
    fn smallest(&self, own: &[u16], atoms: &[u8]) -> u32 {
        let value = |&atom: &u16| u32::from(atoms[usize::from(atom)]);
        let state: u32 = own.iter().zip(&self.strides).map(|(a, s)| value(a) * s).sum();
        let image = |to: &Vec<usize>| -> u32 {
            own.iter().zip(to).map(|(a, &to)| value(a) * self.strides[to]).sum()
        };
        self.permutations.iter().map(image).fold(state, u32::min)
    }

    fn images(&self, state: u32) -> Vec<u32> {
        let digits = self.strides.iter().zip(&self.ranges);
        let digits: Vec<u32> = digits.map(|(s, &r)| state / s % u32::from(r)).collect();
        let image =
            |to: &Vec<usize>| digits.iter().zip(to).map(|(d, &to)| d * self.strides[to]).sum();
        self.permutations.iter().map(image).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Six atoms in a row, which may be turned round; a pattern over all, and one over
    /// three of them.
    fn set() -> SparseSet {
        let names: Vec<String> = "abcdef".chars().map(|c| c.to_string()).collect();
        let pattern = |name: &str, atoms: &str| Pattern {
            name: name.into(),
            atoms: atoms.chars().map(|c| c.to_string()).collect(),
        };
        let patterns = [pattern("all", "abcdef"), pattern("end", "abc")];
        SparseSet::new(&patterns, &names, &[3; 6], &[vec![5, 4, 3, 2, 1, 0]]).unwrap()
    }

    proptest! {
        #[test]
        fn valid_states_are_those_met_often_and_images_share_one(
            rows in prop::collection::vec(prop::collection::vec(0_u8..3, 6), 1..60),
            min_count in 1_u16..4,
        ) {
            let set = set();
            let mut counts = set.no_counts();
            for row in &rows {
                set.count(row, &mut counts);
            }
            let set = set.with_valid(counts.valid(min_count)).unwrap();
            prop_assert_eq!(set.instances(), 3);
            for row in &rows {
                let turned: Vec<u8> = row.iter().rev().copied().collect();
                let active = |row: &[u8]| {
                    let mut active = Vec::new();
                    set.append_active(row, &mut active);
                    active
                };
                let (found, image) = (active(row), active(&turned));
                prop_assert_eq!(found[0], image[0]);
                prop_assert_eq!((found[1], found[2]), (image[2], image[1]));
                let same = |other: &&Vec<u8>| *other == row || **other == turned;
                let met = rows.iter().filter(same).count();
                prop_assert_eq!(found[0] > 0, met >= usize::from(min_count));
            }
        }
    }

    #[test]
    fn states_of_other_patterns_are_refused() {
        let lists = |valid: &[u32]| vec![valid.to_vec(), Vec::new()];
        assert!(set().with_valid(lists(&[0, 728])).is_ok());
        assert!(set().with_valid(lists(&[3, 2])).is_err());
        assert!(set().with_valid(lists(&[729])).is_err());
        // 243 is the mirror image of 1: both would claim the same cells of a table.
        assert!(set().with_valid(lists(&[1])).is_ok());
        assert!(set().with_valid(lists(&[1, 243])).is_err());
        assert!(set().with_valid(vec![Vec::new()]).is_err());
        let names: Vec<String> = (0..17).map(|i| i.to_string()).collect();
        let large = Pattern { name: "large".into(), atoms: names.clone() };
        let error = SparseSet::new(&[large], &names, &[3; 17], &[]).unwrap_err();
        assert!(matches!(error, PatternError::TooLarge { states: 129_140_163, .. }));
        let small = Pattern { name: "small".into(), atoms: names[..1].to_vec() };
        assert!(SparseSet::new(&[small], &names, &[3; 17], &[]).is_err());
    }
}
