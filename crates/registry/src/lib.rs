//! Every game by name, with what comes with it.

mod engine_search;

use engine_search::EngineSearch;
use evalsmith_chess::Chess;
use evalsmith_engine_othello::{Solver, shipped};
use evalsmith_go::Go;
use evalsmith_lab::prelude::{DynFunction, DynGame, Function, PatternFunction, Solve};
use evalsmith_malawi::Malawi;
use evalsmith_othello::{Board, Kernel, Othello};
use evalsmith_shogi::Shogi;
use std::sync::Arc;

/// What the solver of Othello's endgames remembers, in MiB; it takes no more than a
/// position needs.
const SOLVER_MIB: usize = 64;

/// Six features of Othello, fitted by stage: the function that the first round of patterns
/// was made with (`models/README.md`).
const SIX_FEATURES: &[u8] = include_bytes!("../../../models/othello.safetensors");

/// The engine's solver, which leaves the rules' own far behind.
fn solver<K: Kernel>() -> Box<dyn Solve<Board<K>>> {
    Box::new(Solver::new(SOLVER_MIB, 1))
}

/// Othello with the engine's solver, and with the engine as what comes with it.
fn othello<K: Kernel>(game: Othello<K>) -> DynGame {
    let game = game.with_solver(solver);
    let with_six = move || {
        let function = Function::from_bytes(&game, SIX_FEATURES, "the six features");
        DynFunction::new(&game, function.expect("a test opens the six features"))
    };
    let engine = move || {
        let patterns = PatternFunction::open(&game, shipped::pattern_file());
        let patterns = patterns.expect("a test opens the shipped patterns");
        let function = Function::Patterns(Arc::new(patterns));
        let searched = function.clone();
        DynFunction::with_own_search(&game, function, move |table_bytes| {
            Box::new(EngineSearch::new(searched.clone(), table_bytes))
        })
    };
    DynGame::new(game).with_function("shipped", engine).with_function("six-features", with_six)
}

/// All games, in the order in which they are listed.
pub fn games() -> Vec<DynGame> {
    vec![
        // The one choice between portable and SIMD code.
        evalsmith_othello::with_best_kernel(othello, othello),
        DynGame::new(Malawi),
        DynGame::new(Chess),
        DynGame::new(Shogi),
        DynGame::new(Go::default()),
    ]
}

/// The game of this name, whatever its case.
pub fn game(name: &str) -> Option<DynGame> {
    use evalsmith_lab::prelude::Game;
    games().into_iter().find(|game| game.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{FunctionName, Game, Limits, Session};

    #[test]
    fn every_game_answers_to_its_name() {
        for game in games() {
            let found = super::game(&game.name().to_uppercase()).expect("its name");
            assert_eq!(found.name(), game.name());
        }
        assert!(game("ludo").is_none());
    }

    #[test]
    fn every_game_is_played_by_what_comes_with_it() {
        for game in games() {
            let limits = Limits::depth(1);
            let session = Session::open(&game, &FunctionName::Shipped, &limits, None);
            assert!(session.unwrap().think().is_some(), "{}", game.name());
        }
    }

    #[test]
    fn what_comes_with_othello_is_the_engine() {
        let game = game("othello").unwrap();
        let shipped = game.shipped().unwrap();
        assert_eq!(shipped.kind(), "patterns");
        assert!(!shipped.search(0).levels().is_empty());
        assert!(games().iter().all(|other| other.name() == "othello" || !other.has_shipped()));
    }
}
