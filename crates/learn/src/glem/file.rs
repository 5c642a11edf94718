//! Pattern models on disk: safetensors as other models, with the weights in steps of
//! sixteen bits (`weights`, groups by weights) and the size of a step in each group
//! (`scales`). Where they are known, the positions behind each weight stand beside
//! (`counts`), and the valid states of sparse patterns one list after the other
//! (`valid`).

use super::{PatternModel, PatternPlan, StageGroups, Unit};
use crate::LearnError;
use crate::envelope::{self, Envelope, Header, Tensor};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const KIND: &str = "patterns";
const WEIGHTS: &str = "weights";
const SCALES: &str = "scales";
const COUNTS: &str = "counts";
const VALID: &str = "valid";

/// A pattern model, the game it plays and what made it.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternFile {
    /// The game's name.
    pub game: String,
    /// Whatever the maker tells: command, configuration, seed, data.
    pub made_by: serde_json::Value,
    /// The model.
    pub model: PatternModel,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Structure {
    plan: PatternPlan,
    groups: StageGroups,
    unit: Unit,
    /// How many states of each sparse pattern are valid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    valid: Vec<usize>,
}

impl PatternFile {
    /// Writes the file, under a temporary name first; an existing file is replaced.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        envelope::save(path, self.bytes())
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let PatternModel { plan, groups, unit, scales, weights, counts, valid } = &self.model;
        let header = Header {
            // Those of the counts, so that every model says what it needs.
            features: plan.counts.iter().map(|count| count.feature.clone()).collect(),
            stages: groups.stages(),
            structure: Some(Structure {
                plan: plan.clone(),
                groups: *groups,
                unit: *unit,
                valid: valid.iter().map(Vec::len).collect(),
            }),
            ..Header::new(&self.game, KIND, &self.made_by)
        };
        let shape = vec![groups.count(), weights.len() / groups.count()];
        let mut tensors = vec![
            Tensor::new(WEIGHTS, shape.clone(), weights.iter().copied()),
            Tensor::new(SCALES, vec![scales.len()], scales.iter().copied()),
        ];
        if let Some(counts) = counts {
            tensors.push(Tensor::new(COUNTS, shape, counts.iter().copied()));
        }
        if !valid.is_empty() {
            let states = valid.iter().map(Vec::len).sum();
            tensors.push(Tensor::new(VALID, vec![states], valid.iter().flatten().copied()));
        }
        envelope::bytes(&header, &tensors)
    }

    /// Whether a file says that it holds a pattern model.
    pub fn is_at(path: &Path) -> bool {
        envelope::kind_at(path).is_some_and(|kind| kind == KIND)
    }

    /// Whether bytes say that they hold a pattern model.
    pub fn is_in(bytes: &[u8]) -> bool {
        envelope::kind_in(bytes).is_some_and(|kind| kind == KIND)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the system refuses, or the file is truncated, foreign, of another
    /// version or kind, or inconsistent.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        Self::take_out(Envelope::load(path, &[KIND])?)
    }

    /// Reads a file's bytes; `origin` stands for the path in errors.
    ///
    /// # Errors
    /// As [`load`](PatternFile::load).
    pub fn from_bytes(bytes: &[u8], origin: &str) -> Result<Self, LearnError> {
        Self::take_out(Envelope::from_bytes(bytes, origin, &[KIND])?)
    }

    fn take_out(mut envelope: Envelope<Structure>) -> Result<Self, LearnError> {
        let Structure { plan, groups, unit, valid: lengths } = envelope.structure()?;
        if !groups.is_sound() {
            return Err(envelope.inconsistent(format!("{groups:?} are no groups of stages")));
        }
        if !(unit.log_odds() > 0.0 && unit.log_odds().is_finite()) {
            return Err(envelope.inconsistent(format!("{unit:?} is no unit of values")));
        }
        let (shape, weights) = envelope.tensor::<i16>(WEIGHTS)?;
        let (rows, scales) = envelope.tensor::<f32>(SCALES)?;
        let counts =
            if envelope.has(COUNTS) { Some(envelope.tensor::<u16>(COUNTS)?) } else { None };
        let wrong = [(WEIGHTS, shape), (SCALES, rows)]
            .into_iter()
            .chain(counts.as_ref().map(|(shape, _)| (COUNTS, *shape)))
            .find(|(_, shape)| shape.first() != Some(&groups.count()));
        if let Some((name, found)) = wrong {
            let count = groups.count();
            return Err(envelope.inconsistent(format!(
                "its {name} are {found:?}, but its header asks for {count} groups"
            )));
        }
        let counts = counts.map(|(_, counts)| counts);
        if let Some(counts) = counts.as_ref().filter(|counts| counts.len() != weights.len()) {
            let (found, held) = (counts.len(), weights.len());
            return Err(envelope.inconsistent(format!("it has {found} counts for {held} weights")));
        }
        if let Some((stage, value)) = scales.iter().enumerate().find(|(_, s)| !s.is_finite()) {
            let (feature, value) = ("all configurations".into(), f64::from(*value));
            let fault = LearnError::WeightNotFinite { path: None, feature, stage, value };
            return Err(envelope.blame(fault));
        }
        let states =
            if envelope.has(VALID) { envelope.tensor::<u32>(VALID)?.1 } else { Vec::new() };
        let mut states = states.into_iter();
        let mut take = |&count: &usize| states.by_ref().take(count).collect::<Vec<u32>>();
        let valid: Vec<Vec<u32>> = lengths.iter().map(&mut take).collect();
        if valid.iter().map(Vec::len).ne(lengths) || states.next().is_some() {
            let reason = "its valid states are not as many as its header says";
            return Err(envelope.inconsistent(reason.into()));
        }
        let model = PatternModel { plan, groups, unit, scales, weights, counts, valid };
        let Header { game, made_by, .. } = envelope.header;
        Ok(Self { game, made_by, model })
    }

    /// Checks that the model is one of this game, with its stages.
    ///
    /// # Errors
    /// When it is of another game, or of another number of stages.
    pub fn check(&self, game: &str, stages: usize) -> Result<(), LearnError> {
        envelope::check_game(&self.game, game)?;
        envelope::check_stages(self.model.groups.stages(), stages)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::{line, rounded};
    use super::*;
    use crate::{Linear, ModelFile};

    fn file() -> PatternFile {
        let (plan, set) = line();
        let groups = StageGroups::new(4, 2, 2).unwrap();
        let fitted: Vec<Vec<f32>> = (0..2)
            .map(|g| (0..plan.weights(&set)).map(|i| (i * (g + 1)) as f32).collect())
            .collect();
        let unit = Unit::Margin { per_logit: 5.0 };
        let counts: Vec<u32> = (0..fitted[0].len()).map(|i| 40_000 * i as u32).collect();
        let counted = rounded(&fitted).into_iter().map(|group| group.with_counts(&counts));
        let model = PatternModel::new(plan, groups, unit, counted.collect()).unwrap();
        assert_eq!(model.counts_of(1).unwrap()[..3], [0, 40_000, u16::MAX]);
        PatternFile { game: "line".into(), made_by: serde_json::json!({"seed": 1}), model }
    }

    #[test]
    fn a_file_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        file().save(&path).unwrap();
        assert!(PatternFile::is_at(&path));
        assert_eq!(PatternFile::load(&path).unwrap(), file());
        let other = ModelFile::load(&path).unwrap_err().to_string();
        assert!(
            other.contains("of kind \"patterns\", and only models of kind linear, "),
            "{other}"
        );
        file().check("line", 4).unwrap();
        assert!(file().check("line", 5).unwrap_err().to_string().contains('5'));
        assert!(file().check("ring", 4).unwrap_err().to_string().contains("ring"));
    }

    #[test]
    fn no_damage_is_believed() {
        let bytes = envelope::without_digest(&file().bytes().unwrap());
        for cut in [0, 7, 40, bytes.len() - 1] {
            assert!(PatternFile::from_bytes(&bytes[..cut], "cut").is_err(), "{cut}");
            assert!(!PatternFile::is_in(&bytes[..cut]));
        }
        let edit = |from: &str, to: &str| {
            let text: String = bytes.iter().map(|&b| char::from(b)).collect();
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{from}");
            let edited: Vec<u8> = edited.chars().map(|c| c as u8).collect();
            PatternFile::from_bytes(&edited, "edited").unwrap_err().to_string()
        };
        assert!(edit("\\\"count\\\":2", "\\\"count\\\":3").contains("groups"));
        assert!(edit("\\\"count\\\":2", "\\\"count\\\":0").contains("no groups"));
        assert!(edit("\\\"width\\\":2", "\\\"width\\\":0").contains("no groups"));
        assert!(edit("per_logit\\\":5", "per_logit\\\":0").contains("edited"));
        assert!(edit("\"I16\"", "\"F16\"").contains("F16"));
        assert!(edit("\"U16\"", "\"F16\"").contains("counts"));
        assert!(edit("\\\"format\\\":1", "\\\"format\\\":9").contains('9'));
        let linear = Linear::new(vec!["x".into()], 1, vec![0.0, 1.0]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("linear");
        let made_by = serde_json::Value::Null;
        ModelFile { game: "line".into(), made_by, model: linear.into() }.save(&path).unwrap();
        assert!(!PatternFile::is_at(&path));
        assert!(PatternFile::load(&path).unwrap_err().to_string().contains("linear"));
    }
}
