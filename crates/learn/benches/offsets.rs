//! Weights of a sparse pattern: by two indices (buro98, Fig. 5), and by binary search.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_learn::OffsetTable;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::collections::BTreeMap;
use std::hint::black_box;

fn main() {
    divan::main();
}

/// States of each half of sixteen squares.
const SIDE: usize = 6561;

/// About as many valid states as the paper's, frequent halves in many of them.
fn valid() -> Vec<(u16, u16, i16)> {
    let mut dice = Rng::seed_from_u64(1998);
    let mut half = || (dice.random::<f64>().powi(3) * SIDE as f64) as u16;
    let mut states = BTreeMap::new();
    while states.len() < 88_000 {
        let pair = (half(), half());
        let weight = states.len() as i16;
        states.entry(pair).or_insert(weight);
    }
    states.into_iter().map(|((i1, i2), weight)| (i1, i2, weight)).collect()
}

/// What a search asks for: half of it valid.
fn asked(valid: &[(u16, u16, i16)]) -> Vec<(u16, u16)> {
    let mut dice = Rng::seed_from_u64(7);
    let mut pick = |i: usize| {
        let (i1, i2, _) = valid[dice.random_range(0..valid.len())];
        if i.is_multiple_of(2) { (i1, i2) } else { (i1, dice.random_range(0..SIDE as u16)) }
    };
    (0..100_000).map(&mut pick).collect()
}

#[divan::bench]
fn offsets(bencher: Bencher<'_, '_>) {
    let valid = valid();
    let (table, asked) = (OffsetTable::new(&valid, SIDE, SIDE), asked(&valid));
    bencher
        .counter(ItemsCount::new(asked.len()))
        .bench_local(|| asked.iter().map(|&(i1, i2)| i64::from(table.get(i1, i2))).sum::<i64>());
}

#[divan::bench]
fn binary_search(bencher: Bencher<'_, '_>) {
    let valid = valid();
    let keys: Vec<u32> =
        valid.iter().map(|&(i1, i2, _)| u32::from(i1) << 16 | u32::from(i2)).collect();
    let asked = asked(&valid);
    let weight = |(i1, i2): (u16, u16)| {
        let key = black_box(u32::from(i1) << 16 | u32::from(i2));
        keys.binary_search(&key).map_or(0, |place| i64::from(valid[place].2))
    };
    bencher
        .counter(ItemsCount::new(asked.len()))
        .bench_local(|| asked.iter().map(|&pair| weight(pair)).sum::<i64>());
}

#[divan::bench(sample_count = 3)]
fn layout() -> usize {
    OffsetTable::new(&valid(), SIDE, SIDE).len()
}
