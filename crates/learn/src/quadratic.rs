//! The quadratic model: the log-odds of two normal classes, each with its own
//! covariance (lee86, equation 3.10 with its factor restored; buro95).
//!
//! A stage's numbers stand in one run: the features' centres, the constant, and
//! for feature `i` its linear weight followed by the weights of its products with
//! features `0..=i`. A value is `c + sum_i d_i (b_i + sum_{j<=i} a_ij d_j)` with
//! `d` the distances from the centres: one pass, nothing allocated.

use crate::{DenseModel, INTERCEPT, LearnError};
use evalsmith_core::{Explanation, LogOdds, Stage, Term};

/// Log-odds as a polynomial of the second degree in the features.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    features: Vec<String>,
    stages: usize,
    coefficients: Vec<f64>,
}

/// A stage of a quadratic model, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticStage {
    /// What is taken from each feature first.
    pub centre: Vec<f64>,
    /// The log-odds of a position at the centre.
    pub constant: f64,
    /// The weight of each feature's distance from its centre.
    pub linear: Vec<f64>,
    /// The weights of products of two distances: row `i` holds those of feature
    /// `i` with features `0..=i`; a mixed product counts once.
    pub products: Vec<Vec<f64>>,
}

impl Quadratic {
    /// The most features a quadratic model takes: its products already number 2080.
    pub const MOST_FEATURES: usize = 64;

    /// How many numbers a stage has.
    pub const fn numbers(features: usize) -> usize {
        1 + 2 * features + features * (features + 1) / 2
    }

    /// A model with these coefficients, stage by stage: the centres, the
    /// constant, and for each feature its linear weight and those of its products
    /// with itself and the features before it.
    ///
    /// # Errors
    /// When there is no stage, there are too many features, the coefficients'
    /// number is wrong, or one is not finite.
    pub fn new(
        features: Vec<String>,
        stages: usize,
        coefficients: Vec<f64>,
    ) -> Result<Self, LearnError> {
        let wrong = |name, value: usize, allowed| {
            Err(LearnError::Parameter { name, value: value.to_string(), allowed })
        };
        if stages == 0 {
            return wrong("stages", 0, "at least 1");
        }
        if features.len() > Self::MOST_FEATURES {
            return wrong("the number of features", features.len(), "at most 64");
        }
        let width = Self::numbers(features.len());
        if Some(coefficients.len()) != width.checked_mul(stages) {
            let what = format!("coefficients of {width} terms");
            return Err(LearnError::Lengths { rows: stages, what, found: coefficients.len() });
        }
        let model = Self { features, stages, coefficients };
        if let Some(i) = model.coefficients.iter().position(|w| !w.is_finite()) {
            return Err(LearnError::WeightNotFinite {
                path: None,
                feature: model.name_of(i % width),
                stage: i / width,
                value: model.coefficients[i],
            });
        }
        Ok(model)
    }

    /// A model of these stages.
    ///
    /// # Errors
    /// As [`new`](Quadratic::new).
    pub fn of_stages(
        features: Vec<String>,
        stages: &[&QuadraticStage],
    ) -> Result<Self, LearnError> {
        let numbers = stages.iter().flat_map(|stage| {
            let rows = stage.linear.iter().zip(&stage.products);
            let rows = rows.flat_map(|(b, row)| [*b].into_iter().chain(row.iter().copied()));
            stage.centre.iter().copied().chain([stage.constant]).chain(rows)
        });
        Self::new(features, stages.len(), numbers.collect())
    }

    /// One stage, taken apart; stages past the last are the last.
    pub fn stage(&self, stage: Stage) -> QuadraticStage {
        let (centre, constant, mut rest) = self.at(stage);
        let mut taken =
            QuadraticStage { centre: centre.to_vec(), constant, linear: vec![], products: vec![] };
        for i in 0..centre.len() {
            let (row, later) = rest.split_at(i + 2);
            taken.linear.push(row[0]);
            taken.products.push(row[1..].to_vec());
            rest = later;
        }
        taken
    }

    /// Stage by stage, all numbers in the order of the file.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The centres, the constant and the rows of a stage.
    #[inline]
    fn at(&self, stage: Stage) -> (&[f64], f64, &[f64]) {
        let width = Self::numbers(self.features.len());
        let stage = stage.index().min(self.stages - 1);
        let numbers = &self.coefficients[stage * width..][..width];
        let (centre, rest) = numbers.split_at(self.features.len());
        (centre, rest[0], &rest[1..])
    }

    /// What a coefficient belongs to, for errors.
    fn name_of(&self, mut i: usize) -> String {
        let n = self.features.len();
        if i < n {
            return format!("{} (centre)", self.features[i]);
        }
        i -= n;
        if i == 0 {
            return INTERCEPT.into();
        }
        i -= 1;
        for (row, name) in self.features.iter().enumerate() {
            match i {
                0 => return name.clone(),
                j if j <= row + 1 => return product(&self.features, row, j - 1),
                _ => i -= row + 2,
            }
        }
        INTERCEPT.into()
    }

    /// The value of a model of exactly `N` features: with all lengths known the
    /// compiler unrolls the loops.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the closure must melt into the loop")]
    fn sum_exact<const N: usize>(
        &self,
        stage: Stage,
        mut feature: impl FnMut(usize) -> f32,
    ) -> f64 {
        let width = Self::numbers(N);
        let numbers = &self.coefficients[stage.index().min(self.stages - 1) * width..][..width];
        let mut distances = [0.0; N];
        for i in 0..N {
            distances[i] = f64::from(feature(i)) - numbers[i];
        }
        let mut sum = numbers[N];
        let mut at = N + 1;
        for i in 0..N {
            let mut inner = numbers[at];
            for j in 0..=i {
                inner += numbers[at + 1 + j] * distances[j];
            }
            sum += distances[i] * inner;
            at += i + 2;
        }
        sum
    }

    /// The value with the distances kept in an array of `N`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the closure must melt into the loop")]
    fn sum<const N: usize>(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> f64 {
        let (centre, constant, mut rest) = self.at(stage);
        let mut distances = [0.0; N];
        let mut sum = constant;
        for (i, centre) in centre.iter().enumerate() {
            let (row, later) = rest.split_at(i + 2);
            let d = f64::from(feature(i)) - centre;
            distances[i] = d;
            let products = row[1..].iter().zip(&distances);
            sum += d * products.fold(row[0], |inner, (a, d)| inner + a * d);
            rest = later;
        }
        sum
    }
}

/// The name of a product of two features.
fn product(features: &[String], i: usize, j: usize) -> String {
    if i == j {
        format!("{}²", features[i])
    } else {
        format!("{} · {}", features[j], features[i])
    }
}

impl DenseModel for Quadratic {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn stages(&self) -> usize {
        self.stages
    }

    #[inline]
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        LogOdds(match self.features.len() {
            4 => self.sum_exact::<4>(stage, feature),
            0..=8 => self.sum::<8>(stage, feature),
            _ => self.sum::<{ Self::MOST_FEATURES }>(stage, feature),
        })
    }

    fn explain(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> Explanation {
        let at = self.stage(stage);
        let x: Vec<f64> = (0..self.features.len()).map(|i| f64::from(feature(i))).collect();
        let distances: Vec<f64> = x.iter().zip(&at.centre).map(|(x, c)| x - c).collect();
        let mut terms = vec![Term {
            name: INTERCEPT.into(),
            feature: None,
            weight: None,
            contribution: at.constant,
        }];
        terms.extend(self.features.iter().enumerate().map(|(i, name)| Term {
            name: name.clone(),
            feature: Some(x[i]),
            weight: Some(at.linear[i]),
            contribution: at.linear[i] * distances[i],
        }));
        for (i, row) in at.products.iter().enumerate() {
            terms.extend(row.iter().enumerate().map(|(j, &weight)| Term {
                name: product(&self.features, i, j),
                feature: None,
                weight: Some(weight),
                contribution: weight * distances[i] * distances[j],
            }));
        }
        Explanation { total: terms.iter().map(|t| t.contribution).sum(), terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("x{i}")).collect()
    }

    proptest! {
        #[test]
        fn the_packed_form_is_the_polynomial_and_the_terms_add_up(
            (n, numbers, x) in (0_usize..12).prop_flat_map(|n| {
                let count = 2 * Quadratic::numbers(n);
                (Just(n), vec(-3.0..3.0_f64, count), vec(-5.0..5.0_f32, n))
            }),
            stage in 0_u8..4,
        ) {
            let model = Quadratic::new(names(n), 2, numbers).unwrap();
            let at = model.stage(Stage(stage));
            let mut slow = at.constant;
            for i in 0..n {
                let d = |i: usize| f64::from(x[i]) - at.centre[i];
                slow += at.linear[i] * d(i);
                slow += (0..=i).map(|j| at.products[i][j] * d(i) * d(j)).sum::<f64>();
            }
            let fast = model.log_odds(Stage(stage), |i| x[i]).0;
            prop_assert!((fast - slow).abs() < 1e-9 * (1.0 + slow.abs()));
            let told = model.explain(Stage(stage), |i| x[i]);
            prop_assert!((told.total - slow).abs() < 1e-9 * (1.0 + slow.abs()));
            let stages = [&model.stage(Stage(0)), &model.stage(Stage(1))];
            prop_assert_eq!(Quadratic::of_stages(names(n), &stages).unwrap(), model);
        }
    }

    #[test]
    fn wrong_numbers_are_refused_by_name() {
        let message = |r: Result<Quadratic, LearnError>| r.unwrap_err().to_string();
        let short = message(Quadratic::new(names(2), 1, vec![0.0; 7]));
        assert!(short.contains("7 coefficients of 8 terms"), "{short}");
        let mut numbers = vec![0.0; 8];
        numbers[6] = f64::NAN;
        let nan = message(Quadratic::new(names(2), 1, numbers));
        assert!(nan.contains("the weight of x0 · x1 at stage 0 is NaN"), "{nan}");
        let many = message(Quadratic::new(names(65), 1, Vec::new()));
        assert!(many.contains("at most 64"), "{many}");
    }
}
