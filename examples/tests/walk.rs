//! A game that exists at run time only keeps every promise, and is searched, played and
//! looked at as a compiled one is.

#[path = "../walk.rs"]
#[expect(dead_code, reason = "the program's main is not called here")]
mod walk;

use evalsmith::prelude::*;
use std::sync::atomic::AtomicBool;
use walk::{Map, Walk};

const MAP: &str = "walk exits\n\
                   home 3: hill lake wood\n\
                   hill 2: lake cave\n\
                   lake 2: wood cave\n\
                   wood 1: cave\n\
                   cave 0:\n";

fn typed() -> Walk {
    Walk(Map::read(MAP).expect("a map"))
}

fn walk() -> DynGame {
    DynGame::new(typed())
}

#[test]
fn it_keeps_the_promises_of_a_game() {
    conformance::Kit::of(typed()).games(20).run();
    conformance::Kit::of(walk()).games(20).run();
    assert_eq!((walk().name(), walk().stages()), ("walk", 4));
}

#[test]
fn two_such_games_are_distinguished_by_their_names() {
    let other = DynGame::new(Walk(Map::read("maze\nin: out\nout:\n").expect("a map")));
    assert_ne!(other.start(), walk().start());
    assert_eq!(other.name(), "maze");
}

#[test]
fn broken_maps_are_refused() {
    for text in ["", "walk", "walk exits\nhome: cave\ncave 0:\n", "walk\nhome: nowhere\n"] {
        assert!(Map::read(text).is_none(), "{text:?}");
    }
}

#[test]
fn its_search_is_the_typed_one() {
    let (game, typed) = (walk(), typed());
    let record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let typed_record = GameRecord::new(typed.start(), Side::First, typed.max_plies());
    let (limits, never) = (Limits::depth(9), AtomicBool::new(false));
    let found = game.trivial_function().search(1 << 12).search(&record, &limits, &never);
    let expected = Searcher::new(Trivial, 1 << 12).search(&typed_record, &limits, &never);
    assert_eq!((found.value, found.nodes), (expected.value, expected.nodes));
    let name = game.format_move(record.position(), found.best.expect("a move"));
    assert_eq!(name, typed.format_move(typed_record.position(), expected.best.expect("a move")));
    // Every place that can be reached from home has the cave beside it.
    assert_eq!(found.value, Score::of_outcome(Outcome::LOSS));
}
