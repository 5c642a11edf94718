//! Fewer features before a fit: principal components, or Fisher's discriminant
//! (lee86, section 5.2.3).
//!
//! Every stage turns its features, in standard units, into a few combinations,
//! and the learner sees those alone: with many features and few positions it has
//! less to estimate. Principal components are the directions in which positions
//! differ most, whoever wins; Fisher's is the one that parts won from lost
//! positions best. Both are linear, so the fit is folded back: the model that is
//! saved has weights of the original features and knows nothing of components.
//! Errors of such weights are those of the components', taken as given.

use crate::LearnError;
use crate::classes::Classes;
use crate::design::Design;
use crate::discriminant::independent;
use crate::pool::Pool;
use crate::quadratic::QuadraticStage;
use evalsmith_stats::eigen::axes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A component with less of a feature's variance is rounding.
const NOTHING: f64 = 1e-10;

/// How features are made fewer before a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Reduction {
    /// So many principal components.
    Components(usize),
    /// The one direction of Fisher's discriminant.
    Fisher,
}

impl Reduction {
    /// How many features are left of `features`.
    pub(crate) fn left(self, features: usize) -> usize {
        match self {
            Self::Components(n) => n.min(features),
            Self::Fisher => features.min(1),
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Components(n) => write!(f, "pca={n}"),
            Self::Fisher => f.write_str("fisher"),
        }
    }
}

impl FromStr for Reduction {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let components = text.strip_prefix("pca=").and_then(|n| n.parse().ok());
        match (text, components) {
            ("fisher", _) => Ok(Self::Fisher),
            (_, Some(n)) if n > 0 => Ok(Self::Components(n)),
            _ => Err(format!(
                "there is no reduction {text:?}; write pca=N for N principal components, N from \
                 1, or fisher"
            )),
        }
    }
}

impl From<Reduction> for String {
    fn from(reduction: Reduction) -> Self {
        reduction.to_string()
    }
}

impl TryFrom<String> for Reduction {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// The way from features to components: `z = L (x - m)`.
pub(crate) struct Projection {
    mean: Vec<f64>,
    /// One row a component, one weight a feature in its own units.
    loadings: Vec<Vec<f64>>,
}

impl Projection {
    /// Finds the components of a pool with both results.
    pub(crate) fn fit(reduction: Reduction, pool: &Pool<'_>) -> Result<Self, LearnError> {
        let design = Design::standardised(pool);
        let classes = Classes::of(&design);
        let directions = match reduction {
            Reduction::Components(n) => components(&classes, n),
            Reduction::Fisher => vec![fisher(&classes)?],
        };
        let width = pool.columns.len();
        let mut projection =
            Self { mean: vec![0.0; width], loadings: vec![vec![0.0; width]; directions.len()] };
        for (i, column) in design.columns.iter().enumerate() {
            projection.mean[column.index] = column.mean;
            for (row, direction) in projection.loadings.iter_mut().zip(&directions) {
                row[column.index] = direction[i] / column.deviation;
            }
        }
        Ok(projection)
    }

    /// The pool's rows, seen as components.
    pub(crate) fn apply<'a>(&self, pool: Pool<'a>) -> Pool<'a> {
        let column = |loadings: &Vec<f64>| {
            let mut sums = vec![0.0; pool.rows()];
            let used = loadings.iter().zip(&self.mean).zip(&pool.columns);
            for ((weight, mean), x) in used.filter(|((weight, _), _)| **weight != 0.0) {
                for (sum, &x) in sums.iter_mut().zip(x.iter()) {
                    *sum += weight * (f64::from(x) - mean);
                }
            }
            sums.into_iter().map(|z| z as f32).collect()
        };
        let columns = self.loadings.par_iter().map(column).collect();
        pool.with_columns(columns)
    }

    /// The original terms that the components speak of: zero for the intercept,
    /// one more than the feature for the others.
    pub(crate) fn terms(&self) -> Vec<usize> {
        let used = |i: &usize| self.loadings.iter().any(|row| row[*i] != 0.0);
        std::iter::once(0).chain((0..self.mean.len()).filter(used).map(|i| i + 1)).collect()
    }

    /// The rows of the matrix that takes weights of these terms of components to
    /// weights of the original ones.
    pub(crate) fn unfold(&self, terms: &[usize]) -> Vec<Vec<f64>> {
        let cell = |original: usize, term: usize| match (original, term) {
            (0, 0) => 1.0,
            (_, 0) => 0.0,
            (0, k) => -self.loadings[k - 1].iter().zip(&self.mean).map(|(l, m)| l * m).sum::<f64>(),
            (i, k) => self.loadings[k - 1][i - 1],
        };
        let row = |original: usize| terms.iter().map(|&term| cell(original, term)).collect();
        self.terms().into_iter().map(row).collect()
    }

    /// A polynomial of components as one of the original features.
    pub(crate) fn unfold_quadratic(&self, stage: &QuadraticStage) -> QuadraticStage {
        let (width, count) = (self.mean.len(), self.loadings.len());
        // With e = x - m: distances are d = L e - c, a product counts once.
        let symmetric = |i: usize, j: usize| {
            let (row, column) = (i.max(j), i.min(j));
            let half = if i == j { 1.0 } else { 0.5 };
            half * stage.products[row][column]
        };
        let pull: Vec<f64> = (0..count)
            .map(|i| (0..count).map(|j| symmetric(i, j) * stage.centre[j]).sum())
            .collect();
        let constant: f64 = (0..count).map(|i| stage.centre[i] * (pull[i] - stage.linear[i])).sum();
        let slope: Vec<f64> = (0..count).map(|i| stage.linear[i] - 2.0 * pull[i]).collect();
        let along = |a: usize, weights: &[f64]| -> f64 {
            self.loadings.iter().zip(weights).map(|(row, w)| row[a] * w).sum()
        };
        let half_way: Vec<Vec<f64>> = (0..width)
            .map(|b| {
                let of = |i: usize| (0..count).map(|j| symmetric(i, j) * self.loadings[j][b]).sum();
                (0..count).map(of).collect()
            })
            .collect();
        let product = |a: usize, b: usize| {
            let once = along(a, &half_way[b]);
            if a == b { once } else { 2.0 * once }
        };
        QuadraticStage {
            centre: self.mean.clone(),
            constant: stage.constant + constant,
            linear: (0..width).map(|a| along(a, &slope)).collect(),
            products: (0..width).map(|a| (0..=a).map(|b| product(a, b)).collect()).collect(),
        }
    }
}

/// The principal axes of the correlation matrix, at most so many.
fn components(classes: &Classes, most: usize) -> Vec<Vec<f64>> {
    let mut correlations = classes.products();
    let rows = correlations.get(0, 0);
    correlations.scale(1.0 / rows);
    let features: Vec<usize> = (1..correlations.size()).collect();
    let found = axes(&correlations.selected(&features));
    found.into_iter().take(most).filter(|a| a.value > NOTHING).map(|a| a.direction).collect()
}

/// `S^-1 (mu_W - mu_L)`, where features that follow from others have no part.
fn fisher(classes: &Classes) -> Result<Vec<f64>, LearnError> {
    let pooled = classes.pooled();
    let kept = independent(&pooled);
    let distance = classes.distance();
    let distance: Vec<f64> = kept.iter().map(|&i| distance[i]).collect();
    let factor = pooled.selected(&kept).cholesky().map_err(|_| LearnError::Singular)?;
    let mut direction = vec![0.0; classes.win.mean.len()];
    for (&i, weight) in kept.iter().zip(factor.solve(&distance)) {
        direction[i] = weight;
    }
    Ok(direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DenseModel, Examples, Fit, Learner, LogisticParams, Quadratic, StagePooling, fit};
    use evalsmith_core::{Columns, Quiet, Stage, rng};
    use proptest::{collection::vec, prelude::*};
    use rand::RngExt;

    /// Five features of two stages: two that matter, a noisy sum of them, a
    /// copy, and a constant.
    struct Table {
        features: Columns,
        stages: Vec<Stage>,
        points: Vec<f32>,
        games: Vec<u32>,
    }

    impl Table {
        fn new() -> Self {
            let names = ["a", "b", "sum", "copy", "seven"].map(String::from).to_vec();
            let mut table = Self {
                features: Columns::new(names),
                stages: Vec::new(),
                points: Vec::new(),
                games: Vec::new(),
            };
            let mut random = rng::stream(5, "reduction", 0);
            for row in 0..3000_u32 {
                let won = random.random::<bool>();
                let mut noise = || random.random::<f32>() - 0.5;
                let shift = if won { 0.2 } else { -0.2 };
                let a = 40.0 + 10.0 * (noise() + shift);
                let b = noise() * if won { 1.0 } else { 2.0 } + shift;
                table.features.push(&[a, b, a + 10.0 * b + noise(), a, 7.0]);
                table.stages.push(Stage((row % 2) as u8));
                table.points.push(f32::from(u8::from(won)));
                table.games.push(row / 4);
            }
            table
        }

        fn fit(&self, learner: Learner, reduce: Option<Reduction>) -> Fit {
            let stages = StagePooling { radius: 0, reduce, ..StagePooling::default() };
            let params = LogisticParams { stages, ..LogisticParams::default() };
            let examples = Examples {
                features: &self.features,
                stages: &self.stages,
                points: &self.points,
                games: &self.games,
            };
            let scores: Vec<f32> = self.points.iter().map(|y| 64.0 * y - 32.0).collect();
            fit(learner, &params, 2, &examples, &scores, &Quiet).unwrap()
        }

        fn values(&self, fit: &Fit) -> Vec<f64> {
            let value = |row: usize| {
                fit.model.log_odds(self.stages[row], |i| self.features.column(i)[row]).0
            };
            (0..200).map(value).collect()
        }
    }

    #[test]
    fn all_components_are_as_good_as_all_features() {
        let table = Table::new();
        for learner in Learner::BY_STAGE {
            let plain = table.fit(learner, None);
            let reduced = table.fit(learner, Some(Reduction::Components(9)));
            for (x, y) in table.values(&plain).iter().zip(table.values(&reduced)) {
                assert!((x - y).abs() < 2e-4 * (1.0 + x.abs()), "{learner}: {x} and {y}");
            }
            for (x, y) in plain.stages.iter().zip(&reduced.stages) {
                assert!((x.deviance - y.deviance).abs() < 1e-3, "{learner}");
                assert_eq!(y.aliased, ["seven"], "components of a and its copy share");
            }
        }
    }

    #[test]
    fn along_fishers_direction_fishers_discriminant_stays_itself() {
        let table = Table::new();
        let plain = table.fit(Learner::Fisher, None);
        let reduced = table.fit(Learner::Fisher, Some(Reduction::Fisher));
        for (x, y) in table.values(&plain).iter().zip(table.values(&reduced)) {
            assert!((x - y).abs() < 1e-4 * (1.0 + x.abs()), "{x} and {y}");
        }
        let weights =
            |fit: &Fit| fit.stages[0].estimates.iter().map(|e| e.weight).collect::<Vec<_>>();
        for (x, y) in weights(&plain).iter().zip(weights(&reduced)) {
            assert!((x - y).abs() < 1e-4 * (1.0 + x.abs()), "{x} and {y}");
        }
        assert!(reduced.stages[0].estimates[1].clustered_error > 0.0);
        assert_eq!(reduced.stages[0].aliased, ["copy", "seven"]);
    }

    #[test]
    fn one_component_says_less_than_all() {
        let table = Table::new();
        for learner in Learner::BY_STAGE {
            let plain = table.fit(learner, None);
            let reduced = table.fit(learner, Some(Reduction::Components(1)));
            let (x, y) = (plain.stages[0].deviance, reduced.stages[0].deviance);
            assert!(y > x + 1.0, "{learner}: {x} and {y}");
            assert!(reduced.stages[0].aic < reduced.stages[0].null_deviance + 4.0);
        }
    }

    #[test]
    fn reductions_are_read_as_they_are_written() {
        for text in ["pca=3", "fisher"] {
            assert_eq!(text.parse::<Reduction>().unwrap().to_string(), text);
        }
        for text in ["pca", "pca=0", "pca=-1", "pca=many", "lda"] {
            let message = text.parse::<Reduction>().unwrap_err();
            assert!(message.contains("pca=N"), "{message}");
        }
    }

    proptest! {
        #[test]
        fn an_unfolded_polynomial_is_the_polynomial_of_the_components(
            numbers in vec(-2.0..2.0_f64, Quadratic::numbers(2)),
            loadings in vec(-2.0..2.0_f64, 6),
            mean in vec(-3.0..3.0_f64, 3),
            x in vec(-5.0..5.0_f32, 3),
        ) {
            let names = |n: usize| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>();
            let folded = Quadratic::new(names(2), 1, numbers).unwrap();
            let loadings: Vec<Vec<f64>> = loadings.chunks(3).map(<[f64]>::to_vec).collect();
            let projection = Projection { mean, loadings };
            let stage = projection.unfold_quadratic(&folded.stage(Stage(0)));
            let open = Quadratic::of_stages(names(3), &[&stage]).unwrap();
            let z = |k: usize| -> f64 {
                (0..3).map(|i| projection.loadings[k][i] * (f64::from(x[i]) - projection.mean[i])).sum()
            };
            // Components beyond the precision of a feature: by hand.
            let at = folded.stage(Stage(0));
            let d = [z(0) - at.centre[0], z(1) - at.centre[1]];
            let slow = at.constant + at.linear[0] * d[0] + at.linear[1] * d[1]
                + at.products[0][0] * d[0] * d[0]
                + at.products[1][0] * d[1] * d[0]
                + at.products[1][1] * d[1] * d[1];
            let fast = open.log_odds(Stage(0), |i| x[i]).0;
            prop_assert!((fast - slow).abs() < 1e-9 * (1.0 + slow.abs()), "{fast} and {slow}");
        }
    }
}
