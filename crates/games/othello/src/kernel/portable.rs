//! Flips and mobility in integer arithmetic that any machine runs.
//!
//! Mobility spreads the mover's discs over runs of the opponent's by doubling
//! steps (Kogge and Stone's prefix, as bitboard programs use it). A flip isolates
//! the first square of a ray that is not the opponent's: upward by a carry,
//! downward by counting leading zeros.

/// Steps towards higher squares: east, south-west, south, south-east.
const STEPS: [u32; 4] = [1, 7, 8, 9];
/// The squares a run may cross without leaving the board sideways.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

#[inline(always)]
pub(super) fn mobility(own: u64, opp: u64) -> u64 {
    let inner = opp & INNER;
    let reached =
        toward(own, inner, 1) | toward(own, inner, 7) | toward(own, opp, 8) | toward(own, inner, 9);
    reached & !(own | opp)
}

/// The squares behind runs of `run` that begin next to `own`, both ways along
/// the direction of `step`.
#[inline(always)]
fn toward(own: u64, run: u64, step: u32) -> u64 {
    let mut up = run & (own << step);
    let mut down = run & (own >> step);
    up |= run & (up << step);
    down |= run & (down >> step);
    let pairs_up = run & (run << step);
    let pairs_down = pairs_up >> step;
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    (up << step) | (down >> step)
}

#[inline(always)]
pub(super) fn flips(own: u64, opp: u64, square: u8) -> u64 {
    let rays = &RAYS[usize::from(square & 63)];
    let mut flips = 0;
    for direction in 0..STEPS.len() {
        // The carry runs through everything that is not on the ray and through
        // the opponent's discs on it, and stops at the first other square.
        let ray = rays.up[direction];
        let end = (opp | !ray).wrapping_add(1) & own & ray;
        flips |= end.wrapping_sub(u64::from(end != 0)) & ray;

        let ray = rays.down[direction];
        let stop = !opp & ray;
        let end = (1_u64 << 63).checked_shr(stop.leading_zeros()).unwrap_or(0) & own;
        flips |= (end << 1).wrapping_neg() & ray & u64::from(end != 0).wrapping_neg();
    }
    flips
}

#[inline(always)]
pub(super) fn extract(set: u64, mut mask: u64) -> u64 {
    let (mut bits, mut place) = (0, 0);
    while mask != 0 {
        bits |= (set >> mask.trailing_zeros() & 1) << place;
        place += 1;
        mask &= mask - 1;
    }
    bits
}

#[inline(always)]
pub(super) fn sum_at<const SIZE: usize, const WORDS: usize>(
    table: &[i8; SIZE],
    bases: &[[u32; 4]; WORDS],
    indices: &[u64; WORDS],
) -> i32 {
    const { assert!((SIZE - 3).is_power_of_two() && WORDS.is_multiple_of(2)) };
    let mut sum = 0;
    for (bases, word) in bases.iter().zip(indices) {
        for (i, base) in bases.iter().enumerate() {
            let index = u32::from((word >> (16 * i)) as u16);
            sum += i32::from(table[base.wrapping_add(index) as usize & (SIZE - 4)]);
        }
    }
    sum
}

/// The squares beyond one square in each direction.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Rays {
    /// Towards higher squares, by the order of [`STEPS`].
    pub(super) up: [u64; 4],
    /// Towards lower squares.
    pub(super) down: [u64; 4],
}

pub(super) static RAYS: [Rays; 64] = {
    let mut rays = [Rays { up: [0; 4], down: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < STEPS.len() {
            rays[square].up[direction] = ray(square, STEPS[direction] as i32);
            rays[square].down[direction] = ray(square, -(STEPS[direction] as i32));
            direction += 1;
        }
        square += 1;
    }
    rays
};

const fn ray(square: usize, step: i32) -> u64 {
    let mut ray = 0;
    let mut from = square as i32;
    loop {
        let to = from + step;
        // A step that leaves the board sideways lands two or more columns away.
        if to < 0 || to > 63 || (to % 8 - from % 8).abs() > 1 {
            return ray;
        }
        ray |= 1 << to;
        from = to;
    }
}
