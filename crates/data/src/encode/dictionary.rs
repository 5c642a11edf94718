//! Values that come again and again, by their numbers in a dictionary.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values that a dictionary holds at most, so that two bytes name any of them.
const MOST: usize = 1 << 16;

/// The dictionary of a column, as its page will hold it.
#[derive(Default)]
pub(super) struct Dictionary {
    short: HashMap<u64, u16, BuildHasherDefault<Fold>>,
    long: HashMap<Box<[u8]>, u16>,
    values: Vec<u8>,
    count: usize,
}

impl Dictionary {
    /// The number of a text; none when it is new and there is no room.
    #[inline]
    pub(super) fn text(&mut self, text: &[u8]) -> Option<u16> {
        let known = match key(text) {
            Some(key) => self.short.get(&key),
            None => self.long.get(text),
        };
        known.copied().or_else(|| self.add_text(text))
    }

    #[cold]
    fn add_text(&mut self, text: &[u8]) -> Option<u16> {
        let number = self.next()?;
        self.values.extend((text.len() as u32).to_le_bytes());
        self.values.extend_from_slice(text);
        match key(text) {
            Some(key) => self.short.insert(key, number),
            None => self.long.insert(text.into(), number),
        };
        Some(number)
    }

    /// The number of a float, which is its bits; none when it is new and there is
    /// no room.
    #[inline]
    pub(super) fn float(&mut self, float: f32) -> Option<u16> {
        let key = u64::from(float.to_bits());
        if let Some(&number) = self.short.get(&key) {
            return Some(number);
        }
        let number = self.next()?;
        self.values.extend(float.to_le_bytes());
        self.short.insert(key, number);
        Some(number)
    }

    fn next(&mut self) -> Option<u16> {
        if self.count == MOST {
            return None;
        }
        self.count += 1;
        Some((self.count - 1) as u16)
    }

    /// The page's bytes, and the number of values in it.
    pub(super) fn page(&self) -> (&[u8], usize) {
        (&self.values, self.count)
    }
}

/// Up to seven bytes and their number in one word. Hardly a move is longer.
#[inline]
fn key(text: &[u8]) -> Option<u64> {
    let length = text.len();
    // The first and the last bytes overlap where they say the same.
    let bytes = match (text, text.first_chunk::<4>(), text.last_chunk::<4>()) {
        ([], ..) => 0,
        (&[a], ..) => a.into(),
        (&[a, b], ..) => u16::from_le_bytes([a, b]).into(),
        (&[a, b, c], ..) => u32::from_le_bytes([a, b, c, 0]).into(),
        (_, Some(first), Some(last)) if length < 8 => {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (length - 4))
        }
        _ => return None,
    };
    Some(bytes | (length as u64) << 56)
}

/// Hashes a word by a product; what is hashed comes from records, not from foes.
#[derive(Default)]
struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, word: u64) {
        let wide = u128::from(word ^ self.0) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_keep_their_numbers() {
        let mut moves = Dictionary::default();
        let texts: [&[u8]; 7] = [b"", b"\0", b"f5", b"exd8=Q+", b"exd8=Q+\0", b"a long one", b"f6"];
        for _ in 0..2 {
            for (number, text) in texts.iter().enumerate() {
                assert_eq!(moves.text(text), Some(number as u16), "{text:?}");
            }
        }
        let (page, count) = moves.page();
        assert_eq!((&page[..9], count), (&[0, 0, 0, 0, 1, 0, 0, 0, 0][..], texts.len()));
    }

    #[test]
    fn a_full_dictionary_still_knows_what_it_holds() {
        let mut labels = Dictionary::default();
        for n in 0..MOST {
            assert_eq!(labels.float(n as f32), Some(n as u16));
        }
        assert_eq!(
            (labels.float(-1.0), labels.float(-0.0), labels.float(5.0)),
            (None, None, Some(5))
        );
        assert_eq!(labels.page().0.len(), 4 * MOST);
    }
}
