//! The cost of a fit: rows, features, clusters; one stage and pooled stages.

use divan::counter::ItemsCount;
use evalsmith_core::{Columns, Quiet, Stage, rng};
use evalsmith_learn::{Examples, LogisticParams, fit_logistic};
use rand::RngExt;

const ROWS: u32 = 100_000;
const WIDTH: usize = 13;
const PLIES: u32 = 40;

fn main() {
    divan::main();
}

struct Table {
    features: Columns,
    stages: Vec<Stage>,
    points: Vec<f32>,
    games: Vec<u32>,
}

fn table() -> Table {
    let names = (0..WIDTH).map(|i| format!("x{i}")).collect();
    let (stages, games) = (0..ROWS).map(|row| (Stage((row % PLIES) as u8), row / PLIES)).unzip();
    let mut table = Table { features: Columns::new(names), stages, points: vec![], games };
    let mut random = rng::stream(5, "bench", 0);
    for _ in 0..ROWS {
        let row: Vec<f32> = (0..WIDTH).map(|_| random.random_range(-1.0..1.0)).collect();
        let odds = row.iter().zip(1_u8..).map(|(x, i)| x * f32::from(i) / 10.0).sum::<f32>();
        table
            .points
            .push(f32::from(u8::from(random.random::<f32>() < 1.0 / (1.0 + (-odds).exp()))));
        table.features.push(&row);
    }
    table
}

#[divan::bench(args = [0, 2, 255])]
fn fit(bencher: divan::Bencher<'_, '_>, radius: u8) {
    let table = table();
    let mut params = LogisticParams::default();
    params.stages.radius = radius;
    // Radius 255: everything in one stage.
    let (stages, own) = if radius == u8::MAX {
        (1, vec![Stage(0); table.stages.len()])
    } else {
        (PLIES as usize, table.stages.clone())
    };
    let examples = Examples {
        features: &table.features,
        stages: &own,
        points: &table.points,
        games: &table.games,
    };
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench(|| fit_logistic(&params, stages, &examples, &Quiet).expect("a regular fit"));
}
