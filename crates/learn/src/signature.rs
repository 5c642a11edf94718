//! Samuel's signature tables, learned from book moves (lee86, section 2.2).
//!
//! Features are quantised and combined in sets: all features of a set but the
//! last have the levels -1, 0, 1, the last -2 to 2. Each set has a table; groups
//! of sets have second-level tables over the sets' outputs in five levels, and one
//! final table combines the groups' in fifteen. With six sets of four in two
//! groups these are 6 x 68 + 2 x 125 + 225 = 883 cells, as the paper counts: a
//! first-level cell and its mirror image share one number with the sign turned.
//!
//! A cell's value is (A - D) / (A + D), where A is how often the book went there
//! and D how often it could have. Where a choice is among n moves each rejected one
//! counts 1 / (n - 1), so that a cell without meaning has the value 0.

use crate::choices::Choices;
use crate::{DenseModel, LearnError};
use evalsmith_core::{Explanation, LogOdds, Stage, Term};
use serde::{Deserialize, Serialize};

/// Levels of a first-level output, and of a second-level one.
const FIRST: usize = 5;
const SECOND: usize = 15;

/// How the features are combined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureParams {
    /// The sets, by the features' places.
    pub sets: Vec<Vec<usize>>,
    /// How many sets each second-level table combines, in their order.
    pub groups: Vec<usize>,
}

impl SignatureParams {
    /// Sets of four features in their order, and groups of three sets: Samuel's
    /// scheme for 24 features.
    pub fn samuel(features: usize) -> Self {
        let places: Vec<usize> = (0..features).collect();
        let sets: Vec<Vec<usize>> = places.chunks(4).map(<[usize]>::to_vec).collect();
        let groups = sets.chunks(3).map(<[Vec<usize>]>::len).collect();
        Self { sets, groups }
    }

    /// Checks the structure against the number of features.
    ///
    /// # Errors
    /// When a set is empty or too large, names a feature that is not there, or
    /// the groups do not hold all sets.
    pub fn check(&self, features: usize) -> Result<(), LearnError> {
        let wrong =
            |name, value: String, allowed| Err(LearnError::Parameter { name, value, allowed });
        if self.sets.is_empty() || self.sets.iter().any(|s| s.is_empty() || s.len() > 6) {
            return wrong("the sets", format!("{:?}", self.sets), "one or more of 1 to 6 features");
        }
        if self.sets.iter().flatten().any(|&f| f >= features) {
            return wrong("the sets", format!("{:?}", self.sets), "made of the features there are");
        }
        let fits = self.groups.iter().all(|g| (1..=4).contains(g)) && self.groups.len() <= 3;
        if !fits || self.groups.iter().sum::<usize>() != self.sets.len() {
            let allowed = "at most 3 groups of 1 to 4 sets that hold all sets";
            return wrong("the groups", format!("{:?}", self.groups), allowed);
        }
        Ok(())
    }

    /// The number of cells, mirror images counted once.
    pub fn cells(&self) -> usize {
        let first: usize = self.sets.iter().map(|s| folded(table_size(s.len()))).sum();
        let second: usize = self.groups.iter().map(|&g| FIRST.pow(g as u32)).sum();
        first + second + SECOND.pow(self.groups.len() as u32)
    }

    /// How many numbers the thresholds take: one less than half the levels each.
    fn thresholds(&self, features: usize) -> usize {
        features * 2 + self.sets.len() * (FIRST / 2) + self.groups.len() * (SECOND / 2)
    }
}

/// Cells of a first-level table before folding.
const fn table_size(features: usize) -> usize {
    5 * 3_usize.pow(features as u32 - 1)
}

const fn folded(cells: usize) -> usize {
    cells.div_ceil(2)
}

/// The tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    features: Vec<String>,
    stages: usize,
    params: SignatureParams,
    /// Two thresholds a feature (a feature of three levels uses the first), those
    /// of the first-level and of the second-level outputs, and then all cells.
    numbers: Vec<f64>,
}

impl Signature {
    /// A model with these numbers.
    ///
    /// # Errors
    /// When the structure does not fit the features, or the numbers it.
    pub fn new(
        features: Vec<String>,
        stages: usize,
        params: SignatureParams,
        numbers: Vec<f64>,
    ) -> Result<Self, LearnError> {
        params.check(features.len())?;
        let expected = params.thresholds(features.len()) + params.cells();
        if numbers.len() != expected {
            let what = format!("numbers of {expected} thresholds and cells");
            return Err(LearnError::Lengths { rows: 1, what, found: numbers.len() });
        }
        if stages == 0 {
            let value = stages.to_string();
            return Err(LearnError::Parameter { name: "stages", value, allowed: "at least 1" });
        }
        if let Some(i) = numbers.iter().position(|x| !x.is_finite()) {
            let (feature, value) = (format!("number {i} of the tables"), numbers[i]);
            return Err(LearnError::WeightNotFinite { path: None, feature, stage: 0, value });
        }
        Ok(Self { features, stages, params, numbers })
    }

    /// How the features are combined.
    pub fn params(&self) -> &SignatureParams {
        &self.params
    }

    /// All numbers, in the order of the file.
    pub fn coefficients(&self) -> &[f64] {
        &self.numbers
    }

    /// The outputs of all tables, in order, told to `tell` as they are computed;
    /// returns the final one.
    #[inline]
    fn walk(&self, mut feature: impl FnMut(usize) -> f32, mut tell: impl FnMut(usize, f64)) -> f64 {
        let (thresholds, cells) =
            self.numbers.split_at(self.params.thresholds(self.features.len()));
        let (of_features, of_outputs) = thresholds.split_at(2 * self.features.len());
        let (of_first, of_second) = of_outputs.split_at(self.params.sets.len() * (FIRST / 2));
        let mut cells = cells;
        // Second-level tables stand after all first-level ones.
        let first: usize = self.params.sets.iter().map(|s| folded(table_size(s.len()))).sum();
        let mut later = &cells[first..];
        let mut set = 0;
        let mut last = 0;
        for (group, &size) in self.params.groups.iter().enumerate() {
            let mut index = 0;
            for _ in 0..size {
                let members = &self.params.sets[set];
                let place = first_place(members, of_features, &mut feature);
                let (table, rest) = cells.split_at(folded(table_size(members.len())));
                let output = mirrored(table, place, table_size(members.len()));
                tell(set, output);
                let level = level(output, &of_first[set * (FIRST / 2)..][..FIRST / 2]);
                index = index * FIRST + level;
                cells = rest;
                set += 1;
            }
            let (table, rest) = later.split_at(FIRST.pow(size as u32));
            let output = table[index];
            tell(self.params.sets.len() + group, output);
            last = last * SECOND + level(output, &of_second[group * (SECOND / 2)..][..SECOND / 2]);
            later = rest;
        }
        later[last]
    }
}

/// The place of a set's signature in its table.
#[inline]
fn first_place(
    members: &[usize],
    thresholds: &[f64],
    feature: &mut impl FnMut(usize) -> f32,
) -> usize {
    members.iter().enumerate().fold(0, |place, (i, &f)| {
        let fine = i + 1 == members.len();
        let own = &thresholds[2 * f..][..if fine { 2 } else { 1 }];
        place * (2 * own.len() + 1) + level(f64::from(feature(f)), own)
    })
}

/// The level of a value: as many steps from the middle as thresholds lie below
/// its size; from zero, the lowest, upwards.
#[inline]
fn level(value: f64, thresholds: &[f64]) -> usize {
    let steps = thresholds.iter().filter(|t| value.abs() > **t).count();
    if value < 0.0 { thresholds.len() - steps } else { thresholds.len() + steps }
}

/// The value of a place in a folded table of so many cells.
#[inline]
fn mirrored(table: &[f64], place: usize, cells: usize) -> f64 {
    let mirror = cells - 1 - place;
    if place <= mirror { table[place] } else { -table[mirror] }
}

/// The log-odds of a cell's value: the book went there (1 + v) / (1 - v) times as
/// often as not. No cell is sure.
fn log_odds_of(value: f64) -> f64 {
    2.0 * value.clamp(-0.999, 0.999).atanh()
}

/// The thresholds that cut values into levels of about equal share.
fn quantiles(mut sizes: Vec<f64>, levels: usize) -> Vec<f64> {
    sizes.sort_unstable_by(f64::total_cmp);
    let at = |k: usize| sizes.get(sizes.len() * (2 * k - 1) / levels).copied().unwrap_or_default();
    (1..=levels / 2).map(at).collect()
}

/// (A - D) / (A + D) of sums of signed and of absolute weights.
fn ratio(signed: f64, total: f64) -> f64 {
    if total > 0.0 { signed / total } else { 0.0 }
}

/// Learns signature tables, level by level.
///
/// # Errors
/// When the choices are faulty or the structure does not fit the features.
pub fn fit_signature(
    params: &SignatureParams,
    stages: usize,
    choices: &Choices<'_>,
) -> Result<Signature, LearnError> {
    choices.check()?;
    let features = choices.features.names().to_vec();
    params.check(features.len())?;
    let columns: Vec<&[f32]> = (0..features.len()).map(|i| choices.features.column(i)).collect();
    let sizes = |i: usize| columns[i].iter().map(|x| f64::from(x.abs())).collect::<Vec<_>>();
    let fine = |i: usize| params.sets.iter().any(|s| s.last() == Some(&i));
    let of_features: Vec<f64> = (0..features.len())
        .flat_map(|i| {
            let cut = quantiles(sizes(i), if fine(i) { 5 } else { 3 });
            [cut[0], cut.get(1).copied().unwrap_or(cut[0])]
        })
        .collect();
    let rows = choices.features.rows();

    let mut first_cells = Vec::new();
    let mut first_thresholds = Vec::new();
    let mut first_levels: Vec<Vec<usize>> = Vec::new();
    for members in &params.sets {
        let cells = table_size(members.len());
        let place = |row: usize| first_place(members, &of_features, &mut |f| columns[f][row]);
        let (mut signed, mut total) = (vec![0.0; folded(cells)], vec![0.0; folded(cells)]);
        for (row, weight) in choices.weighted() {
            let (place, mirror) = (place(row), cells - 1 - place(row));
            let sign = if place <= mirror { 1.0 } else { -1.0 };
            // The middle is its own image: whatever is said there is said of both.
            let sign = if place == mirror { 0.0 } else { sign };
            signed[place.min(mirror)] += sign * weight;
            total[place.min(mirror)] += weight.abs();
        }
        let table: Vec<f64> = signed.iter().zip(&total).map(|(s, t)| ratio(*s, *t)).collect();
        let outputs: Vec<f64> = (0..rows).map(|row| mirrored(&table, place(row), cells)).collect();
        let cut = quantiles(outputs.iter().map(|v| v.abs()).collect(), FIRST);
        first_levels.push(outputs.iter().map(|&v| level(v, &cut)).collect());
        first_thresholds.extend(cut);
        first_cells.extend(table);
    }

    let mut second_cells = Vec::new();
    let mut second_thresholds = Vec::new();
    let mut last = vec![0; rows];
    let mut set = 0;
    for &size in &params.groups {
        let inputs = &first_levels[set..set + size];
        let place = |row: usize| inputs.iter().fold(0, |p, levels| p * FIRST + levels[row]);
        let table = table_of(choices, FIRST.pow(size as u32), &place);
        let outputs: Vec<f64> = (0..rows).map(|row| table[place(row)]).collect();
        let cut = quantiles(outputs.iter().map(|v| v.abs()).collect(), SECOND);
        for (last, output) in last.iter_mut().zip(&outputs) {
            *last = *last * SECOND + level(*output, &cut);
        }
        second_thresholds.extend(cut);
        second_cells.extend(table);
        set += size;
    }
    let final_cells = table_of(choices, SECOND.pow(params.groups.len() as u32), &|row| last[row]);
    let numbers =
        [of_features, first_thresholds, second_thresholds, first_cells, second_cells, final_cells];
    Signature::new(features, stages, params.clone(), numbers.concat())
}

/// The cells of a table that is not folded.
fn table_of(choices: &Choices<'_>, cells: usize, place: &dyn Fn(usize) -> usize) -> Vec<f64> {
    let (mut signed, mut total) = (vec![0.0; cells], vec![0.0; cells]);
    for (row, weight) in choices.weighted() {
        signed[place(row)] += weight;
        total[place(row)] += weight.abs();
    }
    signed.iter().zip(&total).map(|(s, t)| ratio(*s, *t)).collect()
}

impl DenseModel for Signature {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn stages(&self) -> usize {
        self.stages
    }

    #[inline]
    fn log_odds(&self, _stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        LogOdds(log_odds_of(self.walk(feature, |_, _| {})))
    }

    /// The final table says it all; what the tables below it said stands beside it
    /// and adds nothing by itself.
    fn explain(&self, _stage: Stage, feature: impl FnMut(usize) -> f32) -> Explanation {
        let sets = self.params.sets.len();
        let mut terms = Vec::new();
        let value = self.walk(feature, |table, output| {
            let name = if table < sets {
                let members = self.params.sets[table].iter().map(|&f| self.features[f].as_str());
                format!("table of {}", members.collect::<Vec<_>>().join(", "))
            } else {
                format!("second-level table {}", table - sets + 1)
            };
            terms.push(Term { name, feature: Some(output), weight: None, contribution: 0.0 });
        });
        let total = log_odds_of(value);
        let name = "final table".into();
        terms.push(Term { name, feature: Some(value), weight: None, contribution: total });
        Explanation { total, terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Columns;
    use rand::RngExt;

    /// Choices among four moves: the one with the lowest first feature is taken
    /// three times of four.
    fn table(features: usize) -> (Columns, Vec<usize>, Vec<usize>) {
        let mut random = evalsmith_core::rng::stream(11, "signature", 0);
        let mut columns = Columns::new((0..features).map(|i| format!("x{i}")).collect());
        let (mut starts, mut chosen) = (vec![0], Vec::new());
        for _ in 0..1500 {
            let rows: Vec<Vec<f32>> = (0..4)
                .map(|_| (0..features).map(|_| random.random_range(-3..=3) as f32).collect())
                .collect();
            let best = (0..4).min_by(|&a, &b| rows[a][0].total_cmp(&rows[b][0])).unwrap();
            chosen.push(if random.random::<f32>() < 0.75 {
                best
            } else {
                random.random_range(0..4)
            });
            for row in rows {
                columns.push(&row);
            }
            starts.push(columns.rows());
        }
        (columns, starts, chosen)
    }

    #[test]
    fn samuels_scheme_has_883_cells() {
        let params = SignatureParams::samuel(24);
        assert_eq!((params.sets.len(), params.groups.clone()), (6, vec![3, 3]));
        assert_eq!(params.cells(), 883);
    }

    #[test]
    fn tables_find_what_the_book_goes_by_and_stay_symmetric() {
        let (columns, starts, chosen) = table(24);
        let choices = Choices { features: &columns, starts: &starts, chosen: &chosen };
        let model = fit_signature(&SignatureParams::samuel(24), 3, &choices).unwrap();
        let value = |row: usize| model.log_odds(Stage(0), |i| columns.column(i)[row]).0;
        let found = choices.agreement(value);
        assert!(found > 0.4, "chance agrees in a quarter, the tables in {found}");
        let told = model.explain(Stage(1), |i| columns.column(i)[5]);
        assert_eq!(told.total, value(5));
        assert_eq!(told.terms.iter().map(|t| t.contribution).sum::<f64>(), told.total);
        // The first table alone: a mirrored signature has the opposite value.
        let first = |sign: f32, row: usize| {
            let mut output = 0.0;
            model.walk(
                |i| sign * columns.column(i)[row],
                |table, v| {
                    if table == 0 {
                        output = v;
                    }
                },
            );
            output
        };
        assert!((0..200).all(|row| first(1.0, row) == -first(-1.0, row)));
        let again =
            Signature::new(model.features.clone(), 3, model.params.clone(), model.numbers.clone());
        assert_eq!(again.unwrap(), model);
    }

    #[test]
    fn structures_that_do_not_fit_are_refused() {
        let (columns, starts, chosen) = table(4);
        let choices = Choices { features: &columns, starts: &starts, chosen: &chosen };
        let fit = |sets: Vec<Vec<usize>>, groups: Vec<usize>| {
            fit_signature(&SignatureParams { sets, groups }, 1, &choices).map(|_| ())
        };
        assert!(fit(vec![vec![0, 1], vec![2, 3]], vec![2]).is_ok());
        assert!(fit(vec![vec![0, 4]], vec![1]).is_err());
        assert!(fit(vec![vec![0, 1], vec![2]], vec![1]).is_err());
        assert!(fit(vec![], vec![]).is_err());
        let short =
            Signature::new(columns.names().to_vec(), 1, SignatureParams::samuel(4), vec![0.0]);
        assert!(short.unwrap_err().to_string().contains("1 numbers of"));
    }
}
