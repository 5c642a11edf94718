//! The two passes over sparse rows that every fit is made of.
//!
//! A row's weights are read, summed, and the answer is added back to the same
//! places at once, so that a step of conjugate gradients streams the indices
//! through the caches a single time while the weights of the stage stay in them.
//!
//! The one invariant to know: rows are cut into chunks of a fixed size, each with
//! its own single-precision sums, added up in order and in double precision. So
//! results do not depend on threads, and rounding does not grow with the rows.

use super::rows::{Indices, SparseRows};
use rayon::prelude::*;

/// Rows of one chunk: enough that clearing its sums costs nothing beside it.
const CHUNK: usize = 1 << 16;

/// An index as it is stored.
trait Index: Copy + Send + Sync {
    fn place(self) -> usize;
}

impl Index for u16 {
    #[inline]
    fn place(self) -> usize {
        usize::from(self)
    }
}

impl Index for u32 {
    #[inline]
    fn place(self) -> usize {
        self as usize
    }
}

/// The sum of each row's weights, in order.
pub(super) fn sums(rows: &SparseRows, weights: &[f32], out: &mut [f32]) {
    assert_eq!((weights.len(), out.len()), (rows.weights(), rows.len()), "of these rows");
    match rows.indices() {
        Indices::Narrow(indices) => sums_of(rows, indices, weights, out),
        Indices::Wide(indices) => sums_of(rows, indices, weights, out),
    }
}

fn sums_of<I: Index>(rows: &SparseRows, indices: &[I], weights: &[f32], out: &mut [f32]) {
    let width = rows.width();
    out.par_chunks_mut(CHUNK).zip(indices.par_chunks(CHUNK * width)).for_each(|(out, indices)| {
        for (out, row) in out.iter_mut().zip(indices.chunks_exact(width)) {
            *out = sum(rows.bases(), row, weights);
        }
    });
}

#[inline]
fn sum<I: Index>(bases: &[u32], row: &[I], weights: &[f32]) -> f32 {
    // Four chains, because an addition takes four cycles and a load half of one.
    let mut lanes = [0.0_f32; 4];
    let (bases4, rest_bases) = bases.as_chunks::<4>();
    let (row4, rest) = row.as_chunks::<4>();
    for (bases, row) in bases4.iter().zip(row4) {
        for lane in 0..4 {
            lanes[lane] += weights[bases[lane] as usize + row[lane].place()];
        }
    }
    for (&base, &index) in rest_bases.iter().zip(rest) {
        lanes[0] += weights[base as usize + index.place()];
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The sum of each row's weights as [`sums`] has it; and for every weight, added
/// up over the rows in which it is active, the row's `answer(row, sum)`.
pub(super) fn spread(
    rows: &SparseRows,
    weights: &[f32],
    sums: &mut [f32],
    answer: impl Fn(usize, f32) -> f32 + Sync,
) -> Vec<f64> {
    assert_eq!((weights.len(), sums.len()), (rows.weights(), rows.len()), "of these rows");
    match rows.indices() {
        Indices::Narrow(indices) => spread_of(rows, indices, weights, sums, &answer),
        Indices::Wide(indices) => spread_of(rows, indices, weights, sums, &answer),
    }
}

fn spread_of<I: Index>(
    rows: &SparseRows,
    indices: &[I],
    weights: &[f32],
    sums: &mut [f32],
    answer: &(impl Fn(usize, f32) -> f32 + Sync),
) -> Vec<f64> {
    let width = rows.width();
    let mut total = vec![0.0; weights.len()];
    // A few chunks at a time, so that their sums never take much memory.
    let at_once = 2 * CHUNK * rayon::current_num_threads();
    let groups = indices.chunks(at_once * width).zip(sums.chunks_mut(at_once));
    for (group, (indices, sums)) in groups.enumerate() {
        let parts: Vec<Vec<f32>> = indices
            .par_chunks(CHUNK * width)
            .zip(sums.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(place, (chunk, sums))| {
                let first = group * at_once + place * CHUNK;
                let mut out = vec![0.0_f32; weights.len()];
                let rows_here = (first..).zip(chunk.chunks_exact(width)).zip(sums);
                for ((row, active), kept) in rows_here {
                    *kept = sum(rows.bases(), active, weights);
                    let answer = answer(row, *kept);
                    for (&base, &index) in rows.bases().iter().zip(active) {
                        out[base as usize + index.place()] += answer;
                    }
                }
                out
            })
            .collect();
        for part in parts {
            for (total, part) in total.iter_mut().zip(part) {
                *total += f64::from(part);
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows_of(sizes: &[u32], seed: u64, count: usize) -> SparseRows {
        let bases: Vec<u32> = sizes
            .iter()
            .scan(0, |base, size| {
                let own = *base;
                *base += size;
                Some(own)
            })
            .collect();
        let mut rows =
            SparseRows::with_tables(bases, sizes.to_vec(), sizes.iter().sum::<u32>() as usize);
        let mut state = seed;
        for _ in 0..count {
            let active: Vec<u32> = sizes
                .iter()
                .map(|&size| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) as u32 % size
                })
                .collect();
            rows.push(&active, 0.0);
        }
        rows
    }

    fn active(rows: &SparseRows, row: usize) -> Vec<usize> {
        let of = row * rows.width()..(row + 1) * rows.width();
        let places: Vec<usize> = match rows.indices() {
            Indices::Narrow(all) => all[of].iter().map(|&i| usize::from(i)).collect(),
            Indices::Wide(all) => all[of].iter().map(|&i| i as usize).collect(),
        };
        places.iter().zip(rows.bases()).map(|(i, &b)| i + b as usize).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn passes_are_what_a_matrix_would_give(
            sizes in prop::collection::vec(prop_oneof![1_u32..9, Just(70_000)], 1..11),
            seed: u64,
            count in 0_usize..300,
        ) {
            let rows = rows_of(&sizes, seed, count);
            let weights: Vec<f32> = (0..rows.weights()).map(|i| (i % 17) as f32 - 8.0).collect();
            let mut found = vec![0.0; count];
            sums(&rows, &weights, &mut found);
            let mut again = vec![0.0; count];
            let back = spread(&rows, &weights, &mut again, |row, sum| row as f32 * sum);
            prop_assert_eq!(&found, &again);
            let mut expected = vec![0.0_f64; rows.weights()];
            for (row, &found) in found.iter().enumerate() {
                let active = active(&rows, row);
                let sum: f32 = active.iter().map(|&i| weights[i]).sum();
                prop_assert_eq!(found, sum);
                for i in active {
                    expected[i] += f64::from(row as f32 * sum);
                }
            }
            prop_assert_eq!(back, expected);
        }
    }

    #[test]
    fn chunks_are_joined_in_order() {
        let rows = rows_of(&[3, 5], 1, 2 * CHUNK + 100);
        let ones = vec![1.0; 8];
        let mut sums = vec![0.0; rows.len()];
        let counts = spread(&rows, &ones, &mut sums, |_, _| 1.0);
        assert_eq!(counts.iter().sum::<f64>(), 2.0 * rows.len() as f64);
        let numbered =
            spread(&rows, &ones, &mut sums, |row, _| if row == CHUNK + 7 { 1.0 } else { 0.0 });
        let expected = active(&rows, CHUNK + 7);
        assert!((0..8).all(|i| (numbered[i] == 1.0) == expected.contains(&i)));
    }
}
