//! Models of configurations, in memory and on disk (buro98 section 2): conjunctions of
//! relations with a weight each, and linear terms beside them.
//!
//! On disk they are safetensors as other models: `relations` (atom and value, one
//! configuration after the other), `ends` (where each ends), `counts` (positions behind
//! each) and `weights` (groups of stages by configurations, linear terms last).
//!
//! The one invariant to know: of the configurations that a position matches only the
//! most specific add their weights.

use super::{ConfigurationDag, DagScratch, Relation, StageGroups, Unit};
use crate::LearnError;
use crate::envelope::{self, Envelope, Header, Tensor};
use evalsmith_core::Stage;
use evalsmith_core::column_name::quoted;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const KIND: &str = "configurations";
const RELATIONS: &str = "relations";
const ENDS: &str = "ends";
const COUNTS: &str = "counts";
const WEIGHTS: &str = "weights";

/// Configurations with their weights for every group of stages.
#[derive(Clone, Debug)]
pub struct ConfigurationModel {
    /// The names of the game's atoms, by number.
    pub atoms: Vec<String>,
    /// The features that linear terms multiply.
    pub terms: Vec<String>,
    /// Which stages share weights.
    pub groups: StageGroups,
    /// What values mean.
    pub unit: Unit,
    /// The configurations.
    pub dag: ConfigurationDag,
    /// Positions behind each.
    pub counts: Vec<u32>,
    /// Group by group one weight a configuration, then one a linear term.
    pub weights: Vec<f32>,
}

impl ConfigurationModel {
    /// Weights of one group.
    pub fn width(&self) -> usize {
        self.dag.configurations().len() + self.terms.len()
    }

    /// The weights of a stage's group: those of the configurations, and those of the
    /// linear terms.
    pub fn weights_at(&self, stage: Stage) -> (&[f32], &[f32]) {
        let (group, width) = (self.groups.of(stage), self.width());
        self.weights[group * width..(group + 1) * width].split_at(self.dag.configurations().len())
    }

    /// A configuration as people write it, and as a condition on columns of atoms reads it.
    pub fn in_words(&self, relations: &[Relation]) -> String {
        let name = |r: &Relation| quoted(&self.atoms[usize::from(r.atom)]);
        let relation = |r: &Relation| format!("{}={}", name(r), r.value);
        relations.iter().map(relation).collect::<Vec<_>>().join(" ")
    }

    /// The value of a position in log-odds for the side whose view its atoms are;
    /// `term` is asked for the features of the linear terms.
    pub fn log_odds(
        &self,
        stage: Stage,
        atoms: &[u8],
        scratch: &mut DagScratch,
        active: &mut Vec<u32>,
        mut term: impl FnMut(usize) -> f32,
    ) -> f64 {
        let (configurations, terms) = self.weights_at(stage);
        active.clear();
        self.dag.append_active(atoms, scratch, active);
        let sum: f32 = active.iter().map(|&i| configurations[i as usize]).sum();
        let linear: f32 = terms.iter().enumerate().map(|(i, w)| w * term(i)).sum();
        f64::from(sum + linear) * self.unit.log_odds()
    }
}

/// A model of configurations, the game it plays and what made it.
#[derive(Clone, Debug)]
pub struct ConfigurationFile {
    /// The game's name.
    pub game: String,
    /// Whatever the maker tells.
    pub made_by: serde_json::Value,
    /// The model.
    pub model: ConfigurationModel,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Structure {
    atoms: Vec<String>,
    groups: StageGroups,
    unit: Unit,
}

impl ConfigurationFile {
    /// Writes the file, under a temporary name first; an existing file is replaced.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        envelope::save(path, self.bytes())
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let model = &self.model;
        let header = Header {
            features: model.terms.clone(),
            stages: model.groups.stages(),
            structure: Some(Structure {
                atoms: model.atoms.clone(),
                groups: model.groups,
                unit: model.unit,
            }),
            ..Header::new(&self.game, KIND, &self.made_by)
        };
        let all = model.dag.configurations();
        let words = |r: &Relation| [r.atom, u16::from(r.value)];
        let mut end = 0;
        let ends: Vec<u32> = all
            .iter()
            .map(|configuration| {
                end += configuration.len() as u32;
                end
            })
            .collect();
        let shape = vec![model.groups.count(), model.width()];
        let tensors = [
            Tensor::new(RELATIONS, vec![end as usize, 2], all.iter().flatten().flat_map(words)),
            Tensor::new(ENDS, vec![all.len()], ends),
            Tensor::new(COUNTS, vec![all.len()], model.counts.iter().copied()),
            Tensor::new(WEIGHTS, shape, model.weights.iter().copied()),
        ];
        envelope::bytes(&header, &tensors)
    }

    /// Whether a file says that it holds a model of configurations.
    pub fn is_at(path: &Path) -> bool {
        envelope::kind_at(path).is_some_and(|kind| kind == KIND)
    }

    /// Whether bytes say that they hold a model of configurations.
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
    /// As [`load`](ConfigurationFile::load).
    pub fn from_bytes(bytes: &[u8], origin: &str) -> Result<Self, LearnError> {
        Self::take_out(Envelope::from_bytes(bytes, origin, &[KIND])?)
    }

    fn take_out(mut envelope: Envelope<Structure>) -> Result<Self, LearnError> {
        let Structure { atoms, groups, unit } = envelope.structure()?;
        let wrong = |reason: &str| envelope.inconsistent(reason.into());
        let unit_makes_sense = unit.log_odds() > 0.0 && unit.log_odds().is_finite();
        if !(groups.is_sound() && unit_makes_sense) {
            return Err(wrong("its groups of stages or its unit make no sense"));
        }
        let words = envelope.tensor::<u16>(RELATIONS)?.1;
        let ends = envelope.tensor::<u32>(ENDS)?.1;
        let counts = envelope.tensor::<u32>(COUNTS)?.1;
        let weights = envelope.tensor::<f32>(WEIGHTS)?.1;
        let configurations = configurations(&words, &ends, atoms.len())
            .ok_or_else(|| wrong("its relations are no configurations of its atoms"))?;
        let terms = envelope.header.features.clone();
        let width = configurations.len() + terms.len();
        if counts.len() != configurations.len() || weights.len() != groups.count() * width {
            return Err(wrong("it has not one weight and one count for each configuration"));
        }
        if weights.iter().any(|w| !w.is_finite()) {
            return Err(wrong("a weight is not a number"));
        }
        let dag = ConfigurationDag::new(configurations);
        let model = ConfigurationModel { atoms, terms, groups, unit, dag, counts, weights };
        let Header { game, made_by, .. } = envelope.header;
        Ok(Self { game, made_by, model })
    }

    /// Checks that the model is one of this game, with its stages and its atoms.
    ///
    /// # Errors
    /// When it is of another game, or of another number of stages.
    pub fn check(&self, game: &str, stages: usize) -> Result<(), LearnError> {
        envelope::check_game(&self.game, game)?;
        envelope::check_stages(self.model.groups.stages(), stages)
    }
}

/// Different configurations, none empty, with rising atoms; none where they are not.
fn configurations(words: &[u16], ends: &[u32], atoms: usize) -> Option<Vec<Vec<Relation>>> {
    let relation = |pair: &[u16; 2]| {
        let value = u8::try_from(pair[1]).ok()?;
        (usize::from(pair[0]) < atoms).then_some(Relation { atom: pair[0], value })
    };
    let relations: Vec<Relation> =
        words.as_chunks().0.iter().map(relation).collect::<Option<_>>()?;
    let (mut all, mut first) = (Vec::with_capacity(ends.len()), 0);
    for &end in ends {
        let own = relations.get(first..end as usize)?.to_vec();
        let rising = own.windows(2).all(|pair| pair[0].atom < pair[1].atom);
        if own.is_empty() || !rising {
            return None;
        }
        all.push(own);
        first = end as usize;
    }
    let distinct: std::collections::HashSet<&Vec<Relation>> = all.iter().collect();
    (first == relations.len() && distinct.len() == all.len()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> ConfigurationFile {
        let relation = |atom, value| Relation { atom, value };
        let one = vec![relation(0, 1)];
        let two = vec![relation(0, 1), relation(2, 2)];
        let model = ConfigurationModel {
            atoms: ["a", "b", "c"].map(str::to_owned).to_vec(),
            terms: vec!["n".into()],
            groups: StageGroups::new(4, 2, 2).unwrap(),
            unit: Unit::LogOdds,
            dag: ConfigurationDag::new(vec![one, two]),
            counts: vec![9, 4],
            weights: vec![1.0, 2.0, 0.5, 10.0, 20.0, 5.0],
        };
        ConfigurationFile { game: "line".into(), made_by: serde_json::json!(1), model }
    }

    #[test]
    fn a_file_comes_back_and_only_the_most_specific_speak() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        file().save(&path).unwrap();
        assert!(ConfigurationFile::is_at(&path) && !super::super::PatternFile::is_at(&path));
        let back = ConfigurationFile::load(&path).unwrap();
        assert_eq!(back.model.weights, file().model.weights);
        assert_eq!(back.model.dag.configurations(), file().model.dag.configurations());
        back.check("line", 4).unwrap();
        assert!(back.check("ring", 4).is_err() && back.check("line", 5).is_err());
        let value = |stage, atoms: &[u8]| {
            let (mut scratch, mut active) = (DagScratch::default(), Vec::new());
            back.model.log_odds(Stage(stage), atoms, &mut scratch, &mut active, |_| 2.0)
        };
        assert_eq!(value(0, &[1, 0, 0]), 1.0 + 1.0);
        assert_eq!(value(0, &[1, 0, 2]), 2.0 + 1.0);
        assert_eq!(value(3, &[0, 0, 2]), 10.0);
    }

    #[test]
    fn no_damage_is_believed() {
        assert!(configurations(&[0, 1, 2, 2], &[1, 2], 3).is_some());
        for (words, ends) in [
            (&[0, 1, 2, 2][..], &[1][..]),
            (&[0, 1, 3, 2], &[1, 2]),
            (&[2, 1, 0, 2], &[2]),
            (&[0, 1, 0, 1], &[1, 2]),
            (&[0, 300], &[1]),
            (&[0, 1], &[0, 1]),
            (&[0, 1], &[7]),
        ] {
            assert!(configurations(words, ends, 3).is_none(), "{words:?} {ends:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut");
        let bytes = file().bytes().unwrap();
        for cut in [0, 9, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(ConfigurationFile::load(&path).is_err(), "{cut}");
        }
    }
}
