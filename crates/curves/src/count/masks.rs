//! From a word for each condition to a word for each row.

#![expect(clippy::inline_always, reason = "inlined into code compiled for the processor")]

use crate::expression::{Answers, BLOCK, Program, WORDS};
use crate::fastest::fastest;
use rayon::prelude::*;

/// For every row `stride` words with a bit for each curve that counts it: the first
/// is the total curve, which counts them all.
pub(super) fn masks(
    program: &Program,
    columns: &[Vec<f64>],
    rows: usize,
    stride: usize,
    masks: &mut Vec<u64>,
) {
    masks.resize(rows * stride, 0);
    let blocks = masks.par_chunks_mut(BLOCK * stride).enumerate();
    blocks.for_each_init(
        || (program.answers(), vec![0; 64 * stride]),
        |(answers, words), (block, masks)| {
            block_masks(program, columns, block * BLOCK, (answers, words), masks);
        },
    );
}

fastest! {
    /// The words of a block of rows; the room is for answers and 64 rows' words.
    fn block_masks(
        program: &Program,
        columns: &[Vec<f64>],
        first: usize,
        room: (&mut Answers, &mut [u64]),
        masks: &mut [u64],
    ) = block_masks_inlined
}

#[inline(always)]
fn block_masks_inlined(
    program: &Program,
    columns: &[Vec<f64>],
    first: usize,
    (answers, words): (&mut Answers, &mut [u64]),
    masks: &mut [u64],
) {
    program.run(columns, first, answers);
    let stride = words.len() / 64;
    for (word, masks) in (0..WORDS).zip(masks.chunks_mut(64 * stride)) {
        words.fill(0);
        words[0] = u64::MAX;
        words[1..].iter_mut().zip(program.words(answers, word)).for_each(|(w, x)| *w = x);
        for (place, words) in words.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            transpose(words);
            let rows = masks[place..].iter_mut().step_by(stride);
            rows.zip(&*words).for_each(|(mask, word)| *mask = *word);
        }
    }
}

/// Turns a square of bits over its diagonal (Warren, Hacker's Delight, 7-3):
/// blocks of half the size change places, and again within each.
#[inline(always)]
fn transpose(square: &mut [u64; 64]) {
    change_places::<32>(square, 0x0000_0000_FFFF_FFFF);
    change_places::<16>(square, 0x0000_FFFF_0000_FFFF);
    change_places::<8>(square, 0x00FF_00FF_00FF_00FF);
    change_places::<4>(square, 0x0F0F_0F0F_0F0F_0F0F);
    change_places::<2>(square, 0x3333_3333_3333_3333);
    change_places::<1>(square, 0x5555_5555_5555_5555);
}

/// In every square of twice `STEP`, the upper right and the lower left quarter.
#[inline(always)]
fn change_places<const STEP: usize>(square: &mut [u64; 64], low: u64) {
    for rows in square.chunks_exact_mut(2 * STEP) {
        let (upper, lower) = rows.split_at_mut(STEP);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let moved = (*upper >> STEP ^ *lower) & low;
            *upper ^= moved << STEP;
            *lower ^= moved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expression;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_changes_places(words in prop::collection::vec(any::<u64>(), 64)) {
            let mut square: [u64; 64] = words.clone().try_into().unwrap();
            transpose(&mut square);
            for (row, word) in words.iter().enumerate() {
                for (column, turned) in square.iter().enumerate() {
                    prop_assert_eq!(word >> column & 1, turned >> row & 1);
                }
            }
        }
    }

    #[test]
    fn more_curves_than_bits_of_a_word_take_more_words() {
        let conditions: Vec<_> =
            (0..100).map(|i| Expression::condition(&format!("x = {i}")).unwrap()).collect();
        let program = Program::new(&conditions, &["x".into()]);
        let columns: [Vec<f64>; 1] = [(0..1100).map(|i| f64::from(i % 100)).collect()];
        // What is left of an earlier batch.
        let mut found = vec![u64::MAX; 3000];
        masks(&program, &columns, 1100, 2, &mut found);
        let mut portable = vec![0; 2 * BLOCK];
        let room = (&mut program.answers(), &mut [0; 128][..]);
        block_masks_inlined(&program, &columns, 0, room, &mut portable);
        assert_eq!(portable, found[..2 * BLOCK]);
        assert_eq!(found.len(), 2200);
        for (row, mask) in found.chunks(2).enumerate() {
            let bit = row % 100 + 1;
            let mut expected = [1, 0];
            expected[bit / 64] |= 1 << (bit % 64);
            assert_eq!(mask, expected, "row {row}");
        }
    }
}
