//! A set of patterns with all their symmetric copies, sharing weights (buro98 fig. 7).
//!
//! The one invariant to know: positions that are images of one another under the
//! game's symmetries have the same multiset of active weights.

use super::pattern::{Pattern, Ranks, ranks, strides};
use std::collections::{BTreeSet, HashMap};

/// A flat table has at most 3^16 states.
pub(super) const MAX_STATES: u64 = 43_046_721;

/// Why patterns cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// There is none.
    #[error("the set has no pattern; name at least one")]
    NoPattern,
    /// A pattern has no atoms.
    #[error("pattern {pattern:?} has no atoms; name at least one")]
    NoAtoms {
        /// The pattern.
        pattern: String,
    },
    /// An atom is not one of the game's.
    #[error(
        "pattern {pattern:?} names {atom:?}, which is no atom of the game; atoms are called {example:?} and the like"
    )]
    UnknownAtom {
        /// The pattern.
        pattern: String,
        /// The name.
        atom: String,
        /// One that exists.
        example: String,
    },
    /// An atom stands twice in one pattern.
    #[error("pattern {pattern:?} names {atom:?} twice; leave one out")]
    RepeatedAtom {
        /// The pattern.
        pattern: String,
        /// The name.
        atom: String,
    },
    /// Two patterns are the same but for a symmetry.
    #[error("patterns {first:?} and {second:?} are copies of one another; leave one out")]
    Copies {
        /// The pattern.
        first: String,
        /// Its copy.
        second: String,
    },
    /// The table would be too large.
    #[error(
        "with pattern {pattern:?} there are {states} states; flat tables hold at most {MAX_STATES} together (sixteen squares of three), so make the pattern smaller or a sparse one"
    )]
    TooLarge {
        /// The pattern.
        pattern: String,
        /// How many states it has, with those of the patterns before it.
        states: u64,
    },
    /// A model's weights are of other patterns than its header names.
    #[error(
        "its patterns and counts have {asked} weights for each group of stages, but it holds {held}; it was damaged, or made for another board: fit it again"
    )]
    OtherSet {
        /// What the patterns ask for.
        asked: usize,
        /// What there is.
        held: usize,
    },
    /// Too many instances, or too large a table, for indices of two bytes.
    #[error("{0}")]
    NotForPlay(String),
}

/// Patterns ready to turn atoms into weights.
#[derive(Clone, Debug)]
pub struct PatternSet {
    patterns: Vec<Pattern>,
    tables: Vec<Table>,
    instances: Vec<Instance>,
    ranges: Vec<u8>,
}

/// An instance as the playing form sees it.
pub(super) struct Placed<'a> {
    pub(super) table: usize,
    pub(super) places: &'a [(u16, u32)],
}

#[derive(Clone, Debug)]
struct Table {
    ranks: Ranks,
    /// The number of the table's first weight among all.
    base: u32,
}

/// One copy of a pattern: its atoms and what each counts for.
#[derive(Clone, Debug)]
struct Instance {
    table: usize,
    places: Vec<(u16, u32)>,
}

impl PatternSet {
    /// Takes patterns over a game's atoms; `symmetries` send every atom to another.
    ///
    /// # Errors
    /// The first pattern that cannot be used, and why.
    pub fn new(
        patterns: Vec<Pattern>,
        names: &[String],
        ranges: &[u8],
        symmetries: &[Vec<u16>],
    ) -> Result<Self, PatternError> {
        if patterns.is_empty() {
            return Err(PatternError::NoPattern);
        }
        let numbers: HashMap<&str, u16> = names.iter().map(String::as_str).zip(0..).collect();
        let (mut tables, mut instances) = (Vec::new(), Vec::new());
        let mut seen: HashMap<BTreeSet<u16>, String> = HashMap::new();
        let (mut base, mut all_states) = (0, 0_u64);
        for pattern in &patterns {
            let atoms = numbered(pattern, &numbers, names)?;
            let own_ranges: Vec<u8> = atoms.iter().map(|&a| ranges[usize::from(a)]).collect();
            let states = own_ranges
                .iter()
                .try_fold(1_u64, |n, &r| n.checked_mul(u64::from(r)))
                .unwrap_or(u64::MAX);
            all_states = all_states.saturating_add(states);
            if all_states > MAX_STATES {
                let (pattern, states) = (pattern.name.clone(), all_states);
                return Err(PatternError::TooLarge { pattern, states });
            }
            let strides = strides(&own_ranges);
            let (order, permutations) = copies(&atoms, symmetries);
            for copy in &order {
                let copy = copy.iter().copied().collect();
                if let Some(first) = seen.insert(copy, pattern.name.clone()) {
                    return Err(PatternError::Copies { first, second: pattern.name.clone() });
                }
            }
            let table = tables.len();
            instances.extend(order.into_iter().map(|atoms| Instance {
                table,
                places: atoms.into_iter().zip(strides.iter().map(|&s| s as u32)).collect(),
            }));
            let ranks = ranks(&own_ranges, &permutations);
            let count = ranks.count;
            tables.push(Table { ranks, base });
            base += count;
        }
        Ok(Self { patterns, tables, instances, ranges: ranges.to_vec() })
    }

    /// The patterns as they were given.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Copies of all patterns together: active weights of a position.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// Different weights of one stage.
    pub fn weights(&self) -> usize {
        self.tables.last().map_or(0, |table| (table.base + table.ranks.count) as usize)
    }

    /// The number of the first weight of every instance's table.
    pub fn bases(&self) -> Vec<u32> {
        self.instances.iter().map(|instance| self.tables[instance.table].base).collect()
    }

    /// The number of weights of every instance's table.
    pub fn table_sizes(&self) -> Vec<u32> {
        self.instances.iter().map(|instance| self.tables[instance.table].ranks.count).collect()
    }

    /// How many values each atom can take.
    pub(super) fn ranges(&self) -> &[u8] {
        &self.ranges
    }

    pub(super) fn instances_with_places(&self) -> impl Iterator<Item = Placed<'_>> {
        self.instances.iter().map(|i| Placed { table: i.table, places: &i.places })
    }

    /// For every pattern, the shared weight of each of its states.
    pub(super) fn tables_of_ranks(&self) -> impl Iterator<Item = &[u32]> {
        self.tables.iter().map(|table| table.ranks.of_state.as_slice())
    }

    /// The pattern and the atoms of every instance, in the order of the pattern.
    pub fn instance_atoms(&self) -> Vec<(usize, Vec<u16>)> {
        let atoms = |i: &Instance| i.places.iter().map(|&(atom, _)| atom).collect();
        self.instances.iter().map(|i| (i.table, atoms(i))).collect()
    }

    /// One state, as values of the pattern's atoms, for every weight of a pattern.
    ///
    /// # Panics
    /// When there is no such pattern.
    pub fn configurations_of(&self, pattern: usize) -> Vec<Vec<u8>> {
        let instance = self.instances.iter().find(|i| i.table == pattern).expect("such a pattern");
        let ranks = &self.tables[pattern].ranks;
        let mut states = vec![None; ranks.count as usize];
        for (state, &rank) in ranks.of_state.iter().enumerate() {
            states[rank as usize].get_or_insert(state as u32);
        }
        let digits = |state: Option<u32>| {
            let state = state.expect("every rank has a state");
            let digit = |&(atom, stride): &(u16, u32)| {
                (state / stride % u32::from(self.ranges[usize::from(atom)])) as u8
            };
            instance.places.iter().map(digit).collect()
        };
        states.into_iter().map(digits).collect()
    }

    /// The number of a pattern's first weight.
    ///
    /// # Panics
    /// When there is no such pattern.
    pub fn base_of(&self, pattern: usize) -> usize {
        self.tables[pattern].base as usize
    }

    /// The active weight of every instance, counted from its table's first.
    pub fn append_active(&self, atoms: &[u8], out: &mut Vec<u32>) {
        out.extend(self.instances.iter().map(|instance| {
            let state = instance
                .places
                .iter()
                .map(|&(atom, stride)| u32::from(atoms[usize::from(atom)]) * stride)
                .sum::<u32>();
            self.tables[instance.table].ranks.of_state[state as usize]
        }));
    }
}

/// The atoms of a pattern and of all its images, each image once; and the permutations
/// of its places that symmetries leave it as it is by.
pub(super) fn copies(atoms: &[u16], symmetries: &[Vec<u16>]) -> (Vec<Vec<u16>>, Vec<Vec<usize>>) {
    let set: BTreeSet<u16> = atoms.iter().copied().collect();
    let mut permutations = Vec::new();
    let mut known = BTreeSet::from([set.clone()]);
    let mut order = vec![atoms.to_vec()];
    for symmetry in symmetries {
        let image: Vec<u16> = atoms.iter().map(|&a| symmetry[usize::from(a)]).collect();
        let image_set: BTreeSet<u16> = image.iter().copied().collect();
        if image_set == set {
            let place = |a| atoms.iter().position(|&b| b == a).expect("the same atoms");
            permutations.push(image.iter().map(|&a| place(a)).collect());
        } else if known.insert(image_set) {
            order.push(image);
        }
    }
    (order, permutations)
}

pub(super) fn numbered(
    pattern: &Pattern,
    numbers: &HashMap<&str, u16>,
    names: &[String],
) -> Result<Vec<u16>, PatternError> {
    let mut atoms = Vec::with_capacity(pattern.atoms.len());
    for name in &pattern.atoms {
        let Some(&atom) = numbers.get(name.as_str()) else {
            return Err(PatternError::UnknownAtom {
                pattern: pattern.name.clone(),
                atom: name.clone(),
                example: names.first().cloned().unwrap_or_default(),
            });
        };
        if atoms.contains(&atom) {
            let (pattern, atom) = (pattern.name.clone(), name.clone());
            return Err(PatternError::RepeatedAtom { pattern, atom });
        }
        atoms.push(atom);
    }
    if atoms.is_empty() {
        return Err(PatternError::NoAtoms { pattern: pattern.name.clone() });
    }
    Ok(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Map = fn(u16, u16) -> (u16, u16);

    /// Squares a1 to h8 and the seven symmetries of the board.
    fn board() -> (Vec<String>, Vec<u8>, Vec<Vec<u16>>) {
        let name =
            |square: u16| format!("{}{}", (b'a' + (square % 8) as u8) as char, square / 8 + 1);
        let maps: [Map; 7] = [
            |x, y| (7 - x, y),
            |x, y| (x, 7 - y),
            |x, y| (7 - x, 7 - y),
            |x, y| (y, x),
            |x, y| (7 - y, x),
            |x, y| (y, 7 - x),
            |x, y| (7 - y, 7 - x),
        ];
        let symmetry =
            |map: &Map| (0..64).map(|s| map(s % 8, s / 8)).map(|(x, y)| 8 * y + x).collect();
        ((0..64).map(name).collect(), vec![3; 64], maps.iter().map(symmetry).collect())
    }

    fn pattern(name: &str, squares: &str) -> Pattern {
        let atoms = squares.split_whitespace().map(str::to_owned).collect();
        Pattern { name: name.to_owned(), atoms }
    }

    fn figure_7() -> Vec<Pattern> {
        vec![
            pattern("diagonal 4", "a4 b3 c2 d1"),
            pattern("diagonal 5", "a5 b4 c3 d2 e1"),
            pattern("diagonal 6", "a6 b5 c4 d3 e2 f1"),
            pattern("diagonal 7", "a7 b6 c5 d4 e3 f2 g1"),
            pattern("diagonal 8", "a8 b7 c6 d5 e4 f3 g2 h1"),
            pattern("row 2", "a2 b2 c2 d2 e2 f2 g2 h2"),
            pattern("row 3", "a3 b3 c3 d3 e3 f3 g3 h3"),
            pattern("row 4", "a4 b4 c4 d4 e4 f4 g4 h4"),
            pattern("edge + 2X", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
            pattern("corner 2x5", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
            pattern("corner 3x3", "a1 b1 c1 a2 b2 c2 a3 b3 c3"),
        ]
    }

    fn set(patterns: Vec<Pattern>) -> Result<PatternSet, PatternError> {
        let (names, ranges, symmetries) = board();
        PatternSet::new(patterns, &names, &ranges, &symmetries)
    }

    #[test]
    fn figure_7_has_46_instances_and_113877_weights_a_stage() {
        let set = set(figure_7()).unwrap();
        assert_eq!((set.instances(), set.weights()), (46, 113_877));
        assert_eq!(13 * set.weights(), 1_480_401);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = |patterns| set(patterns).unwrap_err();
        assert_eq!(error(vec![]), PatternError::NoPattern);
        assert!(matches!(error(vec![pattern("x", "")]), PatternError::NoAtoms { .. }));
        let unknown = error(vec![pattern("x", "a1 j9")]);
        assert!(matches!(&unknown, PatternError::UnknownAtom { atom, .. } if atom == "j9"));
        let twice = error(vec![pattern("x", "a1 b1 a1")]);
        assert!(matches!(&twice, PatternError::RepeatedAtom { atom, .. } if atom == "a1"));
        let copies = error(vec![pattern("x", "a1 b1"), pattern("y", "h8 h7")]);
        assert!(matches!(copies, PatternError::Copies { .. }));
        let large = error(vec![pattern("x", "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2 a3")]);
        assert!(matches!(large, PatternError::TooLarge { states: 129_140_163, .. }), "{large}");
        let sixteen = "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2";
        let together = error(vec![pattern("x", "a1 b1"), pattern("y", sixteen)]);
        assert!(
            matches!(together, PatternError::TooLarge { states: 43_046_730, .. }),
            "{together}"
        );
    }

    proptest! {
        #[test]
        fn images_have_the_same_active_weights(atoms in prop::collection::vec(0_u8..3, 64)) {
            let (_, _, symmetries) = board();
            let set = set(figure_7()).unwrap();
            let bases = set.bases();
            let active = |atoms: &[u8]| {
                let mut active = Vec::new();
                set.append_active(atoms, &mut active);
                let mut all: Vec<u32> = active.iter().zip(&bases).map(|(a, b)| a + b).collect();
                all.sort_unstable();
                all
            };
            let expected = active(&atoms);
            for symmetry in symmetries {
                let mut image = vec![0; 64];
                for (from, &to) in symmetry.iter().enumerate() {
                    image[usize::from(to)] = atoms[from];
                }
                prop_assert_eq!(&active(&image), &expected);
            }
        }
    }
}
