//! Random numbers that depend on a seed and a name, never on threads or order.

use rand::SeedableRng;
pub use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use crate::position::StableHasher;
use std::hash::Hasher;

/// The generator for item `index` of the stream called `purpose`.
///
/// Every game, opening or sample gets its own generator, so that results do not
/// depend on which thread handled it.
///
/// ```
/// use evalsmith_core::rng;
/// use rand::RngExt;
/// let draw = |i| rng::stream(7, "openings", i).random::<u64>();
/// assert_eq!(draw(3), draw(3));
/// assert_ne!(draw(3), draw(4));
/// ```
pub fn stream(seed: u64, purpose: &str, index: u64) -> Rng {
    // Word by word: how the standard library hashes a tuple or a string may
    // change with the compiler, and with it every dataset.
    let mut hasher = StableHasher::default();
    hasher.write_u64(seed);
    hasher.write(purpose.as_bytes());
    hasher.write_u64(index);
    Rng::seed_from_u64(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn streams_never_change() {
        let first = |seed, purpose, index| stream(seed, purpose, index).random::<u64>();
        let drawn = [first(1, "self-play", 0), first(1, "openings", 7), first(u64::MAX, "", 3)];
        assert_eq!(
            drawn,
            [6_976_407_549_437_620_242, 9_770_335_499_852_742_289, 2_750_855_390_212_166_271]
        );
    }
}
