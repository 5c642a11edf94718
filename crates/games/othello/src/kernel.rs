//! Mobility, flips and the sums of a judge by patterns, once for any machine and once
//! for x86-64-v3.
//!
//! A kernel is a value of no size that boards carry along. Invariant: a value of
//! [`X86V3`] exists only where the processor was found to have the features its
//! functions are compiled for, so that holding one is the proof the calls need.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_v3;

use std::fmt::Debug;
use std::hash::Hash;

/// The bit tricks a board is built on.
///
/// The words are disc sets of the side to move and of the opponent; they must
/// not overlap.
pub trait Kernel: sealed::Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The empty squares where a disc of `own` would flip something.
    fn mobility(self, own: u64, opp: u64) -> u64;

    /// The opponent's discs that a disc of `own` on the empty `square` flips.
    fn flips(self, own: u64, opp: u64, square: u8) -> u64;

    /// How many discs a disc of `own` on `square` flips, where all other squares
    /// that are not `own`'s are the opponent's: the last move of a full board.
    fn last_flips(self, own: u64, square: u8) -> u32;

    /// The bits of `set` on the squares of `mask`, moved together.
    fn extract(self, set: u64, mask: u64) -> u64;

    /// The sum of the table's numbers at `bases[i] + indices[i]`, the indices of sixteen
    /// bits four to a word. The table is a power of two of numbers and three more; places
    /// beyond it are taken modulo that power. `WORDS` is even.
    fn sum_at<const SIZE: usize, const WORDS: usize>(
        self,
        table: &[i8; SIZE],
        bases: &[[u32; 4]; WORDS],
        indices: &[u64; WORDS],
    ) -> i32;

    /// Asks memory for what will be read soon; does nothing where it cannot.
    #[inline(always)]
    fn fetch<T>(self, _soon: &T) {}
}

mod sealed {
    pub trait Sealed {}
}

/// Plain integer arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Portable;

impl sealed::Sealed for Portable {}

impl Kernel for Portable {
    #[inline(always)]
    fn mobility(self, own: u64, opp: u64) -> u64 {
        portable::mobility(own, opp)
    }

    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u8) -> u64 {
        portable::flips(own, opp, square)
    }

    #[inline(always)]
    fn last_flips(self, own: u64, square: u8) -> u32 {
        portable::flips(own, !own & !(1 << (square & 63)), square).count_ones()
    }

    #[inline(always)]
    fn extract(self, set: u64, mask: u64) -> u64 {
        portable::extract(set, mask)
    }

    #[inline(always)]
    fn sum_at<const SIZE: usize, const WORDS: usize>(
        self,
        table: &[i8; SIZE],
        bases: &[[u32; 4]; WORDS],
        indices: &[u64; WORDS],
    ) -> i32 {
        portable::sum_at(table, bases, indices)
    }
}

/// AVX2 and BMI2. Its functions are inlined into drivers that are compiled for
/// the same features, and are ordinary calls elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct X86V3(());

impl X86V3 {
    /// The kernel, where this machine runs it.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Option<Self> {
        evalsmith_core::x86_v3_available().then_some(Self(()))
    }

    /// The kernel, where this machine runs it.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Option<Self> {
        None
    }
}

impl sealed::Sealed for X86V3 {}

#[cfg(target_arch = "x86_64")]
impl Kernel for X86V3 {
    #[inline(always)]
    fn mobility(self, own: u64, opp: u64) -> u64 {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::mobility(own, opp)
        }
    }

    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u8) -> u64 {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::flips(own, opp, square)
        }
    }

    #[inline(always)]
    fn last_flips(self, own: u64, square: u8) -> u32 {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::last_flips(own, square)
        }
    }

    #[inline(always)]
    fn extract(self, set: u64, mask: u64) -> u64 {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::extract(set, mask)
        }
    }

    #[inline(always)]
    fn sum_at<const SIZE: usize, const WORDS: usize>(
        self,
        table: &[i8; SIZE],
        bases: &[[u32; 4]; WORDS],
        indices: &[u64; WORDS],
    ) -> i32 {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::sum_at(table, bases, indices)
        }
    }

    #[inline(always)]
    fn fetch<T>(self, soon: &T) {
        // SAFETY: `self` exists, so `detect` found every feature.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            x86_v3::fetch(soon);
        }
    }
}

// Elsewhere no value of the type exists; the functions only have to compile.
#[cfg(not(target_arch = "x86_64"))]
impl Kernel for X86V3 {
    fn mobility(self, own: u64, opp: u64) -> u64 {
        portable::mobility(own, opp)
    }

    fn flips(self, own: u64, opp: u64, square: u8) -> u64 {
        portable::flips(own, opp, square)
    }

    fn last_flips(self, own: u64, square: u8) -> u32 {
        Portable.last_flips(own, square)
    }

    fn extract(self, set: u64, mask: u64) -> u64 {
        portable::extract(set, mask)
    }

    fn sum_at<const SIZE: usize, const WORDS: usize>(
        self,
        table: &[i8; SIZE],
        bases: &[[u32; 4]; WORDS],
        indices: &[u64; WORDS],
    ) -> i32 {
        portable::sum_at(table, bases, indices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STEPS: [(i32, i32); 8] =
        [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

    /// Walks each ray square by square.
    fn obvious_flips(own: u64, opp: u64, square: u8) -> u64 {
        let mut flips = 0;
        for (dr, dc) in STEPS {
            let (mut row, mut column) = (i32::from(square / 8) + dr, i32::from(square % 8) + dc);
            let mut run = 0;
            while (0..8).contains(&row) && (0..8).contains(&column) {
                let bit = 1_u64 << (8 * row + column);
                if opp & bit == 0 {
                    if own & bit != 0 {
                        flips |= run;
                    }
                    break;
                }
                run |= bit;
                (row, column) = (row + dr, column + dc);
            }
        }
        flips
    }

    fn agrees(kernel: impl Kernel, own: u64, opp: u64) -> Result<(), TestCaseError> {
        let mut mobility = 0;
        for square in (0..64).filter(|s| (own | opp) >> s & 1 == 0) {
            let flips = obvious_flips(own, opp, square);
            prop_assert_eq!(kernel.flips(own, opp, square), flips, "square {}", square);
            mobility |= u64::from(flips != 0) << square;
        }
        prop_assert_eq!(kernel.mobility(own, opp), mobility);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn kernels_agree_with_walking_the_rays(
            a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), density in 0..3,
        ) {
            // Sparse, even and crowded boards: long runs need crowds of one colour.
            let own = match density { 0 => a & c, 1 => a & !(b & c), _ => a & b & c };
            let opp = match density { 2 => (b | c) & !own, _ => b & !own };
            agrees(Portable, own, opp)?;
            if let Some(kernel) = X86V3::detect() {
                agrees(kernel, own, opp)?;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn last_flips_are_counted_alike(
            a in any::<u64>(), b in any::<u64>(), sparse in any::<bool>(), square in 0..64_u8,
        ) {
            let own = if sparse { a & b } else { a } & !(1 << square);
            let flips = obvious_flips(own, !own & !(1 << square), square).count_ones();
            prop_assert_eq!(Portable.last_flips(own, square), flips);
            if let Some(kernel) = X86V3::detect() {
                prop_assert_eq!(kernel.last_flips(own, square), flips);
            }
        }
    }

    proptest! {
        #[test]
        fn bits_are_extracted_in_order(set in any::<u64>(), mask in any::<u64>()) {
            let squares = (0..64).filter(|s| mask >> s & 1 == 1);
            let bits = squares.enumerate().fold(0, |bits, (i, s)| bits | (set >> s & 1) << i);
            prop_assert_eq!(Portable.extract(set, mask), bits);
            if let Some(kernel) = X86V3::detect() {
                prop_assert_eq!(kernel.extract(set, mask), bits);
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_numbers_at_the_places(
            numbers in any::<[[i8; 16]; 2]>(), beyond in any::<i8>(),
            bases in any::<[[u32; 4]; 4]>(), indices in any::<[u64; 4]>(),
        ) {
            let mut table = [beyond; 32 + 3];
            table[..32].copy_from_slice(numbers.as_flattened());
            let index = |i: usize| (indices[i / 4] >> (16 * (i % 4))) as u16;
            let place = |i: usize| bases[i / 4][i % 4].wrapping_add(index(i).into()) as usize % 32;
            let sum: i32 = (0..16).map(|i| i32::from(table[place(i)])).sum();
            prop_assert_eq!(Portable.sum_at(&table, &bases, &indices), sum);
            if let Some(kernel) = X86V3::detect() {
                prop_assert_eq!(kernel.sum_at(&table, &bases, &indices), sum);
            }
        }
    }

    #[test]
    fn the_longest_runs_flip_from_every_square() {
        for square in 0..64_u8 {
            for end in (0..64).filter(|&e| e != square) {
                let own = 1_u64 << end;
                let opp = !own & !(1 << square);
                let expected = obvious_flips(own, opp, square);
                assert_eq!(Portable.flips(own, opp, square), expected, "{square} {end}");
                if let Some(kernel) = X86V3::detect() {
                    assert_eq!(kernel.flips(own, opp, square), expected, "{square} {end}");
                }
            }
        }
    }
}
