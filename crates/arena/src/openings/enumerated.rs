//! All positions after so many half-moves, one of each set of mirror images.

use super::{Openings, Source, Wanted};
use crate::ArenaError;
use evalsmith_core::{Game, GameRecord, Position, Side, canonical_key, rng};
use rand::seq::SliceRandom;
use std::collections::HashSet;

/// More positions than this are not kept.
const MOST: usize = 1_000_000;

impl<G: Game> Openings<G> {
    /// Every unfinished position after `plies` half-moves that is wanted, in an
    /// order that the seed draws; `count` of them where that is given.
    ///
    /// # Errors
    /// When there are fewer than `count`, none, or too many to list.
    pub fn enumerated(
        game: &G,
        plies: u16,
        count: Option<u32>,
        seed: u64,
        wanted: Wanted<'_, G::Position>,
    ) -> Result<Self, ArenaError> {
        let symmetries = game.symmetries();
        let mut level = vec![GameRecord::new(game.start(), Side::First, game.max_plies())];
        for _ in 0..plies {
            let mut seen = HashSet::new();
            let mut next = Vec::new();
            for record in &level {
                for m in record.position().moves() {
                    let after = record.position().play(m);
                    if !seen.insert(canonical_key(&after, &symmetries)) {
                        continue;
                    }
                    let mut longer = record.clone();
                    if longer.play(m).is_ok() && longer.ending().is_none() {
                        next.push(longer);
                    }
                    if next.len() > MOST {
                        return Err(ArenaError::TooManyOpenings { plies, most: MOST });
                    }
                }
            }
            level = next;
        }
        level.shuffle(&mut rng::stream(seed, "enumerated openings", 0));
        Self { game: game.clone(), source: Source::Listed(level) }.select(count, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Heaps, Nim};

    fn all(plies: u16) -> Openings<Nim> {
        Openings::enumerated(&Nim, plies, None, 1, &|_| true).unwrap()
    }

    /// Two moves from 7, 7, 7 leave 7 and two of 0..=6 in some order, or 7, 7 and
    /// one of 0..=5 by two moves on one heap: 28 + 6.
    #[test]
    fn mirror_images_are_listed_once() {
        assert_eq!([all(0).len(), all(1).len(), all(2).len()], [1, 7, 28 + 6]);
        let error = Openings::enumerated(&Nim, 1, Some(8), 1, &|_| true).err().unwrap();
        assert!(matches!(error, ArenaError::TooFewOpenings { wanted: 8, found: 7, .. }), "{error}");
        assert!(Openings::enumerated(&Nim, 22, None, 1, &|_| true).is_err());
    }

    #[test]
    fn the_seed_draws_the_order_and_a_count_its_beginning() {
        let list =
            |count, seed| Openings::enumerated(&Nim, 2, count, seed, &|_| true).unwrap().first(99);
        assert_eq!(list(Some(5), 1), list(None, 1)[..5]);
        assert_ne!(list(None, 1), list(None, 2));
        let heavy = |r: &GameRecord<Heaps>| r.position().move_count() > 15;
        let some = Openings::enumerated(&Nim, 2, None, 1, &heavy).unwrap();
        assert_eq!(some.first(99), list(None, 1).into_iter().filter(heavy).collect::<Vec<_>>());
    }
}
