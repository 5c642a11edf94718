//! Table features: the win probability conditional on a configuration, as a
//! feature (buro95).
//!
//! A raw feature whose name is `pattern/instance` is a code: a whole number that
//! says which configuration stands there. All instances of a pattern share one
//! table, which holds for each configuration the log-odds of winning when it
//! occurs; the pattern's feature is their sum over the instances. Any other
//! feature is itself. A model of these features is wrapped with its tables, so
//! that it plays from the raw ones.
//!
//! A table and the weights of its sums must not be fitted to the same results, or
//! rare configurations would seem to know theirs: tables are made of the games
//! with even numbers, and weights should be fitted to the others.

use crate::{DenseModel, Examples, LearnError, Linear, Model, Quadratic};
use evalsmith_core::{Columns, Explanation, LogOdds, Stage};
use serde::{Deserialize, Serialize};

/// Half points added to a configuration's wins and to its losses: one seen once
/// says little.
const PRIOR: f64 = 2.0;
/// Stages that share a table.
const SPAN: usize = 8;
/// The most configurations a pattern may have.
const MOST_CODES: usize = 1 << 20;

/// One pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pattern {
    name: String,
    /// The raw features that are its instances.
    columns: Vec<usize>,
    /// One more than the largest code.
    size: usize,
}

/// How the raw features become the model's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Layout {
    patterns: Vec<Pattern>,
    /// The raw features that are themselves.
    plain: Vec<usize>,
    /// How many tables each pattern has.
    spans: usize,
}

/// Tables of conditional log-odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    raw: Vec<String>,
    layout: Layout,
    /// Pattern by pattern, span by span, one number a configuration.
    values: Box<[f64]>,
}

impl Tables {
    /// Whether some of these features are codes of patterns.
    pub fn wanted(names: &[String]) -> bool {
        names.iter().any(|name| name.contains('/'))
    }

    /// Fits the tables to the examples' games of even numbers.
    ///
    /// # Errors
    /// When the examples are faulty, or a code is no whole number from 0 to a
    /// million.
    pub fn fit(stages: usize, examples: &Examples<'_>) -> Result<Self, LearnError> {
        examples.check(stages)?;
        let raw = examples.features.names().to_vec();
        let layout = layout(&raw, examples.features, stages)?;
        let total: usize = layout.patterns.iter().map(|p| p.size * layout.spans).sum();
        let mut counts = vec![(0.0_f64, 0.0_f64); total];
        let mut offset = 0;
        for pattern in &layout.patterns {
            for &column in &pattern.columns {
                let codes = examples.features.column(column);
                for (row, &code) in codes.iter().enumerate() {
                    if examples.games[row] % 2 == 1 {
                        continue;
                    }
                    let span = examples.stages[row].index() / SPAN;
                    let cell = &mut counts[offset + span * pattern.size + code as usize];
                    let y = f64::from(examples.points[row]);
                    *cell = (cell.0 + y, cell.1 + 1.0 - y);
                }
            }
            offset += pattern.size * layout.spans;
        }
        let values = counts.iter().map(|(won, lost)| ((won + PRIOR) / (lost + PRIOR)).ln());
        Ok(Self { raw, values: values.collect(), layout })
    }

    /// The names of the features that the tables make.
    pub fn names(&self) -> Vec<String> {
        let patterns = self.layout.patterns.iter().map(|p| p.name.clone());
        patterns.chain(self.layout.plain.iter().map(|&i| self.raw[i].clone())).collect()
    }

    /// Those features of a table of raw ones.
    pub fn columns(&self, raw: &Columns, stages: &[Stage]) -> Columns {
        let mut made = Columns::new(self.names());
        let mut row_values = Vec::with_capacity(self.layout.patterns.len());
        for (row, &stage) in stages.iter().enumerate() {
            row_values.clear();
            let width = self.layout.patterns.len() + self.layout.plain.len();
            row_values.extend((0..width).map(|k| self.get(stage, k, |i| raw.column(i)[row])));
            made.push(&row_values);
        }
        made
    }

    /// Feature `k` of those the tables make, from the raw ones.
    #[inline]
    fn get(&self, stage: Stage, k: usize, mut raw: impl FnMut(usize) -> f32) -> f32 {
        let Some(pattern) = self.layout.patterns.get(k) else {
            return raw(self.layout.plain[k - self.layout.patterns.len()]);
        };
        let before: usize = self.layout.patterns[..k].iter().map(|p| p.size).sum();
        let span = (stage.index() / SPAN).min(self.layout.spans - 1);
        let table =
            &self.values[before * self.layout.spans + span * pattern.size..][..pattern.size];
        // A code that was never seen says nothing.
        let value = |&i: &usize| table.get(raw(i) as usize).copied().unwrap_or_default();
        pattern.columns.iter().map(value).sum::<f64>() as f32
    }
}

/// Which raw features are codes of which pattern.
fn layout(raw: &[String], features: &Columns, stages: usize) -> Result<Layout, LearnError> {
    let mut layout =
        Layout { patterns: Vec::new(), plain: Vec::new(), spans: stages.div_ceil(SPAN) };
    for (i, name) in raw.iter().enumerate() {
        let Some((pattern, _)) = name.split_once('/') else {
            layout.plain.push(i);
            continue;
        };
        let codes = features.column(i);
        let sound = |x: &f32| x.fract() == 0.0 && (0.0..MOST_CODES as f32).contains(x);
        if let Some(row) = codes.iter().position(|x| !sound(x)) {
            return Err(LearnError::Code { feature: name.clone(), row, value: codes[row] });
        }
        let size = codes.iter().fold(0.0_f32, |most, &x| most.max(x)) as usize + 1;
        match layout.patterns.iter_mut().find(|p| p.name == pattern) {
            Some(known) => {
                known.columns.push(i);
                known.size = known.size.max(size);
            }
            None => {
                layout.patterns.push(Pattern { name: pattern.into(), columns: vec![i], size });
            }
        }
    }
    Ok(layout)
}

/// A model of table features with its tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Tabled {
    tables: Tables,
    inside: Inside,
    /// The model's numbers, and then the tables'.
    numbers: Box<[f64]>,
}

/// The models that may stand on table features.
#[derive(Clone, Debug, PartialEq)]
enum Inside {
    Linear(Linear),
    Quadratic(Quadratic),
}

/// One expression for whichever model it is.
macro_rules! inside {
    ($self:expr, $model:ident => $do:expr) => {
        match &$self.inside {
            Inside::Linear($model) => $do,
            Inside::Quadratic($model) => $do,
        }
    };
}

/// How a wrapped model is put together, for its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Structure {
    layout: Layout,
    /// The kind of the model inside, and how many of the numbers are its.
    kind: String,
    inside: usize,
}

impl Tabled {
    /// Wraps a model of the tables' features.
    ///
    /// # Errors
    /// When the model was made for other features, or is no polynomial of them.
    pub fn new(tables: Tables, model: Model) -> Result<Self, LearnError> {
        if tables.names() != model.features() {
            let given = tables.names().join(", ");
            return Err(LearnError::Features { model: model.features().join(", "), given });
        }
        let numbers = [model.coefficients(), &tables.values].concat().into();
        let inside = match model {
            Model::Linear(model) => Inside::Linear(model),
            Model::Quadratic(model) => Inside::Quadratic(model),
            other => {
                let value = other.kind().to_owned();
                let allowed = "linear or quadratic";
                return Err(LearnError::Parameter { name: "the model of tables", value, allowed });
            }
        };
        Ok(Self { tables, inside, numbers })
    }

    /// All numbers, in the order of the file.
    pub fn coefficients(&self) -> &[f64] {
        &self.numbers
    }

    pub(crate) fn structure(&self) -> Structure {
        Structure {
            layout: self.tables.layout.clone(),
            kind: match self.inside {
                Inside::Linear(_) => "linear".into(),
                Inside::Quadratic(_) => "quadratic".into(),
            },
            inside: inside!(self, model => model.coefficients().len()),
        }
    }

    /// The model of a file.
    pub(crate) fn from_parts(
        raw: Vec<String>,
        stages: usize,
        structure: Structure,
        mut numbers: Vec<f64>,
    ) -> Result<Self, LearnError> {
        let Structure { layout, kind, inside } = structure;
        let mut sizes = layout.patterns.iter().map(|p| p.size.checked_mul(layout.spans));
        let cells = sizes.try_fold(0_usize, |sum, size| sum.checked_add(size?));
        let places = layout.patterns.iter().flat_map(|p| &p.columns).chain(&layout.plain);
        let sound = layout.spans > 0
            && places.into_iter().all(|&i| i < raw.len())
            && cells.and_then(|cells| cells.checked_add(inside)) == Some(numbers.len());
        if !sound {
            let what = "numbers where its tables ask for others".into();
            return Err(LearnError::Lengths { rows: 1, what, found: numbers.len() });
        }
        let values = numbers.split_off(inside).into();
        let tables = Tables { raw, layout, values };
        if let Some(i) = tables.values.iter().position(|x| !x.is_finite()) {
            let (feature, value) = (format!("number {i} of the tables"), tables.values[i]);
            return Err(LearnError::WeightNotFinite { path: None, feature, stage: 0, value });
        }
        let names = tables.names();
        let model = match kind.as_str() {
            "quadratic" => Quadratic::new(names, stages, numbers)?.into(),
            _ => Linear::new(names, stages, numbers)?.into(),
        };
        Self::new(tables, model)
    }
}

impl DenseModel for Tabled {
    fn features(&self) -> &[String] {
        &self.tables.raw
    }

    fn stages(&self) -> usize {
        inside!(self, model => model.stages())
    }

    #[inline]
    fn log_odds(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> LogOdds {
        inside!(self, model => model.log_odds(stage, |k| self.tables.get(stage, k, &mut feature)))
    }

    fn explain(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> Explanation {
        inside!(self, model => model.explain(stage, |k| self.tables.get(stage, k, &mut feature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Learner, LogisticParams, fit, quality};
    use evalsmith_core::Quiet;
    use rand::RngExt;

    /// Two codes that count only together with their table, and a plain feature.
    fn table(rows: u32) -> (Columns, Vec<Stage>, Vec<f32>, Vec<u32>) {
        let mut random = evalsmith_core::rng::stream(4, "tabled", 0);
        let names = ["line/1", "line/2", "plain"].map(String::from).to_vec();
        let mut features = Columns::new(names);
        let (mut points, mut games) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let codes = [random.random_range(0..9_u8), random.random_range(0..9_u8)];
            // Odd codes are good, but for their order nothing would tell.
            let worth: f32 = codes.iter().map(|c| if c % 2 == 1 { 0.8 } else { -0.8 }).sum();
            let plain = random.random::<f32>() - 0.5;
            let won = random.random::<f32>() < 1.0 / (1.0 + (-worth - plain).exp());
            features.push(&[codes[0].into(), codes[1].into(), plain]);
            points.push(f32::from(u8::from(won)));
            games.push(row / 5);
        }
        (features, vec![Stage(9); rows as usize], points, games)
    }

    #[test]
    fn tables_learn_what_codes_mean_and_play_from_the_raw_features() {
        let (features, stages, points, games) = table(6000);
        let raw = Examples { features: &features, stages: &stages, points: &points, games: &games };
        let tables = Tables::fit(20, &raw).unwrap();
        assert_eq!(tables.names(), ["line", "plain"]);
        let made = tables.columns(&features, &stages);
        let examples = Examples { features: &made, ..raw };
        for learner in [Learner::Logistic, Learner::Quadratic] {
            let params = LogisticParams::default();
            let inner = fit(learner, &params, 20, &examples, &[], &Quiet).unwrap().model;
            let model = Tabled::new(tables.clone(), inner.clone()).unwrap();
            let value = |row: usize| model.log_odds(Stage(9), |i| features.column(i)[row]).0;
            let odds: Vec<f64> = (0..6000).map(value).collect();
            let direct = inner.log_odds(Stage(9), |i| made.column(i)[7]).0;
            assert!((odds[7] - direct).abs() < 1e-9);
            let told = model.explain(Stage(9), |i| features.column(i)[7]);
            assert!((told.total - odds[7]).abs() < 1e-9);
            let found = quality(&points, &odds, &games).unwrap();
            assert!(found.accuracy.value > 0.65, "{:?}", found.accuracy);
            let again = Tabled::from_parts(
                features.names().to_vec(),
                20,
                model.structure(),
                model.numbers.to_vec(),
            );
            assert_eq!(again.unwrap(), model);
        }
    }

    #[test]
    fn codes_that_are_none_are_named() {
        let mut features = Columns::new(vec!["line/1".into()]);
        features.push(&[0.5]);
        let raw =
            Examples { features: &features, stages: &[Stage(0)], points: &[1.0], games: &[0] };
        let message = Tables::fit(1, &raw).unwrap_err().to_string();
        assert!(message.contains("line/1 is 0.5 in row 0"), "{message}");
    }
}
