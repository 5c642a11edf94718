//! From a word for each condition to a word for each row.

use crate::expression::{BLOCK, Program, WORDS};
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
    masks.clear();
    masks.resize(rows * stride, 0);
    let blocks = masks.par_chunks_mut(BLOCK * stride).enumerate();
    blocks.for_each_init(
        || (program.answers(), vec![0; 64 * stride]),
        |(answers, words), (block, masks)| {
            program.run(columns, block * BLOCK, answers);
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
        },
    );
}

/// Turns a square of bits over its diagonal (Warren, Hacker's Delight, 7-3):
/// blocks of half the size change places, and again within each.
fn transpose(square: &mut [u64; 64]) {
    let (mut step, mut low) = (32, 0x0000_0000_FFFF_FFFF_u64);
    while step > 0 {
        let mut row = 0;
        while row < 64 {
            let moved = (square[row] >> step ^ square[row + step]) & low;
            square[row] ^= moved << step;
            square[row + step] ^= moved;
            row = (row + step + 1) & !step;
        }
        step /= 2;
        low ^= low << step;
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
        let column: Vec<f64> = (0..1100).map(|i| f64::from(i % 100)).collect();
        let mut found = Vec::new();
        masks(&program, &[column], 1100, 2, &mut found);
        for (row, mask) in found.chunks(2).enumerate() {
            let bit = row % 100 + 1;
            let mut expected = [1, 0];
            expected[bit / 64] |= 1 << (bit % 64);
            assert_eq!(mask, expected, "row {row}");
        }
    }
}
