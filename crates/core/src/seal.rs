//! A checksum at the end of every line of a file that grows line by line (match logs,
//! answers of engines), so that a changed byte is found.
//!
//! A line is one JSON object; its last field is `"sum"`, the checksum of the line before
//! that field in sixteen hexadecimal digits. Any change within eight bytes, a flipped bit
//! among them, changes the checksum for certain. Lines of older files have none.

use serde::Serialize;
use std::borrow::Cow;

const FIELD: &[u8] = b",\"sum\":\"";
const DIGITS: usize = 16;
const END: &[u8] = b"\"}\n";

/// A value, which must be a struct with fields, as one line of JSON with its checksum.
///
/// # Panics
/// When the value has no JSON: a map whose keys are not text.
///
/// ```
/// use evalsmith_core::seal;
/// #[derive(serde::Serialize)]
/// struct Answer {
///     value: f64,
/// }
/// let line = seal::line_of(&Answer { value: 0.5 });
/// assert_eq!(&*seal::open(&line, true)?, b"{\"value\":0.5}\n");
/// # Ok::<(), String>(())
/// ```
pub fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("a struct has string keys only");
    let brace = line.pop();
    debug_assert_eq!(brace, Some(b'}'), "a line is an object with fields");
    let sum = digits(&line);
    line.extend_from_slice(FIELD);
    line.extend_from_slice(&sum);
    line.extend_from_slice(END);
    line
}

/// The line without its checksum, which must hold; where it is `required` it must be there.
///
/// # Errors
/// When the checksum does not hold or is missing; in words.
pub fn open(line: &[u8], required: bool) -> Result<Cow<'_, [u8]>, String> {
    let sealed = line
        .strip_suffix(END)
        .and_then(|rest| rest.split_last_chunk::<DIGITS>())
        .and_then(|(rest, sum)| Some((rest.strip_suffix(FIELD)?, sum)));
    match sealed {
        Some((body, sum)) if *sum == digits(body) => Ok([body, b"}\n"].concat().into()),
        Some(_) => Err("its checksum does not hold: the line was changed or damaged".into()),
        None if required => Err("it has no checksum: the line was changed or damaged".into()),
        None => Ok(line.into()),
    }
}

fn digits(body: &[u8]) -> [u8; DIGITS] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let sum = checksum(0, body);
    std::array::from_fn(|i| HEX[(sum >> (60 - 4 * i)) as usize & 15])
}

/// A number that other bytes hardly share: every word is mixed into it by a
/// multiplication that loses nothing.
pub fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    };
    let (whole, rest) = bytes.as_chunks::<8>();
    let sum = whole
        .iter()
        .fold(mix(seed, bytes.len() as u64), |sum, &word| mix(sum, u64::from_le_bytes(word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(sum, u64::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_flipped_bit_of_a_line_is_found() {
        let value = json!({ "index": 3, "moves": ["e4", "\"sum\""], "points": 0.5 });
        let line = line_of(&value);
        let body = open(&line, true).unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&body).unwrap(), value);
        for bit in 0..8 * line.len() {
            let mut flipped = line.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&flipped, true).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn lines_of_older_logs_are_taken_as_they_are() {
        let old = b"{\"index\":0}\n";
        assert_eq!(open(old, false).unwrap(), &old[..]);
        assert!(open(old, true).is_err());
        for short in [&b""[..], b"\n", b"}\n", b"\"}\n"] {
            assert!(open(short, true).is_err());
        }
    }
}
