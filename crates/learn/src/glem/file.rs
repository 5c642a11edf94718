//! Pattern models on disk: safetensors as other models, with the weights in steps of
//! sixteen bits (`weights`, groups by weights) and the size of a step in each group
//! (`scales`). Where they are known, the positions behind each weight stand beside
//! (`counts`), and the valid states of sparse patterns one list after the other
//! (`valid`).

use super::{PatternModel, PatternPlan, StageGroups, Unit};
use crate::LearnError;
use crate::file::{HEADER, check_format, read_metadata};
use evalsmith_core::files::write_atomically;
use safetensors::{
    Dtype,
    tensor::{Metadata, TensorView},
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
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
struct Header {
    format: u64,
    version: String,
    game: String,
    kind: String,
    /// Those of the counts, so that every model says what it needs.
    features: Vec<String>,
    stages: usize,
    structure: Structure,
    made_by: serde_json::Value,
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

/// What tells a pattern model from others before the rest is read.
#[derive(Deserialize)]
struct Kind {
    kind: String,
}

impl PatternFile {
    /// Writes the file, under a temporary name first; an existing file is replaced.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        let failed = |source| LearnError::Io { action: "write", path: path.to_owned(), source };
        let bytes = self.bytes().map_err(failed)?;
        write_atomically(path, |file| file.write_all(&bytes)).map_err(failed)
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let PatternModel { plan, groups, unit, scales, weights, counts, valid } = &self.model;
        let header = Header {
            format: crate::file::FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            game: self.game.clone(),
            kind: KIND.into(),
            features: plan.counts.iter().map(|count| count.feature.clone()).collect(),
            stages: groups.stages(),
            structure: Structure {
                plan: plan.clone(),
                groups: *groups,
                unit: *unit,
                valid: valid.iter().map(Vec::len).collect(),
            },
            made_by: self.made_by.clone(),
        };
        let (weight_bytes, scale_bytes): (Vec<u8>, Vec<u8>) = (
            weights.iter().flat_map(|w| w.to_le_bytes()).collect(),
            scales.iter().flat_map(|s| s.to_le_bytes()).collect(),
        );
        let shape = vec![groups.count(), weights.len() / groups.count()];
        let count_bytes: Option<Vec<u8>> =
            counts.as_ref().map(|counts| counts.iter().flat_map(|n| n.to_le_bytes()).collect());
        let mut tensors = vec![
            (WEIGHTS, TensorView::new(Dtype::I16, shape.clone(), &weight_bytes)),
            (SCALES, TensorView::new(Dtype::F32, vec![scales.len()], &scale_bytes)),
        ];
        if let Some(bytes) = &count_bytes {
            tensors.push((COUNTS, TensorView::new(Dtype::U16, shape, bytes)));
        }
        let states: Vec<u8> = valid.iter().flatten().flat_map(|s| s.to_le_bytes()).collect();
        if !valid.is_empty() {
            let shape = vec![states.len() / 4];
            tensors.push((VALID, TensorView::new(Dtype::U32, shape, &states)));
        }
        let mut views = Vec::new();
        for (name, view) in tensors {
            views.push((name, view.map_err(io::Error::other)?));
        }
        let metadata = HashMap::from([(HEADER.to_owned(), serde_json::to_string(&header)?)]);
        safetensors::serialize(views, Some(metadata)).map_err(io::Error::other)
    }

    /// Whether a file says that it holds a pattern model.
    pub fn is_at(path: &Path) -> bool {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        opened.is_ok_and(|(length, mut file)| {
            read_metadata(&mut file, length, path).is_ok_and(|metadata| is_of_patterns(&metadata))
        })
    }

    /// Whether bytes say that they hold a pattern model.
    pub fn is_in(mut bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        read_metadata(&mut bytes, length, Path::new(""))
            .is_ok_and(|metadata| is_of_patterns(&metadata))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the system refuses, or the file is truncated, foreign, of another
    /// version or kind, or inconsistent.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Self::read(file, length, path)
    }

    /// Reads a file's bytes; `origin` stands for the path in errors.
    ///
    /// # Errors
    /// As [`load`](PatternFile::load).
    pub fn from_bytes(bytes: &[u8], origin: &str) -> Result<Self, LearnError> {
        Self::read(bytes, bytes.len() as u64, Path::new(origin))
    }

    fn read(mut file: impl Read, length: u64, path: &Path) -> Result<Self, LearnError> {
        let foreign = |reason: String| LearnError::Foreign { path: path.to_owned(), reason };
        let shape = |reason: String| LearnError::Shape { path: path.to_owned(), reason };
        let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
        let metadata = read_metadata(&mut file, length, path)?;
        let header = metadata.metadata().as_ref().and_then(|m| m.get(HEADER));
        let header = header.ok_or_else(|| foreign("it has no evalsmith header".into()))?;
        check_format(header, path)?;
        if !is_of_patterns(&metadata) {
            let kind =
                serde_json::from_str::<Kind>(header).map_or_else(|_| "none".into(), |k| k.kind);
            return Err(LearnError::Kind { path: path.to_owned(), kind });
        }
        let header: Header = serde_json::from_str(header).map_err(|e| foreign(e.to_string()))?;
        let Structure { plan, groups, unit, valid: lengths } = header.structure;
        if !groups.is_sound() {
            return Err(shape(format!("{groups:?} are no groups of stages")));
        }
        if !(unit.log_odds() > 0.0 && unit.log_odds().is_finite()) {
            return Err(shape(format!("{unit:?} is no unit of values")));
        }
        let mut data = Vec::new();
        file.read_to_end(&mut data).map_err(failed)?;
        let tensor = |name: &str, dtype: Dtype| {
            let info =
                metadata.info(name).ok_or_else(|| shape(format!("it has no tensor {name:?}")))?;
            if info.dtype != dtype || info.shape.first() != Some(&groups.count()) {
                let (found, count) = (&info.shape, groups.count());
                return Err(shape(format!(
                    "its {name} are {:?} {found:?}, but its header asks for {dtype:?} of {count} groups",
                    info.dtype
                )));
            }
            Ok(data.get(info.data_offsets.0..info.data_offsets.1).unwrap_or_default())
        };
        let weights = tensor(WEIGHTS, Dtype::I16)?;
        let weights: Vec<i16> =
            weights.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect();
        let scales = tensor(SCALES, Dtype::F32)?;
        let scales: Vec<f32> =
            scales.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
        if let Some((stage, value)) = scales.iter().enumerate().find(|(_, s)| !s.is_finite()) {
            return Err(LearnError::WeightNotFinite {
                path: Some(path.to_owned()),
                feature: "all configurations".into(),
                stage,
                value: f64::from(*value),
            });
        }
        let counts = if metadata.info(COUNTS).is_some() {
            let counts = tensor(COUNTS, Dtype::U16)?;
            let counts: Vec<u16> =
                counts.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
            if counts.len() != weights.len() {
                let (found, held) = (counts.len(), weights.len());
                return Err(shape(format!("it has {found} counts for {held} weights")));
            }
            Some(counts)
        } else {
            None
        };
        let states = metadata.info(VALID).filter(|info| info.dtype == Dtype::U32);
        let states = states.and_then(|info| data.get(info.data_offsets.0..info.data_offsets.1));
        let mut states =
            states.unwrap_or_default().as_chunks().0.iter().map(|&b| u32::from_le_bytes(b));
        let mut take = |&count: &usize| states.by_ref().take(count).collect::<Vec<u32>>();
        let valid: Vec<Vec<u32>> = lengths.iter().map(&mut take).collect();
        if valid.iter().map(Vec::len).ne(lengths) || states.next().is_some() {
            return Err(shape("its valid states are not as many as its header says".into()));
        }
        let model = PatternModel { plan, groups, unit, scales, weights, counts, valid };
        Ok(Self { game: header.game, made_by: header.made_by, model })
    }

    /// Checks that the model is one of this game, with its stages.
    ///
    /// # Errors
    /// When it is of another game, or of another number of stages.
    pub fn check(&self, game: &str, stages: usize) -> Result<(), LearnError> {
        if self.game != game {
            return Err(LearnError::OtherGame { model: self.game.clone(), game: game.into() });
        }
        let own = self.model.groups.stages();
        if own != stages.max(1) {
            return Err(LearnError::Stages { model: own, game: stages.max(1) });
        }
        Ok(())
    }
}

fn is_of_patterns(metadata: &Metadata) -> bool {
    let header = metadata.metadata().as_ref().and_then(|m| m.get(HEADER));
    let kind = header.and_then(|header| serde_json::from_str::<Kind>(header).ok());
    kind.is_some_and(|kind| kind.kind == KIND)
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
        assert!(matches!(ModelFile::load(&path), Err(LearnError::Kind { .. })));
        file().check("line", 4).unwrap();
        assert!(file().check("line", 5).unwrap_err().to_string().contains('5'));
        assert!(file().check("ring", 4).unwrap_err().to_string().contains("ring"));
    }

    #[test]
    fn no_damage_is_believed() {
        let bytes = file().bytes().unwrap();
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
