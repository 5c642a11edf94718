//! Games played at random and all games of some length, by typed code: what openings
//! are made of.

use crate::follow::{Record, untyped_record_after};
use evalsmith_core::rng::Rng;
use evalsmith_core::{Game, GameRecord, Position, Side, Symmetry, canonical_key};
use rand::RngExt;
use std::collections::HashSet;

/// A random game of `plies` half-moves; none when it ended before or just then.
pub(crate) fn random_walk<G: Game>(
    game: &G,
    plies: u16,
    random: &mut Rng,
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

/// A game to every unfinished position after `plies` half-moves, one for each set of
/// mirror images; none when there are ever more than `most`.
pub(crate) fn enumerate<G: Game>(
    game: &G,
    symmetries: &[Symmetry<G::Position>],
    plies: u16,
    most: usize,
) -> Option<Vec<Record>> {
    let mut level = vec![GameRecord::new(game.start(), Side::First, game.max_plies())];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for record in &level {
            for m in record.position().moves() {
                let after = record.position().play(m);
                if !seen.insert(canonical_key(&after, symmetries)) {
                    continue;
                }
                let mut longer = record.clone();
                if longer.play(m).is_ok() && longer.ending().is_none() {
                    next.push(longer);
                }
                if next.len() > most {
                    return None;
                }
            }
        }
        level = next;
    }
    let mut games: Vec<Record> = Vec::with_capacity(level.len());
    for record in &level {
        games.push(untyped_record_after(games.last(), record));
    }
    Some(games)
}

#[cfg(test)]
mod tests {
    use crate::DynGame;
    use evalsmith_core::{Game, GameRecord, rng};
    use evalsmith_go::Go;
    use evalsmith_othello::Othello;

    #[test]
    fn a_walk_and_its_key_belong_together() {
        for game in [DynGame::new(Othello::new()), DynGame::new(Go::new())] {
            for draw in 0..20 {
                let random = || rng::stream(1, "walks", draw);
                let record = game.random_walk(6, &mut random()).expect("a longer game");
                let key = game.random_walk_key(6, &mut random());
                assert_eq!(key, Some(game.canonical_key(record.position())));
                let mut replayed = GameRecord::new(game.start(), record.first(), game.max_plies());
                record.moves().iter().for_each(|&m| replayed.play(m).expect("legal"));
                assert!(replayed == record && record.ply() == 6);
            }
            assert!(game.random_walk(u16::MAX, &mut rng::stream(1, "walks", 0)).is_none());
        }
    }

    /// Positions of Othello after some plies, up to symmetry.
    #[test]
    fn all_positions_are_enumerated_once() {
        let game = DynGame::new(Othello::new());
        let all = |plies| game.enumerate(plies, 1000).expect("not so many");
        let counts = [0, 1, 2, 3, 4, 5].map(|plies| all(plies).len());
        assert_eq!(counts, [1, 1, 3, 14, 60, 322]);
        for record in all(4) {
            let mut replayed = GameRecord::new(game.start(), record.first(), game.max_plies());
            record.moves().iter().for_each(|&m| replayed.play(m).expect("legal"));
            assert_eq!(replayed, record);
        }
        assert!(game.enumerate(5, 321).is_none());
        assert_eq!(game.enumerate(5, 322).map(|games| games.len()), Some(322));
    }
}
