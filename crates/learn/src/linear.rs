//! The linear model: one intercept and one weight per feature at every stage.
//!
//! A model may know ranges beyond which a feature counts no further. Then what is left
//! to add is bounded, and under a window the sum ends as soon as one end decides.
//!
//! Sums run in 64 bits in one order, so a value is the same wherever it is computed:
//! that of the features or, where ranges are known, from the widest term to the
//! narrowest.

use crate::{DenseModel, Examples, LearnError};
use evalsmith_core::{Explanation, LogOdds, Score, Stage, Term, Window};

/// The name of the term that is there whatever the features say.
pub const INTERCEPT: &str = "(intercept)";

/// Log-odds as a weighted sum of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    features: Box<[String]>,
    stages: usize,
    /// Stage by stage, the intercept and then the weights.
    coefficients: Box<[f64]>,
    /// Stage by stage, the least and the greatest that each feature counts; or none.
    ranges: Box<[[f32; 2]]>,
    /// What to add, stage by stage; features without weight need not be computed.
    addends: Box<[Addend]>,
    /// Where each stage's addends end.
    ends: Box<[usize]>,
}

/// A term of the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Addend {
    feature: usize,
    weight: f64,
    range: [f32; 2],
    /// The least and the greatest that all later terms come to.
    rest: [f64; 2],
}

impl Addend {
    #[inline]
    fn of(&self, x: f32) -> f64 {
        self.weight * f64::from(x.max(self.range[0]).min(self.range[1]))
    }
}

/// Where nothing is known of a feature.
const ANY: [f32; 2] = [f32::NEG_INFINITY, f32::INFINITY];

/// Beyond a window's end by more than rounding can bring back, in log-odds.
const SURELY: f64 = 0.002;

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
        let (features, coefficients) = (features.into(), coefficients.into());
        let (ranges, addends, ends) = Default::default();
        Ok(Self { features, stages, coefficients, ranges, addends, ends }.with_addends())
    }

    /// The same weights, with features that count no further than these ranges: stage
    /// by stage, the least and the greatest of each.
    ///
    /// # Errors
    /// When their number is wrong, or one is not finite or the wrong way round.
    pub fn within(self, ranges: Vec<[f32; 2]>) -> Result<Self, LearnError> {
        if ranges.len() != self.features.len() * self.stages {
            let (rows, found) = (self.stages, ranges.len());
            let what = format!("ranges of {} features", self.features.len());
            return Err(LearnError::Lengths { rows, what, found });
        }
        let sound = |[low, high]: &[f32; 2]| low.is_finite() && high.is_finite() && low <= high;
        if let Some([low, high]) = ranges.iter().find(|range| !sound(range)) {
            let value = format!("{low} to {high}");
            let allowed = "finite, the least first";
            return Err(LearnError::Parameter { name: "a feature's range", value, allowed });
        }
        Ok(Self { ranges: ranges.into(), ..self }.with_addends())
    }

    /// The same weights, with features that count no further than in these examples
    /// of a stage and of so many before and after it; a stage without any takes the
    /// ranges of the nearest.
    ///
    /// # Errors
    /// When a feature is not finite.
    pub fn within_examples(self, examples: &Examples<'_>, radius: u8) -> Result<Self, LearnError> {
        let (stages, width) = (self.stages, self.features.len());
        let mut own = vec![[f32::INFINITY, f32::NEG_INFINITY]; stages * width];
        let mut seen = vec![false; stages];
        examples.stages.iter().for_each(|s| seen[s.index().min(stages - 1)] = true);
        for feature in 0..width {
            for (stage, &x) in examples.stages.iter().zip(examples.features.column(feature)) {
                let range = &mut own[stage.index().min(stages - 1) * width + feature];
                *range = [range[0].min(x), range[1].max(x)];
            }
        }
        let mut ranges = Vec::with_capacity(own.len());
        for stage in 0..stages {
            let nearest = (0..stages).filter(|&s| seen[s]).min_by_key(|s| s.abs_diff(stage));
            let Some(nearest) = nearest else { return Ok(self) };
            let reach = usize::from(radius);
            let around = nearest.saturating_sub(reach)..(nearest + reach + 1).min(stages);
            ranges.extend((0..width).map(|feature| {
                around
                    .clone()
                    .map(|s| own[s * width + feature])
                    .fold([f32::INFINITY, f32::NEG_INFINITY], |all, one| {
                        [all[0].min(one[0]), all[1].max(one[1])]
                    })
            }));
        }
        self.within(ranges)
    }

    /// Stage by stage, the least and the greatest that each feature counts; empty
    /// where all values do.
    pub fn ranges(&self) -> &[[f32; 2]] {
        &self.ranges
    }

    fn with_addends(mut self) -> Self {
        let (mut all, mut ends) = (Vec::new(), Vec::new());
        let width = self.features.len();
        for stage in 0..self.stages {
            let weights = &self.coefficients[stage * (width + 1) + 1..][..width];
            let range = |i: usize| self.ranges.get(stage * width + i).copied().unwrap_or(ANY);
            let mut addends: Vec<Addend> = (0..width)
                .filter(|&i| weights[i] != 0.0)
                .map(|i| Addend { feature: i, weight: weights[i], range: range(i), rest: [0.0; 2] })
                .collect();
            if !self.ranges.is_empty() {
                let span = |a: &Addend| a.weight.abs() * f64::from(a.range[1] - a.range[0]);
                addends.sort_by(|a, b| span(b).total_cmp(&span(a)));
            }
            let mut rest = [0.0; 2];
            for addend in addends.iter_mut().rev() {
                addend.rest = rest;
                let [a, b] = addend.range.map(|x| addend.weight * f64::from(x));
                rest = [rest[0] + a.min(b), rest[1] + a.max(b)];
            }
            all.extend(addends);
            ends.push(all.len());
        }
        (self.addends, self.ends) = (all.into(), ends.into());
        self
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

    /// The intercept of a stage and what to add to it.
    #[inline]
    fn sum_of(&self, stage: Stage) -> (f64, &[Addend]) {
        let stage = stage.index().min(self.stages - 1);
        let first = if stage == 0 { 0 } else { self.ends[stage - 1] };
        let intercept = self.coefficients[stage * (self.features.len() + 1)];
        (intercept, &self.addends[first..self.ends[stage]])
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
        let (intercept, addends) = self.sum_of(stage);
        LogOdds(addends.iter().fold(intercept, |sum, a| sum + a.of(feature(a.feature))))
    }

    #[inline]
    fn value(&self, stage: Stage, window: Window, mut feature: impl FnMut(usize) -> f32) -> Score {
        if self.ranges.is_empty() || window == Window::FULL {
            return window.clamp(self.log_odds(stage, feature).into());
        }
        let alpha = window.alpha.log_odds().0 - SURELY;
        let beta = window.beta.log_odds().0 + SURELY;
        let (mut sum, addends) = self.sum_of(stage);
        for addend in addends {
            sum += addend.of(feature(addend.feature));
            // An estimate never reaches a decided game, whatever its sum; so the bound is
            // clamped as the value would be, and is not taken for the window's end.
            let [low, high] = addend.rest.map(|rest| sum + rest);
            if high <= alpha {
                return window.clamp(LogOdds(high).into());
            }
            if low >= beta {
                return window.clamp(LogOdds(low).into());
            }
        }
        window.clamp(LogOdds(sum).into())
    }

    fn explain(&self, stage: Stage, mut feature: impl FnMut(usize) -> f32) -> Explanation {
        let intercept = Term {
            name: INTERCEPT.into(),
            feature: None,
            weight: None,
            contribution: self.intercept(stage),
        };
        let width = self.features.len();
        let ranges = stage.index().min(self.stages - 1) * width;
        let weights = self.weights(stage).iter().zip(&self.features).enumerate();
        let terms = weights.map(|(i, (&weight, name))| {
            let [low, high] = self.ranges.get(ranges + i).copied().unwrap_or(ANY);
            let x = feature(i);
            let contribution = weight * f64::from(x.max(low).min(high));
            let x = f64::from(x);
            Term { name: name.clone(), feature: Some(x), weight: Some(weight), contribution }
        });
        let terms: Vec<_> = std::iter::once(intercept).chain(terms).collect();
        Explanation { total: terms.iter().fold(0.0, |sum, t| sum + t.contribution), terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Columns;
    use proptest::{collection::vec, prelude::*};

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
    fn a_sum_beyond_the_band_is_no_decided_game() {
        for (sign, window) in [
            (1.0, Window::new(Score(999_998), Score(1_000_000))),
            (-1.0, Window::new(Score(-1_000_000), Score(-999_998))),
        ] {
            let model = Linear::new(vec!["a".into()], 1, vec![0.0, 2000.0 * sign]).unwrap();
            let model = model.within(vec![[0.0, 1.0]]).unwrap();
            let full = model.value(Stage(0), Window::FULL, |_| 1.0);
            assert_eq!(model.value(Stage(0), window, |_| 1.0), full);
        }
    }

    proptest! {
        #[test]
        fn a_window_changes_nothing_but_the_work(
            coefficients in vec(-2.0..2.0_f64, 8),
            ends in vec((-5.0..5.0_f32, 0.0..9.0_f32), 6),
            row in vec(-20.0..20.0_f32, 3),
            (stage, alpha, width) in (0..3_u8, -9000..9000, 1..4000),
        ) {
            let names = ["a", "b", "c"].map(str::to_owned).to_vec();
            let plain = Linear::new(names, 2, coefficients).unwrap();
            let ranges: Vec<_> = ends.into_iter().map(|(low, more)| [low, low + more]).collect();
            let at = ranges[usize::from(stage.min(1)) * 3..].to_vec();
            let model = plain.clone().within(ranges).unwrap();
            let stage = Stage(stage);
            let clipped = |i: usize| row[i].clamp(at[i][0], at[i][1]);
            let expected = plain.log_odds(stage, clipped).0;
            let full = model.log_odds(stage, |i| row[i]);
            prop_assert!((full.0 - expected).abs() < 1e-9);
            prop_assert!((model.explain(stage, |i| row[i]).total - expected).abs() < 1e-9);
            let window = Window::new(Score(alpha), Score(alpha + width));
            let mut asked = 0;
            let value = model.value(stage, window, |i| { asked += 1; row[i] });
            prop_assert_eq!(value, window.clamp(full.into()));
            prop_assert!(asked <= 3);
        }
    }

    #[test]
    fn ranges_are_those_of_the_examples_around_and_a_sum_ends_where_nothing_can_change_it() {
        let mut columns = Columns::new(names());
        for row in [[0.0, 9.0], [4.0, 1.0], [2.0, 5.0]] {
            columns.push(&row);
        }
        let examples = Examples {
            features: &columns,
            stages: &[Stage(0), Stage(1), Stage(1)],
            points: &[1.0, 0.0, 1.0],
            games: &[0, 1, 2],
        };
        let plain = Linear::by_hand(names(), vec![0.01, 1.0], 4).unwrap();
        let model = plain.clone().within_examples(&examples, 0).unwrap();
        let expected = [[0.0, 0.0], [9.0, 9.0], [2.0, 4.0], [1.0, 5.0]];
        assert_eq!(model.ranges()[..4], expected);
        assert_eq!(model.ranges()[6..], expected[2..], "stages without examples");
        let wide = plain.within_examples(&examples, 1).unwrap();
        assert_eq!(wide.ranges()[..2], [[0.0, 4.0], [1.0, 9.0]]);
        let asked = std::cell::RefCell::new(Vec::new());
        let value = wide.value(Stage(0), Window::zero(Score(1000)), |i| {
            asked.borrow_mut().push(i);
            [4.0, 30.0][i]
        });
        assert_eq!((value, asked.into_inner()), (Score(1001), vec![1]));
        assert!(wide.within(vec![[1.0, 0.0]; 8]).is_err());
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
