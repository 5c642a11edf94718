//! One pass of the sparse fit: 46 active weights a row, 113,877 weights.

use divan::counter::ItemsCount;
use evalsmith_learn::{Prior, SparseParams, SparseRows, fit_sparse};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;

fn main() {
    divan::main();
}

/// Buro's tables, with few states frequent and many rare as on real boards.
fn rows(count: usize) -> SparseRows {
    let tables = [(45, 4), (135, 4), (378, 4), (1134, 4), (3321, 2), (3321, 4), (3321, 4)];
    let more = [(3321, 4), (29_646, 4), (59_049, 8), (10_206, 4)];
    let (mut bases, mut sizes, mut base) = (Vec::new(), Vec::new(), 0);
    for (size, copies) in tables.into_iter().chain(more) {
        bases.extend(std::iter::repeat_n(base, copies));
        sizes.extend(std::iter::repeat_n(size, copies));
        base += size;
    }
    let mut dice = Rng::seed_from_u64(1);
    let mut rows = SparseRows::with_tables(bases, sizes.clone(), base as usize);
    let mut active = Vec::new();
    for _ in 0..count {
        active.clear();
        active.extend(sizes.iter().map(|&size| {
            let skewed = dice.random::<f64>().powi(4);
            (skewed * f64::from(size)) as u32
        }));
        rows.push(&active, dice.random());
    }
    rows
}

#[divan::bench(args = [1_000_000], sample_count = 3)]
fn ten_passes(bencher: divan::Bencher<'_, '_>, count: usize) {
    let train = rows(count);
    let none = rows(0);
    let prior = vec![0.0; train.weights()];
    let params = SparseParams { iterations: 10, patience: 10, ..SparseParams::default() };
    bencher
        .counter(ItemsCount::new(10 * count))
        .bench_local(|| fit_sparse(&[&train], &none, Prior::free(&prior), &params, |_| true));
}
