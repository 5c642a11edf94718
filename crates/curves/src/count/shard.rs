//! The counts of some groups of games under up to 64 curves.
//!
//! A row is brought to all curves at once: each byte of its mask spreads to eight
//! lanes, and the lanes of its group and bin take one more or nothing, those of its
//! bin take the place of its value in the bin. What is summed over all groups is
//! summed in 32 bits and poured into 64 before they can be full. Invariant: between
//! calls all rows are counted; only the last game still waits, as more of its rows may
//! come.

#![expect(clippy::inline_always, reason = "inlined into code compiled for the processor")]

use super::lanes::{Sums, add_bits, take_ones};
use super::{GROUPS, NONE, SHARDS};
use crate::Draws;
use crate::fastest::fastest;
use std::hint::black_box;

/// The most curves of a shard.
pub(super) const LANES: usize = 64;
/// Parts of a bin in which the place of a value inside it is counted.
pub(super) const PARTS: u32 = 4096;
/// The rows whose places may be summed in 32 bits.
const MOST: usize = 1 << 19;
/// Rows of a run that are looked at before they are counted.
const TOUCHED: usize = 32;
/// Cells in a line of the cache.
const LINE: usize = 16;
/// The groups of games of a shard.
const HOME: usize = GROUPS / SHARDS;

/// Rows of one game with one result that stand together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) game: u64,
    pub(super) half_points: u8,
    pub(super) first: usize,
    pub(super) end: usize,
}

/// A batch as the shards see it.
pub(super) struct Placed<'a> {
    pub(super) slots: &'a [u16],
    /// Where in its bin each value lies, from 0 to [`PARTS`].
    pub(super) places: &'a [u32],
    /// By row, `stride` words each: a bit for every curve that counts the row.
    pub(super) masks: &'a [u64],
    pub(super) stride: usize,
    pub(super) runs: &'a [Run],
}

/// Counts.
pub(super) struct Shard {
    draws_count: bool,
    /// Curves, rounded up to a multiple of eight.
    lanes: usize,
    capacity: usize,
    /// By group, slot, result and lane: positions.
    cells: Vec<u32>,
    /// By slot and lane, like the two that follow: the places of values that count.
    places: Sums,
    /// Draws that are left out.
    draws: Sums,
    games: Sums,
    /// By lane.
    games_of_curve: Sums,
    pub(super) not_finite: Vec<u64>,
    /// Rows since the sums were poured.
    rows: usize,
    /// The present game, by slot the curves that have counted it, and those slots.
    game: Option<u64>,
    seen: Vec<u64>,
    visited: Vec<u16>,
}

impl Shard {
    pub(super) fn new(curves: usize, capacity: usize, draws: Draws) -> Self {
        let lanes = curves.next_multiple_of(8);
        let mut shard = Self {
            draws_count: draws == Draws::Half,
            lanes,
            capacity: 0,
            cells: Vec::new(),
            places: Sums::default(),
            draws: Sums::default(),
            games: Sums::default(),
            games_of_curve: Sums::default(),
            not_finite: vec![0; lanes],
            rows: 0,
            game: None,
            seen: Vec::new(),
            visited: Vec::new(),
        };
        shard.games_of_curve.resize(lanes);
        shard.grow(capacity);
        shard
    }

    /// Makes room for more slots.
    pub(super) fn grow(&mut self, capacity: usize) {
        let slot = self.results() * self.lanes;
        let (old, new) = (self.capacity * slot, capacity * slot);
        let mut cells = vec![0; HOME * new];
        if old > 0 {
            for (to, from) in cells.chunks_mut(new).zip(self.cells.chunks(old)) {
                to[..old].copy_from_slice(from);
            }
        }
        self.cells = cells;
        for sums in [&mut self.places, &mut self.draws, &mut self.games] {
            sums.resize(capacity * self.lanes);
        }
        self.seen.resize(capacity, 0);
        self.capacity = capacity;
    }

    /// Results that are counted group by group: losses and wins, and draws between
    /// them where they count half.
    fn results(&self) -> usize {
        if self.draws_count { 3 } else { 2 }
    }

    /// Counts the rows of the games that belong to the shard of this number; its
    /// curves stand in word `word` of the masks.
    pub(super) fn add(&mut self, placed: &Placed<'_>, number: usize, word: usize) {
        add(self, placed, number, word);
    }

    #[inline(always)]
    fn add_run(&mut self, placed: &Placed<'_>, run: &Run, word: usize) {
        if self.game != Some(run.game) {
            self.close();
            self.game = Some(run.game);
        }
        let left_out = self.leaves_out(run);
        for row in run.first..run.end {
            let mask = placed.masks[row * placed.stride + word];
            let slot = usize::from(placed.slots[row]);
            if slot == usize::from(NONE) {
                add_bits(&mut self.not_finite, mask);
                continue;
            }
            let lanes = slot * self.lanes..(slot + 1) * self.lanes;
            if left_out {
                take_ones(&mut self.draws.open[lanes], mask);
                continue;
            }
            if self.seen[slot] == 0 {
                self.visited.push(slot as u16);
            }
            self.seen[slot] |= mask;
            let cell = self.cell_of(run, slot);
            take_ones(&mut self.cells[cell..cell + self.lanes], mask);
            self.places.take(lanes, mask, placed.places[row]);
        }
    }

    fn leaves_out(&self, run: &Run) -> bool {
        run.half_points == 1 && !self.draws_count
    }

    /// Where in the cells the row of a run is counted, by its slot.
    #[inline(always)]
    fn cell_of(&self, run: &Run, slot: usize) -> usize {
        let group = run.game as usize % GROUPS / SHARDS;
        let result = usize::from(run.half_points) * (self.results() - 1) / 2;
        ((group * self.capacity + slot) * self.results() + result) * self.lanes
    }

    /// Looks at the cells of the first rows of a run, so that they are on their way from
    /// memory while another is counted: most of the time would go into waiting for them.
    #[inline(always)]
    fn touch(&self, placed: &Placed<'_>, run: &Run) {
        if self.leaves_out(run) {
            return;
        }
        let mut looked = 0;
        for &slot in &placed.slots[run.first..run.end.min(run.first + TOUCHED)] {
            let cells = self.cells.get(self.cell_of(run, usize::from(slot))..);
            let line = cells.unwrap_or_default().iter().take(self.lanes).step_by(LINE);
            looked |= line.fold(0, |all, cell| all | cell);
        }
        black_box(looked);
    }

    #[inline(always)]
    fn make_room(&mut self, rows: usize) {
        if self.rows + rows > MOST {
            self.pour();
        }
        self.rows += rows;
    }

    fn pour(&mut self) {
        for sums in [&mut self.places, &mut self.draws, &mut self.games, &mut self.games_of_curve] {
            sums.pour();
        }
        self.rows = 0;
    }

    /// Counts the present game where it has been seen.
    #[inline(always)]
    fn close(&mut self) {
        let mut all = 0;
        while let Some(slot) = self.visited.pop() {
            let slot = usize::from(slot);
            let seen = std::mem::take(&mut self.seen[slot]);
            all |= seen;
            take_ones(&mut self.games.open[slot * self.lanes..(slot + 1) * self.lanes], seen);
        }
        take_ones(&mut self.games_of_curve.open, all);
        self.game = None;
    }

    /// Nothing more will come.
    pub(super) fn finish(&mut self) {
        self.close();
        self.pour();
    }

    /// Positions and half points of a group (of all groups) in a slot.
    pub(super) fn cell(&self, group: usize, slot: u16, lane: usize) -> Cell {
        let slot = group / SHARDS * self.capacity + usize::from(slot);
        let results = self.results();
        let count = |result| self.cells[(slot * results + result) * self.lanes + lane];
        let (losses, wins) = (count(0), count(results - 1));
        let draws = if self.draws_count { count(1) } else { 0 };
        Cell { count: losses + draws + wins, half_points: draws + 2 * wins, draws }
    }

    /// The summed places, draws that are left out and games of a slot.
    pub(super) fn slot(&self, slot: u16, lane: usize) -> (u64, u64, u64) {
        let at = usize::from(slot) * self.lanes + lane;
        (self.places.all[at], self.draws.all[at], self.games.all[at])
    }

    /// The games of a curve.
    pub(super) fn games(&self, lane: usize) -> u64 {
        self.games_of_curve.all[lane]
    }
}

fastest! {
    fn add(shard: &mut Shard, placed: &Placed<'_>, number: usize, word: usize) = add_inlined
}

#[inline(always)]
fn add_inlined(shard: &mut Shard, placed: &Placed<'_>, number: usize, word: usize) {
    let home = |run: &&Run| run.game as usize % SHARDS == number;
    let mut runs = placed.runs.iter().filter(home).peekable();
    while let Some(run) = runs.next() {
        if let Some(next) = runs.peek() {
            shard.touch(placed, next);
        }
        // A run may be longer than the rows that fit.
        for first in (run.first..run.end).step_by(MOST) {
            let run = Run { first, end: run.end.min(first + MOST), ..*run };
            shard.make_room(run.end - run.first);
            shard.add_run(placed, &run, word);
        }
    }
}

/// Positions of a group of games in a bin.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) count: u32,
    pub(super) half_points: u32,
    /// Draws among them: none where they are left out.
    pub(super) draws: u32,
}

impl Cell {
    pub(super) fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}
