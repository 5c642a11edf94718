//! Configurations by merged projections and cubes.
//!
//! A projection holds the positions that match a configuration, reduced to the atoms
//! that may still be added, equal ones merged into one with a weight. Positions are
//! kept sorted with the last atom as the leading digit, so that dropping the first one
//! keeps the order, equal remainders become neighbours, and one pass makes the
//! projections for all its values and for "any", each merged.
//!
//! The last few atoms are not searched: the weights of their states are summed up in a
//! *cube* with one cell for every conjunction about them, an addition each.

use super::{ConfigurationParams, Relation};
use std::ops::ControlFlow;

/// Bits that name a cell of a cube, at most: its cells stay in the nearest cache.
const CUBE: u32 = 10;

type Visit<'a> = &'a mut dyn FnMut(&[Relation], u32) -> ControlFlow<()>;

/// Positions by their atoms, equal ones merged.
///
/// Invariant: the first entry stands for none, and codes rise strictly behind it.
#[derive(Clone, Debug, Default)]
struct Projection {
    codes: Vec<u64>,
    weights: Vec<u32>,
    last: usize,
}

impl Projection {
    /// Forgets all positions; there is room for so many.
    fn clear(&mut self, room: usize) {
        if self.codes.len() <= room {
            self.codes.resize(room + 1, 0);
            self.weights.resize(room + 1, 0);
        }
        (self.codes[0], self.weights[0], self.last) = (u64::MAX, 0, 0);
    }

    /// Adds a position. Whether it is a new one is hard to foretell, so no branch asks.
    #[inline]
    fn push(&mut self, code: u64, weight: u32) {
        let is_new = self.codes[self.last] != code;
        self.last += usize::from(is_new);
        self.codes[self.last] = code;
        let before = if is_new { 0 } else { self.weights[self.last] };
        self.weights[self.last] = before + weight;
    }

    fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        let codes = self.codes[1..=self.last].iter().copied();
        codes.zip(self.weights[1..=self.last].iter().copied())
    }

    fn count(&self) -> u32 {
        self.weights[1..=self.last].iter().sum()
    }
}

/// Where each atom's value stands in a code: the first atom lowest. There is room for
/// one value more than it takes, "any", so that codes are cells of a cube.
pub(super) struct Layout {
    bits: Vec<u32>,
    ranges: Vec<u8>,
    /// The first atom of the cube.
    tail: usize,
}

impl Layout {
    /// None where a position's values do not fit into a word.
    pub(super) fn new(ranges: &[u8]) -> Option<Self> {
        let bits: Vec<u32> = ranges.iter().map(|&range| u8::BITS - range.leading_zeros()).collect();
        if bits.iter().sum::<u32>() > u64::BITS {
            return None;
        }
        let mut tail = ranges.len();
        while tail > 0 && bits[tail - 1..].iter().sum::<u32>() <= CUBE {
            tail -= 1;
        }
        Some(Self { bits, ranges: ranges.to_vec(), tail })
    }

    fn merged(&self, positions: &[u8]) -> Projection {
        let mut codes = Vec::with_capacity(positions.len() / self.ranges.len());
        for values in positions.chunks_exact(self.ranges.len()) {
            let mut code = 0_u64;
            for (&value, &bits) in values.iter().zip(&self.bits).rev() {
                code = code << bits | u64::from(value);
            }
            codes.push(code);
        }
        codes.sort_unstable();
        let mut merged = Projection::default();
        merged.clear(codes.len());
        for code in codes {
            merged.push(code, 1);
        }
        merged
    }
}

/// Visits all valid configurations.
pub(super) fn find(
    layout: &Layout,
    positions: &[u8],
    params: &ConfigurationParams,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    if layout.ranges.is_empty() || params.max_length == 0 {
        return ControlFlow::Continue(());
    }
    let mut miner =
        Miner { layout, params: *params, prefix: Vec::new(), spare: Vec::new(), cube: Vec::new() };
    miner.specialise(&layout.merged(positions), 0, visit)
}

struct Miner<'a> {
    layout: &'a Layout,
    params: ConfigurationParams,
    prefix: Vec<Relation>,
    /// Projections to use again.
    spare: Vec<Projection>,
    cube: Vec<u32>,
}

impl Miner<'_> {
    /// Adds every relation about `atom` and later ones to the prefix whose positions,
    /// reduced to these atoms, are those of `here`.
    fn specialise(&mut self, here: &Projection, atom: usize, visit: Visit<'_>) -> ControlFlow<()> {
        if atom == self.layout.tail {
            return self.add_tail(here, visit);
        }
        let by_value = self.split(here, atom);
        let (any, values) = by_value.split_last().expect("there is always any");
        for (value, below) in (0..).zip(values) {
            let count = below.count();
            if count < self.params.min_count {
                continue;
            }
            self.prefix.push(Relation { atom: atom as u16, value });
            visit(&self.prefix, count)?;
            if self.prefix.len() < self.params.max_length {
                self.specialise(below, atom + 1, visit)?;
            }
            self.prefix.pop();
        }
        self.specialise(any, atom + 1, visit)?;
        self.spare.extend(by_value);
        ControlFlow::Continue(())
    }

    /// The positions by the atom's value, and last all of them, reduced to what stands
    /// behind it.
    fn split(&mut self, here: &Projection, atom: usize) -> Vec<Projection> {
        let (bits, range) = (self.layout.bits[atom], usize::from(self.layout.ranges[atom]));
        let mut below: Vec<Projection> = (0..=range)
            .map(|_| {
                let mut fresh = self.spare.pop().unwrap_or_default();
                fresh.clear(here.last);
                fresh
            })
            .collect();
        let mask = (1_u64 << bits) - 1;
        for (code, weight) in here.entries() {
            let rest = code.checked_shr(bits).unwrap_or(0);
            below[(code & mask) as usize].push(rest, weight);
            below[range].push(rest, weight);
        }
        below
    }

    /// Adds every conjunction about the atoms of the tail.
    fn add_tail(&mut self, here: &Projection, visit: Visit<'_>) -> ControlFlow<()> {
        let layout = self.layout;
        let tail = layout.tail;
        let cells = 1_usize << layout.bits[tail..].iter().sum::<u32>();
        self.cube.clear();
        self.cube.resize(cells, 0);
        for (code, weight) in here.entries() {
            self.cube[code as usize] += weight;
        }
        // Atom by atom, "any" becomes the sum over the values.
        let (mut stride, mut any) = (1, 0);
        for (&range, &bits) in layout.ranges[tail..].iter().zip(&layout.bits[tail..]) {
            let range = usize::from(range);
            for line in self.cube.chunks_exact_mut(stride << bits) {
                let (values, rest) = line.split_at_mut(stride * range);
                for value in values.chunks_exact(stride) {
                    rest.iter_mut().zip(value).for_each(|(any, n)| *any += n);
                }
            }
            any += stride * range;
            stride <<= bits;
        }
        self.add_cells(tail, 1, any, visit)
    }

    /// Adds relations about the atoms from `first` on, the first of which has this
    /// stride, to the cell in which all of them are any.
    fn add_cells(
        &mut self,
        first: usize,
        stride: usize,
        cell: usize,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        if self.prefix.len() == self.params.max_length {
            return ControlFlow::Continue(());
        }
        let mut stride = stride;
        for atom in first..self.layout.ranges.len() {
            let range = usize::from(self.layout.ranges[atom]);
            let next = stride << self.layout.bits[atom];
            for value in 0..range {
                let inside = cell - stride * (range - value);
                let count = self.cube[inside];
                if count >= self.params.min_count {
                    self.prefix.push(Relation { atom: atom as u16, value: value as u8 });
                    visit(&self.prefix, count)?;
                    self.add_cells(atom + 1, next, inside, visit)?;
                    self.prefix.pop();
                }
            }
            stride = next;
        }
        ControlFlow::Continue(())
    }
}
