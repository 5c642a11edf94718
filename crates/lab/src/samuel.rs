//! Samuel's polynomial, learned in play against itself (lee86, section 2.1).
//!
//! Alpha learns and Beta stands still. At each of Alpha's moves its static value
//! is compared with the value backed up by a search. Where the search sees more,
//! the terms that spoke against the position were too strong and are weakened;
//! where it sees less, those that spoke for it. A game that Alpha wins makes Beta
//! what Alpha is. After three losses running Alpha goes back to what Beta is,
//! with its leading term set to zero: a jolt out of a local optimum; and when that
//! leads to three more losses it goes back without the jolt.
//!
//! Coefficients keep the sum of their sizes, in standard deviations of their
//! features, since only their ratios matter to a player.

use crate::LabError;
use crate::book::Book;
use evalsmith_arena::Openings;
use evalsmith_core::{Features, Game, Outcome, Progress, Side};
use evalsmith_data::Dataset;
use evalsmith_learn::{
    Linear, Model, SignatureParams, fit_book_linear, fit_signature, with_features,
};
use evalsmith_rules::{DynFunction, DynGame, Record};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How Samuel's polynomial learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SamuelParams {
    /// Games Alpha plays.
    pub games: u32,
    /// Plies of a player's search.
    pub depth: u8,
    /// Random half-moves a game begins with.
    pub opening_plies: u16,
    /// Log-odds by which search and static value must differ to teach anything.
    pub margin: f64,
    /// The share of its coefficient a term loses.
    pub step: f64,
    /// Decides the openings.
    pub seed: u64,
}

impl Default for SamuelParams {
    fn default() -> Self {
        Self { games: 400, depth: 2, opening_plies: 10, margin: 0.3, step: 0.02, seed: 1 }
    }
}

/// One of Samuel's ways to a function, and what it learns from.
#[derive(Clone, Debug, PartialEq)]
pub enum SamuelMethod {
    /// The polynomial, from play against itself.
    Polynomial(SamuelParams),
    /// Signature tables, from the winners' moves in the dataset of this folder.
    Signature(PathBuf),
    /// A linear function, from the same.
    BookLinear(PathBuf),
}

/// Learns by one of Samuel's ways, on these features (the game's own where none
/// is named).
///
/// # Errors
/// When a feature is unknown, the dataset cannot be read or is of another game,
/// or the job is stopped.
pub fn samuel(
    game: &DynGame,
    method: &SamuelMethod,
    features: &[String],
    progress: &dyn Progress,
) -> Result<Model, LabError> {
    let game = &with_features(game, features)?;
    let stages = game.stages();
    let book = |data: &Path| {
        let dataset = Dataset::open(data)?;
        dataset.expect_game(game.name())?;
        Book::read(game, &dataset, |_| true, progress)
    };
    Ok(match method {
        SamuelMethod::Polynomial(params) => fit_samuel(game, params, progress)?.model.into(),
        SamuelMethod::Signature(data) => {
            let scheme = SignatureParams::samuel(game.features().names().len());
            fit_signature(&scheme, stages, &book(data)?.choices())?.into()
        }
        SamuelMethod::BookLinear(data) => fit_book_linear(stages, &book(data)?.choices())?.into(),
    })
}

/// What the learning led to.
#[derive(Clone, Debug, PartialEq)]
pub struct SamuelFit {
    /// Beta at the end: the last Alpha that won.
    pub model: Linear,
    /// Games Alpha won, and so became Beta.
    pub promotions: u32,
    /// Times its leading term was set to zero.
    pub jolts: u32,
}

/// Coefficients per standard deviation of their features.
#[derive(Clone)]
struct Polynomial {
    weights: Vec<f64>,
}

/// Learns the coefficients of the game's features, beginning with equal ones.
/// Features count for the side they favour, so that a coefficient stays positive.
///
/// # Errors
/// When there are too few openings or the job is stopped.
pub fn fit_samuel(
    game: &DynGame,
    params: &SamuelParams,
    progress: &dyn Progress,
) -> Result<SamuelFit, LabError> {
    let openings = Openings::random(game, params.opening_plies, params.games, params.seed)?;
    let deviations = deviations(game, &openings);
    let n = deviations.len();
    let start = Polynomial { weights: vec![1.0 / n.max(1) as f64; n] };
    let (mut alpha, mut beta) = (start.clone(), start);
    let (mut losses, mut jolted) = (0, false);
    let (mut promotions, mut jolts) = (0, 0);
    progress.begin("Samuel's polynomial", u64::from(params.games), "games");
    for number in 0..params.games {
        if progress.stopped() {
            progress.end();
            return Err(LabError::Abandoned);
        }
        let side = if number % 2 == 0 { Side::First } else { Side::Second };
        let opening = openings.get(number as usize);
        let points = play(game, params, &mut alpha, &beta, &deviations, opening, side)?;
        match points {
            p if p > 0 => {
                beta = alpha.clone();
                (losses, jolted) = (0, false);
                promotions += 1;
            }
            p if p < 0 => losses += 1,
            _ => {}
        }
        if losses == 3 {
            alpha = beta.clone();
            losses = 0;
            if !jolted {
                alpha.drop_leading();
                jolts += 1;
            }
            jolted = !jolted;
        }
        progress.advance(1);
    }
    progress.end();
    Ok(SamuelFit { model: beta.model(game, &deviations)?, promotions, jolts })
}

impl Polynomial {
    /// The same weights at every stage, in log-odds per unit; their whole is two
    /// log-odds a standard deviation.
    fn model(&self, game: &DynGame, deviations: &[f64]) -> Result<Linear, LabError> {
        let weights = self.weights.iter().zip(deviations);
        let weights = weights.map(|(w, d)| if *d > 0.0 { 2.0 * w / d } else { 0.0 }).collect();
        Ok(Linear::by_hand(game.features().names(), weights, game.stages())?)
    }

    /// Weakens the terms that spoke against what the search saw.
    fn learn(&mut self, terms: &[f64], surprise: f64, step: f64) {
        for (weight, term) in self.weights.iter_mut().zip(terms) {
            if term * surprise < 0.0 {
                *weight *= 1.0 - step;
            }
        }
        self.normalise();
    }

    fn drop_leading(&mut self) {
        let largest = self.weights.iter_mut().max_by(|a, b| a.total_cmp(b));
        if let Some(weight) = largest {
            *weight = 0.0;
        }
        self.normalise();
    }

    fn normalise(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        if sum > 0.0 {
            self.weights.iter_mut().for_each(|w| *w /= sum);
        } else {
            let equal = 1.0 / self.weights.len().max(1) as f64;
            self.weights.fill(equal);
        }
    }
}

/// One game; Alpha learns as it goes. The margin for Alpha.
fn play(
    game: &DynGame,
    params: &SamuelParams,
    alpha: &mut Polynomial,
    beta: &Polynomial,
    deviations: &[f64],
    mut record: Record,
    side: Side,
) -> Result<i16, LabError> {
    let function = |polynomial: &Polynomial| -> Result<DynFunction, LabError> {
        Ok(game.function_of_model(polynomial.model(game, deviations)?.into())?)
    };
    let mut theirs = function(beta)?.search(1 << 16);
    // Alpha plays a game with the coefficients it began it with: a search's table
    // must not mix values of different functions.
    let own_function = function(alpha)?;
    let mut mine = own_function.search(1 << 16);
    while record.ending().is_none() {
        let own = record.side() == side;
        let searcher = if own { &mut mine } else { &mut theirs };
        let found = searcher.fixed_depth(&record, params.depth);
        if own && !found.value.is_decisive() {
            let told = own_function.explain(record.position());
            let surprise = found.value.log_odds().0 - told.total;
            if surprise.abs() > params.margin {
                let terms: Vec<f64> =
                    told.terms.iter().skip(1).map(|term| term.contribution).collect();
                alpha.learn(&terms, surprise, params.step);
            }
        }
        let Some(m) = found.best else { break };
        if record.play(m).is_err() {
            break;
        }
    }
    Ok(record.outcome_for(side).map_or(0, Outcome::margin))
}

/// The features' standard deviations over positions of random games.
fn deviations(game: &DynGame, openings: &Openings) -> Vec<f64> {
    let features = game.features();
    let mut sums = vec![(0.0, 0.0); features.count()];
    let mut rows = 0.0;
    let mut values = Vec::new();
    for record in openings.first(200) {
        for position in record.positions() {
            values.clear();
            features.append_all(position, &mut values);
            for (sum, &x) in sums.iter_mut().zip(&values) {
                *sum = (sum.0 + f64::from(x), sum.1 + f64::from(x).powi(2));
            }
            rows += 1.0;
        }
    }
    sums.iter()
        .map(|(sum, squares)| (squares / rows - (sum / rows).powi(2)).max(0.0).sqrt())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Quiet;
    use evalsmith_othello::Othello;

    #[test]
    fn the_terms_against_what_the_search_saw_are_weakened() {
        let mut polynomial = Polynomial { weights: vec![0.5, 0.3, 0.2] };
        polynomial.learn(&[1.0, -1.0, 0.0], 0.8, 0.1);
        assert!(polynomial.weights[1] < 0.3 && polynomial.weights[0] > 0.5);
        assert!((polynomial.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        polynomial.drop_leading();
        assert_eq!(polynomial.weights[0], 0.0);
    }

    #[test]
    fn learning_is_repeatable_and_its_model_is_one_of_the_game() {
        let params = SamuelParams { games: 12, depth: 1, ..SamuelParams::default() };
        let fit = || fit_samuel(&DynGame::new(Othello::new()), &params, &Quiet).expect("a fit");
        let found = fit();
        assert_eq!(found, fit());
        assert!(found.promotions > 0 && found.promotions <= 12);
        let weights = found.model.weights(evalsmith_core::Stage(30));
        assert!(weights.iter().all(|w| *w >= 0.0) && weights.iter().any(|w| *w > 0.0));
    }
}
