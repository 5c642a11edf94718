//! The games that this program knows: what its `main` gave it.

use evalsmith_lab::prelude::{DynGame, Game};
use std::sync::OnceLock;

static GAMES: OnceLock<Vec<DynGame>> = OnceLock::new();

/// Makes these the program's games, once and for all.
pub(crate) fn set(games: Vec<DynGame>) {
    GAMES.set(games).unwrap_or_else(|_| panic!("a program begins once"));
}

/// All of them, in the order in which they are listed.
pub(crate) fn all() -> &'static [DynGame] {
    GAMES.get_or_init(evalsmith_registry::games)
}

/// The game of this name, whatever its case.
pub(crate) fn find(name: &str) -> Option<&'static DynGame> {
    all().iter().find(|game| game.name().eq_ignore_ascii_case(name))
}

/// Their names, for messages.
pub(crate) fn names() -> String {
    all().iter().map(Game::name).collect::<Vec<_>>().join(", ")
}
