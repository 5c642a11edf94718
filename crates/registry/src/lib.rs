//! Every game by name.

use evalsmith_lab::prelude::{AnyGame, AsAny};
use evalsmith_malawi::Malawi;

type Maker = fn() -> Box<dyn AnyGame>;

/// The games, in the order in which they are listed.
const GAMES: &[(&str, Maker)] = &[
    ("othello", || {
        // The one choice between portable and SIMD code.
        evalsmith_othello::with_best_kernel(
            |portable| Box::new(AsAny::new(portable)) as Box<dyn AnyGame>,
            |v3| Box::new(AsAny::new(v3)),
        )
    }),
    ("malawi", || Box::new(AsAny::new(Malawi))),
];

/// The names of all games.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|(name, _)| *name).collect()
}

/// The game of this name, whatever its case.
pub fn game(name: &str) -> Option<Box<dyn AnyGame>> {
    let (_, make) = GAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(make())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_answers_to_its_name() {
        for name in names() {
            assert_eq!(game(&name.to_uppercase()).map(|g| g.name()), Some(name));
        }
        assert!(game("ludo").is_none());
    }
}
