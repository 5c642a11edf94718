//! Random numbers that depend on a seed and a name, never on threads or order.

use rand::SeedableRng;
pub use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use crate::position::stable_hash;

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
    Rng::seed_from_u64(stable_hash(&(seed, purpose, index)))
}
