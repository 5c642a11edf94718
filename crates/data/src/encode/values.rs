//! The values of a page in the making, by the way they are encoded. Nulls are left
//! out of them.

use super::dictionary::Dictionary;
use super::numbers::{append_deltas, append_varint};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, BinaryArray, Float32Array, PrimitiveArray, StringArray};
use parquet::basic::Encoding;

/// Values of one column.
pub(super) trait Values {
    /// Appends the page's values, and forgets them; tells how they are encoded.
    fn finish(&mut self, page: &mut Vec<u8>) -> Encoding;

    /// The dictionary of all pages and the number of its values.
    fn dictionary(&self) -> Option<(&[u8], usize)> {
        None
    }
}

/// Numbers that change little from row to row.
#[derive(Default)]
pub(super) struct Numbers(Vec<i32>);

impl Numbers {
    pub(super) fn push<T: ArrowPrimitiveType>(
        &mut self,
        cells: &PrimitiveArray<T>,
        number: impl Fn(T::Native) -> i32,
    ) {
        if cells.null_count() == 0 {
            self.0.extend(cells.values().iter().map(|&cell| number(cell)));
        } else {
            self.0.extend(cells.iter().flatten().map(number));
        }
    }
}

impl Values for Numbers {
    fn finish(&mut self, page: &mut Vec<u8>) -> Encoding {
        append_deltas(&self.0, page);
        self.0.clear();
        Encoding::DELTA_BINARY_PACKED
    }
}

/// Bytes that hardly come again, and are mostly of one length.
#[derive(Default)]
pub(super) struct Bytes {
    lengths: Vec<i32>,
    bytes: Vec<u8>,
}

impl Bytes {
    pub(super) fn push(&mut self, cells: &BinaryArray) {
        let ends = cells.value_offsets();
        self.lengths.extend(ends.iter().zip(&ends[1..]).map(|(begin, end)| end - begin));
        let (begin, end) = (ends[0] as usize, ends[cells.len()] as usize);
        self.bytes.extend_from_slice(&cells.value_data()[begin..end]);
    }
}

impl Values for Bytes {
    fn finish(&mut self, page: &mut Vec<u8>) -> Encoding {
        append_deltas(&self.lengths, page);
        self.lengths.clear();
        page.append(&mut self.bytes);
        Encoding::DELTA_LENGTH_BYTE_ARRAY
    }
}

/// Values that come again and again; once too many are known, as they are.
#[derive(Default)]
pub(super) struct Repeated {
    dictionary: Dictionary,
    numbers: Vec<u16>,
    is_full: bool,
    plain: Vec<u8>,
}

impl Repeated {
    /// Takes texts; false where the dictionary has no room for them.
    pub(super) fn push_texts(&mut self, cells: &StringArray) -> bool {
        if self.is_full {
            for text in cells.iter().flatten() {
                self.plain.extend((text.len() as u32).to_le_bytes());
                self.plain.extend_from_slice(text.as_bytes());
            }
            return true;
        }
        let texts = cells.iter().flatten();
        self.push_numbers(texts, |dictionary, text| dictionary.text(text.as_bytes()))
    }

    /// Takes floats; false where the dictionary has no room for them.
    pub(super) fn push_floats(&mut self, cells: &Float32Array) -> bool {
        let valid = cells.nulls().filter(|valid| valid.null_count() > 0);
        let places = valid.map(|valid| valid.valid_indices());
        match places {
            Some(places) => self.push_some_floats(places.map(|row| cells.value(row))),
            None => self.push_some_floats(cells.values().iter().copied()),
        }
    }

    fn push_some_floats(&mut self, floats: impl Iterator<Item = f32>) -> bool {
        if self.is_full {
            self.plain.extend(floats.flat_map(f32::to_le_bytes));
            return true;
        }
        self.push_numbers(floats, Dictionary::float)
    }

    fn push_numbers<T>(
        &mut self,
        mut values: impl Iterator<Item = T>,
        number: impl Fn(&mut Dictionary, T) -> Option<u16>,
    ) -> bool {
        let before = self.numbers.len();
        let dictionary = &mut self.dictionary;
        let numbers = &mut self.numbers;
        let all = values.all(|value| number(dictionary, value).map(|n| numbers.push(n)).is_some());
        if !all {
            self.numbers.truncate(before);
        }
        all
    }

    /// Takes all that comes now as it is.
    pub(super) fn give_up_numbering(&mut self) {
        self.is_full = true;
    }
}

impl Values for Repeated {
    fn finish(&mut self, page: &mut Vec<u8>) -> Encoding {
        if self.is_full {
            page.append(&mut self.plain);
            return Encoding::PLAIN;
        }
        append_numbers(&self.numbers, page);
        self.numbers.clear();
        Encoding::RLE_DICTIONARY
    }

    fn dictionary(&self) -> Option<(&[u8], usize)> {
        Some(self.dictionary.page())
    }
}

/// Appends numbers of a dictionary: their width in bits, and one run of them that is
/// filled up to a multiple of eight.
fn append_numbers(numbers: &[u16], page: &mut Vec<u8>) {
    let is_narrow = numbers.iter().fold(0, |all, n| all | n) < 0x100;
    page.push(if is_narrow { 8 } else { 16 });
    if numbers.is_empty() {
        return;
    }
    let runs = numbers.len().div_ceil(8);
    append_varint((runs as u64) << 1 | 1, page);
    let filling = 8 * runs - numbers.len();
    if is_narrow {
        page.extend(numbers.iter().map(|&n| n as u8));
        page.resize(page.len() + filling, 0);
    } else {
        page.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        page.resize(page.len() + 2 * filling, 0);
    }
}
