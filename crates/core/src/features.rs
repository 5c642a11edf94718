//! Features of a position, one at a time and as columns.

use crate::{Atoms, Position};

/// Named numbers of a position, seen by the side to move.
///
/// An instance rather than a set of functions, because table features are
/// themselves made. Features are asked for one at a time, so that a tree
/// computes only those on its path; what several share is kept in the scratch.
pub trait Features<P: Position>: Send + Sync {
    /// Work shared by the features of one position; a fresh one per position.
    type Scratch: Default;

    /// The features' names, in order.
    fn names(&self) -> Vec<String>;

    /// How many there are.
    fn count(&self) -> usize;

    /// Feature `i` of the position.
    ///
    /// # Panics
    /// May panic when `i` is not below [`count`](Features::count).
    fn get(&self, position: &P, i: usize, scratch: &mut Self::Scratch) -> f32;

    /// The atoms of the game's patterns, where it names them.
    fn atoms(&self) -> Option<&dyn Atoms<P>> {
        None
    }

    /// All features of the position, appended to `out`.
    fn append_all(&self, position: &P, out: &mut Vec<f32>) {
        let mut scratch = Self::Scratch::default();
        out.extend((0..self.count()).map(|i| self.get(position, i, &mut scratch)));
    }
}

/// A table of numbers by column: what a learner sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    names: Vec<String>,
    columns: Vec<Vec<f32>>,
}

impl Columns {
    /// An empty table with these columns.
    pub fn new(names: Vec<String>) -> Self {
        let columns = vec![Vec::new(); names.len()];
        Self { names, columns }
    }

    /// Appends one row.
    ///
    /// # Panics
    /// When the row's length is not the number of columns.
    pub fn push(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.columns.len(), "a row has one value per column");
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// Appends the rows of another table with the same columns.
    ///
    /// # Panics
    /// When the columns' names differ.
    pub fn append(&mut self, other: &mut Self) {
        assert_eq!(self.names, other.names, "tables with the same columns");
        for (mine, theirs) in self.columns.iter_mut().zip(&mut other.columns) {
            mine.append(theirs);
        }
    }

    /// The table with these columns only, in this order; `None` when one is missing.
    pub fn select(&self, names: &[String]) -> Option<Self> {
        let column = |name| Some(self.columns[self.names.iter().position(|n| n == name)?].clone());
        let columns = names.iter().map(column).collect::<Option<_>>()?;
        Some(Self { names: names.to_vec(), columns })
    }

    /// The columns' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// One column.
    pub fn column(&self, i: usize) -> &[f32] {
        &self.columns[i]
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }
}
