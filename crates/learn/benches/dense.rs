//! The cost of a value: a linear model of 4 and 13 features, inlined as `Dense`
//! has it, and with model and closure behind `dyn`; and a quadratic one.

use divan::{Bencher, black_box};
use evalsmith_core::{LogOdds, Score, Stage, Window};
use evalsmith_learn::{DenseModel, Linear, Model, Quadratic};

fn main() {
    divan::main();
}

const STAGES: usize = 60;

fn model(width: usize) -> Model {
    let names = (0..width).map(|i| format!("x{i}")).collect();
    let weights = (0..width).map(|i| 0.1 * i as f64).collect();
    Linear::by_hand(names, weights, STAGES).expect("as many weights as names").into()
}

/// What a model looks like when both it and its closure are erased.
trait Erased: Sync {
    fn log_odds(&self, stage: Stage, feature: &mut dyn FnMut(usize) -> f32) -> LogOdds;
}

impl Erased for Model {
    fn log_odds(&self, stage: Stage, feature: &mut dyn FnMut(usize) -> f32) -> LogOdds {
        DenseModel::log_odds(self, stage, feature)
    }
}

/// A thousand positions, so that the timer does not count.
fn positions(width: usize) -> Vec<(Stage, Vec<f32>)> {
    (0..1000_u16)
        .map(|n| (Stage((n % 60) as u8), (0..width).map(|i| f32::from(n) - i as f32).collect()))
        .collect()
}

#[divan::bench(args = [4, 13])]
fn inlined(bencher: Bencher<'_, '_>, width: usize) {
    let (model, positions) = (model(width), positions(width));
    bencher.bench(|| {
        let value = |(stage, x): &(Stage, Vec<f32>)| {
            black_box(&model).value(*stage, Window::FULL, |i| x[i])
        };
        positions.iter().map(|p| value(p).0).fold(0, i32::wrapping_add)
    });
}

#[divan::bench(args = [4, 13])]
fn erased(bencher: Bencher<'_, '_>, width: usize) {
    let (model, positions) = (model(width), positions(width));
    let model: Box<dyn Erased> = Box::new(model);
    bencher.bench(|| {
        let value = |(stage, x): &(Stage, Vec<f32>)| {
            Score::from(black_box(&*model).log_odds(*stage, &mut |i| x[i]))
        };
        positions.iter().map(|p| value(p).0).fold(0, i32::wrapping_add)
    });
}

/// A thousand values of a quadratic model.
#[divan::bench(args = [4, 13])]
fn quadratic(bencher: Bencher<'_, '_>, width: usize) {
    let names = (0..width).map(|i| format!("x{i}")).collect();
    let numbers = (0..Quadratic::numbers(width) * STAGES).map(|i| (i % 97) as f64 / 1e4).collect();
    let model: Model = Quadratic::new(names, STAGES, numbers).expect("as many as asked for").into();
    let positions = positions(width);
    bencher.bench(|| {
        let value = |(stage, x): &(Stage, Vec<f32>)| {
            black_box(&model).value(*stage, Window::FULL, |i| x[i])
        };
        positions.iter().map(|p| value(p).0).fold(0, i32::wrapping_add)
    });
}
