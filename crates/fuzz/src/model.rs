//! Model files of every kind.

use crate::scratch::with_file;
use evalsmith_core::digest::Hasher;
use evalsmith_core::{Evaluate, Game, Position, Score, Window};
use evalsmith_learn::Function;
use evalsmith_othello::Othello;
use serde_json::Value;
use std::path::Path;

/// What precedes the digest in the header, which is a JSON string inside JSON.
const DIGEST: &str = ",\"digest\":\"";
const ESCAPED: &[u8] = br#",\"digest\":\""#;

/// A model of Othello, as it is and with a correct digest. A model that opens must
/// value every position.
pub(crate) fn model(bytes: &[u8]) {
    with_file("model", bytes, evaluate);
    if let Some(sealed) = sealed(bytes) {
        with_file("model", &sealed, evaluate);
    }
}

/// The same file with the digest of its header and tensors; none where the input has
/// no place for one.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let (size, rest) = bytes.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let (header, numbers) = rest.split_at_checked(size)?;
    let parsed: Value = serde_json::from_slice(header).ok()?;
    let own = parsed["__metadata__"]["evalsmith"].as_str()?;
    let mut hasher = Hasher::new();
    hasher.write(own.rsplit_once(DIGEST)?.0.as_bytes());
    hasher.write(b"}");
    // The order of the tensors' names; serde_json sorts them.
    for (name, tensor) in parsed.as_object()?.iter().filter(|(name, _)| *name != "__metadata__") {
        hasher.write(name.as_bytes());
        for side in tensor["shape"].as_array()? {
            hasher.write_u64(side.as_u64()?);
        }
        let place = |i: usize| usize::try_from(tensor["data_offsets"][i].as_u64()?).ok();
        hasher.write(numbers.get(place(0)?..place(1)?)?);
    }
    let digits = hasher.finish().to_string();
    let at = header.windows(ESCAPED.len()).rposition(|window| window == ESCAPED)?;
    let begin = 8 + at + ESCAPED.len();
    let mut sealed = bytes.to_vec();
    sealed.get_mut(begin..begin + digits.len())?.copy_from_slice(digits.as_bytes());
    Some(sealed)
}

/// Plays a fixed game and values its positions: afresh, as a search does and within
/// windows.
fn evaluate(path: &Path) {
    let game = Othello::new();
    let Ok(function) = Function::open_file(&game, path) else { return };
    let mut position = game.start();
    let mut state = function.start(&position);
    for ply in 0..20 {
        let value = function.value(&position, &state, Window::FULL);
        for bound in [0, value.0, i32::from(i16::MAX)] {
            let window = Window::new(Score(bound - 1), Score(bound + 1));
            let within = function.value(&position, &state, window);
            assert_eq!(within, window.clamp(value), "{window:?} at ply {ply}");
        }
        let _ = function.explain(&position);
        let Some(m) = position.moves().nth(ply % position.move_count().max(1)) else { break };
        let next = position.play(m);
        state = function.advance(&position, m, &next, &state);
        position = next;
    }
}
