//! Tables for sparse patterns (buro98 section 4.2, fig. 5): of a pattern with millions
//! of states only those that occurred often enough have a weight.
//!
//! A state is a pair of indices. The rows of the matrix they span are laid over one
//! another in one array, shifted so that no two used cells meet: `offset[i1] + i2` is a
//! cell's place, and the lock there tells whether it is that row's. Rows are placed at
//! the first offset that fits, those with most cells first.
//!
//! The one invariant to know: a pair without a weight is worth zero, whatever stands in
//! the cell that its offset points at.

/// The lock of a free cell.
const FREE: u16 = u16::MAX;

/// A table by two indices.
#[derive(Clone, Debug)]
pub struct OffsetTable {
    offsets: Vec<u32>,
    cells: Vec<Cell>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    lock: u16,
    weight: i16,
}

impl OffsetTable {
    /// Lays out weights, given with their pairs of indices below `rows` and `columns`.
    ///
    /// # Panics
    /// When an index is not below its limit, a pair comes twice, or `rows` is larger
    /// than a lock can tell.
    pub fn new(weights: &[(u16, u16, i16)], rows: usize, columns: usize) -> Self {
        assert!(rows <= usize::from(FREE), "a lock for every row");
        let mut of_row: Vec<Vec<(u16, i16)>> = vec![Vec::new(); rows];
        for &(i1, i2, weight) in weights {
            assert!(usize::from(i2) < columns, "a column of the matrix");
            of_row[usize::from(i1)].push((i2, weight));
        }
        for row in &mut of_row {
            row.sort_unstable();
            assert!(row.windows(2).all(|pair| pair[0].0 != pair[1].0), "each pair once");
        }
        let mut order: Vec<usize> = (0..rows).filter(|&i1| !of_row[i1].is_empty()).collect();
        order.sort_by_key(|&i1| std::cmp::Reverse(of_row[i1].len()));
        let free = Cell { lock: FREE, weight: 0 };
        // Even an unused row, at offset zero, must not point beyond the end.
        let mut cells = vec![free; columns];
        let mut offsets = vec![0; rows];
        let mut first_free = 0;
        for i1 in order {
            let row = &of_row[i1];
            while cells.get(first_free).is_some_and(|cell| cell.lock != FREE) {
                first_free += 1;
            }
            let is_free = |place: usize| cells.get(place).is_none_or(|cell| cell.lock == FREE);
            let start = first_free.saturating_sub(usize::from(row[0].0));
            let fits =
                |&offset: &usize| row.iter().all(|&(i2, _)| is_free(offset + usize::from(i2)));
            let mut offsets_here = start..=cells.len();
            let offset = offsets_here.find(fits).expect("beyond the end all cells are free");
            cells.resize(cells.len().max(offset + columns), free);
            for &(i2, weight) in row {
                cells[offset + usize::from(i2)] = Cell { lock: i1 as u16, weight };
            }
            offsets[i1] = offset as u32;
        }
        Self { offsets, cells, used: weights.len() }
    }

    /// The same layout with other weights, told by their pairs of indices.
    #[must_use]
    pub fn with_weights(&self, weights: &[(u16, u16, i16)]) -> Self {
        let mut same = self.clone();
        for &(i1, i2, weight) in weights {
            let place = self.offsets[usize::from(i1)] as usize + usize::from(i2);
            if same.cells[place].lock == i1 {
                same.cells[place].weight = weight;
            }
        }
        same
    }

    /// The weight of a pair, or zero.
    ///
    /// # Panics
    /// When an index is beyond the matrix.
    #[inline]
    pub fn get(&self, i1: u16, i2: u16) -> i16 {
        let cell = self.cells[self.offsets[usize::from(i1)] as usize + usize::from(i2)];
        if cell.lock == i1 { cell.weight } else { 0 }
    }

    /// Cells of the array.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no weight.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The share of cells that hold a weight.
    pub fn fill(&self) -> f64 {
        self.used as f64 / self.cells.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn pairs_have_their_weights_and_others_none(
            weights in prop::collection::btree_map((0_u16..40, 0_u16..30), -900_i16..900, 0..300),
        ) {
            let list: Vec<(u16, u16, i16)> =
                weights.iter().map(|(&(i1, i2), &w)| (i1, i2, w)).collect();
            let offsets = OffsetTable::new(&list, 40, 30);
            let doubled: Vec<_> = list.iter().map(|&(i1, i2, w)| (i1, i2, 2 * w)).collect();
            let doubled = offsets.with_weights(&doubled);
            for i1 in 0..40 {
                for i2 in 0..30 {
                    let expected = weights.get(&(i1, i2)).copied().unwrap_or_default();
                    prop_assert_eq!(offsets.get(i1, i2), expected);
                    prop_assert_eq!(doubled.get(i1, i2), 2 * expected);
                }
            }
            prop_assert_eq!(offsets.is_empty(), weights.is_empty());
            prop_assert!(offsets.len() <= 40 * 30 + 30);
        }
    }

    #[test]
    fn rows_are_laid_over_one_another() {
        // Every other cell of one row, then the cells between.
        let mut weights: Vec<(u16, u16, i16)> = (0..50).map(|i| (0, 2 * i, 1)).collect();
        weights.extend((0..49).map(|i| (1, 2 * i, 2)));
        let table = OffsetTable::new(&weights, 3, 100);
        assert_eq!((table.len(), table.get(1, 4), table.get(2, 4)), (101, 2, 0));
        let expected: BTreeMap<u16, u32> = [(0, 0), (1, 1), (2, 0)].into();
        assert!(expected.iter().all(|(&i1, &offset)| table.offsets[usize::from(i1)] == offset));
        assert!((table.fill() - 99.0 / 101.0).abs() < 1e-12);
    }
}
