//! What is in a dataset, in numbers.

use crate::distinct::Distinct;
use crate::import::KOMI;
use crate::provenance::commands;
use crate::{DataError, Dataset, Digest, Hasher, Label};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A summary of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// The game's name.
    pub game: String,
    /// Games, also those without a row.
    pub games: u64,
    /// Positions, one a row.
    pub positions: u64,
    /// Positions by stage; stages without positions are left out.
    pub by_stage: BTreeMap<u8, u64>,
    /// Games won by the first player.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by the first player.
    pub losses: u64,
    /// Games without a result.
    pub open: u64,
    /// Games by the reason why they ended.
    pub endings: BTreeMap<String, u64>,
    /// Different positions, the side to move included.
    pub distinct_positions: u64,
    /// Different sequences of recorded positions.
    pub distinct_games: u64,
    /// Whether the distinct counts are exact: beyond four million they are
    /// estimates, within about 0.1 %, so that memory stays near 100 MiB.
    pub exact: bool,
    /// The share of positions that repeat an earlier one.
    pub duplicates: f64,
    /// The labels.
    pub labels: Vec<Label>,
    /// How each label agrees with the results and with the other labels.
    pub agreement: Vec<Agreement>,
    /// Records left out when the dataset was imported, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The commands that make the dataset again, in the order to run them.
    pub commands: Vec<String>,
    /// Parts.
    pub parts: u64,
    /// Bytes of all parts.
    pub bytes: u64,
    /// The digest of the rows.
    pub digest: Digest,
}

/// How often two judgements of a position point the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The label.
    pub label: String,
    /// What it is compared with: `result`, or another label.
    pub with: String,
    /// Positions that have both.
    pub both: u64,
    /// Positions of them in which both see an advantage, of either side.
    pub decided: u64,
    /// Positions of these in which both see it on the same side.
    pub same: u64,
}

impl Agreement {
    fn count(&mut self, label: Option<f32>, other: Option<f32>) {
        if let (Some(label), Some(other)) = (label, other) {
            self.both += 1;
            if label != 0.0 && other != 0.0 {
                self.decided += 1;
                self.same += u64::from((label > 0.0) == (other > 0.0));
            }
        }
    }
}

/// Every label beside the result and beside the labels after it.
fn comparisons(labels: &[Label]) -> Vec<Agreement> {
    let mut all = Vec::new();
    // The komi judges no position.
    let labels: Vec<_> = labels.iter().filter(|label| label.name != KOMI).collect();
    for (at, label) in labels.iter().enumerate() {
        let others = labels[at + 1..].iter().map(|other| other.name.as_str());
        for with in std::iter::once(RESULT).chain(others) {
            let (label, with) = (label.name.clone(), with.to_owned());
            all.push(Agreement { label, with, ..Agreement::default() });
        }
    }
    all
}

const RESULT: &str = "result";

impl Dataset {
    /// Counts what the dataset holds; reads every row once and hashes it once more.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn info(&self) -> Result<Info, DataError> {
        let mut by_stage = BTreeMap::new();
        let (mut positions, mut games) = (Distinct::new(), Distinct::new());
        let mut game: Option<(u32, Hasher)> = None;
        let names = || self.manifest().label_names();
        let mut agreement = comparisons(&self.manifest().labels);
        let mut labels = Vec::new();
        for batch in self.rows() {
            let batch = batch?;
            for (i, row) in batch.rows().enumerate() {
                batch.labels_of(i, names(), &mut labels);
                let value = |name: &str| {
                    names().zip(&labels).find(|(known, _)| *known == name).and_then(|(_, v)| *v)
                };
                let result = row.outcome.map(|outcome| f32::from(outcome.margin()));
                for pair in &mut agreement {
                    let other = if pair.with == RESULT { result } else { value(&pair.with) };
                    pair.count(value(&pair.label), other);
                }
                *by_stage.entry(row.stage.0).or_default() += 1;
                let position = Digest::of(row.position);
                positions.insert(position);
                match &mut game {
                    Some((index, moves)) if *index == row.game => moves.write_u64(position.0),
                    _ => {
                        let mut moves = Hasher::new();
                        moves.write_u64(position.0);
                        if let Some((_, whole)) = game.replace((row.game, moves)) {
                            games.insert(whole.finish());
                        }
                    }
                }
            }
        }
        if let Some((_, whole)) = game {
            games.insert(whole.finish());
        }

        let sum = |of: fn(&crate::Tally) -> u32| -> u64 {
            self.parts.iter().map(|part| u64::from(of(&part.tally))).sum()
        };
        let mut endings = BTreeMap::new();
        for (reason, &count) in self.parts.iter().flat_map(|part| &part.tally.endings) {
            *endings.entry(reason.clone()).or_default() += u64::from(count);
        }
        let rows = self.len();
        Ok(Info {
            game: self.manifest().game.clone(),
            games: sum(|t| t.games),
            positions: rows,
            by_stage,
            wins: sum(|t| t.wins),
            draws: sum(|t| t.draws),
            losses: sum(|t| t.losses),
            open: sum(|t| t.open),
            endings,
            distinct_positions: positions.count(),
            distinct_games: games.count(),
            exact: positions.is_exact() && games.is_exact(),
            duplicates: rows.saturating_sub(positions.count()) as f64 / rows.max(1) as f64,
            labels: self.manifest().labels.clone(),
            agreement,
            skipped: self.manifest().skipped.clone(),
            commands: commands(&self.manifest().command, &self.manifest().inputs)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            parts: self.parts() as u64,
            bytes: self.parts.iter().map(|part| part.bytes).sum(),
            digest: self.digest()?,
        })
    }
}
