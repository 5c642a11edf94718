//! How fast results are summarised and tested.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use evalsmith_stats::elo::{Elo, MatchStats, NormalisedElo, Pentanomial};
use evalsmith_stats::sprt::Sprt;

const PAIRS: usize = 5_000_000;
const COUNTS: Pentanomial = Pentanomial([365, 16_618, 36_229, 16_974, 390]);

fn main() {
    divan::main();
}

/// Ten million games by their margins.
#[divan::bench(sample_count = 10)]
fn ten_million_games(bencher: Bencher) {
    let margins = (0..PAIRS as u64).map(|i| {
        let hash = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        [(hash >> 58) as i16 - 32, (hash >> 40 & 63) as i16 - 32]
    });
    bencher
        .counter(ItemsCount::new(2 * PAIRS))
        .bench_local(|| MatchStats::of_pairs(black_box(margins.clone())));
}

#[divan::bench]
fn llr_logistic(bencher: Bencher) {
    let sprt = Sprt::logistic([Elo(0.0), Elo(2.0)], 0.05, 0.05).expect("a sound test");
    bencher.bench_local(|| black_box(&sprt).llr(black_box(&COUNTS)));
}

#[divan::bench]
fn llr_normalised(bencher: Bencher) {
    let hypotheses = [NormalisedElo(0.0), NormalisedElo(2.0)];
    let sprt = Sprt::normalised(hypotheses, 0.05, 0.05).expect("a sound test");
    bencher.bench_local(|| black_box(&sprt).llr(black_box(&COUNTS)));
}
