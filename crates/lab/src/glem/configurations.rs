//! Configurations found in a dataset and fitted to it, for any game that names atoms
//! (buro98 sections 2 to 4).
//!
//! Three steps: `GenConf` lists the conjunctions that match often enough among the
//! positions to be fitted; those that say something about the label are kept; the most
//! specific active ones of every position are fitted, beside linear terms.
//!
//! The one invariant to know: games held out take part in no step but the judgement.

use super::fit::{check_counts, groups_of};
use super::outcome::{GroupReport, LinkName, table};
use super::rows::{Targets, check_memory, is_held_out};
use crate::LabError;
use evalsmith_core::{Features, Game, Outcome, Progress};
use evalsmith_data::Dataset;
use evalsmith_learn::{
    ConfigurationDag, ConfigurationFile, ConfigurationModel, ConfigurationParams, DagScratch,
    GroupParams, GroupRows, LearnError, MatchHeuristic, Relation, SparseRows, StageGroups,
    configurations, fit_group, probable_configurations, with_terms,
};
use evalsmith_report::Table;
use evalsmith_rules::DynGame;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::Path;

/// Active configurations of a position there is room for.
const MOST_ACTIVE: usize = 4096;

/// How to find and fit configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationPlan {
    /// Matching positions that make a configuration valid.
    pub min_count: u32,
    /// The most relations of a configuration.
    pub max_length: usize,
    /// The most configurations there is room for.
    pub most: usize,
    /// Keeps only configurations whose positions' labels differ from the mean of all by
    /// so many standard errors; zero keeps all.
    pub significance: f64,
    /// Decides on samples of so many positions at once, with this confidence.
    pub heuristic: Option<(usize, f64)>,
    /// Features with a weight that multiplies their value.
    pub terms: Vec<String>,
    /// Labels by name: the first that a position has counts.
    pub labels: Vec<String>,
    /// What the weights add up to.
    pub link: LinkName,
    /// Stages that share weights.
    pub stage_width: usize,
    /// Groups of stages, at most.
    pub groups: usize,
    /// Neighbouring groups on either side whose positions speak too.
    pub radius: usize,
    /// How firmly weights are held to zero, in positions; several are tried.
    pub ridges: Vec<f64>,
    /// The share of games held out.
    pub holdout: f64,
    /// Chooses the games held out.
    pub seed: u64,
}

impl Default for ConfigurationPlan {
    fn default() -> Self {
        let GroupParams { radius, ridges, .. } = GroupParams::default();
        Self {
            min_count: 500,
            max_length: 2,
            most: 200_000,
            significance: 0.0,
            heuristic: None,
            terms: Vec::new(),
            labels: vec![super::rows::RESULT.into()],
            link: LinkName::Margin,
            stage_width: 4,
            groups: 13,
            radius,
            ridges,
            holdout: 0.1,
            seed: 1,
        }
    }
}

/// A fitted model of configurations with what is known of it.
#[derive(Clone, Debug)]
pub struct ConfigurationFitted {
    /// The model, and what made it.
    pub file: ConfigurationFile,
    /// Group by group.
    pub reports: Vec<GroupReport>,
    /// Configurations that matched often enough.
    pub valid: usize,
    /// Active configurations of a position, at most.
    pub active: usize,
    unit: String,
}

impl ConfigurationFitted {
    /// The errors by group of stages.
    pub fn table(&self) -> Table {
        table(&self.reports, &self.unit)
    }

    /// The whole in a sentence.
    pub fn in_words(&self) -> String {
        let kept = self.file.model.dag.configurations().len();
        let error = super::outcome::mean_of(&self.reports, |r| r.holdout);
        let error =
            error.map_or_else(String::new, |e| format!("; error held out {e:.4} {}", self.unit));
        format!(
            "{} valid configurations, {kept} kept, at most {} of them active in a position{error}",
            self.valid, self.active
        )
    }
}

/// The labelled positions of a dataset, by their atoms.
struct Seen {
    atoms: Vec<u8>,
    factors: Vec<f32>,
    targets: Vec<f32>,
    groups: Vec<u8>,
    held: Vec<bool>,
    games: [u64; 2],
    unlabelled: u64,
}

/// Finds and fits configurations and writes the model, in which `command` is told.
///
/// # Errors
/// When the game names no atoms, the plan makes no sense, the dataset cannot be read, is
/// of another game or has no labelled positions, there are too many configurations, there
/// is no room for them, the file cannot be written, or the job is stopped.
pub fn fit_configurations(
    game: &DynGame,
    dataset: &Dataset,
    plan: &ConfigurationPlan,
    output: &Path,
    command: &str,
    progress: &dyn Progress,
) -> Result<ConfigurationFitted, LabError> {
    let wrong = |message: String| LabError::Settings(message);
    dataset.expect_game(game.name())?;
    super::fit::check_numbers(&plan.labels, &plan.ridges, plan.holdout)?;
    let (game, places) = &with_terms(game, &plan.terms)?;
    let Some(atoms) = game.atoms() else {
        return Err(LearnError::NoAtoms { game: game.name().to_owned() }.into());
    };
    let groups = groups_of(game, plan.stage_width, plan.groups, false)?;
    let (names, ranges) = (atoms.names(), atoms.ranges());
    let bytes = dataset.len() * (names.len() + 4 * plan.terms.len() + 10) as u64;
    // The sample's copy, the bit rows and the rows of the fit together take about thrice
    // what the atoms do.
    check_memory(4 * bytes)?;
    let seen = read(game, places, dataset, plan, groups, progress)?;
    check_counts(seen.games, seen.unlabelled, &plan.labels, plan.holdout)?;

    let found = find(&seen, &ranges, plan, progress)?;
    let valid = found.len();
    let (kept, counts) = significant(found, &seen, ranges.len(), plan.significance);
    if kept.is_empty() && plan.terms.is_empty() {
        return Err(wrong(format!(
            "no configuration matches {} positions or more; ask for fewer with --min-count",
            plan.min_count
        )));
    }
    let dag = ConfigurationDag::new(kept);
    let (rows, active) = rows_of(&dag, &seen, ranges.len(), plan.terms.len(), groups.count())?;
    progress.note(&format!(
        "{valid} valid configurations, {} kept, at most {active} active in a position",
        dag.configurations().len()
    ));

    let pad = dag.configurations().len() as u32;
    let params = GroupParams {
        link: plan.link.link(),
        radius: plan.radius,
        ridges: plan.ridges.clone(),
        fixed: vec![pad],
        ..GroupParams::default()
    };
    let prior = vec![0.0; dag.configurations().len() + 1 + plan.terms.len()];
    let (mut reports, mut weights) = (Vec::new(), Vec::new());
    progress.begin("groups of stages", groups.count() as u64, "groups");
    for group in 0..groups.count() {
        let mut stopped = false;
        let fit = fit_group(&rows, group, &prior, &params, &mut |_| {
            stopped = progress.stopped();
            !stopped
        });
        if stopped {
            return Err(LabError::Abandoned);
        }
        reports.push(GroupReport::new(groups.bounds(group), &rows[group], &fit, None));
        let (configured, rest) = fit.weights.split_at(pad as usize);
        weights.extend_from_slice(configured);
        weights.extend_from_slice(&rest[1..]);
        progress.advance(1);
    }
    progress.end();
    let made_by = serde_json::json!({
        "command": command,
        "data": dataset.digest()?.to_string(),
        "plan": plan,
        "groups": reports,
    });
    let unit = plan.link.unit();
    let terms = plan.terms.clone();
    let model = ConfigurationModel { atoms: names, terms, groups, unit, dag, counts, weights };
    let file = ConfigurationFile { game: game.name().into(), made_by, model };
    file.save(output)?;
    Ok(ConfigurationFitted {
        file,
        reports,
        valid,
        active,
        unit: plan.link.errors_in(game).to_owned(),
    })
}

fn read(
    game: &DynGame,
    places: &[usize],
    dataset: &Dataset,
    plan: &ConfigurationPlan,
    groups: StageGroups,
    progress: &dyn Progress,
) -> Result<Seen, LabError> {
    let atoms = game.atoms().expect("asked before");
    let features = game.features();
    let targets = Targets::new(dataset, &plan.labels, plan.link)?;
    let names = targets.names();
    let mut seen = Seen {
        atoms: Vec::new(),
        factors: Vec::new(),
        targets: Vec::new(),
        groups: Vec::new(),
        held: Vec::new(),
        games: [0; 2],
        unlabelled: 0,
    };
    let mut values = vec![0; atoms.names().len()];
    let (mut labels, mut current, mut held, mut met) = (Vec::new(), None, false, false);
    progress.begin("positions", dataset.len(), "positions");
    for batch in dataset.rows() {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        let batch = batch?;
        for (i, row) in batch.rows().enumerate() {
            if current != Some(row.game) {
                current = Some(row.game);
                (held, met) = (is_held_out(row.game, plan.holdout, plan.seed), false);
            }
            batch.labels_of(i, names.iter().copied(), &mut labels);
            let Some(target) = targets.of(row.outcome.map(Outcome::margin), &labels) else {
                seen.unlabelled += 1;
                continue;
            };
            if !met {
                met = true;
                seen.games[usize::from(held)] += 1;
            }
            let (position, _) = game.unpack(row.position)?;
            atoms.write(&position, &mut values);
            seen.atoms.extend_from_slice(&values);
            let mut scratch = Vec::default();
            let term = |&place: &usize| features.get(&position, place, &mut scratch);
            seen.factors.extend(places.iter().map(term));
            seen.targets.push(target);
            seen.groups.push(groups.of(row.stage) as u8);
            seen.held.push(held);
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    Ok(seen)
}

/// Configurations with the positions behind them.
type Counted = Vec<(Vec<Relation>, u32)>;

/// The valid configurations of the positions that are not held out.
fn find(
    seen: &Seen,
    ranges: &[u8],
    plan: &ConfigurationPlan,
    progress: &dyn Progress,
) -> Result<Counted, LabError> {
    let rows = seen.atoms.chunks_exact(ranges.len()).zip(&seen.held);
    let fitted: Vec<u8> =
        rows.filter(|(_, held)| !**held).flat_map(|(row, _)| row).copied().collect();
    let params = ConfigurationParams { min_count: plan.min_count, max_length: plan.max_length };
    let (mut found, mut too_many, mut stopped) = (Vec::new(), false, false);
    let visit = |relations: &[Relation], count: u32| {
        too_many = found.len() == plan.most;
        stopped = progress.stopped();
        if too_many || stopped {
            return ControlFlow::Break(());
        }
        found.push((relations.to_vec(), count));
        ControlFlow::Continue(())
    };
    let done = match plan.heuristic {
        None => configurations(&fitted, ranges, &params, visit),
        Some((chunk, confidence)) => {
            let heuristic = MatchHeuristic { chunk, confidence, seed: plan.seed };
            probable_configurations(&fitted, ranges, &params, &heuristic, visit)
        }
    };
    done.map_err(|e| LabError::Settings(e.to_string()))?;
    if stopped {
        return Err(LabError::Abandoned);
    }
    if too_many {
        return Err(LabError::Settings(format!(
            "more than {} configurations of up to {} relations match {} positions; ask for more \
             positions with --min-count, fewer relations with --max-length, or make room with \
             --most",
            plan.most, plan.max_length, plan.min_count
        )));
    }
    Ok(found)
}

/// The configurations whose labels differ from the mean of all by `least` standard
/// errors, and the positions behind them.
fn significant(
    found: Counted,
    seen: &Seen,
    atoms: usize,
    least: f64,
) -> (Vec<Vec<Relation>>, Vec<u32>) {
    if least <= 0.0 {
        return found.into_iter().unzip();
    }
    let dag = ConfigurationDag::new(found.iter().map(|(relations, _)| relations.clone()).collect());
    let mut sums = vec![(0.0_f64, 0.0_f64, 0.0_f64); found.len()];
    let (mut scratch, mut matching) = (DagScratch::default(), Vec::new());
    let (mut total, mut rows) = (0.0, 0.0);
    for (row, values) in seen.atoms.chunks_exact(atoms).enumerate().filter(|&(i, _)| !seen.held[i])
    {
        let label = f64::from(seen.targets[row]);
        matching.clear();
        dag.append_matching(values, &mut scratch, &mut matching);
        for &i in &matching {
            let (n, sum, squares) = &mut sums[i as usize];
            *n += 1.0;
            *sum += label;
            *squares += label * label;
        }
        total += label;
        rows += 1.0;
    }
    let mean = total / f64::max(rows, 1.0);
    let told = |&(n, sum, squares): &(f64, f64, f64)| {
        let own = sum / f64::max(n, 1.0);
        let variance = (squares / f64::max(n, 1.0) - own * own).max(0.0);
        (own - mean).abs() >= least * (variance / f64::max(n, 1.0)).sqrt()
    };
    found.into_iter().zip(&sums).filter(|(_, sums)| told(sums)).map(|(found, _)| found).unzip()
}

/// The rows of every group, and the most active configurations of a position. Rows with
/// fewer are filled up with a weight that stays zero.
fn rows_of(
    dag: &ConfigurationDag,
    seen: &Seen,
    atoms: usize,
    terms: usize,
    groups: usize,
) -> Result<(Vec<GroupRows>, usize), LabError> {
    let (mut scratch, mut active) = (DagScratch::default(), Vec::new());
    let mut width = 1;
    for values in seen.atoms.chunks_exact(atoms) {
        active.clear();
        dag.append_active(values, &mut scratch, &mut active);
        width = width.max(active.len());
    }
    if width > MOST_ACTIVE {
        return Err(LabError::Settings(format!(
            "a position has {width} active configurations, and there is room for {MOST_ACTIVE}; \
             ask for fewer relations with --max-length, or more positions with --min-count"
        )));
    }
    let pad = dag.configurations().len() as u32;
    check_memory((seen.targets.len() * width) as u64 * if pad < 1 << 16 { 2 } else { 4 })?;
    let (bases, sizes) = (vec![0; width], vec![pad + 1; width]);
    let empty = SparseRows::with_tables(bases, sizes, pad as usize + 1).with_linear_terms(terms);
    let mut rows: Vec<GroupRows> =
        (0..groups).map(|_| GroupRows { train: empty.clone(), holdout: empty.clone() }).collect();
    for (row, values) in seen.atoms.chunks_exact(atoms).enumerate() {
        active.clear();
        dag.append_active(values, &mut scratch, &mut active);
        active.sort_unstable();
        active.resize(width, pad);
        let factors = &seen.factors[row * terms..(row + 1) * terms];
        let group = &mut rows[usize::from(seen.groups[row])];
        let rows = if seen.held[row] { &mut group.holdout } else { &mut group.train };
        rows.push_with(&active, factors, seen.targets[row]);
    }
    Ok((rows, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{FunctionName, open};
    use evalsmith_core::Quiet;
    use evalsmith_core::conformance::check_evaluation;
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_learn::Function;
    use evalsmith_othello::Othello;

    #[test]
    fn configurations_of_othello_are_found_fitted_and_play() {
        let folder = tempfile::tempdir().unwrap();
        let (game, data) = (DynGame::new(Othello::new()), folder.path().join("data"));
        let play = SelfPlay { games: 150, depth: 1, opening_plies: 8, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &game.function_by_hand().unwrap(), &play, &maker, &data, &Quiet).unwrap();
        let dataset = Dataset::open(&data).unwrap();
        let plan = ConfigurationPlan {
            min_count: 3000,
            terms: vec!["moves".into()],
            groups: 3,
            stage_width: 20,
            ..ConfigurationPlan::default()
        };
        let out = folder.path().join("m");
        let fit = |plan: &ConfigurationPlan| {
            fit_configurations(&game, &dataset, plan, &out, "test", &Quiet)
        };
        let fitted = fit(&plan).unwrap();
        let last = &fitted.reports[2];
        assert!(last.holdout.unwrap() < 0.95 * last.before.unwrap(), "{last:?}");
        let name = FunctionName::File(out.clone());
        open(&game, &name).unwrap();
        let typed = Function::open_file(&Othello::new(), &out).unwrap();
        check_evaluation(&Othello::new(), &typed, 5, 1e-3);

        let strict = ConfigurationPlan { significance: 4.0, ..plan.clone() };
        let fewer = fit(&strict).unwrap();
        assert_eq!(fewer.valid, fitted.valid);
        let kept = |fitted: &ConfigurationFitted| fitted.file.model.dag.configurations().len();
        assert!(kept(&fewer) < kept(&fitted) && kept(&fewer) > 0);

        let error = |plan: ConfigurationPlan| fit(&plan).unwrap_err().to_string();
        assert!(error(ConfigurationPlan { most: 5, ..plan.clone() }).contains("--min-count"));
        let none = ConfigurationPlan { min_count: u32::MAX, terms: Vec::new(), ..plan.clone() };
        assert!(error(none).contains("ask for fewer"));
        let unknown = ConfigurationPlan { terms: vec!["luck".into()], ..plan };
        assert!(error(unknown).contains("luck"));
    }
}
