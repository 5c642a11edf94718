//! The engine against plain negamax over the same judge, and against the solver.

use evalsmith_core::{Game, Position, Solve, rng};
use evalsmith_engine_othello::{
    Certainty, DISC, Engine, Judge, Limits, ProbCut, Selectivity, SmallPatterns, Solver, Thought,
    Watch,
};
use evalsmith_othello::{Board, Kernel, Move, Othello, Portable};
use proptest::prelude::*;
use rand::RngExt;
use std::time::Duration;

/// The position after so many random moves.
fn position(index: u64, empties: u32) -> Option<Board<Portable>> {
    let mut random = rng::stream(21, "engine positions", index);
    let mut board = Othello::new().start();
    while board.empty().count_ones() > empties {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            return None;
        }
        board = board.play(moves[random.random_range(0..moves.len())]);
    }
    board.outcome().is_none().then_some(board)
}

/// Eighths of a disc, rounded as the engine promises: to the nearest, halves up.
fn judged(board: &Board<Portable>) -> i32 {
    let eighth = DISC / 8;
    (SmallPatterns.value(board, board.mobility()) + eighth / 2).div_euclid(eighth).clamp(-512, 512)
}

/// The value by the definition: every line to its end, no bounds.
fn negamax(board: &Board<Portable>, depth: u32) -> i32 {
    if board.outcome().is_some() {
        return 8 * board.final_margin();
    }
    if board.mobility() == 0 {
        return -negamax(&board.passed(), depth);
    }
    if depth == 0 {
        return judged(board);
    }
    board.moves().map(|m| -negamax(&board.play(m), depth - 1)).max().expect("has moves")
}

/// The same where an estimate waits until no corner is worth taking.
fn negamax_at_rest(board: &Board<Portable>, depth: u32) -> i32 {
    const CORNERS: [Move; 4] = [Move(0), Move(7), Move(56), Move(63)];
    if board.outcome().is_some() {
        return 8 * board.final_margin();
    }
    if board.mobility() == 0 {
        return -negamax_at_rest(&board.passed(), depth);
    }
    let after = |m: Move, left: u32| -negamax_at_rest(&board.play(m), left);
    if depth == 0 {
        let corners = board.moves().filter(|m| CORNERS.contains(m));
        return corners.map(|m| after(m, 0)).fold(judged(board), i32::max);
    }
    board.moves().map(|m| after(m, depth - 1)).max().expect("has moves")
}

fn full(depth: u32) -> Limits {
    Limits { selectivity: Selectivity::Full, ..Limits::depth(depth) }
}

fn think(engine: &mut Engine, board: &Board<Portable>, limits: Limits) -> Thought {
    let watch = Watch::new();
    let thought = engine.think(board, limits, &watch, |_| {});
    assert_eq!(thought.nodes, watch.nodes());
    assert_eq!(thought.best, thought.line.first().copied());
    let mut at = *board;
    for &m in &thought.line {
        assert!(at.moves().any(|legal| legal == m), "{m} in {:?}", thought.line);
        at = at.play(m);
    }
    thought
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn without_selectivity_thinking_is_negamax(index in 0..1_000_000_u64, empties in 3..58_u32, depth in 1..5_u32) {
        let Some(board) = position(index, empties) else { return Ok(()) };
        for threads in [1, 2] {
            let mut engine = Engine::new(2, threads);
            let thought = think(&mut engine, &board, full(depth));
            let value = negamax(&board, depth);
            prop_assert_eq!(thought.value.discs() * 8.0, f64::from(value), "{:?}", board);
            let best = thought.best.expect("the game goes on");
            let placed = u32::from(best != Move::PASS);
            prop_assert_eq!(-negamax(&board.play(best), depth - placed), value);

            let coarse = Limits { whole_discs: true, ..full(depth) };
            let coarse = think(&mut Engine::new(2, threads), &board, coarse);
            let disc = |eighths: i32| eighths.div_euclid(8);
            if coarse.certainty == Certainty::Exact {
                prop_assert_eq!(coarse.value, thought.value);
            } else {
                prop_assert_eq!(disc((coarse.value.discs() * 8.0) as i32), disc(value));
            }
            let best = coarse.best.expect("the game goes on");
            let placed = u32::from(best != Move::PASS);
            prop_assert_eq!(disc(-negamax(&board.play(best), depth - placed)), disc(value));

            let ranked = engine.rank_moves(&board, full(depth), &Watch::new(), |_| {});
            prop_assert_eq!(ranked.len(), board.moves().count());
            for entry in &ranked {
                let placed = u32::from(entry.mv != Move::PASS);
                let value = -negamax(&board.play(entry.mv), depth - placed);
                prop_assert_eq!(entry.value.discs() * 8.0, f64::from(value), "{}", entry.mv);
            }
            prop_assert!(ranked.is_sorted_by(|a, b| a.value >= b.value));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn corners_are_taken_before_an_estimate(index in 0..1_000_000_u64, empties in 3..50_u32, depth in 1..4_u32) {
        let Some(board) = position(index, empties) else { return Ok(()) };
        let mut engine = Engine::new(2, 1).corner_quiescence(true);
        let thought = think(&mut engine, &board, full(depth));
        let value = negamax_at_rest(&board, depth);
        prop_assert_eq!(thought.value.discs() * 8.0, f64::from(value), "{:?}", board);
    }
}

#[test]
fn a_selective_search_never_claims_exactness() {
    const EMPTIES: u32 = 21;
    let mut engine = Engine::new(8, 2);
    let mut solver = Solver::new(8, 2);
    let boards: Vec<_> = (0..6).filter_map(|i| position(i, EMPTIES)).take(2).collect();
    assert_eq!(boards.len(), 2);
    for board in boards {
        let score = solver.solve(&board).outcome.margin();
        let mut told = Vec::new();
        let last = engine.think(&board, Limits::depth(60), &Watch::new(), |t| told.push(t.clone()));
        assert_eq!(last.certainty, Certainty::Exact);
        assert_eq!(last.value.discs(), f64::from(score), "{board:?}");
        let (proof, before) = told.split_last().expect("iterations");
        assert_eq!(proof.certainty, Certainty::Exact);
        assert!(before.iter().any(|t| matches!(t.certainty, Certainty::Probable(_))));
        for thought in before {
            let expected = thought.depth == EMPTIES;
            assert_eq!(matches!(thought.certainty, Certainty::Probable(_)), expected);
            assert_ne!(thought.certainty, Certainty::Probable(Selectivity::Full));
            assert_ne!(thought.certainty, Certainty::Exact);
            assert!(!expected || thought.value.discs() % 2.0 == 0.0, "{thought:?}");
        }
    }
}

#[test]
fn threads_prove_the_same_scores() {
    let mut engines = [1, 2, 4].map(|threads| Engine::new(16, threads));
    for board in (0..4).filter_map(|i| position(1000 + i, 17)) {
        let scores = engines.each_mut().map(|engine| {
            let thought = think(engine, &board, Limits::depth(60));
            assert_eq!(thought.certainty, Certainty::Exact);
            thought.value
        });
        assert!(scores.iter().all(|&s| s == scores[0]), "{board:?}: {scores:?}");
    }
}

#[test]
fn one_thread_visits_the_same_positions_every_time() {
    let boards: Vec<_> = (0..6).filter_map(|i| position(2000 + i, 20 + 6 * i as u32)).collect();
    let mut engine = Engine::new(4, 1);
    let mut run = || {
        engine.forget();
        boards.iter().map(|b| think(&mut engine, b, Limits::depth(8))).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_stopped_or_starved_engine_still_has_a_move() {
    let board = position(3000, 40).expect("a game");
    for threads in [1, 2] {
        let mut engine = Engine::new(2, threads);
        let watch = Watch::new();
        watch.stop();
        let thought = engine.think(&board, Limits::depth(20), &watch, |_| {});
        assert!(thought.best.is_some_and(|best| board.moves().any(|m| m == best)));
        assert_ne!(thought.certainty, Certainty::Exact);
        let few = Limits { nodes: Some(20_000), ..Limits::default() };
        let thought = think(&mut engine, &board, few);
        assert!(thought.depth > 1 && thought.nodes < 60_000, "{thought:?}");
        let short = think(&mut engine, &board, Limits::time(Duration::from_millis(20)));
        assert!(short.depth < 40 && short.best.is_some());
        assert_eq!(
            engine.rank_moves(&board, Limits::depth(9), &watch, |_| {}).len(),
            board.moves().count()
        );
    }
}

#[test]
fn limits_hold_however_far_the_search_reaches() {
    let line = "--XOOOOO---XOXOO---XXOOO---XXOOO--XXXXXO-XXX-XXX----X----------- O";
    let (board, _) = Othello::new().parse(line).expect("a board");
    for nodes in [50_000, 250_000, 300_000] {
        let few = Limits { nodes: Some(nodes), ..Limits::default() };
        let thought = think(&mut Engine::new(2, 1), &board, few);
        assert!(thought.nodes < nodes + 60_000, "{thought:?}");
    }
}

#[test]
fn a_finished_game_is_known_and_a_pass_is_a_move() {
    let mut engine = Engine::new(1, 1);
    let mut on = |own: u64, opp: u64| {
        let board = Board::new(own, opp, Portable).expect("disjoint");
        think(&mut engine, &board, Limits::depth(6))
    };
    let full = on(!0 << 20, (1 << 20) - 1);
    assert_eq!((full.best, full.value.discs(), full.certainty), (None, 24.0, Certainty::Exact));
    let stuck = on(0b11, 1 << 63);
    assert_eq!((stuck.best, stuck.value.discs()), (None, 62.0));
    let passed = on(0b10, 0b01);
    assert_eq!((passed.best, passed.value.discs()), (Some(Move::PASS), -64.0));
}

/// Panics on every thread but the one that made it.
struct Moody(std::thread::ThreadId);

impl Judge for Moody {
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        assert!(std::thread::current().id() == self.0, "a helper's bad day");
        SmallPatterns.value(board, moves)
    }
}

#[test]
fn a_panic_in_a_helper_reaches_the_caller() {
    let home = std::thread::current().id();
    let board = position(4000, 22).expect("a game");
    let run = |judge: Moody| {
        let mut engine = Engine::with_judge(4, 3, judge, ProbCut::of_small_patterns().clone());
        let thinking = std::panic::AssertUnwindSafe(|| {
            engine.think(&board, Limits::depth(60), &Watch::new(), |_| {})
        });
        std::panic::catch_unwind(thinking)
    };
    assert!(run(Moody(home)).is_err(), "helpers panic");
    let stranger = std::thread::spawn(|| std::thread::current().id()).join().expect("an id");
    assert!(run(Moody(stranger)).is_err(), "all threads panic, the first too");
}
