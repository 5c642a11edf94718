//! Openings: where the games of a match start.
//!
//! Two players with fixed evaluation functions repeat themselves, so the
//! variety of a match is the variety of its openings. Invariant: no two
//! openings end in the same position, nor in mirror images of one another, or
//! the same pair of games would be counted twice as evidence.
//!
//! Random openings are kept as the numbers of their draws and drawn again when
//! they are needed, so that ten million of them take forty megabytes.

mod enumerated;
mod list;
mod pgn;

use crate::ArenaError;
use evalsmith_core::{Game, Plies, rng};
use evalsmith_rules::{DynGame, Record};
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;

/// Whether an opening is wanted: near even, say.
pub type Wanted<'a> = &'a (dyn Fn(&Record) -> bool + Sync);

/// Different unfinished games.
#[derive(Clone)]
pub struct Openings {
    game: DynGame,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Drawn { plies: u16, seed: u64, attempts: Vec<u32> },
    Listed(Vec<Record>),
}

/// Openings of a list, in vain one after another, before it is given up that
/// another wanted one exists.
const UNWANTED: u32 = 20_000;

impl Openings {
    /// Random openings of exactly `plies` half-moves, each move drawn evenly
    /// from the legal ones. A smaller `count` gives the beginning of the same list.
    ///
    /// # Errors
    /// When chance finds fewer than `count`: the error says how many.
    pub fn random(game: &DynGame, plies: u16, count: u32, seed: u64) -> Result<Self, ArenaError> {
        Self::draw(game, plies, count, seed, None)
    }

    /// The same, but only wanted ones.
    ///
    /// # Errors
    /// As [`Self::random`].
    pub fn random_where(
        game: &DynGame,
        plies: u16,
        count: u32,
        seed: u64,
        wanted: Wanted<'_>,
    ) -> Result<Self, ArenaError> {
        Self::draw(game, plies, count, seed, Some(wanted))
    }

    fn draw(
        game: &DynGame,
        plies: u16,
        count: u32,
        seed: u64,
        wanted: Option<Wanted<'_>>,
    ) -> Result<Self, ArenaError> {
        /// Draws that are judged at the same time.
        const BATCH: usize = 64;
        let mut seen = HashSet::new();
        let mut attempts: Vec<u32> = Vec::new();
        let (mut in_vain, mut unwanted) = (0, 0);
        let mut draws = 0_u32..;
        let too_few = |found: usize| ArenaError::TooFewOpenings {
            game: game.name().to_owned(),
            what: format!("openings of {}", Plies::from(plies)),
            wanted: count,
            found: found as u32,
        };
        while attempts.len() < count as usize {
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH.min(count as usize - attempts.len()) {
                // With N equally likely openings the last one escapes 20 N attempts
                // once in e^20 times.
                if in_vain > 1000 + 20 * seen.len() {
                    break;
                }
                let Some(draw) = draws.next() else { break };
                match game.random_walk_key(plies, &mut random_of(seed, draw)) {
                    Some(key) if seen.insert(key) => {
                        batch.push(draw);
                        in_vain = 0;
                    }
                    _ => in_vain += 1,
                }
            }
            if batch.is_empty() {
                return Err(too_few(attempts.len()));
            }
            let judged: Vec<bool> = match wanted {
                None => vec![true; batch.len()],
                Some(wanted) => {
                    let judge = |&draw: &u32| wanted(&walk(game, plies, seed, draw));
                    batch.par_iter().map(judge).collect()
                }
            };
            for (draw, wanted) in batch.into_iter().zip(judged) {
                if wanted {
                    attempts.push(draw);
                    unwanted = 0;
                } else {
                    unwanted += 1;
                }
            }
            if unwanted > UNWANTED {
                return Err(too_few(attempts.len()));
            }
        }
        Ok(Self { game: game.clone(), source: Source::Drawn { plies, seed, attempts } })
    }

    /// The wanted ones, in their order; the first `count` where that is given.
    ///
    /// # Errors
    /// When there are fewer than `count`, or none.
    pub fn select(self, count: Option<u32>, wanted: Wanted<'_>) -> Result<Self, ArenaError> {
        /// Openings that are judged at the same time.
        const BATCH: usize = 256;
        let needed = count.unwrap_or(1) as usize;
        let most = count.map_or(usize::MAX, |count| count as usize);
        let mut records = Vec::new();
        for begin in (0..self.len()).step_by(BATCH) {
            if records.len() >= most {
                break;
            }
            let batch = (begin..self.len().min(begin + BATCH)).into_par_iter();
            let judged: Vec<_> = batch.map(|i| self.get(i)).filter(|r| wanted(r)).collect();
            records.extend(judged);
        }
        records.truncate(most);
        if records.len() < needed {
            return Err(ArenaError::TooFewOpenings {
                game: self.game.name().to_owned(),
                what: "openings of the list".into(),
                wanted: needed as u32,
                found: records.len() as u32,
            });
        }
        Ok(Self { source: Source::Listed(records), ..self })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Drawn { attempts, .. } => attempts.len(),
            Source::Listed(records) => records.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them, with its moves.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn get(&self, index: usize) -> Record {
        match &self.source {
            Source::Drawn { plies, seed, attempts } => {
                walk(&self.game, *plies, *seed, attempts[index])
            }
            Source::Listed(records) => records[index].clone(),
        }
    }

    /// Some of them; fewer where there are not so many.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        let source = match &self.source {
            Source::Drawn { plies, seed, attempts } => {
                let attempts = attempts[range].to_vec();
                Source::Drawn { plies: *plies, seed: *seed, attempts }
            }
            Source::Listed(records) => Source::Listed(records[range].to_vec()),
        };
        Self { game: self.game.clone(), source }
    }

    /// The first of them, at most `count`.
    pub fn first(&self, count: usize) -> Vec<Record> {
        (0..count.min(self.len())).map(|index| self.get(index)).collect()
    }
}

fn random_of(seed: u64, draw: u32) -> rng::Rng {
    rng::stream(seed, "openings", u64::from(draw))
}

/// The random game of a draw that gave an unfinished one before.
fn walk(game: &DynGame, plies: u16, seed: u64, draw: u32) -> Record {
    game.random_walk(plies, &mut random_of(seed, draw))
        .expect("the same draw gave an unfinished game before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{heaps, nim};

    fn sorted(record: &Record) -> Vec<u8> {
        let mut heaps = heaps(record).to_vec();
        heaps.sort_unstable();
        heaps
    }

    fn draw(count: u32, seed: u64) -> Vec<Record> {
        Openings::random(&nim(), 3, count, seed).unwrap().first(100)
    }

    #[test]
    fn openings_differ_even_in_a_mirror_and_are_unfinished() {
        let openings = draw(40, 1);
        let different: HashSet<_> = openings.iter().map(sorted).collect();
        assert_eq!(different.len(), 40);
        assert!(openings.iter().all(|r| r.ply() == 3 && r.ending().is_none()));
    }

    #[test]
    fn they_depend_on_the_seed_alone_and_a_short_list_begins_a_long_one() {
        assert_eq!(draw(20, 5), draw(20, 5));
        assert_eq!(draw(20, 5), draw(40, 5)[..20]);
        assert_ne!(draw(20, 5), draw(20, 6));
        let part = Openings::random(&nim(), 3, 20, 5).unwrap().part(12..99);
        assert_eq!(part.first(99), draw(20, 5)[12..]);
    }

    /// From heaps of 7, 7 and 7 one move leaves 7, 7 and one of 0..=6: seven
    /// positions up to the order of the heaps.
    #[test]
    fn too_few_openings_are_counted() {
        assert_eq!(Openings::random(&nim(), 1, 7, 9).unwrap().len(), 7);
        let error = Openings::random(&nim(), 1, 8, 9).err().unwrap();
        assert!(matches!(error, ArenaError::TooFewOpenings { wanted: 8, found: 7, .. }), "{error}");
        let error = Openings::random(&nim(), 400, 1, 9).err().unwrap();
        assert!(matches!(error, ArenaError::TooFewOpenings { found: 0, .. }), "{error}");
    }

    #[test]
    fn no_plies_means_the_start_position() {
        let openings = Openings::random(&nim(), 0, 1, 3).unwrap();
        assert_eq!(openings.get(0).position(), &nim().start());
        assert!(Openings::random(&nim(), 0, 2, 3).is_err());
    }

    #[test]
    fn only_wanted_ones_are_taken_in_the_order_they_are_drawn() {
        let level = |r: &Record| heaps(r).iter().sum::<u8>() > 9;
        let all = draw(100, 4);
        let some = Openings::random_where(&nim(), 3, 20, 4, &level).unwrap();
        let expected: Vec<_> = all.into_iter().filter(level).take(20).collect();
        assert!(expected.len() == 20 && expected == some.first(20));
        let error = Openings::random_where(&nim(), 3, 1, 4, &|_| false).err().unwrap();
        assert!(matches!(error, ArenaError::TooFewOpenings { found: 0, .. }), "{error}");
    }
}
