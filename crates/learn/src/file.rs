//! Models over a game's features, on disk.

use crate::envelope::{self, Envelope, Header, Tensor};
use crate::{
    DenseModel, LearnError, Linear, Model, Quadratic, Signature, SignatureParams, Tabled, Tree,
};
use std::io;
use std::path::Path;

/// What [`ModelFile`] reads.
const KINDS: [&str; 5] = ["linear", "quadratic", "signature", "tabled", "tree"];
/// The tensor of a model: stages by the numbers of one (a linear one has its
/// intercept and weights).
const COEFFICIENTS: &str = "coefficients";
/// The tensor of a linear model that knows how far its features count: stages by
/// features by the least and the greatest.
const RANGES: &str = "ranges";

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

impl ModelFile {
    /// Writes the file, under a temporary name first; an existing file is replaced.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        envelope::save(path, self.bytes())
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let structure = match &self.model {
            Model::Signature(tables) => Some(serde_json::to_value(tables.params())?),
            Model::Tabled(model) => Some(serde_json::to_value(model.structure())?),
            Model::Tree(tree) => Some(serde_json::to_value(tree.response())?),
            Model::Linear(_) | Model::Quadratic(_) => None,
        };
        let (stages, numbers) = (self.model.stages(), self.model.coefficients());
        // Tables serve all stages alike.
        let rows = if structure.is_some() { 1 } else { stages.max(1) };
        let shape = vec![rows, numbers.len() / rows];
        let header = Header {
            features: self.model.features().to_vec(),
            stages,
            structure,
            ..Header::new(&self.game, self.model.kind(), &self.made_by)
        };
        let mut tensors = vec![Tensor::new(COEFFICIENTS, shape, numbers.iter().copied())];
        if let Some(ranges) = self.model.as_linear().map(Linear::ranges).filter(|r| !r.is_empty()) {
            let shape = vec![rows, ranges.len() / rows, 2];
            tensors.push(Tensor::new(RANGES, shape, ranges.iter().flatten().copied()));
        }
        envelope::bytes(&header, &tensors)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the system refuses, or the file is truncated, foreign, of another
    /// version or kind, inconsistent, or holds weights that are not finite.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        Self::take_out(Envelope::load(path, &KINDS)?)
    }

    /// Reads a file's bytes; `origin` stands for the path in errors.
    ///
    /// # Errors
    /// As [`load`](ModelFile::load).
    pub fn from_bytes(bytes: &[u8], origin: &str) -> Result<Self, LearnError> {
        Self::take_out(Envelope::from_bytes(bytes, origin, &KINDS)?)
    }

    fn take_out(envelope: Envelope<serde_json::Value>) -> Result<Self, LearnError> {
        let header = &envelope.header;
        let (found, numbers) = envelope.tensor::<f64>(COEFFICIENTS)?;
        let n = header.features.len();
        let expected = match header.kind.as_str() {
            "linear" => [header.stages, n + 1],
            "quadratic" => [header.stages, Quadratic::numbers(n.min(Quadratic::MOST_FEATURES + 1))],
            _ => [1, found.last().copied().unwrap_or_default()],
        };
        if found != expected {
            return Err(envelope.inconsistent(format!(
                "its coefficients are {found:?}, but its header asks for {expected:?}"
            )));
        }
        let mut model = build(header, numbers).map_err(|e| envelope.blame(e))?;
        if envelope.has(RANGES)
            && let Model::Linear(linear) = model
        {
            let ranges = envelope.tensor::<f32>(RANGES)?.1.as_chunks().0.to_vec();
            model = linear.within(ranges).map_err(|e| envelope.blame(e))?.into();
        }
        let Header { game, made_by, .. } = envelope.header;
        Ok(Self { game, made_by, model })
    }

    /// Checks that the model is one of this game and its features.
    ///
    /// # Errors
    /// When it is of another game, or of other features.
    pub fn check(&self, game: &str, features: &[String]) -> Result<(), LearnError> {
        envelope::check_game(&self.game, game)?;
        if self.model.features() != features {
            let model = self.model.features().join(", ");
            return Err(LearnError::Features { model, given: features.join(", ") });
        }
        Ok(())
    }
}

/// The model that a header describes, with these numbers.
fn build(header: &Header<serde_json::Value>, numbers: Vec<f64>) -> Result<Model, LearnError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::without_digest;
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
        let bytes = without_digest(&model().bytes().unwrap());
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
    fn a_linear_model_comes_back_with_its_ranges() {
        let ModelFile { game, made_by, model } = model();
        let Model::Linear(linear) = model else { panic!("a linear model") };
        let ranges = vec![[0.0, 1.5], [-3.0, 3.0], [1.0, 1.0], [-9.0, 0.0]];
        let model = linear.within(ranges).unwrap().into();
        let file = ModelFile { game, made_by, model };
        let bytes = file.bytes().unwrap();
        assert_eq!(ModelFile::from_bytes(&bytes, "here").unwrap(), file);
        let mut wrong = without_digest(&bytes);
        let at = wrong.len() - 8;
        wrong[at..at + 4].copy_from_slice(&7_f32.to_le_bytes());
        let refused = ModelFile::from_bytes(&wrong, "here").unwrap_err().to_string();
        assert!(refused.contains("a feature's range is 7 to 0"), "{refused}");
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
            let mut bytes = without_digest(&tree(nodes).bytes().unwrap());
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
        let good = without_digest(&model().bytes().unwrap());
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
            ("its coefficients are [3, 2]", edited(|h| h.replace("[2,3]", "[3,2]"))),
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

    #[test]
    fn no_changed_byte_is_believed() {
        let good = model().bytes().unwrap();
        assert_eq!(load(&without_digest(&good)).unwrap(), model(), "older files have no digest");
        for at in 0..good.len() {
            let mut wrong = good.clone();
            wrong[at] ^= 1;
            // One in a name that nobody asks for changes nothing.
            assert!(
                load(&wrong).is_ok_and(|file| file == model()) || load(&wrong).is_err(),
                "{at}"
            );
        }
        let mut wrong = good.clone();
        let at = good.len() - 3;
        wrong[at] ^= 1;
        let damaged = load(&wrong).unwrap_err().to_string();
        assert!(damaged.contains("was damaged"), "{damaged}");
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
