//! A pattern model as an evaluation function.
//!
//! The state keeps the indices of both sides' views: what the mover sees changes
//! every square each ply, what a side sees changes only where a move did.

use super::{
    Indices, PatternFile, PatternModel, PatternPlan, PatternSet, PatternTables, SparseSet,
};
use crate::{LearnError, with_features};
use evalsmith_core::digest::Hasher;
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, LogOdds, Position, Score, Term, Window,
};

/// A model ready for play over a game's features.
#[derive(Clone, Debug)]
pub struct PatternFunction<F> {
    model: PatternModel,
    set: PatternSet,
    sparse: SparseSet,
    tables: PatternTables,
    /// Those of the counts, in their order.
    features: F,
    atoms: Vec<String>,
}

/// What both sides see of a position.
#[derive(Clone, Copy, Debug)]
pub struct Views {
    mover: Indices,
    waiting: Indices,
}

/// The atoms of a position, without an allocation where they are as few as squares.
#[inline]
fn with_atoms<R>(count: usize, write: impl FnOnce(&mut [u8]), read: impl FnOnce(&[u8]) -> R) -> R {
    if count <= 64 {
        let mut values = [0; 64];
        write(&mut values[..count]);
        read(&values[..count])
    } else {
        let mut values = vec![0; count];
        write(&mut values);
        read(&values)
    }
}

/// The game with the features that the counts of a plan ask for.
///
/// # Errors
/// When it does not know one of them.
pub fn with_counted<G: Game>(game: &G, plan: &PatternPlan) -> Result<G, LearnError> {
    let names: Vec<String> = plan.counts.iter().map(|count| count.feature.clone()).collect();
    with_features(game, &names)
}

/// The patterns of a plan over a game's atoms.
///
/// # Errors
/// When the game names no atoms, or not these.
pub fn set_of<G: Game>(game: &G, plan: &PatternPlan) -> Result<PatternSet, LearnError> {
    let Some(atoms) = game.atoms() else { return Err(no_atoms(game)) };
    let (names, ranges) = (atoms.names(), atoms.ranges());
    Ok(PatternSet::new(plan.patterns.clone(), &names, &ranges, &atoms.symmetries())?)
}

/// The sparse patterns of a plan over a game's atoms, without valid states yet.
///
/// # Errors
/// When the game names no atoms, or not these.
pub fn sparse_of<G: Game>(game: &G, plan: &PatternPlan) -> Result<SparseSet, LearnError> {
    let Some(atoms) = game.atoms() else { return Err(no_atoms(game)) };
    let (names, ranges) = (atoms.names(), atoms.ranges());
    Ok(SparseSet::new(&plan.sparse, &names, &ranges, &atoms.symmetries())?)
}

pub(super) fn no_atoms<G: Game>(game: &G) -> LearnError {
    LearnError::NoAtoms { game: game.name().to_owned() }
}

impl<F> PatternFunction<F> {
    /// The function of a model file, for a game.
    ///
    /// # Errors
    /// When the model is of another game, or its patterns are not of the game's atoms.
    pub fn open<G: Game<Features = F>>(game: &G, file: PatternFile) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        file.check(game.name(), game.stages())?;
        let model = file.model;
        let Some(atoms) = game.atoms() else { return Err(no_atoms(game)) };
        let names = atoms.names();
        let (set, sparse) = model.set(&names, &atoms.ranges(), &atoms.symmetries())?;
        let tables = PatternTables::new(&model, &set, &sparse)?;
        let features = with_counted(game, model.plan())?.features();
        if features.atoms().is_none() {
            let given = "features that know no atoms".into();
            return Err(LearnError::Features { model: "patterns".into(), given });
        }
        Ok(Self { model, set, sparse, tables, features, atoms: names })
    }

    /// The model.
    pub fn model(&self) -> &PatternModel {
        &self.model
    }

    /// The patterns over the game's atoms.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// The sparse patterns over the game's atoms.
    pub fn sparse(&self) -> &SparseSet {
        &self.sparse
    }

    /// The tables it plays by.
    pub fn tables(&self) -> &PatternTables {
        &self.tables
    }

    /// The atoms that each instance looks at, by name, in the order of the terms of
    /// an explanation.
    pub fn instance_names(&self) -> Vec<Vec<&str>> {
        let named = |atoms: Vec<u16>| -> Vec<&str> {
            atoms.iter().map(|&atom| self.atoms[usize::from(atom)].as_str()).collect()
        };
        self.set.instance_atoms().into_iter().map(|(_, atoms)| named(atoms)).collect()
    }

    /// Identifies the model: a digest of its weights.
    pub fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        for scale in self.model.scales() {
            hasher.write_u64(u64::from(scale.to_bits()));
        }
        for &step in self.model.steps() {
            hasher.write_u64(step as u64);
        }
        hasher.finish().to_string()
    }

    #[inline]
    fn log_odds<P: Position>(&self, position: &P, indices: &Indices) -> f64
    where
        F: Features<P>,
    {
        let mut scratch = F::Scratch::default();
        let count = |i| self.features.get(position, i, &mut scratch);
        self.tables.log_odds(position.stage(), indices, count)
    }
}

/// How a value of an atom is drawn: empty, the mover's, the opponent's, others by
/// their number.
pub fn atom_sign(value: u8) -> char {
    match value {
        0 => '-',
        1 => 'X',
        2 => 'O',
        _ => char::from_digit(u32::from(value), 36).unwrap_or('?'),
    }
}

const KNOWN: &str = "checked when it was opened";

impl<P: Position, F: Features<P>> Evaluate<P> for PatternFunction<F> {
    type State = Views;

    #[inline]
    fn start(&self, position: &P) -> Views {
        let atoms = self.features.atoms().expect(KNOWN);
        let read = |values: &[u8]| self.tables.indices(values);
        let count = self.atoms.len();
        Views {
            mover: with_atoms(count, |values| atoms.write(position, values), read),
            waiting: with_atoms(count, |values| atoms.write_waiting(position, values), read),
        }
    }

    #[inline]
    fn advance(&self, before: &P, _m: P::Move, after: &P, state: &Views) -> Views {
        // Who waited is to move now.
        let mut views = Views { mover: state.waiting, waiting: state.mover };
        self.features.atoms().expect(KNOWN).changes(before, after, &mut |change| {
            let ([old, new], atom) = (change.mover, change.atom);
            views.mover = self.tables.changed(&views.mover, atom, old, new);
            let [old, new] = change.waiting;
            views.waiting = self.tables.changed(&views.waiting, atom, old, new);
        });
        views
    }

    #[inline]
    fn value(&self, position: &P, state: &Views, window: Window) -> Score {
        window.clamp(LogOdds(self.log_odds(position, &state.mover)).into())
    }

    /// One term for each instance, with its configuration as the mover sees it (X its
    /// own, O the opponent's), one for each count, and one for each sparse instance.
    fn explain(&self, position: &P) -> Explanation {
        let mut values = vec![0; self.atoms.len()];
        self.features.atoms().expect(KNOWN).write(position, &mut values);
        let indices = self.tables.indices(&values);
        let mut scratch = F::Scratch::default();
        let counted: Vec<f32> = (0..self.tables.counts())
            .map(|i| self.features.get(position, i, &mut scratch))
            .collect();
        let parts = self.tables.contributions(position.stage(), &indices, |i| counted[i]);
        let drawn = |name: &str, atoms: Vec<u16>| {
            let first = atoms.first().map_or("", |&a| self.atoms[usize::from(a)].as_str());
            let drawn: String = atoms.iter().map(|&a| atom_sign(values[usize::from(a)])).collect();
            (format!("{name} from {first}: {drawn}"), None)
        };
        let patterns = self.set.instance_atoms().into_iter();
        let patterns = patterns.map(|(i, atoms)| drawn(&self.set.patterns()[i].name, atoms));
        let sparse = self.sparse.instance_atoms().into_iter();
        let sparse = sparse.map(|(i, atoms)| drawn(&self.model.plan().sparse[i].name, atoms));
        let counts = self.model.plan().counts.iter().zip(&counted);
        let counts = counts.map(|(count, &value)| (count.feature.clone(), Some(f64::from(value))));
        let terms = patterns.chain(counts).chain(sparse).zip(&parts).map(
            |((name, feature), &contribution)| Term { name, feature, weight: None, contribution },
        );
        Explanation { total: parts.iter().sum(), terms: terms.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, Pattern, RoundedGroup, StageGroups, Unit};
    use evalsmith_core::conformance::check_evaluation;
    use evalsmith_othello::Othello;

    fn pattern(name: &str, atoms: &str) -> Pattern {
        Pattern { name: name.into(), atoms: atoms.split(' ').map(str::to_owned).collect() }
    }

    fn plan() -> PatternPlan {
        PatternPlan {
            patterns: vec![
                pattern("corner", "a1 b1 c1 a2 b2 c2 a3 b3 c3"),
                pattern("edge", "a1 b1 c1 d1 e1 f1 g1 h1"),
            ],
            ..PatternPlan::default()
        }
    }

    fn plan_with_counts_and_sparse() -> PatternPlan {
        let counts = vec![Count { feature: "moves".into(), low: -24, high: 24 }];
        let sparse = vec![pattern("rows", "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2")];
        PatternPlan { counts, sparse, ..plan() }
    }

    /// A model with weights out of the air.
    fn model_of(plan: PatternPlan) -> PatternFile {
        let set = set_of(&Othello::new(), &plan).unwrap();
        let groups = StageGroups::new(65, 4, 13).unwrap();
        let n = plan.weights(&set) + plan.sparse.len();
        let weight = |i: usize| ((i * 2_654_435_761) % 1009) as f32 / 1009.0 - 0.5;
        let fitted = |group: usize| (0..n).map(|i| weight(i + 31 * group)).collect::<Vec<_>>();
        let rounded = (0..13).map(|g| RoundedGroup::new(&fitted(g)).unwrap()).collect();
        let unit = Unit::Margin { per_logit: 5.0 };
        let model = PatternModel::new(plan, groups, unit, rounded).unwrap();
        PatternFile { game: "othello".into(), made_by: serde_json::Value::Null, model }
    }

    #[test]
    fn views_kept_along_a_game_serve_as_fresh_ones_and_terms_add_up() {
        for plan in [plan(), plan_with_counts_and_sparse()] {
            let game = Othello::new();
            let function = PatternFunction::open(&game, model_of(plan)).unwrap();
            check_evaluation(&game, &function, 30, 1e-3);
        }
    }

    #[test]
    fn a_model_of_other_weights_or_another_game_is_refused() {
        let file = PatternFile { game: "chess".into(), ..model_of(plan()) };
        let error = PatternFunction::open(&Othello::new(), file).unwrap_err();
        assert!(error.to_string().contains("chess") && !error.is_usage(), "{error}");
        let (small, large) = (model_of(plan()).model, model_of(plan_with_counts_and_sparse()));
        let weights = (0..13).map(|g| RoundedGroup::new(&small.weights_of(g)).unwrap()).collect();
        let (plan, groups) = (large.model.plan().clone(), large.model.groups());
        let model = PatternModel::new(plan, groups, large.model.unit(), weights).unwrap();
        let file = PatternFile { model, ..large };
        let error = PatternFunction::open(&Othello::new(), file).unwrap_err();
        let held = small.weights_of(0).len().to_string();
        assert!(error.to_string().contains(&held) && error.is_usage(), "{error}");
    }

    #[test]
    fn patterns_of_squares_that_are_not_there_are_a_wrong_call() {
        let plan = PatternPlan { patterns: vec![pattern("off", "z9")], ..plan() };
        let error = set_of(&Othello::new(), &plan).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("no atom of the game"), "{error}");
    }
}
