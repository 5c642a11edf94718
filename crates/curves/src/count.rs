//! The total curve and any number of conditioned ones, counted in one pass over
//! a table of any length.
//!
//! Each curve keeps, for every bin and each of 1,024 groups of games, how many
//! positions count and what points they brought. A game belongs to the group that
//! its name's hash says, so that groups are made of whole games, whatever the
//! order of rows: errors clustered by group are errors clustered by game, only
//! estimated from at most 1,024 clusters. Memory is 8 KiB for each bin of each
//! curve, never more than 512 bins. Invariant: all sums are whole numbers, so
//! that neither batches nor threads change a bit. The numbers of games, and
//! nothing else, take it that a game's rows stand together.

use crate::curve::Sums;
use crate::logistic::Group;
use crate::monotone::is_monotone;
use crate::{Curve, CurveError, CurveParams, Draws, Expression, Logistic};
use rayon::prelude::*;
use std::collections::HashMap;

/// Groups of games.
pub(crate) const GROUPS: usize = 1024;
/// The most bins.
const MAX_BINS: usize = 512;
/// Parts of a bin in which the place of a value inside it is counted.
const PARTS: f64 = (1_u32 << 20) as f64;
/// Bins on either side of zero whose slots are found by place.
const NEAR: i32 = 1024;
/// No slot.
const NONE: u16 = u16::MAX;

/// Some rows of a table, by column.
#[derive(Clone, Copy, Debug)]
pub struct TableRows<'a> {
    /// What the function says, for the first player; not finite where unknown.
    pub values: &'a [f64],
    /// What the game brought the first player, in half points: 0, 1 or 2.
    pub half_points: &'a [u8],
    /// A hash of the name of the game each row belongs to.
    pub games: &'a [u64],
    /// The columns that conditions ask for, see [`CurveCounter::names`].
    pub columns: &'a [Vec<f64>],
}

/// A row as the curves count it; what does not count has no increment.
struct Row {
    cell: u32,
    slot: u16,
    /// One position in the lower half, its half points in the upper.
    increment: u64,
    offset: i64,
    game: u64,
}

/// One curve in the making.
struct Counts {
    condition: Option<(Expression, Vec<usize>)>,
    /// By group, then by slot.
    cells: Vec<u64>,
    slots: Vec<Slot>,
    positions: u64,
    not_finite: u64,
    draws_left_out: u64,
    games: u64,
    last_game: Option<u64>,
    holds: Vec<bool>,
}

/// A bin of a curve over all groups.
#[derive(Clone, Copy, Default)]
struct Slot {
    offset: i64,
    draws: u64,
    games: u64,
    last_game: Option<u64>,
}

/// Counts curves.
pub struct CurveCounter {
    params: CurveParams,
    names: Vec<String>,
    /// The slot of each bin's number.
    slots: HashMap<i32, u16>,
    /// The same for bins near zero, by place: nearly all rows need no hashing.
    near: Vec<u16>,
    /// Places for slots in each group.
    capacity: usize,
    curves: Vec<Counts>,
}

impl CurveCounter {
    /// Nothing counted yet: the total curve, and one a condition.
    ///
    /// # Errors
    /// When the parameters are wrong.
    pub fn new(params: &CurveParams, conditions: &[Expression]) -> Result<Self, CurveError> {
        params.check()?;
        let mut names: Vec<String> = Vec::new();
        for name in conditions.iter().flat_map(Expression::names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let place = |name: &String| names.iter().position(|n| n == name);
        let places = |e: &Expression| e.names().iter().filter_map(place).collect::<Vec<_>>();
        let conditioned = conditions.iter().map(|e| Some((e.clone(), places(e))));
        let capacity = 64;
        let curves = std::iter::once(None).chain(conditioned);
        let curves = curves.map(|condition| Counts::new(condition, capacity)).collect();
        let near = vec![NONE; 2 * NEAR as usize];
        Ok(Self { params: params.clone(), names, slots: HashMap::new(), near, capacity, curves })
    }

    /// The columns that rows must bring, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Counts some rows.
    ///
    /// # Errors
    /// When a value lies too far away or there are too many bins.
    ///
    /// # Panics
    /// When the columns are not those of [`names`](Self::names) or differ in length.
    pub fn add(&mut self, table: &TableRows<'_>) -> Result<(), CurveError> {
        assert_eq!(table.columns.len(), self.names.len(), "one column a name");
        let rows = self.place(table)?;
        let draws = self.params.draws;
        self.curves.par_iter_mut().for_each(|curve| curve.add(&rows, table, draws));
        Ok(())
    }

    fn place(&mut self, table: &TableRows<'_>) -> Result<Vec<Row>, CurveError> {
        let width = self.params.bin_width;
        let mut rows = Vec::with_capacity(table.values.len());
        for ((&value, &half), &game) in table.values.iter().zip(table.half_points).zip(table.games)
        {
            if !value.is_finite() {
                rows.push(Row { cell: 0, slot: NONE, increment: 0, offset: 0, game });
                continue;
            }
            let place = value / width;
            let bin = (place + 0.5).floor();
            if bin.abs() >= f64::from(i32::MAX) {
                return Err(CurveError::TooFar { value, bin_width: width });
            }
            let number = bin as i32;
            let slot = self.slot(number)?;
            let counts = half != 1 || self.params.draws == Draws::Half;
            let group = (game % GROUPS as u64) as usize;
            rows.push(Row {
                cell: (group * self.capacity + usize::from(slot)) as u32,
                slot,
                increment: if counts { 1 | u64::from(half) << 32 } else { 0 },
                offset: ((place - bin) * PARTS).round() as i64,
                game,
            });
            if usize::from(slot) + 1 == self.capacity {
                self.grow();
                // Cells placed so far belong to the narrower layout.
                for row in &mut rows {
                    let group = (row.game % GROUPS as u64) as usize;
                    row.cell = (group * self.capacity + usize::from(row.slot)) as u32;
                }
            }
        }
        Ok(rows)
    }

    fn slot(&mut self, number: i32) -> Result<u16, CurveError> {
        let place = usize::try_from(number.saturating_add(NEAR)).unwrap_or(usize::MAX);
        if let Some(&slot) = self.near.get(place)
            && slot != NONE
        {
            return Ok(slot);
        }
        if let Some(&slot) = self.slots.get(&number) {
            return Ok(slot);
        }
        let next = self.slots.len();
        if next == MAX_BINS {
            let bin_width = self.params.bin_width;
            return Err(CurveError::TooManyBins { limit: MAX_BINS, bin_width });
        }
        self.slots.insert(number, next as u16);
        if let Some(slot) = self.near.get_mut(place) {
            *slot = next as u16;
        }
        Ok(next as u16)
    }

    fn grow(&mut self) {
        let wider = 2 * self.capacity;
        for curve in &mut self.curves {
            let mut cells = vec![0; GROUPS * wider];
            for (to, from) in cells.chunks_mut(wider).zip(curve.cells.chunks(self.capacity)) {
                to[..self.capacity].copy_from_slice(from);
            }
            curve.cells = cells;
            curve.slots.resize(wider, Slot::default());
        }
        self.capacity = wider;
    }

    /// The curves: the total one, then those of the conditions.
    ///
    /// # Errors
    /// When no bin of the total curve holds enough positions.
    pub fn finish(self) -> Result<Counted, CurveError> {
        let mut order: Vec<(i32, u16)> = self.slots.iter().map(|(&n, &s)| (n, s)).collect();
        order.sort_unstable();
        let drawn = |c: &Counts| c.drawn(&self.params, &order, self.capacity);
        let mut curves: Vec<Drawn> = self.curves.par_iter().map(drawn).collect();
        let conditioned = curves.split_off(1);
        let total = curves.pop().expect("the total curve is the first");
        total.check(&self.params)?;
        Ok(Counted { total, conditioned })
    }
}

impl Counts {
    fn new(condition: Option<(Expression, Vec<usize>)>, capacity: usize) -> Self {
        Self {
            condition,
            cells: vec![0; GROUPS * capacity],
            slots: vec![Slot::default(); capacity],
            positions: 0,
            not_finite: 0,
            draws_left_out: 0,
            games: 0,
            last_game: None,
            holds: Vec::new(),
        }
    }

    fn add(&mut self, rows: &[Row], table: &TableRows<'_>, draws: Draws) {
        self.holds.clear();
        self.holds.resize(rows.len(), true);
        if let Some((condition, places)) = &self.condition {
            let columns: Vec<&[f64]> = places.iter().map(|&i| &table.columns[i][..]).collect();
            condition.holds(&columns, &mut self.holds);
        }
        for ((row, &half), _) in
            rows.iter().zip(table.half_points).zip(&self.holds).filter(|(_, holds)| **holds)
        {
            self.positions += 1;
            if half == 1 || row.increment == 0 {
                if row.slot == NONE {
                    self.not_finite += 1;
                    continue;
                }
                self.slots[usize::from(row.slot)].draws += 1;
                if draws == Draws::LeftOut {
                    self.draws_left_out += 1;
                    continue;
                }
            }
            self.cells[row.cell as usize] += row.increment;
            let slot = &mut self.slots[usize::from(row.slot)];
            slot.offset += row.offset;
            if slot.last_game != Some(row.game) {
                slot.last_game = Some(row.game);
                slot.games += 1;
                if self.last_game != Some(row.game) {
                    self.last_game = Some(row.game);
                    self.games += 1;
                }
            }
        }
    }

    fn drawn(&self, params: &CurveParams, order: &[(i32, u16)], capacity: usize) -> Drawn {
        let mut bins = Vec::new();
        let mut numbers = Vec::new();
        let mut proportions = Vec::new();
        for &(number, slot) in order {
            let mut sums = Sums::default();
            for group in 0..GROUPS {
                let cell = Cell::of(self.cells[group * capacity + usize::from(slot)]);
                sums.bin.count += u64::from(cell.count);
                sums.bin.wins += u64::from(cell.half_points);
                sums.clustered.add(cell.points(), f64::from(cell.count));
            }
            let kept = &self.slots[usize::from(slot)];
            let counted_draws = if params.draws == Draws::Half { kept.draws } else { 0 };
            sums.bin.draws = kept.draws;
            sums.bin.games = kept.games;
            // So far the wins are half points.
            sums.bin.wins = (sums.bin.wins - counted_draws) / 2;
            sums.bin.losses = sums.bin.count - sums.bin.wins - counted_draws;
            if sums.bin.count + sums.bin.draws == 0 {
                continue;
            }
            if sums.bin.count >= params.min_count {
                proportions.extend(sums.clustered.proportion());
            }
            let mean = kept.offset as f64 / (sums.bin.count.max(1) as f64 * PARTS);
            numbers.push((slot, number, (f64::from(number) + mean) * params.bin_width));
            bins.push(sums.finish(number, params));
        }
        let mut groups = Vec::new();
        for group in 0..GROUPS {
            for &(slot, bin, value) in &numbers {
                let cell = Cell::of(self.cells[group * capacity + usize::from(slot)]);
                if cell.count > 0 {
                    let (count, points) = (f64::from(cell.count), cell.points());
                    groups.push(Group { game: group as u32, bin, value, count, points });
                }
            }
        }
        let curve = Curve {
            params: params.clone(),
            positions: self.positions,
            games: self.games,
            draws_left_out: self.draws_left_out,
            not_finite: self.not_finite,
            bins,
            logistic: Logistic::fit(&groups),
            monotone: is_monotone(&proportions),
        };
        Drawn { condition: self.condition.as_ref().map(|(e, _)| e.clone()), curve, groups }
    }
}

/// Positions of a group of games in a bin.
#[derive(Clone, Copy)]
struct Cell {
    count: u32,
    half_points: u32,
}

impl Cell {
    fn of(packed: u64) -> Self {
        Self { count: packed as u32, half_points: (packed >> 32) as u32 }
    }

    fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}

/// The curves of a table.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Over all rows.
    pub total: Drawn,
    /// Over the rows where each condition holds.
    pub conditioned: Vec<Drawn>,
}

/// A curve with what its comparison needs.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The condition; none of the total curve.
    pub condition: Option<Expression>,
    /// The curve.
    pub curve: Curve,
    /// Positions by group of games and bin.
    pub(crate) groups: Vec<Group>,
}

impl Drawn {
    fn check(&self, params: &CurveParams) -> Result<(), CurveError> {
        let Curve { positions, draws_left_out, not_finite, ref bins, .. } = self.curve;
        let largest = bins.iter().map(|bin| bin.count).max().unwrap_or(0);
        if largest == 0 {
            return Err(CurveError::NoObservations { positions, draws_left_out, not_finite });
        }
        if largest < params.min_count {
            let (min_count, bin_width) = (params.min_count, params.bin_width);
            return Err(CurveError::BelowMinimum { largest, min_count, bin_width });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, curve};
    use proptest::prelude::*;

    fn params(draws: Draws) -> CurveParams {
        CurveParams { bin_width: 1.0, min_count: 2, draws }
    }

    type Position = (f64, u8, u64, f64);

    fn counted(rows: &[Position], draws: Draws, batch: usize) -> Result<Counted, CurveError> {
        let condition = Expression::condition("x > 0").expect("a condition");
        let mut counter = CurveCounter::new(&params(draws), &[condition])?;
        for rows in rows.chunks(batch) {
            let values: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let half_points: Vec<u8> = rows.iter().map(|r| r.1).collect();
            let games: Vec<u64> = rows.iter().map(|r| r.2).collect();
            let columns = [rows.iter().map(|r| r.3).collect()];
            counter.add(&TableRows {
                values: &values,
                half_points: &half_points,
                games: &games,
                columns: &columns,
            })?;
        }
        counter.finish()
    }

    fn rows() -> impl Strategy<Value = Vec<Position>> {
        let value = prop_oneof![9 => -90.0..90.0, 1 => Just(f64::NAN)];
        let row = (value, 0_u8..3, 0_u64..9, prop_oneof![-1.0..1.0, Just(f64::NAN)]);
        prop::collection::vec(row, 1..300).prop_map(|mut rows| {
            rows.sort_by_key(|row| row.2);
            rows
        })
    }

    proptest! {
        /// With fewer games than groups, counting is what `curve` does one
        /// observation at a time, whatever the batches.
        #[test]
        fn curves_equal_those_drawn_one_by_one(rows in rows(), half: bool, batch in 1_usize..400) {
            let draws = if half { Draws::Half } else { Draws::LeftOut };
            let one_by_one = |rows: &mut dyn Iterator<Item = &Position>| {
                let observation = |r: &Position| Observation {
                    value: r.0, points: f32::from(r.1) / 2.0, game: r.2 as u32,
                };
                curve(&params(draws), rows.map(observation))
            };
            let all = one_by_one(&mut rows.iter());
            let some = one_by_one(&mut rows.iter().filter(|r| r.3 > 0.0));
            match (counted(&rows, draws, batch), all) {
                (Ok(counted), Ok(all)) => {
                    same(&counted.total.curve, &all)?;
                    if let Ok(some) = some {
                        same(&counted.conditioned[0].curve, &some)?;
                    }
                }
                (Err(a), Err(b)) => prop_assert_eq!(a, b),
                (a, b) => prop_assert!(false, "{a:?} but {b:?}"),
            }
        }
    }

    fn same(counted: &Curve, slow: &Curve) -> Result<(), TestCaseError> {
        let about = |c: &Curve| (c.positions, c.games, c.draws_left_out, c.not_finite, c.monotone);
        prop_assert_eq!(about(counted), about(slow));
        prop_assert_eq!(&counted.bins, &slow.bins);
        Ok(())
    }
}
