//! The hot trait: what a search needs of a position, and nothing else.

use crate::Outcome;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// How far a game has come, in the game's own count (discs on the board in
/// Othello). Evaluation functions may hold one set of weights per stage.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Stage(pub u8);

impl Stage {
    /// The stage as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position, seen by the side to move: a small plain value.
///
/// Invariant: [`moves`](Position::moves) is empty exactly when
/// [`outcome`](Position::outcome) is `Some`; a side that must pass has the pass
/// as its only move.
pub trait Position: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// A move.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The legal moves, in an order that is the same every time.
    type Moves: Iterator<Item = Self::Move>;

    /// All legal moves.
    fn moves(&self) -> Self::Moves;

    /// The position after a legal move, seen by the opponent.
    #[must_use]
    fn play(&self, m: Self::Move) -> Self;

    /// How the game ended, if it has, for the side to move.
    fn outcome(&self) -> Option<Outcome>;

    /// The number of legal moves; games that can count without listing should.
    #[inline]
    fn move_count(&self) -> usize {
        self.moves().count()
    }

    /// A 64-bit key, the same for equal positions in every run.
    #[inline]
    fn key(&self) -> u64 {
        stable_hash(self)
    }

    /// Whether [`repeated`](Position::repeated) ever ends a game, so that a
    /// search must keep the keys of earlier positions. The same for all positions
    /// of a game.
    #[inline]
    fn can_repeat(&self) -> bool {
        false
    }

    /// Whether a search must play on at its horizon until the position is quiet,
    /// because of moves that are [noisy](Position::is_noisy) and threats that
    /// [must be answered](Position::must_answer). Where it is false, a search
    /// asks for neither. The same for all positions of a game.
    #[inline]
    fn has_noisy_moves(&self) -> bool {
        false
    }

    /// How far the game has come; below [`Game::stages`](crate::Game::stages).
    #[inline]
    fn stage(&self) -> Stage {
        Stage(0)
    }

    /// How much is at stake in a legal move that changes so much that a static
    /// evaluation should wait for it (a capture, a promotion); zero for quiet
    /// moves. Lines of noisy moves should be short, and searches try the most
    /// promising first (in Chess the most valuable victim, and of its captors the
    /// least valuable). Only whether it is zero can change a value, but exchanges
    /// take many times as long in a bad order.
    #[inline]
    fn promise(&self, _m: Self::Move) -> u8 {
        0
    }

    /// Whether a static evaluation should wait for the move: whether it
    /// [promises](Position::promise) anything.
    #[inline]
    fn is_noisy(&self, m: Self::Move) -> bool {
        self.promise(m) > 0
    }

    /// Whether the side to move is under a threat that it cannot leave standing
    /// (check): its static value means nothing, and every move counts as noisy.
    #[inline]
    fn must_answer(&self) -> bool {
        false
    }

    /// Whether the rules end the game because this position's key stands among
    /// the `earlier` keys (oldest first), and how, for the side to move.
    #[inline]
    fn repeated(&self, _earlier: &[u64]) -> Option<Outcome> {
        None
    }

    /// A small number that names the move in history and killer tables. Two
    /// moves may share one; ordering suffers, correctness does not.
    #[inline]
    fn slot(m: Self::Move) -> u16 {
        (stable_hash(&m) >> 52) as u16
    }
}

/// Hashes a value to the same number in every run of one build.
#[inline]
pub(crate) fn stable_hash<T: Hash>(value: &T) -> u64 {
    let mut hasher = StableHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes words to the same number in every run.
pub(crate) struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl StableHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * u128::from(0xA076_1D64_78BD_642F_u64);
        let folded = (wide as u64) ^ ((wide >> 64) as u64);
        self.0 = folded.rotate_left(23) ^ word.wrapping_mul(0xE703_7ED1_A0B4_28DB);
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0_u8; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word) ^ ((chunk.len() as u64) << 56));
        }
    }
    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.mix(u64::from(n));
    }
    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.mix(u64::from(n));
    }
    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.mix(u64::from(n));
    }
    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }
    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::stable_hash;
    use std::collections::HashSet;

    #[test]
    fn stable_hash_spreads_neighbours_in_high_and_low_bits() {
        let hashes: Vec<u64> = (0..4096_u32).map(|n| stable_hash(&n)).collect();
        let full: HashSet<_> = hashes.iter().collect();
        assert_eq!(full.len(), hashes.len());
        for shift in [0, 52] {
            let buckets: HashSet<_> = hashes.iter().map(|h| (h >> shift) & 0xFFF).collect();
            assert!(buckets.len() > 2400, "{shift}: {}", buckets.len());
        }
    }
}
