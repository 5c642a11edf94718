//! The counts of some groups of games under up to 64 curves.
//!
//! A row brings its weight to all curves at once: each byte of its mask spreads to
//! eight lanes, and the lanes of its bin take the weight or nothing. A weight holds
//! a one above 22 bits for where in its bin the value lies, so that sums of 1,023
//! rows fit into 32 bits. At the end of a game, or where its rows' result changes,
//! the bins it touched are poured into the group's cells. Invariant: between calls
//! nothing is left to pour, only which curves the last game has been seen in.

use super::{GROUPS, NONE, SHARDS};
use crate::Draws;

/// The most curves of a shard.
pub(super) const LANES: usize = 64;
/// Bits below the count in a weight.
const PLACE: u32 = 22;
/// The rows whose weights may be summed.
const MOST: u32 = (1 << (32 - PLACE)) - 1;
/// Parts of a bin in which the place of a value inside it is counted.
pub(super) const PARTS: f64 = 4096.0;
/// The groups of games of a shard.
const HOME: usize = GROUPS / SHARDS;

/// A weight from the distance to the middle of a bin, in bins: at most a half.
pub(super) fn weight(offset: f64) -> u32 {
    1 << PLACE | ((offset + 0.5) * PARTS).round() as u32
}

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
    pub(super) weights: &'a [u32],
    /// By row, `stride` words each: a bit for every curve that counts the row.
    pub(super) masks: &'a [u64],
    pub(super) stride: usize,
    pub(super) runs: &'a [Run],
}

/// Counts.
pub(super) struct Shard {
    /// Curves, rounded up to a multiple of eight.
    lanes: usize,
    capacity: usize,
    /// By group, slot and lane: positions in the lower half, half points in the upper.
    cells: Vec<u64>,
    /// By slot and lane, like all that follow.
    offsets: Vec<i64>,
    draws: Vec<u64>,
    games: Vec<u64>,
    /// By lane.
    pub(super) games_of_curve: Vec<u64>,
    pub(super) not_finite: Vec<u64>,
    /// Sums of weights of the present run.
    open: Vec<u32>,
    /// By slot: rows of the present run and the curves that count them.
    filled: Vec<(u32, u64)>,
    touched: Vec<u16>,
    /// The present game, by slot the curves that have counted it, and those slots.
    game: Option<u64>,
    seen: Vec<u64>,
    visited: Vec<u16>,
}

impl Shard {
    pub(super) fn new(curves: usize, capacity: usize) -> Self {
        let lanes = curves.next_multiple_of(8);
        let mut shard = Self {
            lanes,
            capacity: 0,
            cells: Vec::new(),
            offsets: Vec::new(),
            draws: Vec::new(),
            games: Vec::new(),
            games_of_curve: vec![0; lanes],
            not_finite: vec![0; lanes],
            open: Vec::new(),
            filled: Vec::new(),
            touched: Vec::new(),
            game: None,
            seen: Vec::new(),
            visited: Vec::new(),
        };
        shard.grow(capacity);
        shard
    }

    /// Makes room for more slots.
    pub(super) fn grow(&mut self, capacity: usize) {
        let (old, new) = (self.capacity * self.lanes, capacity * self.lanes);
        let mut cells = vec![0; HOME * new];
        if old > 0 {
            for (to, from) in cells.chunks_mut(new).zip(self.cells.chunks(old)) {
                to[..old].copy_from_slice(from);
            }
        }
        self.cells = cells;
        self.offsets.resize(new, 0);
        self.draws.resize(new, 0);
        self.games.resize(new, 0);
        self.open.resize(new, 0);
        self.filled.resize(capacity, (0, 0));
        self.seen.resize(capacity, 0);
        self.capacity = capacity;
    }

    /// Counts the rows of the games that belong to the shard of this number; its
    /// curves stand in word `word` of the masks.
    pub(super) fn add(&mut self, placed: &Placed<'_>, number: usize, word: usize, draws: Draws) {
        for run in placed.runs.iter().filter(|run| run.game as usize % SHARDS == number) {
            if self.game != Some(run.game) {
                self.close();
                self.game = Some(run.game);
            }
            for row in run.first..run.end {
                let mask = placed.masks[row * placed.stride + word];
                let slot = placed.slots[row];
                if slot == NONE {
                    add_bits(&mut self.not_finite, mask);
                    continue;
                }
                let (rows, curves) = &mut self.filled[usize::from(slot)];
                if *rows == 0 {
                    self.touched.push(slot);
                }
                *rows += 1;
                *curves |= mask;
                let full = *rows == MOST;
                let at = usize::from(slot) * self.lanes;
                let lanes = self.open[at..at + self.lanes].as_chunks_mut::<8>().0;
                let weight = placed.weights[row];
                for (lanes, byte) in lanes.iter_mut().zip(mask.to_le_bytes()) {
                    for (lane, keep) in lanes.iter_mut().zip(SPREAD[usize::from(byte)]) {
                        *lane += weight & keep;
                    }
                }
                if full {
                    self.pour_all(run, draws);
                }
            }
            self.pour_all(run, draws);
        }
    }

    fn pour_all(&mut self, run: &Run, draws: Draws) {
        while let Some(slot) = self.touched.pop() {
            self.pour(run, usize::from(slot), draws);
        }
    }

    fn pour(&mut self, run: &Run, slot: usize, draws: Draws) {
        let (_, curves) = std::mem::take(&mut self.filled[slot]);
        let lanes = slot * self.lanes..(slot + 1) * self.lanes;
        let open = &mut self.open[lanes.clone()];
        if run.half_points == 1 {
            for (draws, sum) in self.draws[lanes.clone()].iter_mut().zip(&*open) {
                *draws += u64::from(sum >> PLACE);
            }
        }
        if run.half_points != 1 || draws == Draws::Half {
            if self.seen[slot] == 0 {
                self.visited.push(slot as u16);
            }
            self.seen[slot] |= curves;
            let group = run.game as usize % GROUPS / SHARDS;
            let at = (group * self.capacity + slot) * self.lanes;
            let points = u64::from(run.half_points) << 32 | 1;
            let middle = (PARTS / 2.0) as i64;
            for ((cell, offset), sum) in
                self.cells[at..at + self.lanes].iter_mut().zip(&mut self.offsets[lanes]).zip(&*open)
            {
                let count = sum >> PLACE;
                *cell += u64::from(count) * points;
                *offset += i64::from(sum & ((1 << PLACE) - 1)) - i64::from(count) * middle;
            }
        }
        open.fill(0);
    }

    /// Counts the present game where it has been seen.
    pub(super) fn close(&mut self) {
        let mut all = 0;
        while let Some(slot) = self.visited.pop() {
            let slot = usize::from(slot);
            let seen = std::mem::take(&mut self.seen[slot]);
            all |= seen;
            add_bits(&mut self.games[slot * self.lanes..(slot + 1) * self.lanes], seen);
        }
        add_bits(&mut self.games_of_curve, all);
        self.game = None;
    }

    /// Positions and half points of a group (of all groups) in a slot.
    pub(super) fn cell(&self, group: usize, slot: u16, lane: usize) -> Cell {
        let at = (group / SHARDS * self.capacity + usize::from(slot)) * self.lanes + lane;
        let packed = self.cells[at];
        Cell { count: packed as u32, half_points: (packed >> 32) as u32 }
    }

    /// The summed offsets, draws and games of a slot.
    pub(super) fn slot(&self, slot: u16, lane: usize) -> (i64, u64, u64) {
        let at = usize::from(slot) * self.lanes + lane;
        (self.offsets[at], self.draws[at], self.games[at])
    }
}

fn add_bits(lanes: &mut [u64], bits: u64) {
    lanes.iter_mut().enumerate().for_each(|(lane, sum)| *sum += bits >> lane & 1);
}

/// Positions of a group of games in a bin.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) count: u32,
    pub(super) half_points: u32,
}

impl Cell {
    pub(super) fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}
