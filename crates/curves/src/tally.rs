//! Observations gathered into one cell per (game, bin) pair.
//!
//! Memory: one 40-byte cell per pair, at most twice as many while gathering and
//! 4,096 besides, however many positions there are and in whatever order they
//! come; games whose positions come together cost no search and no sorting of
//! rows. Invariant: cells hold whole numbers only, so no order of the
//! observations changes a bit of what follows.

use crate::{CurveError, CurveParams, Draws, Observation};

/// Parts of a bin in which the place of a value inside it is counted.
const PARTS: f64 = (1_u32 << 20) as f64;

/// The most bins a curve may have.
pub(crate) const MAX_BINS: usize = 4096;

/// The positions of one game in one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) game: u32,
    /// The bin's number: its centre is this many widths from zero.
    pub(crate) bin: i32,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// Sum of the distances from the centre, of the positions that count.
    offset: i64,
}

impl Cell {
    /// Positions that count.
    pub(crate) fn count(&self, draws: Draws) -> u64 {
        match draws {
            Draws::LeftOut => self.wins + self.losses,
            Draws::Half => self.wins + self.draws + self.losses,
        }
    }

    /// Points they brought.
    pub(crate) fn points(&self, draws: Draws) -> f64 {
        match draws {
            Draws::LeftOut => self.wins as f64,
            Draws::Half => self.wins as f64 + 0.5 * self.draws as f64,
        }
    }

    /// Their mean value.
    pub(crate) fn value(&self, params: &CurveParams) -> f64 {
        let offset = self.offset as f64 / (self.count(params.draws) as f64 * PARTS);
        (f64::from(self.bin) + offset) * params.bin_width
    }

    fn absorb(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.offset += other.offset;
    }
}

/// The gathering itself.
pub(crate) struct Tally<'a> {
    params: &'a CurveParams,
    /// Cells of the game whose positions come just now.
    open: Vec<Cell>,
    cells: Vec<Cell>,
    /// Cells left by the last merge of equal pairs.
    merged: usize,
    pub(crate) positions: u64,
    pub(crate) not_finite: u64,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(params: &'a CurveParams) -> Self {
        Self { params, open: Vec::new(), cells: Vec::new(), merged: 0, positions: 0, not_finite: 0 }
    }

    pub(crate) fn add(&mut self, observation: Observation) -> Result<(), CurveError> {
        let Observation { value, points, game } = observation;
        let (wins, draws, losses) = match points {
            1.0 => (1, 0, 0),
            0.5 => (0, 1, 0),
            0.0 => (0, 0, 1),
            _ => return Err(CurveError::Points { points, game }),
        };
        self.positions += 1;
        if !value.is_finite() {
            self.not_finite += 1;
            return Ok(());
        }
        let width = self.params.bin_width;
        let place = value / width;
        let bin = (place + 0.5).floor();
        if bin.abs() >= f64::from(i32::MAX) {
            return Err(CurveError::TooFar { value, bin_width: width });
        }
        let counts = draws == 0 || self.params.draws == Draws::Half;
        let offset = if counts { ((place - bin) * PARTS).round() as i64 } else { 0 };
        let cell = Cell { game, bin: bin as i32, wins, draws, losses, offset };

        if self.open.first().is_some_and(|open| open.game != game) {
            self.close_game();
        }
        if let Some(open) = self.open.iter_mut().find(|open| open.bin == cell.bin) {
            open.absorb(&cell);
        } else if self.open.len() < MAX_BINS {
            self.open.push(cell);
        } else {
            return Err(CurveError::TooManyBins { limit: MAX_BINS, bin_width: width });
        }
        Ok(())
    }

    /// All cells, sorted by game, then bin.
    pub(crate) fn finish(&mut self) -> &[Cell] {
        self.cells.append(&mut self.open);
        self.merge();
        &self.cells
    }

    fn close_game(&mut self) {
        self.cells.append(&mut self.open);
        if self.cells.len() >= 2 * self.merged + MAX_BINS {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.cells.sort_unstable_by_key(|cell| (cell.game, cell.bin));
        self.cells.dedup_by(|later, first| {
            let same = (later.game, later.bin) == (first.game, first.bin);
            if same {
                first.absorb(later);
            }
            same
        });
        self.merged = self.cells.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_bin_holds_its_lower_edge() {
        let params = CurveParams { bin_width: 0.5, ..CurveParams::default() };
        for (value, bin) in [(0.0, 0), (0.249, 0), (0.25, 1), (-0.25, 0), (-0.251, -1)] {
            let mut tally = Tally::new(&params);
            tally.add(Observation { value, points: 1.0, game: 7 }).expect("a value in range");
            assert_eq!(tally.finish()[0].bin, bin, "{value}");
        }
    }

    #[test]
    fn strange_observations_are_named() {
        let params = CurveParams { bin_width: 1e-3, ..CurveParams::default() };
        let mut tally = Tally::new(&params);
        let far = tally.add(Observation { value: 1e300, points: 1.0, game: 0 });
        assert_eq!(far, Err(CurveError::TooFar { value: 1e300, bin_width: 1e-3 }));
        let points = tally.add(Observation { value: 0.0, points: 0.7, game: 3 });
        assert_eq!(points, Err(CurveError::Points { points: 0.7, game: 3 }));
        let many = (0..5000).try_for_each(|i| {
            tally.add(Observation { value: f64::from(i) * 1e-3, points: 1.0, game: 0 })
        });
        assert_eq!(many, Err(CurveError::TooManyBins { limit: MAX_BINS, bin_width: 1e-3 }));
    }

    #[test]
    fn interleaved_games_stay_within_the_bound() {
        let params = CurveParams { bin_width: 1.0, ..CurveParams::default() };
        let mut tally = Tally::new(&params);
        for i in 0..200_000_u32 {
            let value = f64::from(i / 100 % 5);
            tally.add(Observation { value, points: 1.0, game: i % 100 }).expect("in range");
            assert!(tally.cells.len() <= 2 * 500 + MAX_BINS);
        }
        assert_eq!(tally.finish().len(), 500);
        assert!(tally.finish().iter().all(|cell| cell.wins == 400));
    }

    proptest! {
        #[test]
        fn cells_equal_a_plain_map(
            rows in prop::collection::vec((-30_i32..30, 0_u8..3, 0_u32..6), 0..300),
        ) {
            let params = CurveParams { bin_width: 1.0, draws: Draws::Half, min_count: 1 };
            let mut tally = Tally::new(&params);
            let mut plain = BTreeMap::<_, (u64, f64, f64)>::new();
            for &(tenths, halves, game) in &rows {
                let (value, points) = (f64::from(tenths) / 10.0, f32::from(halves) / 2.0);
                tally.add(Observation { value, points, game }).expect("in range");
                let sums = plain.entry((game, (value + 0.5).floor() as i32)).or_default();
                *sums = (sums.0 + 1, sums.1 + f64::from(points), sums.2 + value);
            }
            let cells = tally.finish();
            prop_assert_eq!(cells.len(), plain.len());
            for (cell, (key, (count, points, values))) in cells.iter().zip(plain) {
                prop_assert_eq!((cell.game, cell.bin), key);
                prop_assert_eq!(cell.count(Draws::Half), count);
                prop_assert_eq!(cell.points(Draws::Half), points);
                prop_assert!((cell.value(&params) - values / count as f64).abs() < 1e-5);
            }
        }
    }
}
