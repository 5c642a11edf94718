//! The two passes over sparse rows that every fit is made of.
//!
//! A block's rows are summed column by column, and their answers are added back to the
//! same places column by column while the block's indices are still in the caches: a
//! step of conjugate gradients streams the indices from memory a single time.
//!
//! The one invariant to know: rows are cut into chunks of a fixed size, each with
//! its own single-precision sums, added up in order and in double precision. So
//! results do not depend on threads, and rounding does not grow with the rows.

use super::rows::{BLOCK, Indices, SparseRows};
use rayon::prelude::*;

/// Blocks of a chunk: enough rows that clearing their sums costs nothing beside them.
const BLOCKS: usize = 16;
/// Rows of a chunk.
const CHUNK: usize = BLOCKS * BLOCK;

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

/// Rows of a block with what belongs to them.
#[derive(Clone, Copy)]
struct Part<'a> {
    rows: &'a SparseRows,
    block: usize,
}

impl<'a> Part<'a> {
    fn first(self) -> usize {
        self.block * BLOCK
    }

    fn gather(self, weights: &[f32], out: &mut [f32]) {
        match self.rows.indices() {
            Indices::Narrow(blocks) => gather(self.rows, &blocks[self.block], weights, out),
            Indices::Wide(blocks) => gather(self.rows, &blocks[self.block], weights, out),
        }
        let (terms, factors) = self.factors(out.len());
        if terms > 0 {
            let weights = &weights[weights.len() - terms..];
            for (sum, factors) in out.iter_mut().zip(factors.chunks_exact(terms)) {
                *sum += factors.iter().zip(weights).map(|(f, w)| f * w).sum::<f32>();
            }
        }
    }

    fn scatter(self, answers: &[f32], out: &mut [f32]) {
        match self.rows.indices() {
            Indices::Narrow(blocks) => scatter(self.rows, &blocks[self.block], answers, out),
            Indices::Wide(blocks) => scatter(self.rows, &blocks[self.block], answers, out),
        }
        let (terms, factors) = self.factors(answers.len());
        if terms > 0 {
            let first = out.len() - terms;
            for (answer, factors) in answers.iter().zip(factors.chunks_exact(terms)) {
                for (out, factor) in out[first..].iter_mut().zip(factors) {
                    *out += answer * factor;
                }
            }
        }
    }

    fn factors(self, count: usize) -> (usize, &'a [f32]) {
        let (terms, factors) = self.rows.linear();
        (terms, &factors[self.first() * terms..(self.first() + count) * terms])
    }
}

/// Adds up, column by column, four at a time.
fn gather<I: Index>(rows: &SparseRows, block: &[I], weights: &[f32], out: &mut [f32]) {
    let count = out.len();
    let column = |c: usize| (&weights[rows.table(c)], &block[c * BLOCK..c * BLOCK + count]);
    out.fill(0.0);
    let mut next = 0;
    while next + 4 <= rows.width() {
        let [(t0, c0), (t1, c1), (t2, c2), (t3, c3)] = [0, 1, 2, 3].map(|i| column(next + i));
        for ((((sum, i0), i1), i2), i3) in out.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
            *sum += (t0[i0.place()] + t1[i1.place()]) + (t2[i2.place()] + t3[i3.place()]);
        }
        next += 4;
    }
    for c in next..rows.width() {
        let (table, indices) = column(c);
        for (sum, index) in out.iter_mut().zip(indices) {
            *sum += table[index.place()];
        }
    }
}

/// Adds every row's answer to its places, four columns at a time: what a row adds to is
/// often what the last one added to, and an addition to a place in memory waits for the
/// one before.
fn scatter<I: Index>(rows: &SparseRows, block: &[I], answers: &[f32], out: &mut [f32]) {
    let count = answers.len();
    let column = |c: usize| (rows.table(c).start, &block[c * BLOCK..c * BLOCK + count]);
    let width = rows.width();
    let quarter = width / 4;
    for c in 0..quarter {
        // Columns far apart are of different tables.
        let [(b0, c0), (b1, c1), (b2, c2), (b3, c3)] =
            [0, 1, 2, 3].map(|i| column(c + i * quarter));
        for ((((answer, i0), i1), i2), i3) in answers.iter().zip(c0).zip(c1).zip(c2).zip(c3) {
            out[b0 + i0.place()] += answer;
            out[b1 + i1.place()] += answer;
            out[b2 + i2.place()] += answer;
            out[b3 + i3.place()] += answer;
        }
    }
    for c in 4 * quarter..width {
        let (base, indices) = column(c);
        for (answer, index) in answers.iter().zip(indices) {
            out[base + index.place()] += answer;
        }
    }
}

/// The sum of each row's weights, in order.
pub(super) fn sums(parts: &[&SparseRows], weights: &[f32], out: &mut [f32]) {
    check(parts, weights, out);
    cut(parts, out).into_par_iter().for_each(|(_, chunk)| {
        for (part, out) in chunk {
            part.gather(weights, out);
        }
    });
}

fn check(parts: &[&SparseRows], weights: &[f32], of_rows: &[f32]) {
    let count: usize = parts.iter().map(|rows| rows.len()).sum();
    assert_eq!(of_rows.len(), count, "of these rows");
    assert!(parts.iter().all(|rows| rows.weights() == weights.len()), "of these weights");
}

/// The blocks of a chunk with their rows' places, and the number of its first row.
type Chunk<'a, 'b> = (usize, Vec<(Part<'a>, &'b mut [f32])>);

/// Cuts rows and what belongs to them into chunks.
fn cut<'a, 'b>(parts: &[&'a SparseRows], of_rows: &'b mut [f32]) -> Vec<Chunk<'a, 'b>> {
    let mut chunks = Vec::new();
    let (mut rest, mut first) = (of_rows, 0);
    for rows in parts {
        let (own, others) = rest.split_at_mut(rows.len());
        rest = others;
        for (chunk, own) in own.chunks_mut(CHUNK).enumerate() {
            let blocks = own.chunks_mut(BLOCK).enumerate();
            let part = |block| Part { rows, block: chunk * BLOCKS + block };
            chunks.push((first + chunk * CHUNK, blocks.map(|(b, own)| (part(b), own)).collect()));
        }
        first += rows.len();
    }
    chunks
}

/// The sum of each row's weights as [`sums`] has it; and for every weight, added
/// up over the rows in which it is active, the row's `answer(row, sum)`, times its
/// factor where it is a linear term's.
pub(super) fn spread(
    parts: &[&SparseRows],
    weights: &[f32],
    sums: &mut [f32],
    answer: impl Fn(usize, f32) -> f32 + Sync,
) -> Vec<f64> {
    check(parts, weights, sums);
    over(parts, weights.len(), sums, |part, first, sums, answers| {
        part.gather(weights, sums);
        answers.extend((first..).zip(&*sums).map(|(row, &sum)| answer(row, sum)));
    })
}

/// For every weight, each row's number added up over the rows in which it is active,
/// times its factor where it is a linear term's.
pub(super) fn added(parts: &[&SparseRows], weights: usize, of_rows: &mut [f32]) -> Vec<f64> {
    over(parts, weights, of_rows, |_, _, numbers, answers| answers.extend_from_slice(numbers))
}

fn over(
    parts: &[&SparseRows],
    weights: usize,
    of_rows: &mut [f32],
    answer: impl Fn(Part<'_>, usize, &mut [f32], &mut Vec<f32>) + Sync,
) -> Vec<f64> {
    let mut total = vec![0.0; weights];
    let mut chunks = cut(parts, of_rows);
    // A few chunks at a time, so that their sums never take much memory.
    for some in chunks.chunks_mut(2 * rayon::current_num_threads()) {
        let found: Vec<Vec<f32>> = some
            .par_iter_mut()
            .map(|(first, blocks)| {
                let (mut out, mut answers) = (vec![0.0_f32; weights], Vec::with_capacity(BLOCK));
                let mut row = *first;
                for (part, own) in blocks {
                    answers.clear();
                    answer(*part, row, own, &mut answers);
                    part.scatter(&answers, &mut out);
                    row += own.len();
                }
                out
            })
            .collect();
        for part in found {
            for (total, part) in total.iter_mut().zip(part) {
                *total += f64::from(part);
            }
        }
    }
    total
}

/// The diagonal of the normal equations: in how many rows each weight is active, or
/// the sum of its squared factors where it is a linear term's.
pub(super) fn diagonal(parts: &[&SparseRows], weights: usize) -> Vec<f64> {
    let mut ones = vec![1.0; parts.iter().map(|rows| rows.len()).sum()];
    let mut found = added(parts, weights, &mut ones);
    let terms = parts.first().map_or(0, |rows| rows.linear().0);
    let squares = &mut found[weights - terms..];
    squares.fill(0.0);
    for (i, factor) in parts.iter().flat_map(|rows| rows.linear().1).enumerate() {
        squares[i % terms] += f64::from(factor * factor);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows_of(sizes: &[u32], terms: usize, seed: u64, count: usize) -> SparseRows {
        let bases: Vec<u32> = sizes
            .iter()
            .scan(0, |base, size| {
                let own = *base;
                *base += size;
                Some(own)
            })
            .collect();
        let all = sizes.iter().sum::<u32>() as usize;
        let mut rows = SparseRows::with_tables(bases, sizes.to_vec(), all).with_linear_terms(terms);
        let mut state = seed;
        let mut next = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below
        };
        for _ in 0..count {
            let active: Vec<u32> = sizes.iter().map(|&size| next(size)).collect();
            let factors: Vec<f32> = (0..terms).map(|_| next(7) as f32 - 3.0).collect();
            rows.push_with(&active, &factors, 0.0);
        }
        rows
    }

    /// A row as a line of a full matrix.
    fn line(rows: &SparseRows, row: usize) -> Vec<f32> {
        let mut line = vec![0.0; rows.weights()];
        let cell = |c: usize| c * BLOCK + row % BLOCK;
        for c in 0..rows.width() {
            let index = match rows.indices() {
                Indices::Narrow(blocks) => usize::from(blocks[row / BLOCK][cell(c)]),
                Indices::Wide(blocks) => blocks[row / BLOCK][cell(c)] as usize,
            };
            line[rows.table(c).start + index] += 1.0;
        }
        let (terms, factors) = rows.linear();
        let first = rows.weights() - terms;
        line[first..].copy_from_slice(&factors[row * terms..(row + 1) * terms]);
        line
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn passes_are_what_a_matrix_would_give(
            sizes in prop::collection::vec(prop_oneof![1_u32..9, Just(70_000)], 1..11),
            terms in 0_usize..3,
            seed: u64,
            counts in (0_usize..100, 0_usize..100),
        ) {
            let parts = [counts.0, counts.1].map(|n| rows_of(&sizes, terms, seed ^ n as u64, n));
            let parts = [&parts[0], &parts[1]];
            let (n, count) = (parts[0].weights(), counts.0 + counts.1);
            let weights: Vec<f32> = (0..n).map(|i| (i % 17) as f32 - 8.0).collect();
            let mut found = vec![0.0; count];
            sums(&parts, &weights, &mut found);
            let mut again = vec![0.0; count];
            let back = spread(&parts, &weights, &mut again, |row, sum| row as f32 * sum);
            prop_assert_eq!(&found, &again);
            let of = |row: usize| match row.checked_sub(counts.0) {
                Some(later) => line(parts[1], later),
                None => line(parts[0], row),
            };
            let (mut expected, mut squares) = (vec![0.0_f64; n], vec![0.0_f64; n]);
            for (row, &found) in found.iter().enumerate() {
                let line = of(row);
                let sum: f32 = line.iter().zip(&weights).map(|(x, w)| x * w).sum();
                prop_assert_eq!(found, sum);
                for (i, x) in line.into_iter().enumerate() {
                    expected[i] += f64::from(x * row as f32 * sum);
                    squares[i] += f64::from(if i < n - terms { x } else { x * x });
                }
            }
            prop_assert_eq!(back, expected);
            prop_assert_eq!(diagonal(&parts, n), squares);
        }
    }

    #[test]
    fn blocks_and_chunks_are_joined_in_order() {
        let rows = rows_of(&[3, 5], 0, 1, 2 * CHUNK + BLOCK + 100);
        let mut ones = vec![1.0; rows.len()];
        let counts = added(&[&rows], 8, &mut ones);
        assert_eq!(counts.iter().sum::<f64>(), 2.0 * rows.len() as f64);
        for wanted in [7, BLOCK - 1, BLOCK, CHUNK + 7, 2 * CHUNK + BLOCK + 99] {
            let mut sums = vec![0.0; rows.len()];
            let found =
                spread(
                    &[&rows],
                    &[1.0; 8],
                    &mut sums,
                    |row, _| {
                        if row == wanted { 1.0 } else { 0.0 }
                    },
                );
            let expected: Vec<f64> = line(&rows, wanted).into_iter().map(f64::from).collect();
            assert_eq!(found, expected, "{wanted}");
        }
    }
}
