//! Trees: growing on a million vectors of 24 integers, the whole way to the chosen
//! tree, and values of a tree of 66,695 nodes (the paper's) under full and narrow
//! windows.

use divan::{Bencher, black_box};
use evalsmith_core::{Columns, Score, Stage, Window, rng};
use evalsmith_learn::{
    Criterion, DenseModel, Growth, Node, PrunePath, Response, Tree, TreeParams, Vectors, choose,
    grow,
};
use rand::RngExt;

fn main() {
    divan::main();
}

const WIDTH: usize = 24;

/// Integers of 7 to 60 values, and labels that depend on all of them and on luck.
fn table(rows: usize, seed: u64) -> (Columns, Vec<f32>, Vec<u32>) {
    let mut random = rng::stream(seed, "bench", 0);
    let mut columns = Columns::new((0..WIDTH).map(|i| format!("x{i}")).collect());
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut value = 3.0 * (random.random::<f32>() - random.random::<f32>());
        let row: [f32; WIDTH] = std::array::from_fn(|i| {
            let x = random.random::<f32>() + random.random::<f32>() - 1.0;
            value += x * if i % 3 == 0 { 1.0 } else { -0.5 };
            (x * (3.0 + i as f32)).round()
        });
        columns.push(&row);
        labels.push(if value > 0.0 { 1.0 } else { -1.0 });
    }
    (columns, labels, (0..rows as u32).collect())
}

const FULL: TreeParams = TreeParams {
    min_size: 2,
    min_share: 0.0,
    price: 0.0,
    costs: Vec::new(),
    test_share: 0.3,
    seed: 1,
    criterion: Criterion::Squared,
    one_standard_error: false,
};

#[divan::bench(args = [100_000, 1_000_000], sample_count = 3, sample_size = 1)]
fn growing(bencher: Bencher<'_, '_>, rows: usize) {
    let (features, labels, games) = table(rows, 1);
    let vectors = Vectors { features: &features, stages: None, labels: &labels, games: &games };
    bencher.bench_local(|| grow(&FULL, black_box(&vectors)).map(|growth| growth.leaves()));
}

#[divan::bench(args = [100_000, 1_000_000], sample_count = 3, sample_size = 1)]
fn growing_pruning_choosing(bencher: Bencher<'_, '_>, rows: usize) {
    let (features, labels, games) = table(rows, 1);
    let (others, truth, _) = table(rows / 5, 2);
    let vectors = Vectors { features: &features, stages: None, labels: &labels, games: &games };
    let test =
        Vectors { features: &others, stages: None, labels: &truth, games: &games[..rows / 5] };
    bencher.bench_local(|| {
        let growth = grow(&FULL, black_box(&vectors)).expect("sound vectors");
        let path = PrunePath::new(&growth);
        let steps = path.judge(&test).expect("a sound test set");
        path.tree(choose(&path, &steps, &test, Criterion::Squared, false)).leaves()
    });
}

/// A tree of the paper's size with random splits, sixteen levels deep throughout,
/// and a little deeper in places.
fn paper_tree() -> Tree {
    const NODES: usize = 66_695;
    let mut random = rng::stream(1, "paper tree", 0);
    let mut nodes = vec![Node { weight: 1.0, ..Node::default() }];
    let mut at = 0;
    while nodes.len() < NODES {
        let left = nodes.len() as u32;
        let feature = random.random_range(0..WIDTH as u32);
        nodes[at] = Node { feature, threshold: 0.5, left, ..nodes[at] };
        for _ in 0..2 {
            let weight = f64::from(random.random_range(1..50_u32));
            let sum = weight * (2.0 * random.random::<f64>() - 1.0);
            nodes.push(Node { weight, sum, ..Node::default() });
        }
        at += 1;
    }
    let names = (0..WIDTH).map(|i| format!("x{i}")).collect();
    let growth = Growth::new(nodes, WIDTH).expect("a sound tree");
    Tree::new(names, 1, Response::Chance, growth).expect("a sound model")
}

/// A thousand values of about 15 levels each; a level is the time over 15,000.
#[divan::bench(args = ["full", "narrow"])]
fn values_1000(bencher: Bencher<'_, '_>, window: &str) {
    let tree = paper_tree();
    let mut random = rng::stream(2, "vectors", 0);
    let rows: Vec<[f32; WIDTH]> = (0..1000)
        .map(|_| std::array::from_fn(|_| f32::from(u8::from(random.random::<bool>()))))
        .collect();
    let window = match window {
        "full" => Window::FULL,
        _ => Window::zero(Score(2500)),
    };
    bencher.bench_local(|| {
        let value = |row: &[f32; WIDTH]| black_box(&tree).value(Stage(0), window, |i| row[i]).0;
        rows.iter().map(value).fold(0, i32::wrapping_add)
    });
}
