//! What a model of patterns misses: sets of atoms whose table would make the error on
//! games held out smaller, by that drop for each nanosecond of an evaluation.
//!
//! A candidate's table is fitted to what the model leaves unexplained, one step of the
//! fit from zero: each state's mean residual, divided by the copies that share the work
//! and shrunk by a few positions. Candidates grow from pairs, atom by atom, the best few
//! of each size going on (a beam); all symmetric copies share a table.
//!
//! The one invariant to know: tables are made of games that are not held out, and
//! judged on those that are.

use super::outcome::LinkName;
use super::rows::{Targets, check_memory, is_held_out};
use super::show::board;
use crate::LabError;
use evalsmith_core::{Evaluate, Game, Outcome, Progress, Window};
use evalsmith_data::Dataset;
use evalsmith_learn::{Pattern, PatternFile, PatternFunction, PatternSet, Unit};
use evalsmith_rules::{DynFeatures, DynGame};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// What to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscoverPlan {
    /// Labels by name: the first that a position has counts.
    pub labels: Vec<String>,
    /// The most atoms of a pattern.
    pub max_length: usize,
    /// Candidates of each size that grow further.
    pub beam: usize,
    /// Proposals to make.
    pub most: usize,
    /// Positions to look at, at most, evenly spread over the dataset.
    pub positions: usize,
    /// The share of games held out.
    pub holdout: f64,
    /// Chooses the games held out.
    pub seed: u64,
}

impl Default for DiscoverPlan {
    fn default() -> Self {
        Self {
            labels: vec![super::rows::RESULT.into()],
            max_length: 6,
            beam: 3,
            most: 5,
            positions: 60_000,
            holdout: 0.3,
            seed: 1,
        }
    }
}

/// A pattern that the model misses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    /// Its atoms.
    pub atoms: Vec<String>,
    /// Symmetric copies.
    pub copies: usize,
    /// The drop of the mean squared error held out, in percent of it.
    pub drop: f64,
    /// What its copies add to an evaluation, in nanoseconds.
    pub nanoseconds: f64,
    /// Drop for each nanosecond.
    pub rate: f64,
    /// Its squares on a board; none where atoms are no squares.
    pub board: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Discovered {
    /// The positions that tables were made of, and those they were judged on.
    pub positions: [usize; 2],
    /// The root of the model's mean squared error on the latter.
    pub error: f64,
    /// The unit of that error.
    pub unit: String,
    /// Nanoseconds that one copy of a pattern takes in an evaluation, measured on this
    /// model.
    pub nanoseconds_a_copy: f64,
    /// The proposals, the best first.
    pub proposals: Vec<Proposal>,
}

impl Discovered {
    /// Boards and numbers for people, and the lines for a file of patterns.
    pub fn to_text(&self) -> String {
        let [made, judged] = self.positions;
        let mut parts = vec![format!(
            "error held out {:.3} {} on {judged} positions; tables of {made} others; {:.2} ns a \
             copy\n",
            self.error, self.unit, self.nanoseconds_a_copy
        )];
        for (number, proposal) in (1..).zip(&self.proposals) {
            let board = proposal.board.as_ref().map_or_else(String::new, |b| format!("{b}\n"));
            let atoms = serde_json::to_string(&proposal.atoms).unwrap_or_default();
            parts.push(format!(
                "\n{number}. drop {:.3} %, {} copies, {:.1} ns: {:.4} % a nanosecond\n{board}\
                 [[pattern]]\nname = \"found {number}\"\natoms = {atoms}\n",
                proposal.drop, proposal.copies, proposal.nanoseconds, proposal.rate
            ));
        }
        parts.concat()
    }
}

/// Positions with what the model leaves unexplained.
struct Residuals {
    atoms: Vec<u8>,
    width: usize,
    left: Vec<f32>,
    held: Vec<bool>,
}

/// Positions by which a state's mean is shrunk.
const SHRINK: f32 = 20.0;

/// Looks for patterns that a model misses.
///
/// # Errors
/// When the file is no pattern model of the game, the dataset cannot be read or has no
/// labels, no games are held out or left, or the job is stopped.
pub fn discover(
    game: &DynGame,
    model: &Path,
    dataset: &Dataset,
    plan: &DiscoverPlan,
    progress: &dyn Progress,
) -> Result<Discovered, LabError> {
    dataset.expect_game(game.name())?;
    let wrong = |message: &str| LabError::Settings(message.into());
    if plan.max_length < 2 || plan.beam == 0 || plan.most == 0 {
        return Err(wrong("ask for patterns of two atoms or more, and for one or more of them"));
    }
    let function = PatternFunction::open(game, PatternFile::load(model)?)?;
    let (seen, copy) = residuals(game, &function, dataset, plan, progress)?;
    let held = seen.held.iter().filter(|held| **held).count();
    if held == 0 || held == seen.held.len() {
        return Err(wrong("the hold-out leaves no games on one side; choose another share"));
    }
    let atoms = game.atoms().expect("a pattern model has opened");
    let job = Search {
        names: atoms.names(),
        ranges: atoms.ranges(),
        symmetries: atoms.symmetries(),
        seen: &seen,
        copy,
    };
    let known: Vec<BTreeSet<String>> =
        function.set().patterns().iter().map(|p| p.atoms.iter().cloned().collect()).collect();
    let proposals = job.grow(plan, &known, progress)?;
    let squares: f64 = job.held_squares();
    Ok(Discovered {
        positions: [seen.held.len() - held, held],
        error: (squares / held as f64).sqrt(),
        unit: super::show::unit_name(game, function.model().unit()).to_owned(),
        nanoseconds_a_copy: copy,
        proposals,
    })
}

/// The residuals of labelled positions, and the nanoseconds that a copy takes.
fn residuals(
    game: &DynGame,
    function: &PatternFunction<DynFeatures>,
    dataset: &Dataset,
    plan: &DiscoverPlan,
    progress: &dyn Progress,
) -> Result<(Residuals, f64), LabError> {
    let link = match function.model().unit() {
        Unit::Margin { .. } => LinkName::Margin,
        Unit::LogOdds => LinkName::Logistic,
    };
    let targets = Targets::new(dataset, &plan.labels, link)?;
    let names = targets.names();
    let atoms = game.atoms().expect("a pattern model has opened");
    let width = atoms.names().len();
    check_memory((plan.positions * (width + 8)) as u64)?;
    let every = (dataset.len() as usize).div_ceil(plan.positions.max(1)).max(1);
    let mut seen = Residuals { atoms: Vec::new(), width, left: Vec::new(), held: Vec::new() };
    let (mut values, mut labels, mut row_number) = (vec![0; width], Vec::new(), 0_usize);
    let mut spent = std::time::Duration::ZERO;
    progress.begin("positions", dataset.len(), "positions");
    for batch in dataset.rows() {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        let batch = batch?;
        for (i, row) in batch.rows().enumerate() {
            row_number += 1;
            if !row_number.is_multiple_of(every) {
                continue;
            }
            batch.labels_of(i, names.iter().copied(), &mut labels);
            let margin = row.outcome.map(Outcome::margin);
            let Some(target) = targets.of(margin, &labels) else { continue };
            let (position, _) = game.unpack(row.position)?;
            let state = function.start(&position);
            let begun = Instant::now();
            let value = function.value(&position, &state, Window::FULL).log_odds().0;
            spent += begun.elapsed();
            let said = match link {
                LinkName::Margin => value / function.model().unit().log_odds(),
                LinkName::Logistic | LinkName::Range => 1.0 / (1.0 + (-value).exp()),
            };
            atoms.write(&position, &mut values);
            seen.atoms.extend_from_slice(&values);
            seen.left.push(target - said as f32);
            seen.held.push(is_held_out(row.game, plan.holdout, plan.seed));
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    if seen.left.is_empty() {
        return Err(LabError::Settings(format!(
            "no position has the label {}; add one with `evalsmith data label`",
            plan.labels.join(" or ")
        )));
    }
    let copies = function.set().instances().max(1);
    let copy = spent.as_nanos() as f64 / (seen.left.len() * copies) as f64;
    Ok((seen, copy))
}

struct Search<'a> {
    names: Vec<String>,
    ranges: Vec<u8>,
    symmetries: Vec<Vec<u16>>,
    seen: &'a Residuals,
    /// Nanoseconds a copy.
    copy: f64,
}

impl Search<'_> {
    fn held_squares(&self) -> f64 {
        let rows = self.seen.left.iter().zip(&self.seen.held).filter(|(_, held)| **held);
        rows.map(|(left, _)| f64::from(*left).powi(2)).sum()
    }

    /// The best candidates of all sizes.
    fn grow(
        &self,
        plan: &DiscoverPlan,
        known: &[BTreeSet<String>],
        progress: &dyn Progress,
    ) -> Result<Vec<Proposal>, LabError> {
        let mut beam: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
        let mut found: Vec<Proposal> = Vec::new();
        let mut met: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        progress.begin("sizes of patterns", plan.max_length as u64, "sizes");
        for size in 1..=plan.max_length {
            if progress.stopped() {
                return Err(LabError::Abandoned);
            }
            let mut candidates = BTreeSet::new();
            for smaller in &beam {
                for atom in 0..self.names.len() {
                    let mut larger = smaller.clone();
                    if larger.insert(atom) && met.insert(self.canonical(&larger)) {
                        candidates.insert(larger);
                    }
                }
            }
            let candidates: Vec<BTreeSet<usize>> = candidates.into_iter().collect();
            let judged: Vec<Option<Proposal>> =
                candidates.par_iter().map(|candidate| self.judge(candidate)).collect();
            let mut judged: Vec<(Proposal, BTreeSet<usize>)> = judged
                .into_iter()
                .zip(candidates)
                .filter_map(|(judged, candidate)| Some((judged?, candidate)))
                .collect();
            judged.sort_by(|(a, _), (b, _)| b.drop.total_cmp(&a.drop));
            // Single atoms all go on: what they are worth shows in pairs.
            let width = if size == 1 { judged.len() } else { plan.beam };
            beam = judged.iter().take(width).map(|(_, candidate)| candidate.clone()).collect();
            let new = judged.into_iter().map(|(proposal, _)| proposal).filter(|proposal| {
                let own: BTreeSet<&String> = proposal.atoms.iter().collect();
                let inside = |k: &BTreeSet<String>| own.iter().all(|atom| k.contains(*atom));
                size > 1 && proposal.drop > 0.0 && !known.iter().any(inside)
            });
            found.extend(new.take(plan.most));
            progress.advance(1);
        }
        progress.end();
        found.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        found.truncate(plan.most);
        Ok(found)
    }

    /// The smallest image of a set of atoms.
    fn canonical(&self, atoms: &BTreeSet<usize>) -> BTreeSet<usize> {
        let image = |symmetry: &Vec<u16>| -> BTreeSet<usize> {
            atoms.iter().map(|&atom| usize::from(symmetry[atom])).collect()
        };
        self.symmetries.iter().map(image).fold(atoms.clone(), BTreeSet::min)
    }

    /// What a pattern's table would save; none where it is too large.
    fn judge(&self, atoms: &BTreeSet<usize>) -> Option<Proposal> {
        let atoms: Vec<String> = atoms.iter().map(|&atom| self.names[atom].clone()).collect();
        let pattern = Pattern { name: "candidate".into(), atoms: atoms.clone() };
        let set = PatternSet::new(vec![pattern], &self.names, &self.ranges, &self.symmetries);
        let set = set.ok().filter(|set| set.weights() <= 1 << 16)?;
        let mut sums = vec![(0.0_f32, 0.0_f32); set.weights()];
        let mut active = Vec::with_capacity(set.instances());
        let rows = || self.seen.atoms.chunks_exact(self.seen.width).zip(&self.seen.left);
        for ((values, left), _) in rows().zip(&self.seen.held).filter(|(_, held)| !**held) {
            active.clear();
            set.append_active(values, &mut active);
            for &state in &active {
                let (count, sum) = &mut sums[state as usize];
                *count += 1.0;
                *sum += left;
            }
        }
        let copies = set.instances() as f32;
        let weight = |&(count, sum): &(f32, f32)| sum / (copies * count + SHRINK);
        let weights: Vec<f32> = sums.iter().map(weight).collect();
        let (mut before, mut after) = (0.0_f64, 0.0_f64);
        for ((values, &left), _) in rows().zip(&self.seen.held).filter(|(_, held)| **held) {
            active.clear();
            set.append_active(values, &mut active);
            let said: f32 = active.iter().map(|&state| weights[state as usize]).sum();
            before += f64::from(left).powi(2);
            after += f64::from(left - said).powi(2);
        }
        let drop = 100.0 * (before - after) / before.max(f64::MIN_POSITIVE);
        let nanoseconds = self.copy * f64::from(copies);
        let board = board(&atoms, &vec![1; atoms.len()]);
        let (rate, copies) = (drop / nanoseconds.max(f64::MIN_POSITIVE), set.instances());
        Some(Proposal { atoms, copies, drop, nanoseconds, rate, board })
    }
}

#[cfg(test)]
mod tests {
    use super::super::some_model::model_of;
    use super::*;
    use evalsmith_core::Quiet;
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_learn::{PatternModel, PatternPlan, RoundedGroup};
    use evalsmith_othello::Othello;

    /// A model that knows nothing.
    fn ignorant() -> PatternFile {
        let atoms = ["d4", "e4"].map(str::to_owned).to_vec();
        let patterns = vec![Pattern { name: "centre".into(), atoms }];
        let file = model_of(PatternPlan { patterns, ..PatternPlan::default() });
        let (plan, groups, unit) =
            (file.model.plan().clone(), file.model.groups(), file.model.unit());
        let width = file.model.steps().len() / groups.count();
        let zeros = RoundedGroup::new(&vec![0.0; width]).unwrap();
        let model = PatternModel::new(plan, groups, unit, vec![zeros; groups.count()]).unwrap();
        PatternFile { model, ..file }
    }

    #[test]
    fn corners_are_what_an_ignorant_model_misses() {
        let folder = tempfile::tempdir().unwrap();
        let (game, data) = (DynGame::new(Othello::new()), folder.path().join("data"));
        let play = SelfPlay { games: 200, depth: 1, opening_plies: 8, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &game.function_by_hand().unwrap(), &play, &maker, &data, &Quiet).unwrap();
        let dataset = Dataset::open(&data).unwrap();
        let model = folder.path().join("m");
        ignorant().save(&model).unwrap();
        let plan = DiscoverPlan { max_length: 3, positions: 3000, ..DiscoverPlan::default() };
        let look = |plan: &DiscoverPlan| discover(&game, &model, &dataset, plan, &Quiet);
        let found = look(&plan).unwrap();
        let corner = |p: &Proposal| {
            ["a1", "a8", "h1", "h8"].iter().any(|corner| p.atoms.iter().any(|a| a == corner))
        };
        assert!(found.proposals.iter().any(corner), "{:?}", found.proposals);
        assert!(found.proposals.iter().all(|p| p.drop > 0.0 && p.board.is_some()));
        assert!(found.to_text().contains("[[pattern]]"));
        let error = |plan: DiscoverPlan| look(&plan).unwrap_err().to_string();
        assert!(error(DiscoverPlan { max_length: 1, ..plan.clone() }).contains("two atoms"));
        assert!(error(DiscoverPlan { holdout: 0.0, ..plan.clone() }).contains("hold-out"));
        assert!(error(DiscoverPlan { labels: vec!["luck".into()], ..plan }).contains("luck"));
    }
}
