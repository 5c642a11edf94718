//! The playing form of a pattern model: a table by state for every pattern, and the
//! indices of a position kept up to date by what a move changes.
//!
//! An atom's value adds the same numbers to the indices of the same instances
//! wherever it occurs, so a position's indices are a sum of rows, one an atom, and a
//! move subtracts some rows and adds others. Rows have a fixed width and no branches,
//! which compilers turn into a few vector instructions.
//!
//! The one invariant to know: [`changed`](PatternTables::changed) leads to the same
//! indices as [`indices`](PatternTables::indices) of the later values.

use super::{OffsetTable, PatternError, PatternModel, PatternSet, SparseSet, StageGroups, Unit};
use evalsmith_core::Stage;

/// Instances there is room for.
const LANES: usize = 64;

/// The state of every instance, as one side sees a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Indices([u16; LANES]);

/// Tables ready for play.
#[derive(Clone, Debug)]
pub struct PatternTables {
    /// For each atom the number of its row for value zero.
    first: Vec<u32>,
    /// What each value of each atom adds.
    rows: Vec<Indices>,
    /// Where each instance's table begins.
    bases: Vec<u32>,
    /// For each count its smallest and largest value, and where its table begins.
    counts: Vec<(f32, f32, u32)>,
    /// Weights of one group.
    stride: usize,
    weights: Vec<i16>,
    groups: StageGroups,
    scales: Vec<f32>,
    unit: Unit,
    halves: Vec<Halves>,
    /// Group by group a table for each sparse pattern.
    sparse: Vec<Vec<OffsetTable>>,
}

impl PatternTables {
    /// Unfolds the weights that symmetric states share.
    ///
    /// # Errors
    /// When there are more instances than lanes, or a table is too large for
    /// indices of two bytes.
    ///
    /// # Panics
    /// When the sets are not the model's.
    pub fn new(
        model: &PatternModel,
        set: &PatternSet,
        sparse: &SparseSet,
    ) -> Result<Self, PatternError> {
        let (lanes, halves) = lanes(set, sparse)?;
        let mut first = Vec::with_capacity(set.ranges().len());
        let mut rows = Vec::new();
        for &range in set.ranges() {
            first.push(rows.len() as u32);
            rows.resize(rows.len() + usize::from(range), Indices([0; LANES]));
        }
        for (lane, places) in lanes.iter().enumerate() {
            for &(atom, stride) in places {
                let own = first[usize::from(atom)] as usize;
                for value in 0..set.ranges()[usize::from(atom)] {
                    rows[own + usize::from(value)].0[lane] = u16::from(value) * stride as u16;
                }
            }
        }
        let tables: Vec<&[u32]> = set.tables_of_ranks().collect();
        let mut table_bases = Vec::new();
        let mut stride = 0;
        for ranks in &tables {
            table_bases.push(stride as u32);
            stride += ranks.len();
        }
        let mut counts = Vec::new();
        for count in &model.plan().counts {
            counts.push((f32::from(count.low), f32::from(count.high), stride as u32));
            stride += count.size();
        }
        let mut weights = Vec::with_capacity(stride * model.groups().count());
        for group in 0..model.groups().count() {
            let folded = model.steps_of(group);
            let mut base = 0;
            for ranks in &tables {
                weights.extend(ranks.iter().map(|&rank| folded[base + rank as usize]));
                base += ranks.iter().max().map_or(0, |&most| most as usize + 1);
            }
            weights.extend_from_slice(&folded[base..model.plan().weights(set)]);
        }
        assert_eq!(weights.len(), stride * model.groups().count(), "the model's own set");
        let bases = set.instances_with_places().map(|i| table_bases[i.table]).collect();
        let sparse = sparse_tables(model, model.plan().weights(set), sparse);
        Ok(Self {
            first,
            rows,
            bases,
            counts,
            stride,
            weights,
            groups: model.groups(),
            scales: model.scales().to_vec(),
            unit: model.unit(),
            halves,
            sparse,
        })
    }

    /// The indices of a position from scratch.
    ///
    /// # Panics
    /// When there is not one value for each atom, or one is beyond all ranges.
    #[inline]
    pub fn indices(&self, atoms: &[u8]) -> Indices {
        assert_eq!(atoms.len(), self.first.len(), "one value an atom");
        let mut sum = [0_u16; LANES];
        for (&first, &value) in self.first.iter().zip(atoms) {
            // Rows of zero add nothing; to pass them over would cost a branch each.
            let row = &self.rows[first as usize + usize::from(value)].0;
            for lane in 0..LANES {
                sum[lane] = sum[lane].wrapping_add(row[lane]);
            }
        }
        Indices(sum)
    }

    /// The indices after one atom went from one value to another.
    ///
    /// # Panics
    /// When there is no such atom, or a value is beyond all ranges.
    #[inline]
    #[must_use]
    pub fn changed(&self, indices: &Indices, atom: u16, before: u8, after: u8) -> Indices {
        let first = self.first[usize::from(atom)] as usize;
        let (old, new) =
            (&self.rows[first + usize::from(before)].0, &self.rows[first + usize::from(after)].0);
        let mut sum = indices.0;
        for lane in 0..LANES {
            sum[lane] = sum[lane].wrapping_add(new[lane]).wrapping_sub(old[lane]);
        }
        Indices(sum)
    }

    /// Where the weights of each instance's states begin, within those of a group.
    pub fn bases(&self) -> &[u32] {
        &self.bases
    }

    /// Where the weights of each count begin, within those of a group.
    pub fn count_bases(&self) -> Vec<u32> {
        self.counts.iter().map(|&(_, _, base)| base).collect()
    }

    /// All weights in steps, one for every state, group after group.
    pub fn steps(&self) -> &[i16] {
        &self.weights
    }

    /// What a step is worth in each group, in log-odds.
    pub fn log_odds_a_step(&self) -> Vec<f64> {
        self.scales.iter().map(|&scale| f64::from(scale) * self.unit.log_odds()).collect()
    }

    /// The counts' number.
    pub fn counts(&self) -> usize {
        self.counts.len()
    }

    /// The sum of a position's weights, in log-odds for the side that the indices
    /// are of; `count` is asked for the features of the counts.
    #[inline]
    pub fn log_odds(
        &self,
        stage: Stage,
        indices: &Indices,
        mut count: impl FnMut(usize) -> f32,
    ) -> f64 {
        let group = self.groups.of(stage);
        let weights = &self.weights[group * self.stride..(group + 1) * self.stride];
        let mut sum: i32 = 0;
        for (&base, &index) in self.bases.iter().zip(&indices.0) {
            sum += i32::from(weights[base as usize + usize::from(index)]);
        }
        for (i, &(low, high, base)) in self.counts.iter().enumerate() {
            let place = (count(i).round().max(low).min(high) - low) as usize;
            sum += i32::from(weights[base as usize + place]);
        }
        for &(first, second, table) in &self.halves {
            let [i1, i2] = [first, second].map(|lane| indices.0[usize::from(lane)]);
            sum += i32::from(self.sparse[group][table].get(i1, i2));
        }
        f64::from(sum) * f64::from(self.scales[group]) * self.unit.log_odds()
    }

    /// Cells of each sparse pattern's table, and the share of them in use.
    pub fn sparse_tables(&self) -> Vec<(usize, f64)> {
        let first = self.sparse.first().into_iter().flatten();
        first.map(|table| (table.len(), table.fill())).collect()
    }

    /// Whether it has sparse patterns.
    pub fn is_sparse(&self) -> bool {
        !self.halves.is_empty()
    }

    /// What each instance, then each count, and last each instance of a sparse pattern
    /// adds to that, in log-odds.
    pub fn contributions(
        &self,
        stage: Stage,
        indices: &Indices,
        mut count: impl FnMut(usize) -> f32,
    ) -> Vec<f64> {
        let group = self.groups.of(stage);
        let weights = &self.weights[group * self.stride..(group + 1) * self.stride];
        let step = f64::from(self.scales[group]) * self.unit.log_odds();
        let instances =
            self.bases.iter().zip(&indices.0).map(|(&b, &i)| b as usize + usize::from(i));
        let counts = self.counts.iter().enumerate().map(|(i, &(low, high, base))| {
            base as usize + (count(i).round().max(low).min(high) - low) as usize
        });
        let flat = instances.chain(counts).map(|place| weights[place]);
        let sparse = self.halves.iter().map(|&(first, second, table)| {
            let [i1, i2] = [first, second].map(|lane| indices.0[usize::from(lane)]);
            self.sparse[group][table].get(i1, i2)
        });
        flat.chain(sparse).map(|weight| step * f64::from(weight)).collect()
    }
}

/// For an instance of a sparse pattern the lanes of its halves, and its table.
type Halves = (u8, u8, usize);

/// The atoms whose values add up to a lane's index, with what they count for.
type Lane = Vec<(u16, u32)>;

/// The lanes of all instances, then those of halves of sparse patterns that no instance
/// has already; and where each sparse instance finds its halves (buro98: patterns whose
/// indices are there for others cost least).
fn lanes(set: &PatternSet, sparse: &SparseSet) -> Result<(Vec<Lane>, Vec<Halves>), PatternError> {
    let mut tables = set.patterns().iter().zip(set.tables_of_ranks());
    if let Some((pattern, ranks)) = tables.find(|(_, ranks)| ranks.len() > 1 << 16) {
        return Err(PatternError::NotForPlay(format!(
            "pattern {:?} has {} states; play has room for 65536 (ten squares of three), so make \
             it smaller, or a sparse one",
            pattern.name,
            ranks.len()
        )));
    }
    let mut lanes: Vec<Lane> = set.instances_with_places().map(|i| i.places.to_vec()).collect();
    let mut halves = Vec::new();
    for (table, places) in sparse.halves() {
        let [first, second] = places.map(|places| {
            lanes.iter().position(|lane| *lane == places).unwrap_or_else(|| {
                lanes.push(places);
                lanes.len() - 1
            })
        });
        halves.push((first as u8, second as u8, table));
        if sparse.sides(table).into_iter().any(|side| side >= 1 << 16) {
            let message = "half of a sparse pattern has room for 65535 states; make it smaller";
            return Err(PatternError::NotForPlay(message.into()));
        }
    }
    let found = lanes.len();
    if found > LANES {
        return Err(PatternError::NotForPlay(format!(
            "the patterns have {found} instances with their symmetric copies; play has room for \
             {LANES}, so leave some out"
        )));
    }
    Ok((lanes, halves))
}

fn sparse_tables(model: &PatternModel, first: usize, sparse: &SparseSet) -> Vec<Vec<OffsetTable>> {
    let mut layouts: Vec<OffsetTable> = Vec::new();
    (0..model.groups().count())
        .map(|group| {
            let folded = &model.steps_of(group)[first..];
            let tables = sparse.bases().into_iter().enumerate().map(|(table, base)| {
                let weighted: Vec<(u16, u16, i16)> = sparse
                    .pairs(table)
                    .into_iter()
                    .map(|(i1, i2, place)| (i1, i2, folded[(base + place) as usize]))
                    .collect();
                if layouts.len() == table {
                    let [rows, columns] = sparse.sides(table);
                    layouts.push(OffsetTable::new(&weighted, rows, columns));
                }
                layouts[table].with_weights(&weighted)
            });
            tables.collect()
        })
        .collect()
}

/// Whether indices of two bytes in the lanes there are hold every instance.
///
/// # Errors
/// When they do not, with the remedy.
pub fn check_for_play(set: &PatternSet, sparse: &SparseSet) -> Result<(), PatternError> {
    lanes(set, sparse).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::{line, rounded};
    use super::*;
    use crate::Pattern;
    use proptest::prelude::*;

    fn model() -> (PatternModel, PatternSet) {
        let (plan, set) = line();
        let groups = StageGroups::new(6, 2, 3).unwrap();
        let weight = |i: usize| ((7 * i) % 23) as f32 - 11.0;
        let n = plan.weights(&set);
        let fitted: Vec<Vec<f32>> =
            (0..3).map(|group| (0..n).map(|i| weight(i + 5 * group)).collect()).collect();
        let unit = Unit::Margin { per_logit: 5.0 };
        (PatternModel::new(plan, groups, unit, rounded(&fitted)).unwrap(), set)
    }

    /// The slow way: the set's shared weights, one by one.
    fn by_the_set(
        model: &PatternModel,
        set: &PatternSet,
        stage: Stage,
        atoms: &[u8],
        n: f32,
    ) -> f64 {
        let mut active = Vec::new();
        set.append_active(atoms, &mut active);
        let weights = model.weights_of(model.groups().of(stage));
        let patterns = active.iter().zip(set.bases()).map(|(&i, b)| weights[(i + b) as usize]);
        let count = weights[set.weights() + model.plan().counts[0].place(n)];
        f64::from(patterns.sum::<f32>() + count) / 5.0
    }

    proptest! {
        #[test]
        fn moves_lead_where_a_fresh_look_does(
            atoms in prop::collection::vec(0_u8..3, 4),
            later in prop::collection::vec(0_u8..3, 4),
            stage in 0_u8..6,
            n in -4_i8..5,
        ) {
            let (model, set) = model();
            let tables = PatternTables::new(&model, &set, &SparseSet::default()).unwrap();
            let mut indices = tables.indices(&atoms);
            for atom in 0..4_u16 {
                let (old, new) = (atoms[usize::from(atom)], later[usize::from(atom)]);
                indices = tables.changed(&indices, atom, old, new);
            }
            prop_assert_eq!(indices, tables.indices(&later));
            let n = f32::from(n);
            let expected = by_the_set(&model, &set, Stage(stage), &later, n);
            let found = tables.log_odds(Stage(stage), &indices, |_| n);
            prop_assert!((found - expected).abs() < 1e-4, "{} for {}", found, expected);
            let parts: f64 = tables.contributions(Stage(stage), &indices, |_| n).iter().sum();
            prop_assert!((found - parts).abs() < 1e-9);
        }
    }

    #[test]
    fn what_does_not_fit_into_two_bytes_is_refused() {
        let none = SparseSet::default();
        let names: Vec<String> = (0..70).map(|i| i.to_string()).collect();
        let set = |patterns| PatternSet::new(patterns, &names, &[3; 70], &[]).unwrap();
        let one = |i: usize| Pattern { name: i.to_string(), atoms: vec![i.to_string()] };
        let many = check_for_play(&set((0..65).map(one).collect()), &none).unwrap_err();
        assert!(many.to_string().contains("65 instances"), "{many}");
        let large = Pattern { name: "large".into(), atoms: names[..11].to_vec() };
        let large = check_for_play(&set(vec![large]), &none).unwrap_err();
        assert!(large.to_string().contains("\"large\" has 177147 states"), "{large}");
    }

    proptest! {
        #[test]
        fn sparse_patterns_play_by_their_valid_states(
            atoms in prop::collection::vec(0_u8..3, 4),
            states in prop::collection::btree_set(0_u32..81, 0..40),
        ) {
            let (mut plan, set) = line();
            plan.sparse = vec![Pattern { name: "sparse".into(), ..plan.patterns[0].clone() }];
            let names: Vec<String> = "abcd".chars().map(|c| c.to_string()).collect();
            let turn = [vec![3, 2, 1, 0]];
            let sparse = SparseSet::new(&plan.sparse, &names, &[3; 4], &turn).unwrap();
            // Only the smaller of two images can be counted.
            let mirrored = |s: u32| [27, 9, 3, 1].iter().zip([1, 3, 9, 27]).map(|(a, b)| s / a % 3 * b).sum();
            let valid: Vec<u32> = states.into_iter().filter(|&s| s <= mirrored(s)).collect();
            let sparse = sparse.with_valid(vec![valid.clone()]).unwrap();
            let groups = StageGroups::new(1, 1, 1).unwrap();
            let n = plan.weights(&set);
            let mut fitted: Vec<f32> = (0..n + sparse.weights()).map(|i| (i % 13) as f32 - 6.0).collect();
            fitted[n] = 0.0;
            let model = PatternModel::new(plan, groups, Unit::LogOdds, rounded(&[fitted])).unwrap();
            let model = model.with_valid(vec![valid]);
            let tables = PatternTables::new(&model, &set, &sparse).unwrap();
            let found = tables.log_odds(Stage(0), &tables.indices(&atoms), |_| 0.0);
            let mut active = Vec::new();
            set.append_active(&atoms, &mut active);
            let weights = model.weights_of(0);
            let flat: f32 = active.iter().zip(set.bases()).map(|(&i, b)| weights[(i + b) as usize]).sum();
            active.clear();
            sparse.append_active(&atoms, &mut active);
            let expected = flat + weights[set.weights() + 1] + weights[n + active[0] as usize];
            prop_assert!((found - f64::from(expected)).abs() < 1e-3, "{} for {}", found, expected);
            let parts: f64 = tables.contributions(Stage(0), &tables.indices(&atoms), |_| 0.0).iter().sum();
            prop_assert!((found - parts).abs() < 1e-9);
        }
    }
}
