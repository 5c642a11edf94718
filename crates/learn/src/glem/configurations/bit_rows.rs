//! Configurations by bit rows: one row for each relation, a bit a position; the rows of
//! a conjunction are those of its relations, one `and` the other (buro98 section 3).
//!
//! Once few positions are left they are listed instead, and rows are asked position by
//! position, which is shorter then.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined into the AVX2 copy is not compiled for AVX2"
)]

use super::{ConfigurationParams, Relation};
use crate::wide::{Kernel, widest};
use std::ops::ControlFlow;

/// Words of a row that are counted in the time one listed position takes.
const WORDS_A_POSITION: usize = 2;

/// Decides whether a conjunction matches often enough.
pub(super) trait Decide {
    /// The number of matches where they are enough; rows may be counted in part.
    fn enough(&mut self, matches: &Matches<'_>, min_count: u32) -> Option<u32>;
}

/// Counts all positions.
pub(super) struct Exact;

impl Decide for Exact {
    fn enough(&mut self, matches: &Matches<'_>, min_count: u32) -> Option<u32> {
        let count = matches.count(0, usize::MAX);
        (count >= min_count).then_some(count)
    }
}

/// The positions of a prefix and those of a relation to be added.
pub(super) struct Matches<'a> {
    here: &'a Here,
    row: &'a [u64],
}

impl Matches<'_> {
    /// Matches among the positions of these words; all of them where the positions
    /// are listed.
    pub(super) fn count(&self, first: usize, words: usize) -> u32 {
        match self.here {
            Here::All => count(&self.row[first..first.saturating_add(words).min(self.row.len())]),
            Here::Row(here) => {
                let last = first.saturating_add(words).min(here.len());
                count_both(&here[first..last], &self.row[first..last])
            }
            Here::List(list) => list.iter().filter(|&&p| bit(self.row, p)).count() as u32,
        }
    }

    /// Whether counting goes word by word.
    pub(super) fn by_words(&self) -> bool {
        !matches!(self.here, Here::List(_))
    }
}

/// The positions of a prefix.
enum Here {
    All,
    Row(Vec<u64>),
    List(Vec<u32>),
}

fn bit(row: &[u64], position: u32) -> bool {
    row[position as usize / 64] >> (position % 64) & 1 == 1
}

struct Count<'a>(&'a [u64]);

impl Kernel for Count<'_> {
    type Sums = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

struct CountBoth<'a>(&'a [u64], &'a [u64]);

impl Kernel for CountBoth<'_> {
    type Sums = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        self.0.iter().zip(self.1).map(|(a, b)| (a & b).count_ones()).sum()
    }
}

fn count(row: &[u64]) -> u32 {
    widest(Count(row))
}

fn count_both(a: &[u64], b: &[u64]) -> u32 {
    widest(CountBoth(a, b))
}

/// Visits all configurations that `decide` finds frequent enough.
pub(super) fn find(
    positions: &[u8],
    ranges: &[u8],
    params: &ConfigurationParams,
    decide: &mut dyn Decide,
    visit: &mut dyn FnMut(&[Relation], u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if ranges.is_empty() || params.max_length == 0 {
        return ControlFlow::Continue(());
    }
    let words = (positions.len() / ranges.len()).div_ceil(64);
    let mut rows: Vec<(Relation, Vec<u64>)> = Vec::new();
    let mut first = Vec::with_capacity(ranges.len());
    for (atom, &range) in (0..).zip(ranges) {
        first.push(rows.len());
        rows.extend((0..range).map(|value| (Relation { atom, value }, vec![0; words])));
    }
    for (position, values) in positions.chunks_exact(ranges.len()).enumerate() {
        for (&value, &first) in values.iter().zip(&first) {
            rows[first + usize::from(value)].1[position / 64] |= 1 << (position % 64);
        }
    }
    rows.retain(|(_, row)| count(row) >= params.min_count);
    let mut search = Search { rows: &rows, params: *params, prefix: Vec::new(), decide, visit };
    search.specialise(&Here::All, 0)
}

struct Search<'a> {
    rows: &'a [(Relation, Vec<u64>)],
    params: ConfigurationParams,
    prefix: Vec<Relation>,
    decide: &'a mut dyn Decide,
    visit: &'a mut dyn FnMut(&[Relation], u32) -> ControlFlow<()>,
}

impl Search<'_> {
    fn specialise(&mut self, here: &Here, first: usize) -> ControlFlow<()> {
        let rows = self.rows;
        for (i, (relation, row)) in rows.iter().enumerate().skip(first) {
            if self.prefix.last().is_some_and(|last| last.atom == relation.atom) {
                continue;
            }
            let matches = Matches { here, row };
            let Some(count) = self.decide.enough(&matches, self.params.min_count) else { continue };
            self.prefix.push(*relation);
            (self.visit)(&self.prefix, count)?;
            if self.prefix.len() < self.params.max_length && i + 1 < rows.len() {
                let below = joined(here, row, count);
                self.specialise(&below, i + 1)?;
            }
            self.prefix.pop();
        }
        ControlFlow::Continue(())
    }
}

/// The positions of a prefix that a row has too, of which there are about `count`.
fn joined(here: &Here, row: &[u64], count: u32) -> Here {
    let both = match here {
        Here::All => row.to_vec(),
        Here::Row(here) => here.iter().zip(row).map(|(a, b)| a & b).collect(),
        Here::List(list) => {
            return Here::List(list.iter().copied().filter(|&p| bit(row, p)).collect());
        }
    };
    if count as usize * WORDS_A_POSITION > both.len() {
        return Here::Row(both);
    }
    let mut list = Vec::with_capacity(count as usize);
    for (word, first) in both.iter().zip((0_u32..).step_by(64)) {
        let mut left = *word;
        while left != 0 {
            list.push(first + left.trailing_zeros());
            left &= left - 1;
        }
    }
    Here::List(list)
}
