//! What made a dataset, written before its first part.
//!
//! Invariant: two runs may share a folder exactly when their digests are equal;
//! the digest covers everything the rows depend on, and not the command, which
//! may name other folders or numbers of threads.

use crate::{DataError, Digest, Input};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Outcome, Reason, Side, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

pub(crate) const MANIFEST: &str = "dataset.json";
const FORMAT: u64 = 2;

/// The content of `dataset.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The number of this format.
    pub format: u64,
    /// The game's name.
    pub game: String,
    /// The version of evalsmith.
    pub version: String,
    /// The verb that made the dataset: `generate`, `import`, `merge`, ...
    pub verb: String,
    /// The command that makes this dataset again.
    pub command: String,
    /// The whole configuration of the verb: a JSON object.
    pub configuration: Value,
    /// What the rows were made from, with how that was made in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// The label columns and how each was made.
    pub labels: Vec<Label>,
    /// The parts; none while a run is under way that cannot know them before
    /// its end.
    pub parts: Option<usize>,
    /// Records that were left out, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// Names the numbering of the games. Datasets with one numbering are parts
    /// of one whole: the same number in both is the same game.
    pub numbering: Digest,
    /// Names the run: game, version, verb, configuration, inputs and labels.
    pub digest: Digest,
}

/// A label column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Its name; the column is called `label.<name>`.
    pub name: String,
    /// How its values were made, and in which unit they are.
    pub made: String,
}

/// How the games of a part ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The index of the part's first game.
    pub first_game: u32,
    /// The number of games, also of those without a row.
    pub games: u32,
    /// Games won by the first player.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost by the first player.
    pub losses: u32,
    /// Games whose result nobody told.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub open: u32,
    /// Rows that no game went through: successors added beside a label.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub successors: u32,
    /// Games by the reason why they ended, where that is known.
    pub endings: BTreeMap<String, u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Tally {
    /// Counts a game that ended so for the first player.
    pub(crate) fn count(&mut self, verdict: Verdict, reason: Reason) {
        let reason = match reason {
            Reason::Rules => "rules",
            Reason::Repetition => "repetition",
            Reason::Bound => "bound",
            Reason::Solved => "solved",
            Reason::Agreed => "agreed",
        };
        self.count_result(Some(verdict));
        *self.endings.entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts a game by its verdict for the first player, where it has one.
    pub(crate) fn count_result(&mut self, verdict: Option<Verdict>) {
        self.games += 1;
        match verdict {
            Some(Verdict::Win) => self.wins += 1,
            Some(Verdict::Draw) => self.draws += 1,
            Some(Verdict::Loss) => self.losses += 1,
            None => self.open += 1,
        }
    }
}

/// What a verb is about to make.
pub(crate) struct Making<'a> {
    pub(crate) game: &'a str,
    pub(crate) verb: &'static str,
    pub(crate) command: &'a str,
    /// The verb's plan; a field `shard` does not count towards the numbering.
    pub(crate) configuration: Value,
    pub(crate) inputs: Vec<Input>,
    pub(crate) labels: Vec<Label>,
}

impl Manifest {
    pub(crate) fn new(making: Making<'_>, parts: Option<usize>) -> Self {
        let mut manifest = Self {
            format: FORMAT,
            game: making.game.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verb: making.verb.to_owned(),
            command: making.command.to_owned(),
            configuration: making.configuration,
            inputs: making.inputs,
            labels: making.labels,
            parts,
            skipped: BTreeMap::new(),
            numbering: Digest(0),
            digest: Digest(0),
        };
        manifest.digest = manifest.computed_digest();
        let mut whole = manifest.identity();
        whole.remove("configuration.shard");
        manifest.numbering = digest_of(&whole);
        manifest
    }

    /// The manifest of rows whose games keep the numbers that they have there.
    #[must_use]
    pub(crate) fn numbered_as(self, numbering: Digest) -> Self {
        Self { numbering, ..self }
    }

    /// Reads the manifest of a dataset.
    ///
    /// # Errors
    /// When there is none, or it is not one that this version can read.
    pub fn read(dir: &Path) -> Result<Self, DataError> {
        let path = dir.join(MANIFEST);
        let text = std::fs::read(&path).map_err(|e| match e.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                DataError::NoManifest { dir: dir.to_owned() }
            }
            _ => DataError::io(&path, e),
        })?;
        let malformed = |reason: String| DataError::Manifest { path: path.clone(), reason };
        let value: Value = serde_json::from_slice(&text).map_err(|e| malformed(e.to_string()))?;
        let found = value.get("format").and_then(Value::as_u64);
        match found {
            None => return Err(malformed("it has no format number".to_owned())),
            Some(FORMAT) => {}
            Some(found) => return Err(DataError::Format { path, found, known: FORMAT }),
        }
        let manifest: Self = serde_json::from_value(value).map_err(|e| malformed(e.to_string()))?;
        if manifest.digest != manifest.computed_digest() {
            return Err(malformed("its digest is not that of its configuration".to_owned()));
        }
        Ok(manifest)
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), DataError> {
        let path = dir.join(MANIFEST);
        let text = serde_json::to_string_pretty(self).expect("a manifest is plain JSON") + "\n";
        write_atomically(&path, |file| file.write_all(text.as_bytes()))
            .map_err(|e| DataError::io(&path, e))
    }

    /// Everything the rows depend on, by field.
    fn identity(&self) -> BTreeMap<String, Value> {
        let json = |value: serde_json::Result<Value>| value.expect("a manifest is plain JSON");
        let sources: Vec<_> = self.inputs.iter().map(|input| &input.digest).collect();
        let top = [
            ("game", Value::from(self.game.as_str())),
            ("version", Value::from(self.version.as_str())),
            ("verb", Value::from(self.verb.as_str())),
            ("labels", json(serde_json::to_value(&self.labels))),
            ("inputs", json(serde_json::to_value(sources))),
        ];
        let configuration = self.configuration.as_object().cloned().unwrap_or_default();
        let configuration =
            configuration.into_iter().map(|(name, value)| (format!("configuration.{name}"), value));
        top.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(configuration).collect()
    }

    /// The digest of everything the rows depend on.
    pub fn computed_digest(&self) -> Digest {
        digest_of(&self.identity())
    }

    /// Says which field tells this run from the one that began the folder.
    pub(crate) fn check_same_run(&self, begun: &Self, dir: &Path) -> Result<(), DataError> {
        let (mine, theirs) = (self.identity(), begun.identity());
        // The labels repeat the depth and the function: the plainer field first.
        let differs = |field: &&String| mine.get(*field) != theirs.get(*field);
        let plain = |field: &&String| *field != "labels" && *field != "verb";
        let all = || mine.keys().chain(theirs.keys());
        let verb = mine.keys().find(|field| *field == "verb" && differs(field));
        let field =
            verb.or_else(|| all().filter(plain).find(differs)).or_else(|| all().find(differs));
        match field {
            None => Ok(()),
            Some(field) => Err(DataError::OtherRun {
                dir: dir.to_owned(),
                field: field.clone(),
                found: theirs.get(field).unwrap_or(&Value::Null).to_string(),
                wanted: mine.get(field).unwrap_or(&Value::Null).to_string(),
            }),
        }
    }

    pub(crate) fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|label| label.name.as_str())
    }
}

fn digest_of(identity: &BTreeMap<String, Value>) -> Digest {
    Digest::of(&serde_json::to_vec(identity).expect("a manifest is plain JSON"))
}

/// The verdict for the first player of an outcome told by a side.
pub(crate) fn verdict(outcome: Option<Outcome>, teller: Side) -> Option<Verdict> {
    outcome.map(|outcome| outcome.seen_by(teller, Side::First).verdict())
}

/// The name of a part's file.
pub(crate) fn part_path(dir: &Path, part: usize) -> PathBuf {
    dir.join(format!("part-{part:05}.parquet"))
}
