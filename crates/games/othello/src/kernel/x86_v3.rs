//! Flips and mobility with four directions side by side in AVX2 registers.
//!
//! The same arithmetic as the portable twin: a lane holds one direction, and
//! variable shifts move each lane by its own step. Only towards lower squares is
//! the end of a run found differently, by smearing the first square that is not
//! the opponent's over the rest of the ray.

use super::portable::RAYS;
use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_or_si256, _mm256_set1_epi64x,
    _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_sllv_epi64, _mm256_srlv_epi64,
    _mm256_sub_epi64,
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

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn flips(own: u64, opp: u64, square: u8) -> u64 {
    let rays = &RAYS[usize::from(square & 63)];
    let (up, down) = (load(&rays.up), load(&rays.down));
    let own = _mm256_set1_epi64x(own as i64);
    let opp = _mm256_set1_epi64x(opp as i64);
    let zero = _mm256_setzero_si256();
    let ones = _mm256_cmpeq_epi64(zero, zero);

    let off_ray = _mm256_andnot_si256(up, ones);
    let carried = _mm256_sub_epi64(_mm256_or_si256(opp, off_ray), ones);
    let end = _mm256_and_si256(carried, _mm256_and_si256(own, up));
    let none = _mm256_cmpeq_epi64(end, zero);
    let before = _mm256_and_si256(_mm256_add_epi64(end, ones), up);
    let flips_up = _mm256_andnot_si256(none, before);

    let step = _mm256_setr_epi64x(1, 7, 8, 9);
    let double = _mm256_add_epi64(step, step);
    let fourfold = _mm256_add_epi64(double, double);
    let mut beyond = _mm256_andnot_si256(opp, down);
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, step));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, double));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, fourfold));
    let first = _mm256_andnot_si256(_mm256_srlv_epi64(beyond, step), beyond);
    let none = _mm256_cmpeq_epi64(_mm256_and_si256(first, own), zero);
    let flips_down = _mm256_andnot_si256(none, _mm256_andnot_si256(beyond, down));

    union(_mm256_or_si256(flips_up, flips_down))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load(lanes: &[u64; 4]) -> __m256i {
    // SAFETY: both halves of `Rays`, aligned to 64 bytes, begin at multiples of 32.
    #[expect(unsafe_code, reason = "vector load")]
    unsafe {
        _mm256_load_si256(std::ptr::from_ref(lanes).cast())
    }
}

/// The bits of all four lanes together.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn union(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))) as u64
}
