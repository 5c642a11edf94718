//! Models as a search sees them, on a game of a few lines: from a pile of
//! stones, take one to three; who takes the last one wins.

use evalsmith_core::{
    Columns, Evaluate, Features, Game, Malformed, Outcome, Position, Quiet, Side, Stage, Window,
    conformance,
};
use evalsmith_learn::{
    Dense, DenseModel, Examples, LearnError, Linear, LogisticParams, Model, fit_logistic,
};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pile(u8);

const STAGES: usize = 3;

impl Position for Pile {
    type Move = u8;
    type Moves = std::ops::RangeInclusive<u8>;

    fn moves(&self) -> Self::Moves {
        1..=self.0.min(3)
    }
    fn play(&self, m: u8) -> Self {
        Self(self.0 - m)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 0).then_some(Outcome::LOSS)
    }
    fn stage(&self) -> Stage {
        Stage(2 - self.0.min(29) / 10)
    }
}

#[derive(Clone)]
struct Remainders;

impl Features<Pile> for Remainders {
    type Scratch = Option<u8>;

    fn names(&self) -> Vec<String> {
        vec!["lost by theory".into(), "stones".into()]
    }
    fn count(&self) -> usize {
        2
    }
    fn get(&self, pile: &Pile, i: usize, scratch: &mut Option<u8>) -> f32 {
        let remainder = *scratch.get_or_insert(pile.0 % 4);
        [f32::from(u8::from(remainder == 0)), f32::from(pile.0)][i]
    }
}

#[derive(Clone)]
struct Take;

impl Game for Take {
    type Position = Pile;
    type Features = Remainders;
    fn name(&self) -> &'static str {
        "take"
    }
    fn stages(&self) -> usize {
        STAGES
    }

    fn start(&self) -> Pile {
        Pile(29)
    }
    fn features(&self) -> Remainders {
        Remainders
    }
    fn max_plies(&self) -> usize {
        30
    }
    fn format_move(&self, _: &Pile, m: u8) -> String {
        m.to_string()
    }
    fn format(&self, pile: &Pile, side: Side) -> String {
        format!("{} {side}", pile.0)
    }
    fn parse(&self, text: &str) -> Result<(Pile, Side), Malformed> {
        Err(Malformed::new("pile", text, "this test reads none"))
    }
}

fn linear(coefficients: Vec<f64>) -> Linear {
    Linear::new(Remainders.names(), 3, coefficients).expect("three terms at three stages")
}

#[test]
fn a_linear_model_keeps_the_promises_of_an_evaluation() {
    let ordinary = linear(vec![0.5, -2.0, 0.011, -0.25, -3.0, 0.07, 0.0, -1.0 / 3.0, 0.123]);
    let huge = linear(vec![0.0, -1e9, 1e7, 1e300, 1e300, 1e300, -1e9, 0.0, 0.0]);
    conformance::check_evaluation(
        &Take,
        &Dense::new(ordinary.clone(), Remainders, STAGES).expect("a match"),
        300,
        1e-9,
    );
    let shared = Arc::new(Model::from(ordinary));
    conformance::check_evaluation(
        &Take,
        &Dense::new(shared, Remainders, STAGES).expect("a match"),
        300,
        1e-9,
    );
    let huge = Dense::new(huge, Remainders, STAGES).expect("a match");
    for stones in 1..30 {
        let value = huge.value(&Pile(stones), &(), Window::FULL);
        assert!(!value.is_decisive(), "{stones}: {value:?}");
    }
}

#[test]
fn explanations_name_every_term() {
    let function =
        Dense::new(linear([0.5, -2.0, 0.25].repeat(3)), Remainders, STAGES).expect("a match");
    let explained = function.explain(&Pile(8));
    let terms: Vec<_> =
        explained.terms.iter().map(|t| (&t.name[..], t.feature, t.contribution)).collect();
    assert_eq!(
        terms,
        [
            ("(intercept)", None, 0.5),
            ("lost by theory", Some(1.0), -2.0),
            ("stones", Some(8.0), 2.0)
        ]
    );
    assert_eq!(explained.total, 0.5);
    assert_eq!(function.log_odds(&Pile(8)).0, 0.5);
}

#[test]
fn other_features_or_stages_are_refused() {
    let other = Linear::by_hand(vec!["stones".into()], vec![1.0], 3).expect("one weight");
    let refused = Dense::new(other, Remainders, STAGES).err().expect("other features").to_string();
    assert!(refused.contains("[stones], but these are [lost by theory, stones]"), "{refused}");
    let other = Linear::by_hand(Remainders.names(), vec![1.0, 1.0], 4).expect("two weights");
    let refused = Dense::new(other, Remainders, STAGES).err();
    assert!(matches!(refused, Some(LearnError::Stages { model: 4, game: 3 })));
}

#[test]
fn a_fit_finds_the_theory_of_the_game() {
    let mut features = Columns::new(Remainders.names());
    let (mut stages, mut points, mut games) = (Vec::new(), Vec::new(), Vec::new());
    for game in 0..400_u32 {
        let pile = Pile(1 + (game % 29) as u8);
        // Two in ten results go against theory.
        let lost = pile.0.is_multiple_of(4) != (game / 29 % 5 == 0);
        let mut row = Vec::new();
        Remainders.append_all(&pile, &mut row);
        features.push(&row);
        stages.push(pile.stage());
        points.push(if lost { 0.0 } else { 1.0 });
        games.push(game);
    }
    let examples =
        Examples { features: &features, stages: &stages, points: &points, games: &games };
    let fit = fit_logistic(&LogisticParams::default(), STAGES, &examples, &Quiet).expect("a fit");
    let theory = &fit.at(Stage(1)).estimates[1];
    assert!(theory.weight < -1.5 && theory.p < 1e-9, "{theory:?}");
    let function = Dense::new(fit.model, Remainders, STAGES).expect("a match");
    assert!(function.log_odds(&Pile(12)).0 < -0.5 && function.log_odds(&Pile(13)).0 > 0.5);
    assert_eq!(function.model().stages(), 3);
}
