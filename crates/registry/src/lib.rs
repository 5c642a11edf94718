//! Every game by name.

mod multi_probcut;

use evalsmith_chess::Chess;
use evalsmith_engine_othello::Solver;
use evalsmith_go::Go;
use evalsmith_lab::prelude::{AnyGame, AsAny, Solve};
use evalsmith_malawi::Malawi;
use evalsmith_othello::{Board, Kernel};
use evalsmith_shogi::Shogi;
use multi_probcut::multi_probcut;

/// Six features of Othello, fitted by stage; `models/README.md` says how.
const OTHELLO_MODEL: &[u8] = include_bytes!("../../../models/othello.safetensors");

/// What the engine's solver remembers, in MiB; it takes no more than a position needs.
const SOLVER_MIB: usize = 64;

/// The engine's solver, which leaves the rules' own far behind.
fn solver<K: Kernel>() -> Box<dyn Solve<Board<K>>> {
    Box::new(Solver::new(SOLVER_MIB, 1))
}

type Maker = fn() -> Box<dyn AnyGame>;

/// The games, in the order in which they are listed.
const GAMES: &[(&str, Maker)] = &[
    ("othello", || {
        // The one choice between portable and SIMD code.
        evalsmith_othello::with_best_kernel(
            |portable| {
                let game = AsAny::with_model(portable.with_solver(solver), OTHELLO_MODEL);
                Box::new(game.with_selective_search(multi_probcut)) as Box<dyn AnyGame>
            },
            |v3| {
                let game = AsAny::with_model(v3.with_solver(solver), OTHELLO_MODEL);
                Box::new(game.with_selective_search(multi_probcut))
            },
        )
    }),
    ("malawi", || Box::new(AsAny::new(Malawi))),
    ("chess", || Box::new(AsAny::new(Chess))),
    ("shogi", || Box::new(AsAny::new(Shogi))),
    ("go", || Box::new(AsAny::new(Go::default()))),
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
    use evalsmith_lab::prelude::{FunctionName, Limits};

    #[test]
    fn every_game_answers_to_its_name() {
        for name in names() {
            assert_eq!(
                game(&name.to_uppercase()).map(|g| g.name().to_owned()).as_deref(),
                Some(name)
            );
        }
        assert!(game("ludo").is_none());
    }

    #[test]
    fn every_shipped_model_fits_its_game() {
        for name in names() {
            let limits = Limits::depth(1);
            let session = game(name).unwrap().session(&FunctionName::Shipped, &limits, None);
            assert!(session.unwrap().think().is_some(), "{name}");
        }
    }
}
