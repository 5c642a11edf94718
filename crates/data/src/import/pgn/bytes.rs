//! Sixty-four bytes of moves at once: which are parts of words, which of them are
//! digits, and which need a closer look.
//!
//! Moves are short and of every length, so a branch for each of their bytes would
//! be guessed wrong at nearly every move; whole words are found in bits instead.

#[cfg(any(test, not(target_arch = "x86_64")))]
use super::{CLASSES, Class};

/// Bytes looked at together.
pub(super) const BLOCK: usize = 64;

/// What the bytes are, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Masks {
    /// Parts of words: moves, numbers, results.
    pub(super) words: u64,
    /// The digits among them.
    pub(super) digits: u64,
    /// Dots, which are space.
    pub(super) dots: u64,
    /// Those that are neither parts of words nor mere space between them.
    pub(super) special: u64,
}

/// The masks of the bytes from `at` on; beyond the line's end there is space.
#[inline]
pub(super) fn masks(line: &[u8], at: usize) -> Masks {
    let mut short = [b' '; BLOCK];
    let left = line.len() - at;
    // A line's last bytes are taken with those before them, which saves a copy.
    let (block, known) = if let Some(block) = line[at..].first_chunk::<BLOCK>() {
        (block, 0)
    } else if let Some(block) = line.last_chunk::<BLOCK>() {
        (block, BLOCK - left)
    } else {
        short[..left].copy_from_slice(&line[at..]);
        (&short, 0)
    };
    let Masks { words, digits, dots, special } = of_block(block);
    // A line may end exactly at `at`.
    let rest = |mask: u64| mask.checked_shr(known as u32).unwrap_or_default();
    let (words, digits) = (rest(words), rest(digits));
    Masks { words, digits, dots: rest(dots), special: rest(special) }
}

/// Whether a byte only parts words: blanks, dots and remarks like `!?`.
#[cfg(any(test, not(target_arch = "x86_64")))]
const fn is_space(byte: u8) -> bool {
    matches!(CLASSES[byte as usize], Class::Blank) || matches!(byte, b'.' | b'!' | b'?')
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn of_block_portably(block: &[u8; BLOCK]) -> Masks {
    let mut masks = Masks { words: 0, digits: 0, dots: 0, special: 0 };
    for (i, &byte) in block.iter().enumerate() {
        let class = CLASSES[usize::from(byte)];
        let in_word = matches!(class, Class::Word | Class::Digit);
        masks.words |= u64::from(in_word) << i;
        masks.digits |= u64::from(class == Class::Digit) << i;
        masks.dots |= u64::from(byte == b'.') << i;
        masks.special |= u64::from(!in_word && !is_space(byte)) << i;
    }
    masks
}

#[cfg(not(target_arch = "x86_64"))]
fn of_block(block: &[u8; BLOCK]) -> Masks {
    of_block_portably(block)
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn of_block(block: &[u8; BLOCK]) -> Masks {
    // SAFETY: SSE2 is part of x86-64.
    #[expect(unsafe_code, reason = "calls code for a processor's feature")]
    unsafe {
        of_block_by_sixteen(block)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn of_block_by_sixteen(block: &[u8; BLOCK]) -> Masks {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set_epi64x, _mm_set1_epi8,
    };
    let either = |a: __m128i, b: __m128i| _mm_or_si128(a, b);
    let is = |bytes: __m128i, byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
    // Bytes beyond ASCII count as negative, below every range.
    let within = |bytes: __m128i, low: u8, high: u8| {
        let above = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(low as i8 - 1));
        _mm_and_si128(above, _mm_cmpgt_epi8(_mm_set1_epi8(high as i8 + 1), bytes))
    };
    let bits = |bytes: __m128i| u64::from(_mm_movemask_epi8(bytes) as u16);
    let mut masks = Masks { words: 0, digits: 0, dots: 0, special: 0 };
    for (i, sixteen) in block.as_chunks::<16>().0.iter().enumerate() {
        let (halves, _) = sixteen.as_chunks::<8>();
        let [low, high] = [halves[0], halves[1]].map(i64::from_le_bytes);
        let bytes = _mm_set_epi64x(high, low);
        let small = either(bytes, _mm_set1_epi8(0x20));
        let digits = within(bytes, b'0', b'9');
        // `/` and `:` stand on both sides of the digits, `=` before `>`.
        let words = either(
            either(within(small, b'a', b'z'), within(bytes, b'/', b':')),
            either(
                either(within(bytes, b'=', b'>'), either(is(bytes, b'+'), is(bytes, b'-'))),
                either(is(bytes, b'#'), either(is(bytes, b'@'), is(bytes, b'_'))),
            ),
        );
        // The blanks from tab to carriage return hold the line feed, which no line has.
        let dots = is(bytes, b'.');
        let space = either(
            either(is(bytes, b' '), dots),
            either(
                either(is(bytes, b'!'), is(bytes, b'?')),
                either(is(bytes, b'\t'), within(bytes, 0x0B, b'\r')),
            ),
        );
        masks.words |= bits(words) << (16 * i);
        masks.digits |= bits(digits) << (16 * i);
        masks.dots |= bits(dots) << (16 * i);
        masks.special |= (0xFFFF ^ bits(either(words, space))) << (16 * i);
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_byte_is_what_its_class_says() {
        for byte in 0..=u8::MAX {
            let block = [byte; BLOCK];
            assert_eq!(of_block(&block), of_block_portably(&block), "{byte:#04x}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_are_one(bytes: [u8; 32], more: [u8; 32]) {
            let mut block = [0; BLOCK];
            block[..32].copy_from_slice(&bytes);
            block[32..].copy_from_slice(&more);
            prop_assert_eq!(of_block(&block), of_block_portably(&block));
        }

        #[test]
        fn beyond_the_end_there_is_space(line in prop::collection::vec(any::<u8>(), 0..130), at in 0_usize..130) {
            let at = at.min(line.len());
            let mut longer = line.clone();
            longer.extend([b' '; BLOCK]);
            prop_assert_eq!(masks(&line, at), masks(&longer, at));
        }
    }
}
