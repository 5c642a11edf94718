//! The linear model: one intercept and one weight per feature at every stage.
//!
//! Sums run in 64 bits in the features' order, so a value is the same wherever
//! it is computed.

use crate::{DenseModel, LearnError};
use evalsmith_core::{Explanation, LogOdds, Stage, Term};

/// The name of the term that is there whatever the features say.
pub const INTERCEPT: &str = "(intercept)";

/// Log-odds as a weighted sum of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    features: Vec<String>,
    stages: usize,
    /// Stage by stage, the intercept and then the weights.
    coefficients: Vec<f64>,
}

impl Linear {
    /// A model with these coefficients: stage by stage, the intercept and then
    /// one weight per feature.
    ///
    /// # Errors
    /// When there is no stage, their number is wrong, or one is not finite.
    pub fn new(
        features: Vec<String>,
        stages: usize,
        coefficients: Vec<f64>,
    ) -> Result<Self, LearnError> {
        let width = features.len() + 1;
        if stages == 0 {
            let value = stages.to_string();
            return Err(LearnError::Parameter { name: "stages", value, allowed: "at least 1" });
        }
        if Some(coefficients.len()) != width.checked_mul(stages) {
            let found = coefficients.len();
            let what = format!("coefficients of {width} terms");
            return Err(LearnError::Lengths { rows: stages, what, found });
        }
        if let Some(i) = coefficients.iter().position(|w| !w.is_finite()) {
            let feature = (i % width).checked_sub(1).map_or(INTERCEPT, |f| &features[f]);
            return Err(LearnError::WeightNotFinite {
                path: None,
                feature: feature.to_owned(),
                stage: i / width,
                value: coefficients[i],
            });
        }
        Ok(Self { features, stages, coefficients })
    }

    /// A model set by hand: the same weights at every stage, and no intercept.
    ///
    /// ```
    /// use evalsmith_learn::{DenseModel, Linear};
    /// use evalsmith_core::Stage;
    /// let model = Linear::by_hand(vec!["mobility".into(), "corners".into()], vec![0.1, 0.5], 60)?;
    /// assert_eq!(model.log_odds(Stage(30), |i| [4.0, -1.0][i]).0, 0.4 - 0.5);
    /// # Ok::<(), evalsmith_learn::LearnError>(())
    /// ```
    ///
    /// # Errors
    /// When there is not one weight per feature, no stage, or a weight is not finite.
    pub fn by_hand(
        features: Vec<String>,
        weights: Vec<f64>,
        stages: usize,
    ) -> Result<Self, LearnError> {
        let one: Vec<f64> = std::iter::once(0.0).chain(weights).collect();
        Self::new(features, stages, one.repeat(stages))
    }

    /// The intercept at a stage.
    pub fn intercept(&self, stage: Stage) -> f64 {
        self.at(stage)[0]
    }

    /// The weights at a stage, one per feature.
    pub fn weights(&self, stage: Stage) -> &[f64] {
        &self.at(stage)[1..]
    }

    /// Stage by stage, the intercept and then the weights.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The coefficients of a stage; stages past the last are the last.
    #[inline]
    fn at(&self, stage: Stage) -> &[f64] {
        let width = self.features.len() + 1;
        let stage = stage.index().min(self.stages - 1);
        &self.coefficients[stage * width..][..width]
    }
}

impl DenseModel for Linear {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn stages(&self) -> usize {
        self.stages
    }

    #[inline]
    fn log_odds(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> LogOdds {
        let at = self.at(stage);
        // A feature without weight need not be computed.
        let weighty = at[1..].iter().enumerate().filter(|(_, w)| **w != 0.0);
        LogOdds(weighty.fold(at[0], |sum, (i, w)| sum + w * f64::from(feature(i))))
    }

    fn explain(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> Explanation {
        let intercept = Term {
            name: INTERCEPT.into(),
            feature: None,
            weight: None,
            contribution: self.intercept(stage),
        };
        let weights = self.weights(stage).iter().zip(&self.features).enumerate();
        let terms = weights.map(|(i, (&weight, name))| {
            let x = f64::from(feature(i));
            let contribution = weight * x;
            Term { name: name.clone(), feature: Some(x), weight: Some(weight), contribution }
        });
        let terms: Vec<_> = std::iter::once(intercept).chain(terms).collect();
        Explanation { total: terms.iter().fold(0.0, |sum, t| sum + t.contribution), terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["a".into(), "b".into()]
    }

    #[test]
    fn each_stage_has_its_own_weights_and_later_ones_the_last() {
        let model = Linear::new(names(), 2, vec![1.0, 2.0, 3.0, -1.0, 0.5, 0.25]).unwrap();
        let value = |stage| model.log_odds(Stage(stage), |i| [10.0, 100.0][i]).0;
        assert_eq!(value(0), 321.0);
        assert_eq!(value(1), 29.0);
        assert_eq!(value(200), 29.0);
        assert_eq!(model.intercept(Stage(1)), -1.0);
        assert_eq!(model.weights(Stage(0)), [2.0, 3.0]);
        assert_eq!(model.explain(Stage(1), |i| [10.0, 100.0][i]).total, 29.0);
    }

    #[test]
    fn wrong_numbers_are_refused_by_name() {
        let message = |r: Result<Linear, LearnError>| r.unwrap_err().to_string();
        let short = message(Linear::by_hand(names(), vec![1.0], 2));
        assert!(short.contains("2 rows have 4 coefficients of 3 terms"), "{short}");
        let nan = message(Linear::new(names(), 2, vec![0.0, 0.0, 0.0, 0.0, 0.0, f64::NAN]));
        assert!(nan.contains("the weight of b at stage 1 is NaN"), "{nan}");
        let none = message(Linear::by_hand(names(), vec![1.0, 2.0], 0));
        assert!(none.contains("stages is 0"), "{none}");
    }
}
