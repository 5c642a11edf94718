//! From a dataset to a pattern model, judged on games it has not seen.
//!
//! Groups of stages are fitted one after the other, and each is written down when it
//! is done: the same command goes on behind the last one.
//!
//! The one invariant to know: a group's weights depend on the plan, the rows and the
//! model begun with, never on threads or on where an earlier run stopped.

use super::begun::begin_with;
use super::checkpoint::{Standing, checkpoint_of, forget, resume, save_standing};
use super::outcome::{GroupReport, LinkName, mean_of, table};
use super::rows::{Targets, bytes_needed, check_memory, collect, memory_in_words, valid_states};
use super::sets::PatternSource;
use crate::LabError;
use evalsmith_core::files::{Lock, behind_links, remove_stale};
use evalsmith_core::{Game, Progress};
use evalsmith_data::Dataset;
use evalsmith_learn::{
    GroupParams, GroupRows, PatternFile, PatternModel, PatternPlan, PatternSet, PatternTables,
    RoundedGroup, SparseMethod, StageGroups, TypeRule, check_for_play, fit_group, set_of,
    sparse_error, sparse_of, with_counted,
};
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::DynGame;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

/// How to fit patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternFitPlan {
    /// Where the patterns come from.
    pub patterns: PatternSource,
    /// Labels by name: the first that a position has counts. `result` is that of its game.
    pub labels: Vec<String>,
    /// What the weights add up to.
    pub link: LinkName,
    /// Stages that share weights.
    pub stage_width: usize,
    /// Groups of stages, at most.
    pub groups: usize,
    /// Whether stages of even and of odd number have weights of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parity: bool,
    /// Neighbouring groups on either side whose positions speak too.
    pub radius: usize,
    /// How firmly weights are held to their prior, in positions; several are tried.
    pub ridges: Vec<f64>,
    /// The share of games held out.
    pub holdout: f64,
    /// Chooses the games held out.
    pub seed: u64,
    /// Positions that make a state of a sparse pattern valid.
    pub min_count: u16,
    /// Where weights of states that a group has met seldom come from; none tries all
    /// rules and takes the best on the games held out.
    pub types: Option<TypeRule>,
    /// Steps by the paper's plain gradient, with this momentum, instead of conjugate
    /// gradients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f64>,
    /// No free weight grows larger than this, in the unit of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_weight: Option<f32>,
    /// Patterns whose weights stay as they begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<String>,
}

/// Passes of the paper's gradient, and those without gain before it ends: it is slow.
const GRADIENT_PASSES: [usize; 2] = [250, 12];

impl PatternFitPlan {
    /// The usual fit of some patterns to the results of games.
    pub fn new(patterns: PatternSource) -> Self {
        let GroupParams { radius, ridges, .. } = GroupParams::default();
        Self {
            patterns,
            labels: vec![super::rows::RESULT.into()],
            link: LinkName::default(),
            stage_width: 4,
            groups: 13,
            parity: false,
            radius,
            ridges,
            holdout: 0.1,
            seed: 1,
            min_count: 75,
            types: Some(TypeRule::default()),
            momentum: None,
            most_weight: None,
            fix: Vec::new(),
        }
    }
}

impl PatternFitPlan {
    fn check_steps(&self) -> Result<(), LabError> {
        if let Some(momentum) = self.momentum.filter(|m| !(0.0..1.0).contains(m)) {
            let message = format!("a momentum lies from 0 to below 1, not at {momentum}");
            return Err(LabError::Settings(message));
        }
        if let Some(most) = self.most_weight.filter(|most| !(*most > 0.0 && most.is_finite())) {
            let message = format!("the largest weight is above 0, not {most}");
            return Err(LabError::Settings(message));
        }
        Ok(())
    }

    /// The usual steps, or the paper's.
    fn steps(&self) -> GroupParams {
        let usual = GroupParams::default();
        let Some(momentum) = self.momentum else { return usual };
        let [iterations, patience] = GRADIENT_PASSES;
        let method = SparseMethod::Gradient { momentum };
        GroupParams { method, iterations, patience, ..usual }
    }
}

/// The weights of patterns that stay as they begin.
fn kept(names: &[String], patterns: &PatternPlan, set: &PatternSet) -> Result<Vec<u32>, LabError> {
    let known: Vec<&str> = patterns.patterns.iter().map(|p| p.name.as_str()).collect();
    let mut kept = Vec::new();
    for name in names {
        let Some(at) = known.iter().position(|known| known == name) else {
            let known = known.join(", ");
            let message = format!("there is no pattern {name:?} to fix; there are {known}");
            return Err(LabError::Settings(message));
        };
        let end = if at + 1 < known.len() { set.base_of(at + 1) } else { set.weights() };
        kept.extend(set.base_of(at) as u32..end as u32);
    }
    Ok(kept)
}

/// Refuses numbers that no fit has a use for.
pub(super) fn check_numbers(
    labels: &[String],
    ridges: &[f64],
    holdout: f64,
) -> Result<(), LabError> {
    let wrong = |message: String| Err(LabError::Settings(message));
    if labels.is_empty() {
        return wrong("name a label to fit, or `result`".into());
    }
    if let Some(ridge) = ridges.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
        return wrong(format!("weights are held by 0 positions or more, not by {ridge}"));
    }
    if ridges.is_empty() {
        return wrong("say how firmly weights are held to their prior".into());
    }
    if !(0.0..1.0).contains(&holdout) {
        return wrong(format!("the share held out lies from 0 to below 1, not at {holdout}"));
    }
    Ok(())
}

/// A fitted pattern model with what is known of it.
#[derive(Clone, Debug)]
pub struct PatternFitted {
    /// The model, and what made it.
    pub file: PatternFile,
    /// Group by group.
    pub reports: Vec<GroupReport>,
    /// Positions without a label, left out.
    pub unlabelled: u64,
    /// Cells of each sparse pattern's table, and the share of them in use.
    pub sparse: Vec<(usize, f64)>,
    /// The error held out of each rule for seldom states, where they were compared.
    pub compared: Vec<(TypeRule, f64)>,
    unit: String,
}

impl PatternFitted {
    /// The errors by group of stages.
    pub fn table(&self) -> Table {
        table(&self.reports, &self.unit)
    }

    /// The rules for seldom states beside one another, where they were compared.
    pub fn compared_table(&self) -> Option<Table> {
        let mut table = Table::new(["rule", "hold-out"]).align([Align::Left, Align::Right]);
        table.caption = format!("weights of seldom states: errors in {}", self.unit);
        for (rule, error) in &self.compared {
            table.push([rule.name().to_owned(), number::fixed(*error, 4)]);
        }
        (!self.compared.is_empty()).then_some(table)
    }

    /// The whole in a sentence.
    pub fn in_words(&self) -> String {
        let positions: u64 = self.reports.iter().map(|r| r.positions + r.held_out).sum();
        let mean = |error: fn(&GroupReport) -> Option<f64>| mean_of(&self.reports, error);
        let errors = match (mean(|r| r.holdout), mean(|r| r.rounded)) {
            (Some(fitted), Some(rounded)) => format!(
                "; error held out {fitted:.4} {}, {rounded:.4} with weights of 16 bits",
                self.unit
            ),
            _ => String::new(),
        };
        let unlabelled = match self.unlabelled {
            0 => String::new(),
            left_out => format!(", {left_out} without a label left out"),
        };
        let weights = self.file.model.steps().len();
        let model = &self.file.model;
        let sparse = model.plan().sparse.iter().zip(model.valid()).zip(&self.sparse);
        let sparse = sparse.map(|((pattern, valid), (cells, fill))| {
            format!(
                "; {}: {} valid states in a table of {cells} cells, {:.0} % of them used",
                pattern.name,
                valid.len(),
                100.0 * fill
            )
        });
        let sparse: String = sparse.collect();
        format!("{weights} weights from {positions} positions{unlabelled}{errors}{sparse}")
    }
}

/// Fits patterns to a dataset and writes the model, in which `command` is told. Until
/// the whole is written, what is done stands beside it.
///
/// # Errors
/// When the plan makes no sense, the dataset cannot be read, is of another game or
/// has no labelled positions, there is no room for them, a file cannot be written, or
/// the job is stopped.
pub fn fit_patterns(
    game: &DynGame,
    dataset: &Dataset,
    plan: &PatternFitPlan,
    start: Option<&Path>,
    output: &Path,
    command: &str,
    progress: &dyn Progress,
) -> Result<PatternFitted, LabError> {
    let output = &behind_links(output);
    let (checkpoint, _lock) = (&checkpoint_of(output), Lock::beside(output)?);
    remove_stale(output);
    check_numbers(&plan.labels, &plan.ridges, plan.holdout)?;
    dataset.expect_game(game.name())?;
    plan.check_steps()?;
    let patterns = plan.patterns.read()?;
    let set = set_of(game, &patterns)?;
    let kept = kept(&plan.fix, &patterns, &set)?;
    let sparse = sparse_of(game, &patterns)?;
    check_for_play(&set, &sparse).map_err(|e| LabError::Settings(e.to_string()))?;
    let game = &with_counted(game, &patterns)?;
    let groups = groups_of(game, plan.stage_width, plan.groups, plan.parity)?;
    let begun =
        start.map(|path| begin_with(game, path, &patterns, groups, plan.link)).transpose()?;
    let targets = Targets::new(dataset, &plan.labels, plan.link)?;
    let needed = bytes_needed(dataset.len(), &patterns, &set, &sparse);
    progress.note(&format!(
        "{} positions with {} active weights each, {} weights in {} groups of stages: {}",
        dataset.len(),
        set.instances() + patterns.counts.len() + sparse.instances(),
        patterns.weights(&set) * groups.count(),
        groups.count(),
        memory_in_words(needed)
    ));
    check_memory(needed)?;
    let held = (plan.holdout, plan.seed);
    let valid = if patterns.sparse.is_empty() {
        Vec::new()
    } else {
        valid_states(game, dataset, &sparse, plan.min_count, held, progress)?
    };
    let sparse = sparse.with_valid(valid).map_err(|e| LabError::Settings(e.to_string()))?;
    let collected =
        collect(game, dataset, (&patterns, &set, &sparse), groups, &targets, held, progress)?;
    check_counts(collected.games, collected.unlabelled, &plan.labels, plan.holdout)?;

    let mut standing = Standing {
        plan: plan.clone(),
        patterns,
        data: dataset.digest()?.to_string(),
        start: begun.as_ref().map(|begun| begun.name.clone()),
        done: Vec::new(),
    };
    let mut rounded = resume(checkpoint, &mut standing)?;
    let first = standing.patterns.weights(&set);
    let width = first + sparse.weights();
    if let (Some(path), Some(begun)) = (start, &begun)
        && !begun.valid.iter().map(Vec::as_slice).eq(sparse.valid())
    {
        let reason = "its sparse patterns have other valid states than these positions; begin \
                      with a model of the same";
        return Err(LabError::Unreadable { path: path.to_owned(), reason: reason.into() });
    }
    let mut fit = Fit {
        rule: plan.types.unwrap_or_default(),
        plan,
        groups,
        rows: &collected.groups,
        unit: plan.link.errors_in(game).to_owned(),
        fixed: sparse.bases().iter().map(|&base| first as u32 + base).chain(kept).collect(),
        begun: begun.is_some(),
    };
    let prior = vec![0.0; width];
    let from = |group: usize| begun.as_ref().map_or(&prior, |begun| &begun.weights[group]);
    let compared = if plan.types.is_none() { fit.compare(&from, progress)? } else { Vec::new() };
    progress.begin("groups of stages", groups.count() as u64, "groups");
    progress.resume(rounded.len() as u64);
    while rounded.len() < groups.count() {
        let group = rounded.len();
        let (report, weights) = fit.group(group, from(group), progress)?;
        standing.done.push(report);
        rounded.push(weights);
        save_standing(checkpoint, &standing, &rounded, game.name(), groups)?;
        progress.advance(1);
    }
    progress.end();
    if begun.is_none() {
        fill_empty(&mut rounded, &collected.groups, &fit.params());
    }
    let Standing { plan, patterns, data, start: begun_with, done } = standing;
    let made_by = serde_json::json!({
        "command": command,
        "data": data,
        "start": begun_with,
        "plan": plan,
        "types": fit.rule,
        "groups": done,
    });
    let valid: Vec<Vec<u32>> = sparse.valid().map(<[u32]>::to_vec).collect();
    let model = PatternModel::new(patterns, groups, plan.link.unit(), rounded)?.with_valid(valid);
    let tables = PatternTables::new(&model, &set, &sparse)
        .map_err(|e| LabError::Settings(e.to_string()))?
        .sparse_tables();
    let file = PatternFile { game: game.name().into(), made_by, model };
    file.save(output)?;
    forget(checkpoint)?;
    let unlabelled = collected.unlabelled;
    let unit = fit.unit;
    Ok(PatternFitted { file, reports: done, unlabelled, sparse: tables, compared, unit })
}

/// So many groups of a game's stages, even and odd ones apart or together.
pub(super) fn groups_of(
    game: &DynGame,
    width: usize,
    count: usize,
    parity: bool,
) -> Result<StageGroups, LabError> {
    let groups = StageGroups::new(game.stages(), width, count).ok_or_else(|| {
        LabError::Settings(format!(
            "{count} groups of {width} stages cannot be: take one or more of each, at most 256"
        ))
    })?;
    if !parity {
        return Ok(groups);
    }
    groups.alternating().ok_or_else(|| {
        LabError::Settings(format!(
            "{count} groups of {width} stages have not all even and odd ones, or are more than \
             128; take wider ones, or leave out --parity"
        ))
    })
}

/// Refuses data without labels, and hold-outs that leave nothing on one side.
pub(super) fn check_counts(
    games: [u64; 2],
    unlabelled: u64,
    labels: &[String],
    share: f64,
) -> Result<(), LabError> {
    let wrong = |message: String| Err(LabError::Settings(message));
    match games {
        [0, 0] => wrong(format!(
            "none of the {unlabelled} positions has the label {}; add one with `evalsmith data \
             label`",
            labels.join(" or ")
        )),
        [0, held] => wrong(format!(
            "a hold-out of {share} leaves none of the {held} games to fit; take less"
        )),
        [games, 0] if share > 0.0 => wrong(format!(
            "a hold-out of {share} holds out none of the {games} games; take more, or 0"
        )),
        _ => Ok(()),
    }
}

/// Groups that no position spoke about take the weights of the nearest that has some.
fn fill_empty(rounded: &mut [RoundedGroup], rows: &[GroupRows], params: &GroupParams) {
    let spoken = |group: usize| params.near(rows, group).any(|near| !rows[near].train.is_empty());
    for group in (0..rounded.len()).filter(|&group| !spoken(group)) {
        let nearest = (0..rows.len()).filter(|&other| spoken(other));
        if let Some(nearest) = nearest.min_by_key(|other| other.abs_diff(group)) {
            rounded[group] = rounded[nearest].clone();
        }
    }
}

struct Fit<'a> {
    rule: TypeRule,
    plan: &'a PatternFitPlan,
    groups: StageGroups,
    rows: &'a [GroupRows],
    unit: String,
    /// Weights that stay zero.
    fixed: Vec<u32>,
    /// Whether the weights begin with those of a model.
    begun: bool,
}

impl Fit<'_> {
    fn params(&self) -> GroupParams {
        GroupParams {
            link: self.plan.link.link(),
            radius: self.plan.radius,
            lanes: self.groups.lanes(),
            ridges: self.plan.ridges.clone(),
            fixed: self.fixed.clone(),
            rule: self.rule,
            most: self.plan.most_weight,
            ..self.plan.steps()
        }
    }

    /// The error held out by every rule; the best is chosen.
    fn compare<'p>(
        &mut self,
        from: &impl Fn(usize) -> &'p Vec<f32>,
        progress: &dyn Progress,
    ) -> Result<Vec<(TypeRule, f64)>, LabError> {
        if self.plan.holdout == 0.0 {
            let message = "rules are compared on games held out: hold some out";
            return Err(LabError::Settings(message.into()));
        }
        let mut compared = Vec::new();
        for rule in TypeRule::ALL {
            self.rule = rule;
            let groups = 0..self.groups.count();
            let fits = groups.map(|group| Ok(self.group(group, from(group), progress)?.0));
            let reports = fits.collect::<Result<Vec<_>, LabError>>()?;
            compared.push((rule, mean_of(&reports, |r| r.holdout).unwrap_or_default()));
        }
        let best = compared.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        self.rule = best.map(|(rule, _)| *rule).unwrap_or_default();
        Ok(compared)
    }

    fn group(
        &self,
        group: usize,
        prior: &[f32],
        progress: &dyn Progress,
    ) -> Result<(GroupReport, RoundedGroup), LabError> {
        let mut params = self.params();
        if self.begun && self.rows[group].train.is_empty() {
            // What it began with is more its own than what its neighbours would say.
            params.radius = 0;
        }
        let (begun, mut went_over, mut stopped) = (Instant::now(), 0, false);
        let fit = fit_group(self.rows, group, prior, &params, &mut |rows| {
            went_over += rows;
            stopped = progress.stopped();
            !stopped
        });
        if stopped {
            return Err(LabError::Stopped);
        }
        let own = &self.rows[group];
        let rounded = RoundedGroup::new(&fit.weights)?.with_counts(&fit.counts);
        let error = sparse_error(&own.holdout, &rounded.weights(), params.link);
        let report = GroupReport::new(self.groups.bounds(group), own, &fit, error);
        let speed = went_over as f64 / begun.elapsed().as_secs_f64().max(1e-9);
        progress.note(&report.in_words(&self.unit, speed));
        Ok((report, rounded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{FunctionName, open};
    use evalsmith_core::Quiet;
    use evalsmith_data::{How, LabelOrder, Maker, SelfPlay, Shard, generate, label};
    use evalsmith_learn::PatternFunction;
    use evalsmith_othello::Othello;
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tempfile::TempDir;

    /// Stops a job when its second group is done.
    struct Impatient(AtomicU64);

    impl Progress for Impatient {
        fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
        fn advance(&self, amount: u64) {
            // Positions come by thousands, groups one by one.
            self.0.fetch_add(u64::from(amount == 1), Ordering::Relaxed);
        }
        fn note(&self, _message: &str) {}
        fn end(&self) {}
        fn stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed) >= 2
        }
    }

    fn dataset(folder: &TempDir) -> Dataset {
        let (game, data) = (DynGame::new(Othello::new()), folder.path().join("data"));
        let plan = SelfPlay { games: 150, depth: 1, opening_plies: 8, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &game.function_by_hand().unwrap(), &plan, &maker, &data, &Quiet).unwrap();
        Dataset::open(&data).unwrap()
    }

    fn plan(folder: &TempDir) -> PatternFitPlan {
        let path = folder.path().join("small.toml");
        let text = "[[pattern]]\nname = \"edge\"\nboard = \"########\"\n\
                    [[pattern]]\nname = \"corner\"\nboard = \"##\\n##\"\n\
                    [[count]]\nfeature = \"moves\"\nlow = -9\nhigh = 9\n";
        fs::write(&path, text).unwrap();
        PatternFitPlan::new(PatternSource::File(path))
    }

    fn fit(
        dataset: &Dataset,
        plan: &PatternFitPlan,
        start: Option<&Path>,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<PatternFitted, LabError> {
        fit_patterns(&DynGame::new(Othello::new()), dataset, plan, start, out, "test", progress)
    }

    #[test]
    fn a_fit_learns_goes_on_where_it_stopped_and_opens_as_a_function() {
        let folder = tempfile::tempdir().unwrap();
        let (dataset, plan) = (dataset(&folder), plan(&folder));
        let [whole, halted] = ["whole", "halted"].map(|name| folder.path().join(name));
        let fitted = fit(&dataset, &plan, None, &whole, &Quiet).unwrap();
        assert_eq!(fitted.reports.len(), 13);
        let middle = &fitted.reports[6];
        assert!(middle.holdout.unwrap() < 0.95 * middle.before.unwrap(), "{middle:?}");
        assert!((middle.holdout.unwrap() - middle.rounded.unwrap()).abs() < 0.01);
        assert!(fitted.in_words().contains("16 bits"), "{}", fitted.in_words());

        let stopped = fit(&dataset, &plan, None, &halted, &Impatient(AtomicU64::new(0)));
        assert!(stopped.unwrap_err().is_stop());
        assert!(!halted.exists() && checkpoint_of(&halted).exists());
        let other = PatternFitPlan { seed: 9, ..plan.clone() };
        let error = fit(&dataset, &other, None, &halted, &Quiet).unwrap_err().to_string();
        assert!(error.contains("other data or settings"), "{error}");
        fit(&dataset, &plan, None, &halted, &Quiet).unwrap();
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&halted).unwrap());
        assert!(!checkpoint_of(&halted).exists());

        let name = FunctionName::File(whole.clone());
        let function = open(&DynGame::new(Othello::new()), &name).unwrap();
        assert!(function.identity(&name).contains('@'));

        let again = folder.path().join("again");
        let again = fit(&dataset, &plan, Some(&whole), &again, &Quiet).unwrap();
        let close = again.reports[6].before.unwrap() - middle.rounded.unwrap();
        assert!(close.abs() < 1e-3, "it begins where the other ended");
        let apart = PatternFitPlan { parity: true, ..plan.clone() };
        let out = folder.path().join("apart");
        let apart = fit(&dataset, &apart, Some(&whole), &out, &Quiet).unwrap();
        assert_eq!(apart.reports.len(), 26);
        let rows = |r: &GroupReport| r.held_out as f64 * r.before.unwrap().powi(2);
        let before: f64 = apart.reports[12..14].iter().map(rows).sum();
        let whole = middle.held_out as f64 * middle.rounded.unwrap().powi(2);
        assert!((before - whole).abs() < 1e-3 * whole, "both begin where the one ended");
        open(&DynGame::new(Othello::new()), &FunctionName::File(out)).unwrap();
    }

    #[test]
    fn a_group_without_positions_keeps_what_it_began_with() {
        let folder = tempfile::tempdir().unwrap();
        let (dataset, plan) = (dataset(&folder), plan(&folder));
        let [whole, again] = ["whole", "again"].map(|name| folder.path().join(name));
        fit(&dataset, &plan, None, &whole, &Quiet).unwrap();

        let (game, data) = (DynGame::new(Othello::new()), folder.path().join("early"));
        let early = SelfPlay {
            games: 60,
            depth: 1,
            opening_plies: 8,
            solve_at: 9,
            seed: 7,
            ..SelfPlay::default()
        };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &game.function_by_hand().unwrap(), &early, &maker, &data, &Quiet).unwrap();
        let early = Dataset::open(&data).unwrap();
        let fitted = fit(&early, &plan, Some(&whole), &again, &Quiet).unwrap();
        let spoken: Vec<_> = fitted.reports.iter().map(|report| report.positions > 0).collect();
        assert_eq!(spoken[10..], [true, false, false], "{spoken:?}");

        let weights = |path: &Path| {
            let file = PatternFile::load(path).unwrap();
            let function = PatternFunction::open(&game, file).unwrap();
            let steps = function.tables().steps();
            steps.chunks_exact(steps.len() / 13).map(<[_]>::to_vec).collect::<Vec<_>>()
        };
        let (before, after) = (weights(&whole), weights(&again));
        assert_eq!(before[11], after[11]);
        assert_ne!(before[10], after[10]);
    }

    #[test]
    fn threads_do_not_matter_and_a_label_takes_the_place_of_the_result() {
        let folder = tempfile::tempdir().unwrap();
        let (played, plan) = (dataset(&folder), plan(&folder));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let out = folder.path().join(threads.to_string());
            pool.install(|| fit(&played, &plan, None, &out, &Quiet)).unwrap().file
        };
        assert_eq!(on(1), on(3));
        let order = LabelOrder {
            name: "exact".into(),
            how: How::Exact { moves_left: 6 },
            successors: false,
            shard: Shard::default(),
            function: "hand".into(),
        };
        let labelled = folder.path().join("labelled");
        let game = DynGame::new(Othello::new());
        label(&game, &game.function_by_hand().unwrap(), &played, &order, "test", &labelled, &Quiet)
            .unwrap();
        let labelled = Dataset::open(&labelled).unwrap();
        let by = |labels: &[&str]| {
            let labels = labels.iter().map(|&l| l.into()).collect();
            let plan = PatternFitPlan { labels, ..plan.clone() };
            fit(&labelled, &plan, None, &folder.path().join(labels_name(&plan)), &Quiet)
        };
        let [exact, both] = [by(&["exact"]).unwrap(), by(&["exact", "result"]).unwrap()];
        assert_eq!((exact.reports[0].positions, both.unlabelled), (0, 0));
        assert!(exact.unlabelled > 0 && both.reports[0].positions > 0);
        assert_eq!(exact.reports[12].positions, both.reports[12].positions);
        // Nobody spoke of the early groups; they follow the first that somebody did.
        assert_eq!(exact.file.model.steps_of(0), exact.file.model.steps_of(9));
        let error = by(&["perfect"]).unwrap_err().to_string();
        assert!(error.contains("\"perfect\"") && error.contains("exact, result"), "{error}");
    }

    fn labels_name(plan: &PatternFitPlan) -> String {
        plan.labels.join("+")
    }

    #[test]
    fn what_cannot_be_fitted_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (dataset, plan) = (dataset(&folder), plan(&folder));
        let error = |change: &dyn Fn(&mut PatternFitPlan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            let error = fit(&dataset, &plan, None, &folder.path().join("x"), &Quiet).unwrap_err();
            assert!(error.is_usage(), "{error}");
            error.to_string()
        };
        assert!(error(&|p| p.holdout = 1.0).contains("below 1"));
        assert!(error(&|p| p.holdout = 0.999_999).contains("leaves none of the"));
        assert!(error(&|p| p.holdout = 1e-9).contains("holds out none"));
        assert!(error(&|p| p.ridges = vec![-1.0]).contains("-1"));
        assert!(error(&|p| p.stage_width = 0).contains("groups of 0 stages"));
        assert!(error(&|p| (p.stage_width, p.parity) = (1, true)).contains("--parity"));
        let toml = |text: &str| {
            let path = folder.path().join("bad.toml");
            fs::write(&path, text).unwrap();
            error(&|p| p.patterns = PatternSource::File(path.clone()))
        };
        let atoms = |atoms: &str| toml(&format!("[[pattern]]\nname = \"p\"\natoms = [{atoms}]"));
        assert!(atoms("\"a1\", \"a1\"").contains("names \"a1\" twice"));
        assert!(atoms("\"a1\", \"k9\"").contains("\"k9\", which is no atom"));
        let block = "########\n########\n#";
        assert!(
            toml(&format!("[[pattern]]\nname = \"p\"\nboard = '''\n{block}'''"))
                .contains("129140163")
        );
        let count = "[[pattern]]\nname = \"p\"\natoms = [\"a1\"]\n[[count]]\nfeature = \"luck\"\nlow = 0\nhigh = 1";
        assert!(toml(count).contains("no feature \"luck\""));
        assert!(check_memory(u64::MAX).is_err() || !Path::new("/proc/meminfo").exists());
    }
}
