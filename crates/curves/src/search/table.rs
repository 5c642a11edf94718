//! The rows that are searched, kept to be drawn as well.
//!
//! Invariant: rows stand as they were pushed, those of a game together; the ones that
//! count in the search are listed apart, so that curves see the others too.

use crate::{Counted, CurveCounter, CurveError, CurveParams, Draws, Expression, TableRows};
use evalsmith_core::rng;
use rand::RngExt;

/// Rows counted at a time.
const BATCH: usize = 1 << 16;

/// Positions by column, the rows of a game together.
#[derive(Clone, Debug, Default)]
pub struct SearchTable {
    names: Vec<String>,
    values: Vec<f64>,
    half_points: Vec<u8>,
    games: Vec<u64>,
    properties: Vec<Vec<f64>>,
    /// The rows that count, and for each of them its points and the number of its game.
    counted: Vec<u32>,
    points: Vec<f64>,
    numbered: Vec<u32>,
    drawn: u64,
}

impl SearchTable {
    /// No rows yet, with properties of these names.
    pub fn new(names: Vec<String>) -> Self {
        let properties = vec![Vec::new(); names.len()];
        Self { names, properties, ..Self::default() }
    }

    /// Adds a row; `game` is any number that names the game, and a property that is not a
    /// number is unknown. A row without a finite value does not count, nor a drawn one
    /// where draws are left out.
    ///
    /// # Panics
    /// When there is not one number per property.
    pub fn push(
        &mut self,
        value: f64,
        half_points: u8,
        game: u64,
        draws: Draws,
        row: impl ExactSizeIterator<Item = f64>,
    ) {
        assert_eq!(row.len(), self.properties.len(), "one number per property");
        let drawn = half_points == 1 && draws == Draws::LeftOut;
        if value.is_finite() && !drawn {
            let last = self.counted.last().map(|&row| self.games[row as usize]);
            let next = |&number: &u32| if last == Some(game) { number } else { number + 1 };
            self.numbered.push(self.numbered.last().map_or(0, next));
            self.points.push(f64::from(half_points) / 2.0);
            self.counted.push(self.values.len() as u32);
        }
        self.drawn += u64::from(value.is_finite() && drawn);
        self.values.push(value);
        self.half_points.push(half_points);
        self.games.push(game);
        self.properties.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
    }

    /// Gives every game the result of another, chosen by chance: what is found
    /// then is found falsely.
    pub fn shuffle_results(&mut self, seed: u64) {
        let first_rows = self.numbered.chunk_by(|a, b| a == b).scan(0, |begin, game| {
            *begin += game.len();
            Some(*begin - game.len())
        });
        let mut results: Vec<f64> = first_rows.map(|row| self.points[row]).collect();
        let mut random = rng::stream(seed, "shuffled results", 0);
        for last in (1..results.len()).rev() {
            results.swap(last, random.random_range(0..=last));
        }
        for (points, &game) in self.points.iter_mut().zip(&self.numbered) {
            *points = results[game as usize];
        }
    }

    /// The total curve and those of the conditions, over all rows.
    ///
    /// # Errors
    /// When the parameters are wrong or no bin of the total curve holds enough positions.
    ///
    /// # Panics
    /// When a condition asks for a column that is no property.
    pub fn curves(
        &self,
        params: &CurveParams,
        conditions: &[Expression],
    ) -> Result<Counted, CurveError> {
        let mut counter = CurveCounter::new(params, conditions)?;
        let place = |name| self.names.iter().position(|n| n == name).expect("a property");
        let places: Vec<usize> = counter.names().iter().map(place).collect();
        for begin in (0..self.values.len()).step_by(BATCH) {
            let rows = begin..self.values.len().min(begin + BATCH);
            let column = |&at: &usize| self.properties[at][rows.clone()].to_vec();
            counter.add(&TableRows {
                values: &self.values[rows.clone()],
                half_points: &self.half_points[rows.clone()],
                games: &self.games[rows.clone()],
                columns: &places.iter().map(column).collect::<Vec<_>>(),
            })?;
        }
        counter.finish()
    }

    /// The names of the properties.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of all rows.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Rows that count.
    pub fn len(&self) -> usize {
        self.counted.len()
    }

    /// Games with a row that counts.
    pub fn games(&self) -> u64 {
        self.numbered.last().map_or(0, |&last| u64::from(last) + 1)
    }

    /// Whether no row counts.
    pub fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }

    /// Why no row counts.
    pub(super) fn nothing(&self) -> CurveError {
        let (positions, draws_left_out) = (self.values.len() as u64, self.drawn);
        let not_finite = positions - draws_left_out;
        CurveError::NoObservations { positions, draws_left_out, not_finite }
    }

    /// The values of the rows that count.
    pub(super) fn counted_values(&self) -> Vec<f64> {
        self.counted.iter().map(|&row| self.values[row as usize]).collect()
    }

    /// The points of the rows that count.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// The numbers of the games of the rows that count, from 0.
    pub(super) fn numbered_games(&self) -> &[u32] {
        &self.numbered
    }

    /// A property of the rows that count.
    pub(super) fn property(&self, place: usize) -> impl Iterator<Item = f64> + Clone {
        self.counted.iter().map(move |&row| self.properties[place][row as usize])
    }
}
