//! Which cells of a page are null, as Parquet tells it: runs of ones and zeros.

use super::numbers::append_varint;
use arrow_array::Array;

/// The cells of a page that may be null.
#[derive(Default)]
pub(super) struct Levels {
    runs: Vec<u8>,
}

impl Levels {
    /// Takes the next cells of the page.
    pub(super) fn push(&mut self, cells: &dyn Array) {
        let (rows, nulls) = (cells.len(), cells.null_count());
        let Some(valid) = cells.nulls().filter(|_| nulls > 0 && nulls < rows) else {
            return self.push_run(rows, nulls == 0);
        };
        // Bits come in eights; what is left over comes one by one, since more may follow.
        let whole = rows / 8;
        if whole > 0 {
            append_varint((whole as u64) << 1 | 1, &mut self.runs);
            self.runs.extend_from_slice(&valid.inner().sliced()[..whole]);
        }
        for row in 8 * whole..rows {
            self.push_run(1, valid.is_valid(row));
        }
    }

    fn push_run(&mut self, rows: usize, valid: bool) {
        if rows > 0 {
            append_varint((rows as u64) << 1, &mut self.runs);
            self.runs.push(valid.into());
        }
    }

    /// Writes what the page begins with, and forgets it.
    pub(super) fn finish(&mut self, page: &mut Vec<u8>) {
        page.extend((self.runs.len() as u32).to_le_bytes());
        page.append(&mut self.runs);
    }
}
