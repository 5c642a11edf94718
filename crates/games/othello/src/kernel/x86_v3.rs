//! Flips and mobility with four directions side by side in AVX2 registers.
//!
//! A lane holds one direction. Mobility is the portable twin's, with variable
//! shifts that move each lane by its own step. Flips use that subtracting one
//! finds the lowest square of a ray that is not the opponent's: rays towards
//! lower squares are turned round by swapping the rows of the board, all but the
//! one to the west, which counts leading zeros meanwhile. (Smearing downward in
//! place of the swap, and looking lines up by PEXT, both measured slower.) The
//! last move of a full board has no empty squares to stop at: there PEXT takes
//! each line through the square out of one word, and a table counts its flips.

use super::portable::RAYS;
use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_cvtsi128_si64, _mm_or_si128,
    _mm_prefetch, _mm_set_epi64x, _mm_shuffle_epi32, _mm_unpackhi_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_cvtepu16_epi32, _mm256_extracti128_si256,
    _mm256_i32gather_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sllv_epi64, _mm256_srlv_epi64, _pext_u64,
};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn mobility(own: u64, opp: u64) -> u64 {
    const INNER: i64 = 0x7E7E_7E7E_7E7E_7E7E;
    let step = _mm256_setr_epi64x(1, 7, 8, 9);
    let double = _mm256_add_epi64(step, step);
    let discs = _mm256_set1_epi64x(own as i64);
    let run = _mm256_and_si256(
        _mm256_set1_epi64x(opp as i64),
        _mm256_setr_epi64x(INNER, INNER, -1, INNER),
    );

    let mut up = _mm256_and_si256(run, _mm256_sllv_epi64(discs, step));
    let mut down = _mm256_and_si256(run, _mm256_srlv_epi64(discs, step));
    up = _mm256_or_si256(up, _mm256_and_si256(run, _mm256_sllv_epi64(up, step)));
    down = _mm256_or_si256(down, _mm256_and_si256(run, _mm256_srlv_epi64(down, step)));
    let pairs_up = _mm256_and_si256(run, _mm256_sllv_epi64(run, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, double)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, double)));
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, double)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, double)));

    let reached = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
    union(reached) & !(own | opp)
}

/// The rays of one square, as the lanes want them.
#[repr(C, align(32))]
struct Lanes {
    /// East, south-west, south, south-east.
    down: [u64; 4],
    /// Nothing, north-west, north, north-east, on the board with its rows swapped.
    up: [u64; 4],
    /// West.
    west: u64,
}

static LANES: [Lanes; 64] = {
    let mut lanes = [const { Lanes { down: [0; 4], up: [0; 4], west: 0 } }; 64];
    let mut square = 0;
    while square < 64 {
        lanes[square].down = RAYS[square].up;
        lanes[square].up = RAYS[8 * (7 - square / 8) + square % 8].up;
        lanes[square].up[0] = 0;
        lanes[square].west = RAYS[square].down[0];
        square += 1;
    }
    lanes
};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn flips(own: u64, opp: u64, square: u8) -> u64 {
    let lanes = &LANES[usize::from(square & 63)];
    let (mine, theirs) = (_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64));
    let down = flips_along(mine, theirs, load(&lanes.down));
    let up = flips_along(rows_swapped(mine), rows_swapped(theirs), load(&lanes.up));

    let stop = !opp & lanes.west;
    // Without a stop the shift is by 0, and h8 is on no ray to the west.
    let end = (1_u64 << 63).wrapping_shr(stop.leading_zeros()) & own & lanes.west;
    let west = (end << 1).wrapping_neg() & lanes.west;

    union(_mm256_or_si256(down, rows_swapped(up))) | west
}

/// The lines through one square, and where in them it stands.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Cross {
    /// Column, and the two diagonals; the row is a byte of the board.
    lines: [u64; 3],
    places: [u8; 4],
}

static CROSSES: [Cross; 64] = {
    let mut crosses = [Cross { lines: [0; 3], places: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square];
        let mut line = 0;
        while line < 3 {
            // South, south-west, south-east with their opposites.
            let direction = [2, 1, 3][line];
            crosses[square].lines[line] = rays.up[direction] | rays.down[direction] | 1 << square;
            crosses[square].places[line] = rays.down[direction].count_ones() as u8;
            line += 1;
        }
        crosses[square].places[3] = (square % 8) as u8;
        square += 1;
    }
    crosses
};

/// How many discs a move on a place of a line flips, by place and by the mover's
/// discs, when the other squares are the opponent's. Shorter lines end in zeros:
/// nothing of the mover's stands there, so nothing is flipped towards it.
static LINE_FLIPS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let above = own >> (place + 1);
            let below = own & ((1 << place) - 1);
            let mut flips = 0;
            if above != 0 {
                flips += (above as u32).trailing_zeros();
            }
            if below != 0 {
                flips += (below as u32).leading_zeros() - (32 - place as u32);
            }
            table[place][own] = flips as u8;
            own += 1;
        }
        place += 1;
    }
    table
};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn last_flips(own: u64, square: u8) -> u32 {
    let cross = &CROSSES[usize::from(square & 63)];
    let row = (own >> (square & 0b11_1000)) as u8;
    let along =
        |line: u8, place: u8| u32::from(LINE_FLIPS[usize::from(place & 7)][usize::from(line)]);
    along(row, cross.places[3])
        + along(_pext_u64(own, cross.lines[0]) as u8, cross.places[0])
        + along(_pext_u64(own, cross.lines[1]) as u8, cross.places[1])
        + along(_pext_u64(own, cross.lines[2]) as u8, cross.places[2])
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn extract(set: u64, mask: u64) -> u64 {
    _pext_u64(set, mask)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn fetch<T>(soon: &T) {
    _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(soon).cast());
}

/// Flips along four rays towards higher squares.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn flips_along(own: __m256i, opp: __m256i, ray: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    let ones = _mm256_cmpeq_epi64(zero, zero);
    let stops = _mm256_andnot_si256(opp, ray);
    // Subtracting one clears the lowest stop and sets all below it.
    let borrowed = _mm256_add_epi64(stops, ones);
    let end = _mm256_and_si256(_mm256_andnot_si256(borrowed, stops), own);
    let run = _mm256_and_si256(_mm256_andnot_si256(stops, borrowed), ray);
    _mm256_andnot_si256(_mm256_cmpeq_epi64(end, zero), run)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn rows_swapped(boards: __m256i) -> __m256i {
    let order = _mm256_setr_epi64x(
        0x0001_0203_0405_0607,
        0x0809_0A0B_0C0D_0E0F,
        0x0001_0203_0405_0607,
        0x0809_0A0B_0C0D_0E0F,
    );
    _mm256_shuffle_epi8(boards, order)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load(lanes: &[u64; 4]) -> __m256i {
    // SAFETY: the reference covers 32 readable bytes; the load wants no alignment.
    #[expect(unsafe_code, reason = "vector load")]
    unsafe {
        _mm256_loadu_si256(std::ptr::from_ref(lanes).cast())
    }
}

/// The bits of all four lanes together.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn union(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))) as u64
}

/// Eight numbers at a time: each is read with its neighbour, and multiplying the pair by
/// one and nought leaves the number itself.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn sum_at<const SIZE: usize, const WORDS: usize>(
    table: &[i8; SIZE],
    bases: &[[u32; 4]; WORDS],
    indices: &[u64; WORDS],
) -> i32 {
    const { assert!((SIZE - 3).is_power_of_two() && SIZE <= 1 << 30) };
    // Sums of so few numbers stay within sixteen bits.
    const { assert!(WORDS.is_multiple_of(2) && WORDS < 512) };
    let inside = _mm256_set1_epi32(SIZE as i32 - 4);
    let first = _mm256_set1_epi32(1);
    let mut sum = _mm256_setzero_si256();
    for (bases, indices) in bases.as_chunks::<2>().0.iter().zip(indices.as_chunks::<2>().0) {
        let index = _mm_set_epi64x(indices[1] as i64, indices[0] as i64);
        let index = _mm256_cvtepu16_epi32(index);
        // SAFETY: the two quadruples are eight words. A place is at most four below the
        // size, so that its three neighbours lie in the table too.
        #[expect(unsafe_code, reason = "loads by address")]
        let quadruples = unsafe {
            let base = _mm256_loadu_si256(bases.as_ptr().cast());
            let place = _mm256_and_si256(_mm256_add_epi32(base, index), inside);
            _mm256_i32gather_epi32::<1>(table.as_ptr().cast(), place)
        };
        sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(first, quadruples));
    }
    let sum = _mm256_madd_epi16(sum, first);
    let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}
