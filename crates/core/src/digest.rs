//! A 64-bit digest that is the same in every run and on every machine.
//!
//! It names data in provenance and finds damage; it is no defence against
//! malice. Words of eight bytes are folded by a 64 x 64 -> 128 bit product, as
//! wyhash does, and the length closes the message.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What bytes or rows hash to; shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest(pub u64);

impl Digest {
    /// The digest of some bytes.
    ///
    /// ```
    /// use evalsmith_core::digest::Digest;
    /// assert_eq!(Digest::of(b"evalsmith"), Digest::of(b"evalsmith"));
    /// assert_ne!(Digest::of(b"evalsmith"), Digest::of(b"evalsmitg"));
    /// ```
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.write(bytes);
        hasher.finish()
    }

    /// The digest of a file's bytes, read in pieces.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Self::of_reader(File::open(path)?)
    }

    /// The digest of all bytes that a reader gives.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hasher = Hasher::new();
        let mut piece = vec![0_u8; 1 << 16];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(n) => hasher.write(&piece[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = std::num::ParseIntError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
    }
}

/// Takes bytes in pieces of any size; only their concatenation matters.
#[derive(Clone, Debug)]
pub struct Hasher {
    state: u64,
    length: u64,
    pending: [u8; 8],
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher {
    /// The hasher before any byte.
    pub const fn new() -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15, length: 0, pending: [0; 8] }
    }

    /// Takes the next bytes.
    pub fn write(&mut self, mut bytes: &[u8]) {
        let held = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if held > 0 {
            let taken = bytes.len().min(8 - held);
            self.pending[held..held + taken].copy_from_slice(&bytes[..taken]);
            if held + taken < 8 {
                return;
            }
            self.mix(u64::from_le_bytes(self.pending));
            bytes = &bytes[taken..];
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    /// Takes a number, as its eight bytes.
    pub fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    /// The digest of all bytes so far.
    #[must_use]
    pub fn finish(&self) -> Digest {
        let mut end = self.clone();
        let held = (self.length % 8) as usize;
        if held > 0 {
            end.pending[held..].fill(0);
            end.mix(u64::from_le_bytes(end.pending));
        }
        end.mix(self.length);
        let mut z = end.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Digest(z ^ (z >> 31))
    }

    #[inline]
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.state ^ word) * u128::from(0xA076_1D64_78BD_642F_u64);
        let folded = (wide as u64) ^ ((wide >> 64) as u64);
        // Without the second term a word that cancels the state would erase all before it.
        self.state = folded.rotate_left(23) ^ word.wrapping_mul(0xE703_7ED1_A0B4_28DB);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes: Vec<u8>, cuts in prop::collection::vec(0_usize..64, 0..8)) {
            let mut hasher = Hasher::new();
            let mut rest = &bytes[..];
            for cut in cuts {
                let (piece, tail) = rest.split_at(cut.min(rest.len()));
                hasher.write(piece);
                rest = tail;
            }
            hasher.write(rest);
            prop_assert_eq!(hasher.finish(), Digest::of(&bytes));
        }

        #[test]
        fn a_changed_byte_and_a_lost_tail_are_noticed(
            bytes in prop::collection::vec(any::<u8>(), 1..200), at: prop::sample::Index, flip in 1_u8..
        ) {
            let at = at.index(bytes.len());
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            prop_assert_ne!(Digest::of(&changed), Digest::of(&bytes));
            prop_assert_ne!(Digest::of(&bytes[..at]), Digest::of(&bytes));
        }
    }

    #[test]
    fn trailing_zeros_count() {
        assert_ne!(Digest::of(b"a"), Digest::of(b"a\0"));
        assert_ne!(Digest::of(b""), Digest::of(&[0; 8]));
    }

    #[test]
    fn a_file_hashes_as_its_bytes_and_text_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let bytes: Vec<u8> = (0..200_003_u32).map(|i| (i * 7 % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let digest = Digest::of_file(&path).unwrap();
        assert_eq!(digest, Digest::of(&bytes));
        let text = serde_json::to_string(&digest).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
        assert!(serde_json::from_str::<Digest>("\"xyz\"").is_err());
    }
}
