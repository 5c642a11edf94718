//! One number that says whether the engine is the same: the positions that fixed
//! thoughts visit, on one thread, from empty tables.

use crate::engine::{Engine, Limits};
use crate::judge::Judge;
use crate::worker::Watch;
use evalsmith_core::{Game, Position};
use evalsmith_othello::{Board, Othello, Portable};

/// Empty squares of the position and plies to look ahead; the last two are proven.
const THOUGHTS: [(u32, u32); 6] = [(54, 12), (46, 12), (38, 12), (30, 12), (22, 22), (16, 16)];

/// A position as far from the start, the same every time.
fn position(walk: usize, empties: u32) -> Board<Portable> {
    let mut board = Othello::new().start();
    for ply in 0.. {
        let moves: Vec<_> = board.moves().collect();
        if board.empty().count_ones() <= empties || moves.is_empty() {
            break;
        }
        board = board.play(moves[(walk + 5 * ply) % moves.len()]);
    }
    board
}

/// Positions visited by the fixed thoughts of an engine with one thread. Of the limits
/// the depth is not looked at.
pub fn signature<J: Judge>(engine: &mut Engine<J>, limits: Limits) -> u64 {
    let thoughts = THOUGHTS.iter().enumerate().map(|(walk, &(empties, depth))| {
        engine.forget();
        let board = position(walk, empties);
        let limits = Limits { depth: Some(depth), ..limits };
        engine.think(&board, limits, &Watch::new(), |_| {}).nodes
    });
    thoughts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_same_twice_and_of_open_positions() {
        for (walk, (empties, _)) in THOUGHTS.into_iter().enumerate() {
            let board = position(walk, empties);
            assert!(board.outcome().is_none(), "{walk}");
            assert_eq!(board.empty().count_ones(), empties, "{walk}");
        }
        let mut engine = Engine::new(16, 1);
        let mut visited = |limits| signature(&mut engine, limits);
        let first = visited(Limits::default());
        assert_eq!(first, visited(Limits::default()));
        assert_ne!(first, visited(Limits { whole_discs: true, ..Limits::default() }));
    }
}
