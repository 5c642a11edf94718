//! Columns turned into ranks among their distinct values, row by row.
//!
//! A column of at most 256 different values becomes a byte a row, whose
//! histograms find the best split in one pass; any other becomes a word, which
//! growing sorts. Rows lie together, so that a node's rows are read in order
//! once they have been moved together. Labels become whole numbers of a common
//! unit: sums are exact, in whatever order threads add them.

use super::Vectors;
use rayon::prelude::*;

/// The most different values of a narrow column.
pub(super) const NARROW: usize = 256;
/// The widest range of whole numbers that is ranked by counting.
const COUNTED: f32 = 65_536.0;
/// Rows that are laid out together.
const BLOCK: usize = 4096;

/// One column's ranks.
enum Ranked {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

/// All vectors by their ranks.
pub(super) struct Ranks {
    /// The narrow columns' features.
    pub(super) narrow: Vec<usize>,
    /// The wide columns' features.
    pub(super) wide: Vec<usize>,
    /// Each feature's different values in order.
    pub(super) values: Vec<Vec<f32>>,
    /// Rows by narrow columns.
    pub(super) bytes: Vec<u8>,
    /// Rows by wide columns.
    pub(super) words: Vec<u32>,
    /// The labels in units of `unit`.
    pub(super) labels: Vec<i32>,
    /// What one label unit is worth.
    pub(super) unit: f64,
}

impl Ranks {
    /// The ranks of checked vectors.
    pub(super) fn of(vectors: &Vectors<'_>) -> Self {
        let ranked: Vec<(Vec<f32>, Ranked)> =
            (0..vectors.width()).into_par_iter().map(|i| rank(&vectors.column(i))).collect();
        let is_narrow = |i: &usize| matches!(ranked[*i].1, Ranked::Narrow(_));
        let (narrow, wide): (Vec<usize>, Vec<usize>) = (0..ranked.len()).partition(is_narrow);
        let rows = vectors.rows();
        let (mut values, mut narrow_ranks, mut wide_ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (distinct, ranks) in ranked {
            values.push(distinct);
            match ranks {
                Ranked::Narrow(ranks) => narrow_ranks.push(ranks),
                Ranked::Wide(ranks) => wide_ranks.push(ranks),
            }
        }
        let (labels, unit) = whole(vectors.labels);
        Self {
            bytes: by_row(&narrow_ranks, rows),
            words: by_row(&wide_ranks, rows),
            narrow,
            wide,
            values,
            labels,
            unit,
        }
    }

    /// The rows, to be moved about while growing.
    pub(super) fn take_rows(&mut self) -> (Vec<u8>, Vec<u32>, Vec<i32>) {
        let Self { bytes, words, labels, .. } = self;
        (std::mem::take(bytes), std::mem::take(words), std::mem::take(labels))
    }
}

/// The columns laid out row by row.
fn by_row<T: Copy + Default + Send + Sync>(columns: &[Vec<T>], rows: usize) -> Vec<T> {
    let width = columns.len();
    let mut table = vec![T::default(); rows * width];
    if width == 0 {
        return table;
    }
    table.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, chunk)| {
        for (i, column) in columns.iter().enumerate() {
            let column = &column[block * BLOCK..];
            for (row, &value) in chunk.chunks_exact_mut(width).zip(column) {
                row[i] = value;
            }
        }
    });
    table
}

/// Labels as whole numbers of a power of two that holds the largest in 30 bits;
/// wins, draws, losses and whole scores are exact.
fn whole(labels: &[f32]) -> (Vec<i32>, f64) {
    let largest = labels.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
    let exponent = if largest > 0.0 { f64::from(largest).log2().ceil() } else { 0.0 };
    // A full million of rows still adds up in the 53 bits of a float.
    let unit = (exponent - 28.0).exp2();
    (labels.iter().map(|&c| (f64::from(c) / unit).round() as i32).collect(), unit)
}

fn rank(column: &[f32]) -> (Vec<f32>, Ranked) {
    let (mut low, mut high, mut whole) = (f32::INFINITY, f32::NEG_INFINITY, true);
    for &x in column {
        low = low.min(x);
        high = high.max(x);
        whole &= x.fract() == 0.0;
    }
    if whole && high - low < COUNTED { by_counting(column, low, high) } else { by_sorting(column) }
}

fn by_counting(column: &[f32], low: f32, high: f32) -> (Vec<f32>, Ranked) {
    let place = |x: f32| (x - low) as usize;
    let mut ranks = vec![u32::MAX; place(high) + 1];
    for &x in column {
        ranks[place(x)] = 0;
    }
    let mut values = Vec::new();
    for (i, rank) in ranks.iter_mut().enumerate().filter(|(_, rank)| **rank == 0) {
        *rank = values.len() as u32;
        values.push(low + i as f32);
    }
    let ranked = if values.len() <= NARROW {
        Ranked::Narrow(column.iter().map(|&x| ranks[place(x)] as u8).collect())
    } else {
        Ranked::Wide(column.iter().map(|&x| ranks[place(x)]).collect())
    };
    (values, ranked)
}

fn by_sorting(column: &[f32]) -> (Vec<f32>, Ranked) {
    // The sign bit turned round, and all of a negative number: order is kept.
    let key = |x: f32| {
        // Both zeros are one value.
        let bits = (x + 0.0).to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    let mut order: Vec<u64> =
        (0_u64..).zip(column).map(|(row, &x)| u64::from(key(x)) << 32 | row).collect();
    order.sort_unstable();
    let mut values = Vec::new();
    let mut ranks = vec![0_u32; column.len()];
    for same in order.chunk_by(|a, b| a >> 32 == b >> 32) {
        for &item in same {
            ranks[item as u32 as usize] = values.len() as u32;
        }
        values.push(column[same[0] as u32 as usize] + 0.0);
    }
    let ranked = if values.len() <= NARROW {
        Ranked::Narrow(ranks.iter().map(|&rank| rank as u8).collect())
    } else {
        Ranked::Wide(ranks)
    };
    (values, ranked)
}

/// A number between two neighbouring values: halfway, and below the higher one
/// even where they are next to each other.
pub(super) fn between(low: f32, high: f32) -> f32 {
    let half = f64::midpoint(f64::from(low), f64::from(high)) as f32;
    if half < high { half } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_count_the_smaller_values(
            column in prop_oneof![
                prop::collection::vec((-300_i16..300).prop_map(f32::from), 1..700),
                prop::collection::vec(-1e3_f32..1e3, 1..700),
                prop::collection::vec(prop::sample::select(vec![0.0_f32, -0.0, 0.5, 1e30, -1e30]), 1..50),
            ],
        ) {
            let (values, ranked) = rank(&column);
            prop_assert!(values.windows(2).all(|w| w[0] < w[1]));
            let ranks: Vec<usize> = match &ranked {
                Ranked::Narrow(ranks) => ranks.iter().map(|&r| r.into()).collect(),
                Ranked::Wide(ranks) => ranks.iter().map(|&r| r as usize).collect(),
            };
            prop_assert_eq!(matches!(ranked, Ranked::Narrow(_)), values.len() <= NARROW);
            for (x, rank) in column.iter().zip(ranks) {
                prop_assert_eq!(values[rank], *x);
            }
            for w in values.windows(2) {
                let t = between(w[0], w[1]);
                prop_assert!(w[0] <= t && t < w[1]);
            }
        }
    }

    #[test]
    fn results_and_whole_scores_are_exact() {
        for labels in [&[1.0, -1.0, 0.0][..], &[64.0, -3.0, 17.0], &[0.5, -0.25]] {
            let (whole, unit) = whole(labels);
            for (n, c) in whole.iter().zip(labels) {
                assert_eq!(f64::from(*n) * unit, f64::from(*c));
            }
        }
    }
}
