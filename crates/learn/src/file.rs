//! Models on disk: safetensors, with a JSON header in its metadata.
//!
//! Python opens the same file with `safetensors.safe_open`; the metadata's one
//! key, `evalsmith`, holds what the model is and what made it. Nothing in a
//! file is believed before it is checked.

use crate::{
    DenseModel, LearnError, Linear, Model, Quadratic, Signature, SignatureParams, Tabled, Tree,
};
use evalsmith_core::files::write_atomically;
use safetensors::{
    Dtype,
    tensor::{Metadata, TensorView},
};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The format this program writes and reads.
pub(crate) const FORMAT: u64 = 1;
/// The metadata's key for the header.
pub(crate) const HEADER: &str = "evalsmith";
/// The longest header safetensors allows.
const LARGEST_HEADER: u64 = 100_000_000;
/// The tensor of a model: stages by the numbers of one (a linear one has its
/// intercept and weights).
const COEFFICIENTS: &str = "coefficients";

/// A model, the game it plays and what made it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// The game's name.
    pub game: String,
    /// Whatever the maker tells: command, configuration, seed, data.
    pub made_by: serde_json::Value,
    /// The model.
    pub model: Model,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    version: String,
    game: String,
    kind: String,
    features: Vec<String>,
    stages: usize,
    /// How a kind that needs it is put together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structure: Option<serde_json::Value>,
    made_by: serde_json::Value,
}

/// What every format, older or newer, says of itself.
#[derive(Deserialize)]
struct Version {
    format: u64,
    version: String,
}

impl ModelFile {
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
        let (features, stages) = (self.model.features().to_vec(), self.model.stages());
        let numbers = self.model.coefficients();
        let structure = match &self.model {
            Model::Signature(tables) => Some(serde_json::to_value(tables.params())?),
            Model::Tabled(model) => Some(serde_json::to_value(model.structure())?),
            Model::Tree(tree) => Some(serde_json::to_value(tree.response())?),
            Model::Linear(_) | Model::Quadratic(_) => None,
        };
        // Tables serve all stages alike.
        let rows = if structure.is_some() { 1 } else { stages.max(1) };
        let shape = vec![rows, numbers.len() / rows];
        let data: Vec<u8> = numbers.iter().flat_map(|w| w.to_le_bytes()).collect();
        let header = Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            game: self.game.clone(),
            kind: self.model.kind().into(),
            features,
            stages,
            structure,
            made_by: self.made_by.clone(),
        };
        let header = serde_json::to_string(&header)?;
        let tensor = TensorView::new(Dtype::F64, shape, &data).map_err(io::Error::other)?;
        let metadata = HashMap::from([(HEADER.to_owned(), header)]);
        safetensors::serialize([(COEFFICIENTS, tensor)], Some(metadata)).map_err(io::Error::other)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the system refuses, or the file is truncated, foreign, of another
    /// version or kind, inconsistent, or holds weights that are not finite.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Self::read(file, length, path)
    }

    /// Reads a file's bytes; `origin` stands for the path in errors.
    ///
    /// # Errors
    /// As [`load`](ModelFile::load).
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
        let header: Header = serde_json::from_str(header).map_err(|e| foreign(e.to_string()))?;
        let n = header.features.len();
        let width = match header.kind.as_str() {
            "linear" => Some(n + 1),
            "quadratic" => Some(Quadratic::numbers(n.min(Quadratic::MOST_FEATURES + 1))),
            "signature" | "tabled" | "tree" => None,
            _ => return Err(LearnError::Kind { path: path.to_owned(), kind: header.kind }),
        };
        let info = metadata
            .info(COEFFICIENTS)
            .ok_or_else(|| shape(format!("it has no tensor {COEFFICIENTS:?}")))?;
        let expected = match width {
            Some(width) => [header.stages, width],
            None => [1, info.shape.last().copied().unwrap_or_default()],
        };
        if info.dtype != Dtype::F64 || info.shape != expected {
            return Err(shape(format!(
                "its coefficients are {:?} {:?}, but its header asks for F64 {expected:?}",
                info.dtype, info.shape,
            )));
        }
        let mut data = Vec::new();
        file.read_to_end(&mut data).map_err(failed)?;
        let data = data.get(info.data_offsets.0..info.data_offsets.1).unwrap_or_default();
        let numbers = data.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect();
        let model = build(&header, numbers).map_err(|e| match e {
            LearnError::WeightNotFinite { feature, stage, value, .. } => {
                LearnError::WeightNotFinite { path: Some(path.to_owned()), feature, stage, value }
            }
            other => shape(other.to_string()),
        })?;
        Ok(Self { game: header.game, made_by: header.made_by, model })
    }

    /// Checks that the model is one of this game and its features.
    ///
    /// # Errors
    /// When it is of another game, or of other features.
    pub fn check(&self, game: &str, features: &[String]) -> Result<(), LearnError> {
        if self.game != game {
            return Err(LearnError::OtherGame { model: self.game.clone(), game: game.into() });
        }
        if self.model.features() != features {
            let model = self.model.features().join(", ");
            return Err(LearnError::Features { model, given: features.join(", ") });
        }
        Ok(())
    }
}

/// Checks that a header is of the format that this program reads.
pub(crate) fn check_format(header: &str, path: &Path) -> Result<(), LearnError> {
    let foreign =
        |e: serde_json::Error| LearnError::Foreign { path: path.to_owned(), reason: e.to_string() };
    let version: Version = serde_json::from_str(header).map_err(foreign)?;
    if version.format == FORMAT {
        return Ok(());
    }
    Err(LearnError::Version {
        path: path.to_owned(),
        found: version.format,
        writer: version.version,
        known: FORMAT,
    })
}

/// The model that a header describes, with these numbers.
fn build(header: &Header, numbers: Vec<f64>) -> Result<Model, LearnError> {
    let (features, stages) = (header.features.clone(), header.stages);
    let structure = header.structure.clone().unwrap_or_default();
    let unsound = |e: serde_json::Error| LearnError::Parameter {
        name: "the structure",
        value: e.to_string(),
        allowed: "as a fit writes it",
    };
    match header.kind.as_str() {
        "quadratic" => Ok(Quadratic::new(features, stages, numbers)?.into()),
        "signature" => {
            let params: SignatureParams = serde_json::from_value(structure).map_err(unsound)?;
            Ok(Signature::new(features, stages, params, numbers)?.into())
        }
        "tabled" => {
            let structure = serde_json::from_value(structure).map_err(unsound)?;
            Ok(Tabled::from_parts(features, stages, structure, numbers)?.into())
        }
        "tree" => {
            let response = serde_json::from_value(structure).map_err(unsound)?;
            Ok(Tree::from_numbers(features, stages, response, &numbers)?.into())
        }
        _ => Ok(Linear::new(features, stages, numbers)?.into()),
    }
}

/// Reads the safetensors header, and checks that the numbers which follow are as
/// many as it says, before anything of the file's size is read.
pub(crate) fn read_metadata(
    file: &mut impl Read,
    length: u64,
    path: &Path,
) -> Result<Metadata, LearnError> {
    let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
    let foreign = |reason: String| LearnError::Foreign { path: path.to_owned(), reason };
    let truncated = |reason: String| LearnError::Truncated { path: path.to_owned(), reason };

    let mut first = Vec::new();
    file.by_ref().take(9).read_to_end(&mut first).map_err(failed)?;
    let Some((&size, rest)) = first.split_first_chunk() else {
        return Err(truncated(format!("it has only {length} bytes")));
    };
    let size = u64::from_le_bytes(size);
    if size > LARGEST_HEADER || rest.first().is_some_and(|&b| b != b'{') {
        return Err(foreign("it does not begin with a safetensors header".into()));
    }
    if length < 8 + size {
        return Err(truncated(format!("its header alone needs more than its {length} bytes")));
    }
    let mut header = rest.to_vec();
    file.by_ref().take(size.saturating_sub(1)).read_to_end(&mut header).map_err(failed)?;
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|e| foreign(e.to_string()))?;
    let (held, told) = (length - 8 - size, metadata.data_len() as u64);
    match held.cmp(&told) {
        Ordering::Equal => Ok(metadata),
        Ordering::Less => {
            Err(truncated(format!("it holds {held} of the {told} bytes of its numbers")))
        }
        Ordering::Greater => {
            let reason = format!("{} bytes follow its numbers", held - told);
            Err(LearnError::Shape { path: path.to_owned(), reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use tempfile::TempDir;

    fn model() -> ModelFile {
        let features = vec!["mobility".into(), "corners \"".into()];
        let coefficients = vec![0.1, -2.5, f64::MIN_POSITIVE, 1e300, 0.0, -0.0];
        ModelFile {
            game: "othello".into(),
            made_by: serde_json::json!({ "seed": 7, "share": 0.1 }),
            model: Linear::new(features, 2, coefficients).unwrap().into(),
        }
    }

    fn load(bytes: &[u8]) -> Result<ModelFile, LearnError> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("some.model");
        fs::write(&path, bytes).unwrap();
        let loaded = ModelFile::load(&path);
        if let Err(error) = &loaded {
            assert!(error.to_string().contains("some.model"), "unnamed: {error}");
        }
        loaded
    }

    /// The bytes of a file that says something else of itself.
    fn edited(edit: impl Fn(String) -> String) -> Vec<u8> {
        let bytes = model().bytes().unwrap();
        let size = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let header = edit(String::from_utf8(bytes[8..8 + size].to_vec()).unwrap());
        let size = (header.len() as u64).to_le_bytes();
        [&size, header.as_bytes(), &bytes[bytes.len() - 48..]].concat()
    }

    #[test]
    fn saving_replaces_the_file_and_loading_returns_the_model() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.model");
        fs::write(&path, "old").unwrap();
        model().save(&path).unwrap();
        assert_eq!(ModelFile::load(&path).unwrap(), model());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a temporary file is left");
        let first = fs::read(&path).unwrap();
        model().save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first, "the bytes differ from run to run");
    }

    #[test]
    fn a_quadratic_model_comes_back_as_it_was() {
        let numbers = (0..16_u8).map(|i| f64::from(i) - 7.5).collect();
        let quadratic = Quadratic::new(vec!["a".into(), "b".into()], 2, numbers).unwrap();
        let file = ModelFile { model: quadratic.into(), ..model() };
        assert_eq!(ModelFile::from_bytes(&file.bytes().unwrap(), "here").unwrap(), file);
    }

    #[test]
    fn signature_tables_come_back_as_they_were() {
        let names: Vec<String> = (0..24).map(|i| format!("x{i}")).collect();
        let params = SignatureParams::samuel(24);
        let numbers: Vec<f64> = (0..883 + 48 + 12 + 14).map(|i| f64::from(i) / 2000.0).collect();
        let tables = Signature::new(names, 65, params, numbers).unwrap();
        let file = ModelFile { model: tables.into(), ..model() };
        let bytes = file.bytes().unwrap();
        assert_eq!(ModelFile::from_bytes(&bytes, "here").unwrap(), file);
    }

    fn tree(nodes: &[[f64; 5]]) -> ModelFile {
        let features = vec!["a".into(), "b".into()];
        // A sound tree of as many nodes, whose numbers are then replaced.
        let mut sound = vec![crate::Node { weight: 1.0, ..crate::Node::default() }; nodes.len()];
        for (node, left) in sound.iter_mut().zip((1..nodes.len() as u32).step_by(2)) {
            node.left = left;
        }
        let growth = crate::Growth::new(sound, 2).unwrap();
        let tree = Tree::new(features, 1, crate::Response::Chance, growth).unwrap();
        ModelFile { model: tree.into(), ..model() }
    }

    #[test]
    fn trees_are_believed_only_when_they_are_trees() {
        let sound =
            [[0.0, 2.5, 1.0, 9.0, 1.0], [-1.0, 0.0, 0.0, 4.0, -2.0], [-1.0, 0.0, 0.0, 5.0, 3.0]];
        let with = |nodes: &[[f64; 5]]| {
            let mut bytes = tree(nodes).bytes().unwrap();
            let at = bytes.len() - 40 * nodes.len();
            let numbers = nodes.iter().flatten().flat_map(|x| x.to_le_bytes());
            bytes.splice(at.., numbers);
            load(&bytes)
        };
        let file = with(&sound).unwrap();
        assert_eq!(load(&file.bytes().unwrap()).unwrap(), file);
        let mut cycle = sound;
        cycle[2] = [1.0, 0.0, 0.0 + 1.0, 5.0, 3.0];
        let mut beyond = sound;
        beyond[0][2] = 2.0;
        let mut stranger = sound;
        stranger[0][0] = 7.0;
        let mut fraction = sound;
        fraction[0][2] = 0.5;
        let faults = [
            (cycle, "node 2 of the tree is with the children 1 and 2"),
            (beyond, "node 0 of the tree is with the children 2 and 3"),
            (stranger, "node 0 of the tree is about feature 7 of 2"),
            (fraction, "node 0 of the tree is about feature"),
        ];
        for (nodes, expected) in faults {
            let message = with(&nodes).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }

    #[test]
    fn each_fault_has_its_own_sentence() {
        let good = model().bytes().unwrap();
        let mut nan = good.clone();
        let at = good.len() - 8;
        nan[at..].copy_from_slice(&f64::NAN.to_le_bytes());
        let faults: [(&str, Vec<u8>); 11] = [
            ("is truncated: it has only 3 bytes", good[..3].to_vec()),
            ("is truncated: its header alone", good[..50].to_vec()),
            ("is truncated: it holds 47 of the 48 bytes", good[..good.len() - 1].to_vec()),
            ("inconsistent: 1 bytes follow", [&good[..], b"x"].concat()),
            ("not an evalsmith model", b"PAR1 this is a table of something".to_vec()),
            ("it has no evalsmith header", edited(|h| h.replace("\"evalsmith\"", "\"other\""))),
            (
                "has model format 2 (written by evalsmith",
                edited(|h| h.replace(r#"format\":1"#, r#"format\":2"#)),
            ),
            ("of kind \"forest\"", edited(|h| h.replace("linear", "forest"))),
            ("its coefficients are F64 [3, 2]", edited(|h| h.replace("[2,3]", "[3,2]"))),
            (
                "no tensor \"coefficients\"",
                edited(|h| h.replace("\"coefficients\"", "\"weights\"")),
            ),
            ("the weight of corners \" at stage 1 is NaN", nan),
        ];
        for (expected, bytes) in faults {
            let message = load(&bytes).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
        let absent = ModelFile::load(Path::new("/nowhere/some.model")).unwrap_err().to_string();
        assert!(absent.starts_with("cannot read /nowhere/some.model: "), "{absent}");
        let refused = model().save(Path::new("/nowhere/some.model")).unwrap_err().to_string();
        assert!(refused.starts_with("cannot write /nowhere/some.model: "), "{refused}");
    }

    #[test]
    fn a_model_of_another_game_is_refused() {
        let features = model().model.features().to_vec();
        assert!(model().check("othello", &features).is_ok());
        let other = model().check("chess", &features).unwrap_err().to_string();
        assert_eq!(other, "the model was made for othello, not for chess; choose a model of chess");
        let fewer = model().check("othello", &features[1..]).unwrap_err().to_string();
        assert!(fewer.contains("[mobility, corners \"]"), "{fewer}");
    }

    #[test]
    fn offsets_beyond_all_memory_are_an_error() {
        let tensor = |i: u64| {
            let (from, to) = (i << 61, ((u128::from(i) + 1) << 61).min(u128::from(u64::MAX)));
            format!(
                r#""t{i}":{{"dtype":"U8","shape":[{}],"data_offsets":[{from},{to}]}}"#,
                to - u128::from(from)
            )
        };
        let header = format!("{{{}}}", (0..8).map(tensor).collect::<Vec<_>>().join(","));
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        assert!(load(&bytes).is_err());
    }

    proptest! {
        #[test]
        fn corrupted_files_never_panic(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in proptest::option::of(any::<prop::sample::Index>()),
        ) {
            let mut bytes = model().bytes().unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(file) = load(&bytes) {
                prop_assert!(file.model.coefficients().iter().all(|w| w.is_finite()));
            }
        }
    }
}
