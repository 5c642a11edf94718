//! A fitted pattern model: sixteen bits a weight, one scale for each group of stages.
//!
//! The one invariant to know: the sum of a position's weights times the scale of its
//! group is its value in the model's unit, for the side to move.

use super::{PatternError, PatternPlan, PatternSet, SparseSet, StageGroups};
use crate::LearnError;
use serde::{Deserialize, Serialize};

/// What the sum of a position's weights means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Unit {
    /// A final margin (in Othello: discs).
    Margin {
        /// The margin that is worth one unit of log-odds.
        per_logit: f64,
    },
    /// Log-odds of a win.
    LogOdds,
}

impl Unit {
    /// What one of these is worth in log-odds.
    pub fn log_odds(self) -> f64 {
        match self {
            Self::Margin { per_logit } => 1.0 / per_logit,
            Self::LogOdds => 1.0,
        }
    }
}

/// Weights of patterns and counts for every group of stages.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternModel {
    pub(super) plan: PatternPlan,
    pub(super) groups: StageGroups,
    pub(super) unit: Unit,
    pub(super) scales: Vec<f32>,
    /// Group by group.
    pub(super) weights: Vec<i16>,
    /// Positions behind each weight, where they are known.
    pub(super) counts: Option<Vec<u16>>,
    /// The valid states of each sparse pattern.
    pub(super) valid: Vec<Vec<u32>>,
}

/// The largest weight in steps of its scale.
const LARGEST: f32 = i16::MAX as f32;

/// The weights of one group of stages in sixteen bits each.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundedGroup {
    /// The size of a step.
    pub scale: f32,
    /// The weights in steps.
    pub steps: Vec<i16>,
    /// Positions behind each weight, as many as two bytes can tell; none where nobody
    /// counted.
    pub counts: Option<Vec<u16>>,
}

impl RoundedGroup {
    /// Rounds fitted weights: the largest becomes the largest there is.
    ///
    /// # Errors
    /// When a weight is not finite.
    pub fn new(fitted: &[f32]) -> Result<Self, LearnError> {
        if let Some(&value) = fitted.iter().find(|w| !w.is_finite()) {
            return Err(LearnError::WeightNotFinite {
                path: None,
                feature: "a configuration".into(),
                stage: 0,
                value: value.into(),
            });
        }
        let largest = fitted.iter().fold(0.0_f32, |most, w| most.max(w.abs()));
        let scale = if largest > 0.0 { largest / LARGEST } else { 1.0 };
        let step = |w: &f32| (w / scale).round().clamp(-LARGEST, LARGEST) as i16;
        Ok(Self { scale, steps: fitted.iter().map(step).collect(), counts: None })
    }

    /// The same with the positions behind each weight.
    #[must_use]
    pub fn with_counts(self, counts: &[u32]) -> Self {
        let capped = |&n: &u32| u16::try_from(n).unwrap_or(u16::MAX);
        Self { counts: Some(counts.iter().map(capped).collect()), ..self }
    }

    /// The weights, as they are after rounding.
    pub fn weights(&self) -> Vec<f32> {
        self.steps.iter().map(|&step| f32::from(step) * self.scale).collect()
    }
}

impl PatternModel {
    /// A model of rounded weights, one set for each group of stages.
    ///
    /// # Errors
    /// When there is not one set for each group, or they differ in number.
    pub fn new(
        plan: PatternPlan,
        groups: StageGroups,
        unit: Unit,
        rounded: Vec<RoundedGroup>,
    ) -> Result<Self, LearnError> {
        let width = rounded.first().map_or(0, |group| group.steps.len());
        let lengths =
            |what: &str, rows, found| LearnError::Lengths { rows, what: what.into(), found };
        if rounded.len() != groups.count() {
            return Err(lengths("sets of weights", groups.count(), rounded.len()));
        }
        if let Some(other) = rounded.iter().find(|group| group.steps.len() != width) {
            return Err(lengths("weights", width, other.steps.len()));
        }
        let counted = rounded.iter().filter_map(|group| group.counts.as_ref());
        if let Some(other) = counted.clone().find(|counts| counts.len() != width) {
            return Err(lengths("counts", width, other.len()));
        }
        let counts = (counted.clone().count() == rounded.len())
            .then(|| counted.flatten().copied().collect());
        let scales = rounded.iter().map(|group| group.scale).collect();
        let weights = rounded.into_iter().flat_map(|group| group.steps).collect();
        let valid = vec![Vec::new(); plan.sparse.len()];
        Ok(Self { plan, groups, unit, scales, weights, counts, valid })
    }

    /// The same with the valid states of its sparse patterns, one list each.
    #[must_use]
    pub fn with_valid(self, valid: Vec<Vec<u32>>) -> Self {
        Self { valid, ..self }
    }

    /// The valid states of each sparse pattern.
    pub fn valid(&self) -> &[Vec<u32>] {
        &self.valid
    }

    /// What it looks at.
    pub fn plan(&self) -> &PatternPlan {
        &self.plan
    }

    /// Its groups of stages.
    pub fn groups(&self) -> StageGroups {
        self.groups
    }

    /// What its values mean.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// All its numbers, as whole steps of their scales, group by group.
    pub fn steps(&self) -> &[i16] {
        &self.weights
    }

    /// The size of a step in each group.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// The steps of one group.
    ///
    /// # Panics
    /// When there is no such group.
    pub fn steps_of(&self, group: usize) -> &[i16] {
        let width = self.weights.len() / self.groups.count();
        &self.weights[group * width..(group + 1) * width]
    }

    /// The positions behind each weight of a group, 65,535 for as many and more; none
    /// where they are not known.
    ///
    /// # Panics
    /// When there is no such group.
    pub fn counts_of(&self, group: usize) -> Option<&[u16]> {
        let width = self.weights.len() / self.groups.count();
        Some(&self.counts.as_ref()?[group * width..(group + 1) * width])
    }

    /// The weights of one group, in the model's unit.
    ///
    /// # Panics
    /// When there is no such group.
    pub fn weights_of(&self, group: usize) -> Vec<f32> {
        let scale = self.scales[group];
        self.steps_of(group).iter().map(|&step| f32::from(step) * scale).collect()
    }

    /// The patterns over a game's atoms, and the sparse ones, if the model has a weight
    /// for each of their configurations and no more.
    ///
    /// # Errors
    /// When the patterns are not of these atoms, or the weights of other patterns.
    pub fn set(
        &self,
        names: &[String],
        ranges: &[u8],
        symmetries: &[Vec<u16>],
    ) -> Result<(PatternSet, SparseSet), PatternError> {
        let set = PatternSet::new(self.plan.patterns.clone(), names, ranges, symmetries)?;
        let sparse = SparseSet::new(&self.plan.sparse, names, ranges, symmetries)?
            .with_valid(self.valid.clone())?;
        let asked = self.plan.weights(&set) + sparse.weights();
        let held = self.weights.len() / self.groups.count();
        if asked == held { Ok((set, sparse)) } else { Err(PatternError::OtherSet { asked, held }) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Count, Pattern};

    /// Two patterns over four atoms in a row, which may be turned round.
    pub(in super::super) fn line() -> (PatternPlan, PatternSet) {
        let pattern = |name: &str, atoms: &str| Pattern {
            name: name.into(),
            atoms: atoms.chars().map(|c| c.to_string()).collect(),
        };
        let counts = vec![Count { feature: "n".into(), low: -1, high: 2 }];
        let patterns = vec![pattern("all", "abcd"), pattern("end", "ab")];
        let plan = PatternPlan { patterns, counts, sparse: Vec::new() };
        let names: Vec<String> = "abcd".chars().map(|c| c.to_string()).collect();
        let set = PatternSet::new(plan.patterns.clone(), &names, &[3; 4], &[vec![3, 2, 1, 0]]);
        (plan, set.unwrap())
    }

    pub(in super::super) fn rounded(fitted: &[Vec<f32>]) -> Vec<RoundedGroup> {
        fitted.iter().map(|own| RoundedGroup::new(own).unwrap()).collect()
    }

    #[test]
    fn rounding_keeps_within_half_a_step() {
        let (plan, set) = line();
        let groups = StageGroups::new(4, 2, 2).unwrap();
        let fitted: Vec<Vec<f32>> = (0..2)
            .map(|group| {
                (0..plan.weights(&set)).map(|i| ((i + group) as f32).sin() * 3.0).collect()
            })
            .collect();
        let model = PatternModel::new(plan, groups, Unit::LogOdds, rounded(&fitted)).unwrap();
        for (group, fitted) in fitted.iter().enumerate() {
            let half = model.scales()[group] * 0.5001;
            let close = |(a, b): (&f32, &f32)| (a - b).abs() <= half;
            assert!(model.weights_of(group).iter().zip(fitted).all(close));
        }
        assert_eq!(model.steps().iter().map(|s| s.unsigned_abs()).max(), Some(32_767));
    }

    #[test]
    fn weights_that_make_no_model_are_refused() {
        let (plan, set) = line();
        let groups = StageGroups::new(4, 2, 2).unwrap();
        let n = plan.weights(&set);
        let error = |fitted: &[Vec<f32>]| {
            let model = PatternModel::new(plan.clone(), groups, Unit::LogOdds, rounded(fitted));
            model.unwrap_err().to_string()
        };
        assert!(error(&[vec![0.0; n]]).contains("sets of weights"));
        assert!(error(&[vec![0.0; n], vec![0.0; 3]]).contains("weights"));
        let not_finite = RoundedGroup::new(&[0.0, f32::NAN]).unwrap_err();
        assert!(not_finite.to_string().contains("NaN"));
        let zeros = vec![vec![0.0; n]; 2];
        let model =
            PatternModel::new(plan.clone(), groups, Unit::LogOdds, rounded(&zeros)).unwrap();
        assert!(model.weights_of(1).iter().all(|&w| w == 0.0));
        let names: Vec<String> = "abcd".chars().map(|c| c.to_string()).collect();
        let other = model.set(&names, &[2; 4], &[]).unwrap_err();
        assert_eq!(other, PatternError::OtherSet { asked: 16 + 4 + 4, held: n });
    }
}
