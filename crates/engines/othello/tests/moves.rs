//! Some moves, all moves at once, and lines move by move: the engine against plain
//! negamax over the same judge.

use evalsmith_core::{Game, Position, Solve, rng};
use evalsmith_engine_othello::{
    Certainty, DISC, Engine, Judge, Limits, Selectivity, SmallPatterns, Solver, Value, Watch,
};
use evalsmith_othello::{Board, Move, Othello, Portable};
use proptest::prelude::*;
use rand::RngExt;
use std::time::Duration;

/// The position after random moves, with so many empty squares, in which somebody moves.
fn position(index: u64, empties: u32) -> Option<Board<Portable>> {
    let mut random = rng::stream(22, "engine moves", index);
    let mut board = Othello::new().start();
    while board.empty().count_ones() > empties {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            return None;
        }
        board = board.play(moves[random.random_range(0..moves.len())]);
    }
    (board.mobility() != 0).then_some(board)
}

/// In eighths of a disc, by the definition.
fn negamax(board: &Board<Portable>, depth: u32) -> i32 {
    if board.outcome().is_some() {
        return 8 * board.final_margin();
    }
    if board.mobility() == 0 {
        return -negamax(&board.passed(), depth);
    }
    if depth == 0 {
        let eighth = DISC / 8;
        let judged = SmallPatterns.value(board, board.mobility());
        return (judged + eighth / 2).div_euclid(eighth).clamp(-512, 512);
    }
    board.moves().map(|m| -negamax(&board.play(m), depth - 1)).max().expect("has moves")
}

fn eighths(value: Value) -> i32 {
    (8.0 * value.discs()) as i32
}

fn full(depth: u32) -> Limits {
    Limits { selectivity: Selectivity::Full, ..Limits::depth(depth) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_best_of_some_moves_is_found(
        index in any::<u64>(), empties in 30_u32..56, depth in 1_u32..4, kept in any::<u64>(),
    ) {
        let Some(board) = position(index, empties) else { return Ok(()) };
        let allowed: Vec<_> = board.moves().filter(|m| m.bit() & kept != 0).collect();
        let value = |m: Move| -negamax(&board.play(m), depth - 1);
        let mut engine = Engine::new(1, 1);
        // What was learnt about some moves must not be taken for all, nor the reverse.
        for among in [kept, u64::MAX, kept] {
            let thought = engine.think_among(&board, among, full(depth), &Watch::new());
            if among == kept {
                prop_assert_eq!(thought.best.is_some(), !allowed.is_empty());
            }
            if let Some(best) = thought.best {
                prop_assert!(best.bit() & among != 0);
                let most = board.moves().filter(|m| m.bit() & among != 0).map(value).max();
                prop_assert_eq!(Some(eighths(thought.value)), most);
                prop_assert_eq!(value(best), eighths(thought.value));
            }
        }
    }

    #[test]
    fn the_best_of_some_moves_is_proven(index in any::<u64>(), kept in any::<u64>()) {
        let Some(board) = position(index, 9) else { return Ok(()) };
        let mut solver = Solver::new(1, 1);
        let mut score = |m: Move| -i32::from(solver.solve(&board.play(m)).outcome.margin());
        let allowed = board.moves().filter(|m| m.bit() & kept != 0);
        let most = allowed.map(|m| (score(m), m)).max_by_key(|&(score, _)| score);
        let thought =
            Engine::new(1, 1).think_among(&board, kept, Limits::default(), &Watch::new());
        match (most, thought.best) {
            (None, None) => {}
            (Some((most, _)), Some(best)) => {
                prop_assert_eq!(thought.certainty, Certainty::Exact);
                prop_assert_eq!(eighths(thought.value), 8 * most);
                prop_assert_eq!(score(best), most);
                let end = thought.line.iter().fold(board, |at, &m| at.play(m));
                prop_assert!(end.outcome().is_some());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn all_moves_are_ranked_by_one_iteration_wherever_it_ends(
        index in any::<u64>(), empties in 8_u32..56, nodes in 1_u64..60_000,
    ) {
        let Some(board) = position(index, empties) else { return Ok(()) };
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut told = None;
        let ranked = Engine::new(1, 1).rank_moves(&board, limits, &Watch::new(), |ranked| {
            told = Some(ranked.to_vec());
        });
        prop_assert_eq!(ranked.len(), board.move_count());
        for entry in &ranked {
            prop_assert_eq!(
                (entry.depth, entry.certainty), (ranked[0].depth, ranked[0].certainty)
            );
        }
        prop_assert_eq!(ranked[0].depth == 0, told.is_none());
        if let Some(told) = told {
            prop_assert_eq!(ranked, told);
        }
    }

    #[test]
    fn a_line_is_as_long_as_its_search_and_left_where_another_move_is_better(
        index in any::<u64>(), empties in 12_u32..50, depth in 2_u32..5,
    ) {
        let Some(board) = position(index, empties) else { return Ok(()) };
        let mut engine = Engine::new(1, 1);
        let thought = engine.think(&board, full(depth), &Watch::new(), |_| {});
        let line = engine.check_line(&board, &thought.line[..1], full(depth), &Watch::new());
        let checked = line.moves;
        let mut at = board;
        let mut left = depth;
        for (index, entry) in checked.iter().enumerate() {
            prop_assert_eq!(eighths(entry.best_value), negamax(&at, left));
            prop_assert_eq!((entry.depth, entry.is_left()), (left, false));
            if let Some(next) = checked.get(index + 1).filter(|_| entry.mv != Move::PASS) {
                prop_assert_eq!(next.best_value, -entry.value, "whole trees agree");
            }
            at = at.play(entry.mv);
            left -= u32::from(entry.mv != Move::PASS);
        }
        prop_assert!(line.whole && (left == 0 || at.outcome().is_some()));

        let value = |m: Move| -negamax(&board.play(m), depth - 1);
        let worst = board.moves().min_by_key(|&m| value(m)).expect("has moves");
        let line = engine.check_line(&board, &[worst, Move(27)], full(depth), &Watch::new());
        let checked = line.moves;
        prop_assert_eq!((checked[0].mv, eighths(checked[0].value)), (worst, value(worst)));
        prop_assert_eq!(checked[0].is_left(), value(worst) < eighths(thought.value));
        prop_assert_eq!(checked[0].best_value, thought.value);

        let no_time = Limits { time: Some(Duration::ZERO), ..full(depth) };
        let line = engine.check_line(&board, &thought.line, no_time, &Watch::new());
        prop_assert!(line.moves.is_empty() && !line.whole);
    }
}
