//! What a game's dialects promise.

use crate::{Dialect, Game, GameRecord, Position, Protocol, Side, rng};
use rand::RngExt;
use std::collections::HashSet;

/// Checks, in random games, that each of the game's dialects writes every legal
/// move differently, on one word, and reads moves and positions as they were
/// written; and that a layout names only moves of the start position.
///
/// # Panics
/// Where one does not.
pub fn check_dialects<G: Game>(game: &G, games: u64) {
    let dialects: Vec<_> =
        Protocol::ALL.into_iter().filter_map(|p| Some((p, game.dialect(p)?))).collect();
    assert!(!dialects.is_empty(), "{} speaks no protocol", game.name());
    for index in 0..games {
        let mut random = rng::stream(4, "conformance dialects", index);
        let mut record = GameRecord::new(game.start(), Side::First, game.max_plies().min(200));
        while record.ending().is_none() {
            for (protocol, dialect) in &dialects {
                check_position(game, *protocol, dialect.as_ref(), &record);
            }
            let legal: Vec<_> = record.position().moves().collect();
            let m = legal[random.random_range(0..legal.len())];
            record.play(m).unwrap_or_else(|e| panic!("a legal move was refused: {e}"));
        }
    }
}

fn check_position<G: Game>(
    game: &G,
    protocol: Protocol,
    dialect: &dyn Dialect<G::Position>,
    record: &GameRecord<G::Position>,
) {
    let (position, side) = (record.position(), record.side());
    let told = || format!("{protocol} in {}", game.format(position, side));
    let mut seen = HashSet::new();
    for m in position.moves() {
        let text = dialect.format_move(position, m);
        assert!(!text.contains(char::is_whitespace) && !text.is_empty(), "{text:?}: {}", told());
        assert_eq!(dialect.parse_move(position, &text), Ok(m), "{text}: {}", told());
        assert!(seen.insert(text), "{m:?} is written as another move: {}", told());
    }
    if let Some(text) = dialect.format_position(position, side) {
        assert!(!text.contains('\n'), "{text:?}: {}", told());
        let read = dialect.parse_position(&text).map(|(p, s)| game.format(&p, s));
        assert_eq!(read, Ok(game.format(position, side)), "{text}: {}", told());
    }
    for (_, text) in dialect.lay_out(position, side).into_iter().flatten() {
        let on_start = dialect.parse_move(&game.start(), &text);
        assert!(on_start.is_ok(), "{text} of a layout: {on_start:?}; {}", told());
    }
}
