//! What made a dataset, written before its first part.
//!
//! Invariant: two runs may share a folder exactly when their digests are equal;
//! the digest covers everything the rows depend on, and not the command, which
//! may name other folders or numbers of threads.

use crate::{DataError, Digest, SelfPlay};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Reason, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) const MANIFEST: &str = "dataset.json";
const FORMAT: u64 = 1;

/// The content of `dataset.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The number of this format.
    pub format: u64,
    /// The game's name.
    pub game: String,
    /// The version of evalsmith.
    pub version: String,
    /// The command that makes this dataset again.
    pub command: String,
    /// The function that played, by name or digest.
    pub function: String,
    /// The whole configuration, with the seed and the number of games.
    pub configuration: SelfPlay,
    /// The label columns and how each was made.
    pub labels: Vec<Label>,
    /// Names the run: game, version, function, configuration and labels.
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
    /// Games by the reason why they ended.
    pub endings: BTreeMap<String, u32>,
}

impl Tally {
    /// Counts a game that ended so for the first player.
    pub(crate) fn count(&mut self, verdict: Verdict, reason: Reason) {
        self.games += 1;
        match verdict {
            Verdict::Win => self.wins += 1,
            Verdict::Draw => self.draws += 1,
            Verdict::Loss => self.losses += 1,
        }
        let reason = match reason {
            Reason::Rules => "rules",
            Reason::Repetition => "repetition",
            Reason::Bound => "bound",
            Reason::Solved => "solved",
            Reason::Agreed => "agreed",
        };
        *self.endings.entry(reason.to_owned()).or_default() += 1;
    }
}

impl Manifest {
    pub(crate) fn new(
        game: &str,
        command: String,
        function: String,
        configuration: SelfPlay,
        labels: Vec<Label>,
    ) -> Self {
        let mut manifest = Self {
            format: FORMAT,
            game: game.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            function,
            configuration,
            labels,
            digest: Digest(0),
        };
        manifest.digest = manifest.computed_digest();
        manifest
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
        manifest.configuration.check().map_err(|e| malformed(e.to_string()))?;
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
        let whole = serde_json::to_value(self).expect("a manifest is plain JSON");
        let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let top = fields(&whole)
            .into_iter()
            .filter(|(name, _)| ["game", "version", "function", "labels"].contains(&name.as_str()));
        let configuration = fields(&whole["configuration"])
            .into_iter()
            .map(|(name, value)| (format!("configuration.{name}"), value));
        top.chain(configuration).collect()
    }

    fn computed_digest(&self) -> Digest {
        let identity = serde_json::to_vec(&self.identity()).expect("a manifest is plain JSON");
        Digest::of(&identity)
    }

    /// Says which field tells this run from the one that began the folder.
    pub(crate) fn check_same_run(&self, begun: &Self, dir: &Path) -> Result<(), DataError> {
        let (mine, theirs) = (self.identity(), begun.identity());
        // The labels repeat the depth and the function: the plainer field first.
        let differs = |field: &&String| mine.get(*field) != theirs.get(*field);
        let field = mine
            .keys()
            .filter(|k| *k != "labels")
            .find(differs)
            .or_else(|| mine.keys().find(differs));
        match field {
            None => Ok(()),
            Some(field) => Err(DataError::OtherRun {
                dir: dir.to_owned(),
                field: field.clone(),
                found: theirs.get(field).unwrap_or(&Value::Null).to_string(),
                wanted: mine[field].to_string(),
            }),
        }
    }

    /// The number of parts planned.
    pub fn parts(&self) -> usize {
        self.configuration.games.div_ceil(self.configuration.games_per_part) as usize
    }

    /// The games of a part.
    pub(crate) fn games_of(&self, part: usize) -> Range<u32> {
        let SelfPlay { games, games_per_part, .. } = self.configuration;
        let first = games_per_part.saturating_mul(part as u32);
        first..first.saturating_add(games_per_part).min(games)
    }

    pub(crate) fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|label| label.name.as_str())
    }
}

/// The name of a part's file.
pub(crate) fn part_path(dir: &Path, part: usize) -> PathBuf {
    dir.join(format!("part-{part:05}.parquet"))
}
