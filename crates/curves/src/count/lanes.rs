//! A number for each of up to 64 curves side by side, and words that say which of
//! them are meant.

#![expect(clippy::inline_always, reason = "inlined into code compiled for the processor")]

use std::ops::Range;

/// All bits of a byte as lanes of ones.
static SPREAD: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = u32::MAX;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Sums of 32 bits that take rows, and of 64 that hold them all.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) open: Vec<u32>,
    pub(super) all: Vec<u64>,
}

impl Sums {
    pub(super) fn resize(&mut self, len: usize) {
        self.open.resize(len, 0);
        self.all.resize(len, 0);
    }

    /// Adds `weight` in the lanes of the bits.
    #[inline(always)]
    pub(super) fn take(&mut self, lanes: Range<usize>, bits: u64, weight: u32) {
        each(&mut self.open[lanes], bits, |sum, ones| sum + (weight & ones));
    }

    /// Empties the small sums into the large ones.
    pub(super) fn pour(&mut self) {
        for (all, open) in self.all.iter_mut().zip(&mut self.open) {
            *all += u64::from(std::mem::take(open));
        }
    }
}

/// Adds one in the lanes of the bits.
#[inline(always)]
pub(super) fn take_ones(lanes: &mut [u32], bits: u64) {
    each(lanes, bits, u32::wrapping_sub);
}

#[inline(always)]
fn each(lanes: &mut [u32], bits: u64, sum: impl Fn(u32, u32) -> u32) {
    for (lanes, byte) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(bits.to_le_bytes()) {
        for (lane, ones) in lanes.iter_mut().zip(SPREAD[usize::from(byte)]) {
            *lane = sum(*lane, ones);
        }
    }
}

/// The same in large sums, for what seldom happens.
pub(super) fn add_bits(lanes: &mut [u64], bits: u64) {
    lanes.iter_mut().enumerate().for_each(|(lane, sum)| *sum += bits >> lane & 1);
}
