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

use super::{PatternError, PatternModel, PatternSet, StageGroups, Unit};
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
}

impl PatternTables {
    /// Unfolds the weights that symmetric states share.
    ///
    /// # Errors
    /// When there are more instances than lanes, or a table is too large for
    /// indices of two bytes.
    ///
    /// # Panics
    /// When the set is not the model's.
    pub fn new(model: &PatternModel, set: &PatternSet) -> Result<Self, PatternError> {
        check_for_play(set)?;
        let mut first = Vec::with_capacity(set.ranges().len());
        let mut rows = Vec::new();
        for &range in set.ranges() {
            first.push(rows.len() as u32);
            rows.resize(rows.len() + usize::from(range), Indices([0; LANES]));
        }
        for (lane, instance) in set.instances_with_places().enumerate() {
            for &(atom, stride) in instance.places {
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
            weights.extend_from_slice(&folded[base..]);
        }
        assert_eq!(weights.len(), stride * model.groups().count(), "the model's own set");
        let bases = set.instances_with_places().map(|i| table_bases[i.table]).collect();
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
            // Zero adds nothing, whatever the atom.
            if value != 0 {
                let row = &self.rows[first as usize + usize::from(value)].0;
                for lane in 0..LANES {
                    sum[lane] = sum[lane].wrapping_add(row[lane]);
                }
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
        f64::from(sum) * f64::from(self.scales[group]) * self.unit.log_odds()
    }

    /// What each instance and then each count adds to that, in log-odds.
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
        instances.chain(counts).map(|place| step * f64::from(weights[place])).collect()
    }
}

/// Whether indices of two bytes in the lanes there are hold every instance.
///
/// # Errors
/// When they do not, with the remedy.
pub fn check_for_play(set: &PatternSet) -> Result<(), PatternError> {
    let found = set.instances();
    if found > LANES {
        return Err(PatternError::NotForPlay(format!(
            "the patterns have {found} instances with their symmetric copies; play has room for \
             {LANES}, so leave some out"
        )));
    }
    let mut tables = set.patterns().iter().zip(set.tables_of_ranks());
    match tables.find(|(_, ranks)| ranks.len() > 1 << 16) {
        Some((pattern, ranks)) => Err(PatternError::NotForPlay(format!(
            "pattern {:?} has {} states; play has room for 65536 (ten squares of three), so make \
             it smaller",
            pattern.name,
            ranks.len()
        ))),
        None => Ok(()),
    }
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
            let tables = PatternTables::new(&model, &set).unwrap();
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
        let names: Vec<String> = (0..70).map(|i| i.to_string()).collect();
        let set = |patterns| PatternSet::new(patterns, &names, &[3; 70], &[]).unwrap();
        let one = |i: usize| Pattern { name: i.to_string(), atoms: vec![i.to_string()] };
        let many = check_for_play(&set((0..65).map(one).collect())).unwrap_err();
        assert!(many.to_string().contains("65 instances"), "{many}");
        let large = Pattern { name: "large".into(), atoms: names[..11].to_vec() };
        let large = check_for_play(&set(vec![large])).unwrap_err();
        assert!(large.to_string().contains("\"large\" has 177147 states"), "{large}");
    }
}
