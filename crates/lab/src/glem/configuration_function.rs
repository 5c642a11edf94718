//! A model of configurations as an evaluation function, and what it learned.

use super::function::no_atoms;
use crate::LabError;
use crate::fit::with_features;
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, LogOdds, Position, Score, Stage, Term, Window,
};
use evalsmith_curves::quoted;
use evalsmith_data::Hasher;
use evalsmith_learn::{ConfigurationFile, ConfigurationModel, DagScratch, LearnError, Relation};
use evalsmith_report::{Align, Table, number};
use std::cell::RefCell;

/// A model ready for play over a game's features.
#[derive(Clone, Debug)]
pub struct ConfigurationFunction<F> {
    model: ConfigurationModel,
    features: F,
    /// Which of the features each linear term is.
    places: Vec<usize>,
}

/// The game with features among which linear terms are, and their places: as it comes
/// where it has them all, else with those alone.
pub(super) fn with_terms<G: Game>(game: &G, terms: &[String]) -> Result<(G, Vec<usize>), LabError> {
    let names = game.features().names();
    let place = |term: &String| names.iter().position(|name| name == term);
    match terms.iter().map(place).collect() {
        Some(places) => Ok((game.clone(), places)),
        None => Ok((with_features(game, terms)?, (0..terms.len()).collect())),
    }
}

#[derive(Default)]
struct Workplace {
    atoms: Vec<u8>,
    scratch: DagScratch,
    active: Vec<u32>,
}

thread_local! {
    /// Where searches through the graph of configurations take their notes.
    static WORKPLACE: RefCell<Workplace> = RefCell::default();
}

const KNOWN: &str = "checked when it was opened";

impl<F> ConfigurationFunction<F> {
    /// The function of a model file, for a game.
    ///
    /// # Errors
    /// When the model is of another game, or of other atoms or features than it has.
    pub fn open<G: Game<Features = F>>(game: &G, file: ConfigurationFile) -> Result<Self, LabError>
    where
        F: Features<G::Position>,
    {
        file.check(G::NAME, G::Position::STAGES)?;
        let model = file.model;
        let Some(atoms) = game.atoms() else { return Err(no_atoms(G::NAME)) };
        let (game, places) = with_terms(game, &model.terms)?;
        let features = game.features();
        if atoms.names() != model.atoms || features.atoms().is_none() {
            let given = format!("the {} atoms of {}", atoms.names().len(), G::NAME);
            let model = format!("{} atoms", model.atoms.len());
            return Err(LearnError::Features { model, given }.into());
        }
        Ok(Self { model, features, places })
    }

    /// The model.
    pub fn model(&self) -> &ConfigurationModel {
        &self.model
    }

    /// Tells one model from another.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        for relation in self.model.dag.configurations().iter().flatten() {
            hasher.write_u64(u64::from(relation.atom) << 8 | u64::from(relation.value));
        }
        for weight in &self.model.weights {
            hasher.write_u64(u64::from(weight.to_bits()));
        }
        hasher.finish().to_string()
    }

    fn with_active<P: Position, R>(&self, position: &P, read: impl FnOnce(f64, &[u32]) -> R) -> R
    where
        F: Features<P>,
    {
        WORKPLACE.with_borrow_mut(|Workplace { atoms, scratch, active }| {
            atoms.resize(self.model.atoms.len(), 0);
            self.features.atoms().expect(KNOWN).write(position, atoms);
            let mut shared = F::Scratch::default();
            let term = |i: usize| self.features.get(position, self.places[i], &mut shared);
            let value = self.model.log_odds(position.stage(), atoms, scratch, active, term);
            read(value, active)
        })
    }
}

impl<P: Position, F: Features<P>> Evaluate<P> for ConfigurationFunction<F> {
    type State = ();

    fn start(&self, _position: &P) {}

    fn advance(&self, _before: &P, _m: P::Move, _after: &P, _state: &()) {}

    fn value(&self, position: &P, _state: &(), window: Window) -> Score {
        window.clamp(LogOdds(self.with_active(position, |value, _| value)).into())
    }

    /// One term for each of the most specific active configurations, and one for each
    /// linear term.
    fn explain(&self, position: &P) -> Explanation {
        let (weights, linear) = self.model.weights_at(position.stage());
        let unit = self.model.unit.log_odds();
        let all = self.model.dag.configurations();
        let (total, mut terms) = self.with_active(position, |total, active| {
            let term = |&i: &u32| Term {
                name: in_words(&self.model, &all[i as usize]),
                feature: None,
                weight: None,
                contribution: f64::from(weights[i as usize]) * unit,
            };
            (total, active.iter().map(term).collect::<Vec<_>>())
        });
        let mut scratch = F::Scratch::default();
        for (i, (name, &weight)) in self.model.terms.iter().zip(linear).enumerate() {
            let feature = f64::from(self.features.get(position, self.places[i], &mut scratch));
            let weight = f64::from(weight) * unit;
            terms.push(Term {
                name: name.clone(),
                feature: Some(feature),
                weight: Some(weight),
                contribution: weight * feature,
            });
        }
        Explanation { total, terms }
    }
}

/// A configuration as people write it, and as a condition on columns of atoms reads it.
fn in_words(model: &ConfigurationModel, relations: &[Relation]) -> String {
    let name = |r: &Relation| quoted(&model.atoms[usize::from(r.atom)]);
    let relation = |r: &Relation| format!("{}={}", name(r), r.value);
    relations.iter().map(relation).collect::<Vec<_>>().join(" ")
}

/// The `most` configurations that speak most for and most against the side to move at a
/// stage (the middle one where none is named), and the linear terms.
///
/// # Errors
/// When the model has no such stage.
pub fn show_configurations(
    file: &ConfigurationFile,
    stage: Option<u8>,
    most: usize,
) -> Result<Table, LabError> {
    let model = &file.model;
    let stage = stage.map_or(model.groups.stages() / 2, usize::from);
    if stage >= model.groups.stages() {
        let last = model.groups.stages() - 1;
        return Err(LabError::Settings(format!("the model has stages 0 to {last}, not {stage}")));
    }
    let stage = Stage(stage as u8);
    let (weights, terms) = model.weights_at(stage);
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let shown: Vec<usize> = if order.len() <= 2 * most {
        order
    } else {
        order[..most].iter().chain(&order[order.len() - most..]).copied().collect()
    };
    let mut table = Table::new(["configuration", "positions", "weight"]).align([
        Align::Left,
        Align::Right,
        Align::Right,
    ]);
    let (first, last) = model.groups.bounds(model.groups.of(stage));
    table.caption = format!("stages {first} to {last}: {} configurations", weights.len());
    for i in shown {
        let words = in_words(model, &model.dag.configurations()[i]);
        let weight = number::fixed(f64::from(weights[i]), 3);
        table.push([words, model.counts[i].to_string(), weight]);
    }
    for (name, &weight) in model.terms.iter().zip(terms) {
        table.push([format!("times {name}"), String::new(), number::fixed(f64::from(weight), 3)]);
    }
    Ok(table)
}
