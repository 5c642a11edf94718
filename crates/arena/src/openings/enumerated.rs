//! All positions after so many half-moves, one of each set of mirror images.

use super::{Openings, Source, Wanted};
use crate::ArenaError;
use evalsmith_core::rng;
use evalsmith_rules::DynGame;
use rand::seq::SliceRandom;

/// More positions than this are not kept.
const MOST: usize = 1_000_000;

impl Openings {
    /// Every unfinished position after `plies` half-moves that is wanted, in an
    /// order that the seed draws; `count` of them where that is given.
    ///
    /// # Errors
    /// When there are fewer than `count`, none, or too many to list.
    pub fn enumerated(
        game: &DynGame,
        plies: u16,
        count: Option<u32>,
        seed: u64,
        wanted: Wanted<'_>,
    ) -> Result<Self, ArenaError> {
        let too_many = ArenaError::TooManyOpenings { plies, most: MOST };
        let mut records = game.enumerate(plies, MOST).ok_or(too_many)?;
        records.shuffle(&mut rng::stream(seed, "enumerated openings", 0));
        Self { game: game.clone(), source: Source::Listed(records) }.select(count, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nim;
    use evalsmith_core::Position;
    use evalsmith_rules::Record;

    fn all(plies: u16) -> Openings {
        Openings::enumerated(&nim(), plies, None, 1, &|_| true).unwrap()
    }

    /// Two moves from 7, 7, 7 leave 7 and two of 0..=6 in some order, or 7, 7 and
    /// one of 0..=5 by two moves on one heap: 28 + 6.
    #[test]
    fn mirror_images_are_listed_once() {
        assert_eq!([all(0).len(), all(1).len(), all(2).len()], [1, 7, 28 + 6]);
        let error = Openings::enumerated(&nim(), 1, Some(8), 1, &|_| true).err().unwrap();
        assert!(matches!(error, ArenaError::TooFewOpenings { wanted: 8, found: 7, .. }), "{error}");
        assert!(Openings::enumerated(&nim(), 22, None, 1, &|_| true).is_err());
    }

    #[test]
    fn the_seed_draws_the_order_and_a_count_its_beginning() {
        let list = |count, seed| {
            Openings::enumerated(&nim(), 2, count, seed, &|_| true).unwrap().first(99)
        };
        assert_eq!(list(Some(5), 1), list(None, 1)[..5]);
        assert_ne!(list(None, 1), list(None, 2));
        let heavy = |r: &Record| r.position().move_count() > 15;
        let some = Openings::enumerated(&nim(), 2, None, 1, &heavy).unwrap();
        assert_eq!(some.first(99), list(None, 1).into_iter().filter(heavy).collect::<Vec<_>>());
    }
}
