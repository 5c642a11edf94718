//! The positions of a dataset as rows of active configurations, by group of stages.

use super::outcome::LinkName;
use crate::LabError;
use evalsmith_core::{Features, Game, Outcome, Progress, rng};
use evalsmith_data::Dataset;
use evalsmith_learn::{GroupRows, PatternPlan, PatternSet, SparseSet, StageGroups};
use evalsmith_protocol::DISCS_A_LOGIT;
use evalsmith_rules::DynGame;
use rand::RngExt;
use std::fs;

/// The label that every played game gives.
pub(super) const RESULT: &str = "result";
/// Beyond this a search has seen the end, and its label says no more than who wins.
const SEEN: f32 = 999.0;
/// A mebibyte.
const MIB: u64 = 1 << 20;

/// Where a position's label comes from, in order: the first it has counts.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    labels: Vec<(String, Meaning)>,
    link: LinkName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Result,
    Margin,
    LogOdds,
    Verdict,
}

impl Targets {
    /// The labels of these names in a dataset.
    pub(super) fn new(
        dataset: &Dataset,
        names: &[String],
        link: LinkName,
    ) -> Result<Self, LabError> {
        let known = &dataset.manifest().labels;
        let mut labels = Vec::new();
        for name in names {
            let meaning = match known.iter().find(|label| label.name == *name) {
                Some(label) if label.made.starts_with("log-odds") => Meaning::LogOdds,
                Some(label) if label.made.starts_with("win 1") => Meaning::Verdict,
                Some(_) => Meaning::Margin,
                None if name == RESULT => Meaning::Result,
                None => {
                    let names: Vec<&str> = known.iter().map(|label| label.name.as_str()).collect();
                    let has =
                        if names.is_empty() { String::new() } else { names.join(", ") + ", " };
                    return Err(LabError::Settings(format!(
                        "{} has no label {name:?}; it has {has}{RESULT}",
                        dataset.dir().display()
                    )));
                }
            };
            if meaning == Meaning::Verdict && link == LinkName::Margin {
                return Err(LabError::Settings(format!(
                    "label {name:?} says who wins, not by how much; fit it with --link logistic"
                )));
            }
            labels.push((name.clone(), meaning));
        }
        Ok(Self { labels, link })
    }

    /// The labels' names, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        self.labels.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// What a position is fitted to.
    pub(super) fn of(&self, margin: Option<i16>, values: &[Option<f32>]) -> Option<f32> {
        let told = self.labels.iter().zip(values).find_map(|((_, meaning), &value)| {
            let known = value.filter(|v| v.is_finite());
            match meaning {
                Meaning::Result => margin.map(f32::from),
                Meaning::Margin | Meaning::Verdict => known,
                Meaning::LogOdds => match (known, self.link) {
                    (Some(v), LinkName::Margin) => {
                        (v.abs() < SEEN).then_some(v * DISCS_A_LOGIT as f32)
                    }
                    (known, _) => known,
                },
            }
        })?;
        Some(self.link.target(told))
    }
}

/// The rows of a dataset.
pub(super) struct Collected {
    pub(super) groups: Vec<GroupRows>,
    /// Positions without any of the labels.
    pub(super) unlabelled: u64,
    /// Games with a row to fit, and games with a row held out.
    pub(super) games: [u64; 2],
}

/// Bytes that the fit of so many positions takes, about: the indices, three numbers
/// a position, the weights of a fit, and the counts of sparse patterns' states.
pub(super) fn bytes_needed(
    positions: u64,
    plan: &PatternPlan,
    set: &PatternSet,
    sparse: &SparseSet,
) -> u64 {
    let columns = (set.instances() + plan.counts.len() + sparse.instances()) as u64;
    let row = 2 * columns + 4;
    positions * (row + 12) + 200 * plan.weights(set) as u64 + sparse.counting_bytes()
}

/// Refuses what the machine has no room for, where it tells how much it has.
pub(super) fn check_memory(needed: u64) -> Result<(), LabError> {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let available = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    match available {
        Some(kib) if needed > kib << 10 => Err(LabError::Settings(format!(
            "the fit needs about {} MiB, but {} MiB are free; take fewer positions with \
             `evalsmith data sample`, or fewer patterns",
            needed / MIB,
            kib >> 10
        ))),
        _ => Ok(()),
    }
}

/// Says how much memory a fit takes.
pub(super) fn memory_in_words(needed: u64) -> String {
    format!("about {} MiB of memory", needed.div_ceil(MIB))
}

/// Whether a game is held out: it depends on the seed and the game's number alone.
pub(super) fn is_held_out(game: u32, share: f64, seed: u64) -> bool {
    rng::stream(seed, "hold-out", u64::from(game)).random::<f64>() < share
}

/// The states of sparse patterns that at least so many positions of games not held out
/// are in.
pub(super) fn valid_states(
    game: &DynGame,
    dataset: &Dataset,
    sparse: &SparseSet,
    min_count: u16,
    (share, seed): (f64, u64),
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, LabError> {
    let atoms = game.atoms().expect("the set was made of them");
    let mut values = vec![0; atoms.names().len()];
    let mut counts = sparse.no_counts();
    let (mut current, mut held) = (None, false);
    progress.begin("states of sparse patterns", dataset.len(), "positions");
    for batch in dataset.rows() {
        if progress.stopped() {
            return Err(LabError::Stopped);
        }
        let batch = batch?;
        for row in batch.rows() {
            if current != Some(row.game) {
                current = Some(row.game);
                held = is_held_out(row.game, share, seed);
            }
            if !held {
                atoms.write(&game.unpack(row.position)?.0, &mut values);
                sparse.count(&values, &mut counts);
            }
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    Ok(counts.valid(min_count))
}

/// Reads all labelled positions; games held out depend on the seed and their number.
pub(super) fn collect(
    game: &DynGame,
    dataset: &Dataset,
    (plan, set, sparse): (&PatternPlan, &PatternSet, &SparseSet),
    groups: StageGroups,
    targets: &Targets,
    (share, seed): (f64, u64),
    progress: &dyn Progress,
) -> Result<Collected, LabError> {
    let atoms = game.atoms().expect("the set was made of them");
    let features = game.features();
    let empty = plan.rows(set, sparse);
    let mut found = Collected {
        groups: (0..groups.count())
            .map(|_| GroupRows { train: empty.clone(), holdout: empty.clone() })
            .collect(),
        unlabelled: 0,
        games: [0; 2],
    };
    let names = targets.names();
    let mut values = vec![0; atoms.names().len()];
    let (mut labels, mut active, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    let (mut current, mut held, mut seen) = (None, false, false);
    progress.begin("positions", dataset.len(), "positions");
    for batch in dataset.rows() {
        if progress.stopped() {
            return Err(LabError::Stopped);
        }
        let batch = batch?;
        for (i, row) in batch.rows().enumerate() {
            if current != Some(row.game) {
                current = Some(row.game);
                (held, seen) = (is_held_out(row.game, share, seed), false);
            }
            batch.labels_of(i, names.iter().copied(), &mut labels);
            let margin = row.outcome.map(Outcome::margin);
            let Some(target) = targets.of(margin, &labels) else {
                found.unlabelled += 1;
                continue;
            };
            if !seen {
                seen = true;
                found.games[usize::from(held)] += 1;
            }
            let (position, _) = game.unpack(row.position)?;
            atoms.write(&position, &mut values);
            active.clear();
            set.append_active(&values, &mut active);
            if !plan.counts.is_empty() {
                counted.clear();
                features.append_all(&position, &mut counted);
                let places = plan.counts.iter().zip(&counted).map(|(c, &v)| c.place(v) as u32);
                active.extend(places);
            }
            sparse.append_active(&values, &mut active);
            let rows = &mut found.groups[groups.of(row.stage)];
            if held { &mut rows.holdout } else { &mut rows.train }.push(&active, target);
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    Ok(found)
}
