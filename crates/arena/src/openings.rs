//! Openings: short random games from which a match starts.
//!
//! Two players with fixed evaluation functions repeat themselves, so the
//! variety of a match is the variety of its openings. Invariant: no two
//! openings end in the same position, nor in mirror images of one another, or
//! the same pair of games would be counted twice as evidence.

use crate::ArenaError;
use evalsmith_core::{Game, GameRecord, Position, Side, Symmetry, rng};
use rand::RngExt;
use std::collections::HashSet;

/// Different unfinished games of one length.
#[derive(Clone, Debug)]
pub struct Openings<P: Position> {
    records: Vec<GameRecord<P>>,
}

impl<P: Position> Openings<P> {
    /// Random openings of exactly `plies` half-moves, each move drawn evenly
    /// from the legal ones. A smaller `count` gives the beginning of the same list.
    ///
    /// # Errors
    /// When chance finds fewer than `count`: the error says how many.
    pub fn random<G: Game<Position = P>>(
        game: &G,
        plies: u16,
        count: u32,
        seed: u64,
    ) -> Result<Self, ArenaError> {
        let symmetries = game.symmetries();
        let mut seen = HashSet::new();
        let mut records: Vec<GameRecord<P>> = Vec::new();
        let mut in_vain = 0;
        for attempt in 0.. {
            if records.len() == count as usize {
                break;
            }
            // With N equally likely openings the last one escapes 20 N attempts
            // once in e^20 times.
            if in_vain > 1000 + 20 * records.len() {
                return Err(ArenaError::TooFewOpenings {
                    game: G::NAME,
                    plies,
                    wanted: count,
                    found: records.len() as u32,
                });
            }
            match random_walk(game, plies, &mut rng::stream(seed, "openings", attempt)) {
                Some(record) if seen.insert(canonical_key(record.position(), &symmetries)) => {
                    records.push(record);
                    in_vain = 0;
                }
                _ => in_vain += 1,
            }
        }
        Ok(Self { records })
    }

    /// The openings, each with its moves from the start position.
    pub fn records(&self) -> &[GameRecord<P>] {
        &self.records
    }
}

/// A random game of `plies` half-moves; none when it ended before or just then.
fn random_walk<G: Game>(
    game: &G,
    plies: u16,
    random: &mut rng::Rng,
) -> Option<GameRecord<G::Position>> {
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    for _ in 0..plies {
        if record.ending().is_some() {
            return None;
        }
        let position = record.position();
        let m = position.moves().nth(random.random_range(0..position.move_count()))?;
        record.play(m).ok()?;
    }
    record.ending().is_none().then_some(record)
}

/// The same key for all images of a position.
fn canonical_key<P: Position>(position: &P, symmetries: &[Symmetry<P>]) -> u64 {
    let images = symmetries.iter().map(|symmetry| (symmetry.position)(position).key());
    images.fold(position.key(), u64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Heaps, Nim};

    fn sorted(position: &Heaps) -> Vec<u8> {
        let mut heaps = position.heaps.to_vec();
        heaps.sort_unstable();
        heaps
    }

    #[test]
    fn openings_differ_even_in_a_mirror_and_are_unfinished() {
        let openings = Openings::random(&Nim, 3, 40, 1).unwrap();
        let positions: Vec<_> = openings.records().iter().map(GameRecord::position).collect();
        let different: HashSet<_> = positions.iter().map(|p| sorted(p)).collect();
        assert_eq!(different.len(), 40);
        assert!(openings.records().iter().all(|r| r.ply() == 3 && r.ending().is_none()));
    }

    #[test]
    fn they_depend_on_the_seed_alone_and_a_short_list_begins_a_long_one() {
        let draw = |count, seed| Openings::random(&Nim, 3, count, seed).unwrap().records;
        assert_eq!(draw(20, 5), draw(20, 5));
        assert_eq!(draw(20, 5), draw(40, 5)[..20]);
        assert_ne!(draw(20, 5), draw(20, 6));
    }

    /// From heaps of 7, 7 and 7 one move leaves 7, 7 and one of 0..=6: seven
    /// positions up to the order of the heaps.
    #[test]
    fn too_few_openings_are_counted() {
        assert_eq!(Openings::random(&Nim, 1, 7, 9).unwrap().records.len(), 7);
        let error = Openings::random(&Nim, 1, 8, 9).unwrap_err();
        assert!(
            matches!(error, ArenaError::TooFewOpenings { wanted: 8, found: 7, plies: 1, .. }),
            "{error}"
        );
        let error = Openings::random(&Nim, 400, 1, 9).unwrap_err();
        assert!(matches!(error, ArenaError::TooFewOpenings { found: 0, .. }), "{error}");
    }

    #[test]
    fn no_plies_means_the_start_position() {
        let openings = Openings::random(&Nim, 0, 1, 3).unwrap();
        assert_eq!(openings.records()[0].position(), &Nim.start());
        assert!(Openings::random(&Nim, 0, 2, 3).is_err());
    }
}
