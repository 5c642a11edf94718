//! The total curve and any number of conditioned ones, counted in one pass over
//! a table of any length.
//!
//! Conditions are asked together (see `expression::program`), which gives every row
//! a word of bits, one for each curve that counts it. Each curve keeps, for every bin
//! and each of 1,024 groups of games, how many positions were won and lost. A game
//! belongs to the group that its name's hash says, so that groups are made of whole
//! games, whatever the order of rows: errors clustered by group are errors clustered
//! by game, only estimated from at most 1,024 clusters. Memory is 8 KiB for each bin of
//! each curve, half as much again where draws count half, never more than 512 bins.
//! Invariant: all sums are whole numbers, so that neither batches nor threads change a
//! bit. The numbers of games, and nothing else, take it that a game's rows stand
//! together. Bins of conditions that hold rarely are joined (see `joined`).

mod joined;
mod lanes;
mod masks;
mod places;
mod shard;

use crate::curve::{Sums, centre};
use crate::expression::Program;
use crate::logistic::Group;
use crate::monotone::is_monotone;
use crate::{Curve, CurveError, CurveParams, Draws, Expression, Logistic};
use evalsmith_stats::proportion::Clustered;
use rayon::prelude::*;
use shard::{Cell, LANES, PARTS, Placed, Run, Shard};
use std::collections::HashMap;

/// Groups of games.
pub(crate) const GROUPS: usize = 1024;
/// Shares of the groups that are counted side by side.
const SHARDS: usize = 8;
/// The most bins.
const MAX_BINS: usize = 512;
/// Slots for which room is made at a time.
const MORE: usize = 64;
/// Bins on either side of zero whose slots are found by place.
const NEAR: i32 = 1024;
/// Values placed at a time.
const PLACED: usize = 1 << 12;
/// No slot.
const NONE: u16 = u16::MAX;
/// No bin: the value is not finite.
const NO_BIN: i32 = i32::MIN;
/// A bin too far away to have a number.
const TOO_FAR: i32 = i32::MAX;

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

/// Counts curves.
pub struct CurveCounter {
    params: CurveParams,
    names: Vec<String>,
    conditions: Vec<Expression>,
    program: Program,
    /// The slot of each bin's number.
    slots: HashMap<i32, u16>,
    /// The same for bins near zero, by place: nearly all rows need no hashing.
    near: Vec<u16>,
    /// Places for slots in each group.
    capacity: usize,
    /// [`SHARDS`] for every [`LANES`] curves.
    shards: Vec<Shard>,
    batch: Batch,
}

/// The rows counted last, by column; kept for its room.
#[derive(Default)]
struct Batch {
    bins: Vec<i32>,
    places: Vec<u32>,
    slots: Vec<u16>,
    masks: Vec<u64>,
    runs: Vec<Run>,
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
        let capacity = MORE;
        let curves = conditions.len() + 1;
        let shard =
            |i: usize| Shard::new((curves - i / SHARDS * LANES).min(LANES), capacity, params.draws);
        Ok(Self {
            params: params.clone(),
            program: Program::new(conditions, &names),
            names,
            conditions: conditions.to_vec(),
            slots: HashMap::new(),
            near: vec![NONE; 2 * NEAR as usize],
            capacity,
            shards: (0..curves.div_ceil(LANES) * SHARDS).map(shard).collect(),
            batch: Batch::default(),
        })
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
        let rows = table.values.len();
        assert_eq!(table.columns.len(), self.names.len(), "one column a name");
        assert!(table.columns.iter().all(|column| column.len() == rows), "one cell a row");
        self.place(table.values)?;
        let stride = self.shards.len() / SHARDS;
        masks::masks(&self.program, table.columns, rows, stride, &mut self.batch.masks);
        self.batch.split(table);
        let Batch { slots, places, masks, runs, .. } = &self.batch;
        let placed = Placed { slots, places, masks, stride, runs };
        self.shards.par_iter_mut().enumerate().for_each(|(i, shard)| {
            shard.add(&placed, i % SHARDS, i / SHARDS);
        });
        Ok(())
    }

    /// Finds the slots of values and their places in them.
    fn place(&mut self, values: &[f64]) -> Result<(), CurveError> {
        let width = self.params.bin_width;
        let mut batch = std::mem::take(&mut self.batch);
        batch.bins.resize(values.len(), 0);
        batch.places.resize(values.len(), 0);
        let bins = batch.bins.par_chunks_mut(PLACED).zip(batch.places.par_chunks_mut(PLACED));
        values.par_chunks(PLACED).zip(bins).for_each(|(values, (bins, places))| {
            places::place(values, width, bins, places);
        });
        batch.slots.clear();
        for (&bin, &value) in batch.bins.iter().zip(values) {
            batch.slots.push(match bin {
                TOO_FAR => return Err(CurveError::TooFar { value, bin_width: width }),
                NO_BIN => NONE,
                bin => self.slot(bin)?,
            });
        }
        self.batch = batch;
        if self.slots.len() > self.capacity {
            let capacity = self.slots.len().next_multiple_of(MORE);
            self.shards.par_iter_mut().for_each(|shard| shard.grow(capacity));
            self.capacity = capacity;
        }
        Ok(())
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

    /// The curves: the total one, then those of the conditions.
    ///
    /// # Errors
    /// When no bin of the total curve holds enough positions.
    pub fn finish(mut self) -> Result<Counted, CurveError> {
        self.shards.iter_mut().for_each(Shard::finish);
        let mut order: Vec<(i32, u16)> = self.slots.iter().map(|(&n, &s)| (n, s)).collect();
        order.sort_unstable();
        let curves = (0..=self.conditions.len()).into_par_iter();
        let mut curves: Vec<Drawn> = curves.map(|curve| self.drawn(curve, &order)).collect();
        let conditioned = curves.split_off(1);
        let total = curves.pop().expect("the total curve is the first");
        total.check(&self.params)?;
        Ok(Counted { total, conditioned })
    }

    fn drawn(&self, curve: usize, order: &[(i32, u16)]) -> Drawn {
        let condition = curve.checked_sub(1).map(|i| self.conditions[i].clone());
        let lane = curve % LANES;
        let shards = &self.shards[curve / LANES * SHARDS..][..SHARDS];
        let cell = |group: usize, slot| shards[group % SHARDS].cell(group, slot, lane);
        let mut params = self.params.clone();
        let mut bins = Vec::new();
        let (mut positions, mut draws_left_out) = (0, 0);
        let (sums, filled) = summed(order, cell);
        for (&(number, slot), mut sums) in order.iter().zip(sums) {
            let mut place = 0;
            for shard in shards {
                let (places, draws, games) = shard.slot(slot, lane);
                place += places;
                sums.bin.draws += draws;
                sums.bin.games += games;
            }
            let left_out = if params.draws == Draws::LeftOut { sums.bin.draws } else { 0 };
            let counted_draws = sums.bin.draws - left_out;
            positions += sums.bin.count + left_out;
            draws_left_out += left_out;
            // So far the wins are half points.
            sums.bin.wins = (sums.bin.wins - counted_draws) / 2;
            sums.bin.losses = sums.bin.count - sums.bin.wins - counted_draws;
            if sums.bin.count + sums.bin.draws == 0 {
                continue;
            }
            let offset = place as i64 - (sums.bin.count * u64::from(PARTS / 2)) as i64;
            let mean = offset as f64 / (sums.bin.count.max(1) as f64 * f64::from(PARTS));
            let mean = (f64::from(number) + mean) * params.bin_width;
            bins.push(Counting { slot, number, centre: centre(number, &params), mean, sums });
        }
        let mut groups = Vec::with_capacity(filled);
        for group in 0..GROUPS {
            for &Counting { slot, number, mean, .. } in &bins {
                let cell: Cell = cell(group, slot);
                if cell.count > 0 {
                    let (count, points) = (f64::from(cell.count), cell.points());
                    groups.push(Group {
                        game: group as u32,
                        bin: number,
                        value: mean,
                        count,
                        points,
                    });
                }
            }
        }
        if condition.is_some() {
            params.min_count = joined::least(positions - draws_left_out, params.min_count);
            bins = join(bins, params.min_count, cell);
        }
        let full = bins.iter().filter(|bin| bin.sums.bin.count >= params.min_count);
        let proportions: Vec<_> = full.filter_map(|bin| bin.sums.clustered.proportion()).collect();
        let not_finite = shards.iter().map(|shard| shard.not_finite[lane]).sum();
        let drawn = Curve {
            positions: positions + not_finite,
            games: shards.iter().map(|shard| shard.games(lane)).sum(),
            draws_left_out,
            not_finite,
            bins: bins.into_iter().map(|bin| bin.sums.finish(bin.centre, &params)).collect(),
            logistic: Logistic::fit(&groups),
            monotone: is_monotone(&proportions),
            params,
        };
        Drawn { condition, curve: drawn, groups }
    }
}

/// A bin, or several that were joined.
struct Counting {
    slot: u16,
    number: i32,
    /// The middle; of joined ones the mean.
    centre: f64,
    /// The mean value of its positions.
    mean: f64,
    sums: Sums,
}

/// Joins neighbours that hold few positions.
fn join(bins: Vec<Counting>, least: u64, cell: impl Fn(usize, u16) -> Cell) -> Vec<Counting> {
    let counts: Vec<u64> = bins.iter().map(|bin| bin.sums.bin.count).collect();
    let mut bins = bins.into_iter();
    let mut joined = Vec::new();
    for range in joined::joined(&counts, least) {
        let mut first = bins.next().expect("ranges hold all bins");
        let more: Vec<Counting> = bins.by_ref().take(range.len() - 1).collect();
        if !more.is_empty() {
            first.join(&more, &cell);
        }
        joined.push(first);
    }
    joined
}

impl Counting {
    fn join(&mut self, more: &[Self], cell: impl Fn(usize, u16) -> Cell) {
        let weighed = |bin: &Self| bin.mean * bin.sums.bin.count as f64;
        let weighed: f64 = weighed(self) + more.iter().map(weighed).sum::<f64>();
        for Sums { bin, .. } in more.iter().map(|bin| &bin.sums) {
            let sum = &mut self.sums.bin;
            sum.count += bin.count;
            sum.wins += bin.wins;
            sum.draws += bin.draws;
            sum.losses += bin.losses;
            sum.games = sum.games.max(bin.games);
        }
        self.mean = weighed / self.sums.bin.count as f64;
        self.centre = self.mean;
        self.sums.clustered = Clustered::default();
        let mut filled = 0;
        for group in 0..GROUPS {
            let slots = std::iter::once(self.slot).chain(more.iter().map(|bin| bin.slot));
            let (count, points) =
                slots.map(|slot| cell(group, slot)).fold((0.0, 0.0), |sum, cell| {
                    (sum.0 + f64::from(cell.count), sum.1 + cell.points())
                });
            self.sums.clustered.add(points, count);
            filled += u64::from(count > 0.0);
        }
        self.sums.bin.games = self.sums.bin.games.max(filled);
    }
}

/// The sums over all groups of each slot, and how many cells are not empty. Groups
/// come first, as they stand in memory.
fn summed(order: &[(i32, u16)], cell: impl Fn(usize, u16) -> Cell) -> (Vec<Sums>, usize) {
    let mut all: Vec<Sums> = order.iter().map(|_| Sums::default()).collect();
    let mut filled = 0;
    for group in 0..GROUPS {
        for (sums, &(_, slot)) in all.iter_mut().zip(order) {
            let cell = cell(group, slot);
            sums.bin.count += u64::from(cell.count);
            sums.bin.wins += u64::from(cell.half_points);
            sums.bin.draws += u64::from(cell.draws);
            sums.clustered.add(cell.points(), f64::from(cell.count));
            filled += usize::from(cell.count > 0);
        }
    }
    (all, filled)
}

impl Batch {
    /// Parts the rows where the game or its result changes.
    fn split(&mut self, table: &TableRows<'_>) {
        self.runs.clear();
        let rows = table.games.iter().zip(table.half_points).take(table.values.len());
        for (row, (&game, &half_points)) in rows.enumerate() {
            match self.runs.last_mut() {
                Some(run) if run.game == game && run.half_points == half_points => run.end += 1,
                _ => self.runs.push(Run { game, half_points, first: row, end: row + 1 }),
            }
        }
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
                        same_joined(&counted.conditioned[0].curve, &some)?;
                    }
                }
                (Err(a), Err(b)) => prop_assert_eq!(a, b),
                (a, b) => prop_assert!(false, "{a:?} but {b:?}"),
            }
        }
    }

    /// A condition's curve holds the same positions, in bins that may be joined.
    fn same_joined(counted: &Curve, slow: &Curve) -> Result<(), TestCaseError> {
        let about = |c: &Curve| (c.positions, c.games, c.draws_left_out, c.not_finite);
        prop_assert_eq!(about(counted), about(slow));
        let mut fine = slow.bins.iter();
        for bin in &counted.bins {
            let (mut sum, mut parts) = ((0, 0, 0, 0), 0);
            while sum.0 < bin.count || sum.2 < bin.draws {
                let part = fine.next().expect("as many positions");
                (sum.0, sum.1) = (sum.0 + part.count, sum.1 + part.wins);
                (sum.2, sum.3) = (sum.2 + part.draws, sum.3 + part.losses);
                parts += 1;
                prop_assert!(part.games <= bin.games);
                if parts == 1 && (part.count, part.draws) == (bin.count, bin.draws) {
                    prop_assert_eq!(part, bin);
                }
            }
            prop_assert_eq!(sum, (bin.count, bin.wins, bin.draws, bin.losses));
            prop_assert_eq!(bin.win_prob.is_some(), bin.count >= counted.params.min_count);
        }
        prop_assert!(fine.next().is_none());
        prop_assert!(counted.bins.windows(2).all(|w| w[0].centre < w[1].centre));
        Ok(())
    }

    fn same(counted: &Curve, slow: &Curve) -> Result<(), TestCaseError> {
        let about = |c: &Curve| (c.positions, c.games, c.draws_left_out, c.not_finite, c.monotone);
        prop_assert_eq!(about(counted), about(slow));
        prop_assert_eq!(&counted.bins, &slow.bins);
        Ok(())
    }
}
