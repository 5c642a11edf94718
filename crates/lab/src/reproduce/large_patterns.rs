//! Large sparse patterns beside the usual ones (buro98, Figs. 7 and 8 and Table 1): how
//! many of their states are valid, the tables they need, the fit over its passes, and
//! what they are worth in play at equal time and with less of it.

use super::ground::{Named, match_table, significance};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::glem::{GroupReport, PatternFitPlan, fit_patterns};
use crate::pace::Pace;
use evalsmith_arena::Calibration;
use evalsmith_data::Dataset;
use evalsmith_learn::{PatternFile, PatternFunction};
use evalsmith_report::{Align, LineChart, Series, Style, Table, number};
use evalsmith_rules::DynFeatures;
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};

/// Versions with large patterns against the one without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LargePatterns {
    /// The set that all versions have.
    base: String,
    opening_plies: u16,
    /// The paper's number of valid states of a large pattern, and the positions that
    /// make a state valid.
    published_valid: usize,
    published_min_count: u16,
    /// The paper's number of cells of a table.
    published_cells: usize,
    /// The matches of Table 1.
    matches: Vec<Published>,
}

/// A row of Table 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// The large patterns, as in `A+B`.
    added: String,
    /// Minutes of the version with them, and of the one without.
    minutes: [u32; 2],
    /// The share of nodes that the version with them searched.
    nodes: f64,
    wins: u32,
    draws: u32,
    losses: u32,
}

impl Published {
    fn share(&self) -> f64 {
        let games = f64::from(self.wins + self.draws + self.losses);
        (f64::from(self.wins) + 0.5 * f64::from(self.draws)) / games
    }
}

/// A version, and what is known of its fit.
struct Version {
    named: Named,
    patterns: PatternFunction<DynFeatures>,
    reports: Vec<GroupReport>,
}

impl LargePatterns {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let dataset = ground.dataset()?;
        let base = self.version(ground, &dataset, &self.base)?;
        let mut versions: Vec<(String, Version)> = Vec::new();
        for row in &self.matches {
            if versions.iter().all(|(added, _)| *added != row.added) {
                let set = format!("{}+{}", self.base, row.added);
                versions.push((row.added.clone(), self.version(ground, &dataset, &set)?));
            }
        }
        let openings = ground.openings(self.opening_plies)?;
        let micros = ground.size.cpu_micros;
        let mut met: Vec<(&Published, MatchStats, f64)> = Vec::new();
        for row in &self.matches {
            let (_, version) =
                versions.iter().find(|(added, _)| *added == row.added).expect("fitted above");
            let [own, other] = row.minutes;
            let log = format!("{}-{own}-{other}", row.added);
            let time = micros * u64::from(own) / u64::from(other.max(1));
            let pace = [Pace::cpu_micros(time.max(1)), Pace::cpu_micros(micros)];
            let stats =
                ground.meet(&log, (&version.named, pace[0]), (&base.named, pace[1]), &openings)?;
            let path = ground.folder.join(&format!("{log}-calibration.json"));
            let ns = Calibration::load(&path)?.ns_per_node;
            met.push((row, stats, f64::from(own) / f64::from(other) * ns[1] / ns[0]));
        }
        let states = self.states(dataset.len(), &versions);
        let errors = errors(&base, &versions);
        let rows = met.iter().map(|(row, stats, nodes)| {
            let [own, other] = row.minutes;
            let name = format!("+{}, time {own} to {other}, nodes {nodes:.2}", row.added);
            let paper = format!(
                "{} {}-{}-{}, nodes {:.2}",
                number::percent(row.share(), 1),
                row.wins,
                row.draws,
                row.losses,
                row.nodes
            );
            (name, stats, paper)
        });
        let played = match_table(rows);
        let sentences: Vec<String> = met.iter().map(|(row, stats, _)| told(row, stats)).collect();
        let verdict = format!(
            "{} Positions, labels and search are this program's own: {} positions of self-play, \
             where the paper had eleven million.",
            sentences.join(" "),
            dataset.len()
        );
        let mut made = ground.told(vec![states, errors, played], verdict);
        made.charts.push((curve(&base.reports), "Mean over all groups of stages.".into()));
        Ok(made)
    }

    /// A version, fitted now unless it is there.
    fn version(
        &self,
        ground: &Ground<'_>,
        dataset: &Dataset,
        set: &str,
    ) -> Result<Version, LabError> {
        let path = ground.folder.join(&format!("{set}.model"));
        if !path.exists() {
            let mut plan = PatternFitPlan::new(set.to_owned().into());
            plan.min_count = self.min_count(dataset.len());
            plan.seed = ground.seed;
            fit_patterns(
                ground.game,
                dataset,
                &plan,
                None,
                &path,
                &ground.title(),
                ground.progress,
            )?;
        }
        let file = PatternFile::load(&path)?;
        let reports = serde_json::from_value(file.made_by["groups"].clone()).map_err(|e| {
            let path = path.clone();
            LabError::Unreadable { path, reason: format!("{e}; remove it and run again") }
        })?;
        let named = Named { name: set.to_owned(), function: ground.game.open_function(&path)? };
        let patterns = PatternFunction::open(ground.game, file)?;
        Ok(Version { named, patterns, reports })
    }

    /// What makes a state valid among fewer positions than the paper's: less, but no
    /// fewer than can tell anything.
    fn min_count(&self, positions: u64) -> u16 {
        if positions >= PAPERS_POSITIONS { self.published_min_count } else { FEWEST }
    }

    fn states(&self, positions: u64, versions: &[(String, Version)]) -> Table {
        let mut table = Table::new([
            "pattern",
            "positions",
            "at least",
            "valid states",
            "cells",
            "used",
            "paper",
        ])
        .align([Align::Left].into_iter().chain([Align::Right; 5]).chain([Align::Left]))
        .caption("States with a weight, and the tables they need");
        let mut seen = Vec::new();
        for (_, version) in versions {
            let function = &version.patterns;
            let names = function.model().plan().sparse.iter().map(|pattern| &pattern.name);
            let tables = function.tables().sparse_tables();
            for ((name, valid), (cells, fill)) in names.zip(function.model().valid()).zip(tables) {
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                table.push([
                    name.clone(),
                    positions.to_string(),
                    self.min_count(positions).to_string(),
                    valid.len().to_string(),
                    cells.to_string(),
                    number::percent(fill, 0),
                    format!(
                        "about {} at {} of 11 million, about {} cells",
                        self.published_valid, self.published_min_count, self.published_cells
                    ),
                ]);
            }
        }
        table
    }
}

/// The training positions of the paper.
const PAPERS_POSITIONS: u64 = 11_000_000;
/// The fewest positions that make a state valid.
const FEWEST: u16 = 20;

fn told(row: &Published, stats: &MatchStats) -> String {
    let [own, other] = row.minutes;
    let interval = stats.share_interval;
    let inside = (interval.low..=interval.high).contains(&row.share());
    format!(
        "+{} at {own} to {other}: {} (95 % {} to {}), {}; the paper's {} lies {} that interval.",
        row.added,
        stats.share.map_or("-".into(), |share| number::percent(share, 1)),
        number::percent(interval.low, 1),
        number::percent(interval.high, 1),
        significance(stats),
        number::percent(row.share(), 1),
        if inside { "inside" } else { "outside" },
    )
}

/// The error held out of every version.
fn errors(base: &Version, versions: &[(String, Version)]) -> Table {
    let mut table = Table::new(["patterns", "error held out"])
        .align([Align::Left, Align::Right])
        .caption("Errors of the fits, in discs");
    for version in std::iter::once(base).chain(versions.iter().map(|(_, version)| version)) {
        let error = crate::glem::mean_of(&version.reports, |report| report.holdout);
        let error = error.map_or_else(|| "-".into(), |error| number::fixed(error, 3));
        table.push([version.named.name.clone(), error]);
    }
    table
}

/// The errors over the passes of the first fit, over all groups.
fn curve(reports: &[GroupReport]) -> LineChart {
    let passes = reports.iter().map(|report| report.trace.len()).max().unwrap_or_default();
    let line = |name: &str, of: fn((f64, Option<f64>)) -> Option<f64>| {
        let at = |pass: usize| {
            let error =
                |report: &GroupReport| of(*report.trace.get(pass).or(report.trace.last())?);
            Some((pass as f64, crate::glem::mean_of(reports, error)?))
        };
        Series::new(name, (0..passes).filter_map(at).collect()).style(Style::Line)
    };
    LineChart {
        title: "The fit over its passes".into(),
        x_label: "passes".into(),
        y_label: "error, discs".into(),
        series: vec![line("fitted", |pass| Some(pass.0)), line("held out", |pass| pass.1)],
        ..LineChart::default()
    }
}
