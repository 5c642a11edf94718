//! A model of configurations as an evaluation function.

use super::function::no_atoms;
use super::{ConfigurationFile, ConfigurationModel, DagScratch};
use crate::{LearnError, with_features};
use evalsmith_core::digest::Hasher;
use evalsmith_core::{
    Evaluate, Explanation, Features, Game, LogOdds, Position, Score, Term, Window,
};
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
///
/// # Errors
/// When it does not know one of them.
pub fn with_terms<G: Game>(game: &G, terms: &[String]) -> Result<(G, Vec<usize>), LearnError> {
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
    pub fn open<G: Game<Features = F>>(
        game: &G,
        file: ConfigurationFile,
    ) -> Result<Self, LearnError>
    where
        F: Features<G::Position>,
    {
        file.check(game.name(), game.stages())?;
        let model = file.model;
        let Some(atoms) = game.atoms() else { return Err(no_atoms(game)) };
        let (game, places) = with_terms(game, &model.terms)?;
        let features = game.features();
        if atoms.names() != model.atoms || features.atoms().is_none() {
            let given = format!("the {} atoms of {}", atoms.names().len(), game.name());
            let model = format!("{} atoms", model.atoms.len());
            return Err(LearnError::Features { model, given });
        }
        Ok(Self { model, features, places })
    }

    /// The model.
    pub fn model(&self) -> &ConfigurationModel {
        &self.model
    }

    /// Identifies the model: a digest of its configurations and their weights.
    pub fn digest(&self) -> String {
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
                name: self.model.in_words(&all[i as usize]),
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
