//! The invariant of this room, tested: searches have the value of minimax.

use crate::toys::{
    Dag, Kayles, Loops, Noise, Noisy, Noughts, Slide, minimax, record, static_value, wander,
};
use crate::{Limits, Ranked, Searcher};
use evalsmith_core::{Evaluate, Game, GameRecord, Position, Score, Window};
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// The value at the end of a line, for the side to move in the record. The line
/// goes to the horizon and then on by noisy moves and answers, or to the game's end.
fn value_of_line<P: Position, E: Evaluate<P>>(
    function: &E,
    game: &GameRecord<P>,
    line: &[P::Move],
    depth: u8,
) -> Score {
    let mut game = game.clone();
    for (ply, &m) in line.iter().enumerate() {
        let position = game.position();
        let noisy = position.has_noisy_moves() && (position.must_answer() || position.is_noisy(m));
        assert!(ply < usize::from(depth) || noisy, "a quiet move beyond the horizon");
        game.play(m).expect("the line is legal");
    }
    let end = if let Some(ending) = game.ending() {
        function.outcome(ending.outcome)
    } else {
        assert!(line.len() >= usize::from(depth), "the line ends before horizon and game");
        static_value(function, game.position())
    };
    if line.len().is_multiple_of(2) { end } else { -end }
}

/// The quiet value is that of minimax, the line leads to it, and neither depends
/// on what the searcher did before.
fn check_quiet<P: Position, E: Evaluate<P> + Copy>(
    searcher: &mut Searcher<P, E>,
    game: &GameRecord<P>,
) {
    let function = *searcher.function();
    let quiet = searcher.quiet(game);
    assert_eq!(quiet.value, minimax(&function, &mut game.clone(), 0), "{game:?}");
    assert_eq!(value_of_line(&function, game, &quiet.line, 0), quiet.value);
    assert_eq!((quiet.depth, quiet.stopped), (0, false));
    let alone = Searcher::new(function, 0).quiet(game);
    assert_eq!((quiet.best, quiet.line, quiet.nodes), (alone.best, alone.line, alone.nodes));
}

/// One searcher, asked many things about one game after the other: what an
/// earlier answer left in the table must not show in a later one.
fn check<P: Position, E: Evaluate<P> + Copy>(
    function: E,
    table_bytes: usize,
    games: &[GameRecord<P>],
    depths: &[u8],
) {
    let mut searcher = Searcher::new(function, table_bytes);
    let never = AtomicBool::new(false);
    for game in games {
        for &depth in depths {
            let truth = minimax(&function, &mut game.clone(), depth);
            let found = searcher.fixed_depth(game, depth);
            assert_eq!(found.value, truth, "depth {depth} of {game:?}");
            assert_eq!(value_of_line(&function, game, &found.line, found.depth), truth);
            assert!(!found.stopped);
            if depth > 0 {
                assert_eq!(found.best, found.line.first().copied());
            }
            if found.complete {
                for deeper in depth + 1..depth + 3 {
                    assert_eq!(minimax(&function, &mut game.clone(), deeper), truth);
                }
            }

            let deepened = searcher.search(game, &Limits::depth(depth), &never);
            let reached = deepened.depth;
            assert!(reached == depth || deepened.complete || deepened.value.is_decisive());
            assert_eq!(deepened.value, minimax(&function, &mut game.clone(), reached));
            let end = value_of_line(&function, game, &deepened.line, reached);
            assert_eq!(end, deepened.value);

            check_quiet(&mut searcher, game);

            let go_on = |_: &Ranked<_>| ControlFlow::Continue(());
            let ranked = searcher.rank_moves_with(game, &Limits::depth(depth), &never, go_on);
            assert_eq!(ranked.moves.len(), game.position().move_count());
            assert!(ranked.moves.is_sorted_by_key(|&(_, value)| std::cmp::Reverse(value)));
            for ((m, value), line) in ranked.moves.into_iter().zip(ranked.lines) {
                assert_eq!(line.first(), Some(&m));
                assert_eq!(value_of_line(&function, game, &line, ranked.depth), value);
                let mut after = game.clone();
                after.play(m).expect("a ranked move is legal");
                let truth = -minimax(&function, &mut after, depth.max(1) - 1);
                assert_eq!(value, truth, "{m:?} at depth {depth} of {game:?}");
            }
        }
    }
}

/// The game now and at each of the moves before, so that searches of one game follow
/// each other as in play.
fn prefixes<P: Position>(game: &GameRecord<P>) -> Vec<GameRecord<P>> {
    let mut games = vec![game.clone()];
    let mut game = game.clone();
    while game.take_back().is_some() {
        games.insert(0, game.clone());
    }
    games
}

/// No table, one bucket that is always fought over, a few, plenty.
fn tables() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), Just(64), Just(256), Just(1 << 16)]
}

/// Coarse values make ties, fine ones do not; outcomes beyond or among them.
fn functions() -> impl Strategy<Value = Noise> {
    let spread = prop_oneof![Just(1), Just(2), Just(40), Just(5000)];
    (any::<u64>(), spread, any::<bool>(), any::<bool>())
        .prop_map(|(seed, spread, early, mixed)| Noise { seed, spread, early, mixed })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_with_transpositions(
        seed: u16, function in functions(), bytes in tables(),
        plies in 0_usize..5, bound in 3_usize..14, path: u64,
        depths in prop::collection::vec(0_u8..8, 1..4),
    ) {
        let mut game = record(Dag::new(seed), bound);
        wander(&mut game, plies, path);
        check(function, bytes, &prefixes(&game), &depths);
    }

    #[test]
    fn repetition(
        seed: u16, function in functions(), bytes in tables(),
        plies in 0_usize..7, bound in 5_usize..14, path: u64,
        depths in prop::collection::vec(0_u8..7, 1..4),
    ) {
        let mut game = record(Loops { seed, place: 0 }, bound);
        wander(&mut game, plies, path);
        check(function, bytes, &prefixes(&game), &depths);
    }

    #[test]
    fn quiescence_in_graphs_with_transpositions(
        seed: u16, often in 0_u8..5, function in functions(), bytes in tables(),
        plies in 0_usize..4, bound in 3_usize..60, path: u64,
        depths in prop::collection::vec(0_u8..6, 1..4),
    ) {
        let mut game = record(Noisy { calm: Dag::new(seed), often }, bound);
        wander(&mut game, plies, path);
        check(function, bytes, &prefixes(&game), &depths);
    }

    #[test]
    fn quiescence_and_repetition(
        seed: u16, often in 0_u8..4, function in functions(), bytes in tables(),
        plies in 0_usize..4, bound in 4_usize..9, path: u64,
        depths in prop::collection::vec(0_u8..5, 1..3),
    ) {
        let mut game = record(Noisy { calm: Loops { seed, place: 0 }, often }, bound);
        wander(&mut game, plies, path);
        check(function, bytes, &prefixes(&game), &depths);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Lines longer than quiescence is deep, near and far from the bound on plies.
    #[test]
    fn quiescence_to_its_last_ply(
        seed: u16, often in 3_u8..5, function in functions(), bytes in tables(),
        plies in 0_usize..6, bound in 25_usize..50, path: u64,
        depths in prop::collection::vec(0_u8..6, 1..3),
    ) {
        let mut game = record(Noisy { calm: Slide { seed, step: 0 }, often }, bound);
        wander(&mut game, plies, path);
        check(function, bytes, &prefixes(&game), &depths);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn kayles(
        pins in 1_u16..256, function in functions(), bytes in tables(),
        bound in 2_usize..9, depths in prop::collection::vec(0_u8..6, 1..4),
    ) {
        check(function, bytes, &[record(Kayles(pins), bound)], &depths);
    }

    #[test]
    fn noughts_and_crosses(
        function in functions(), bytes in tables(), plies in 2_usize..9, path: u64,
        bound in 4_usize..12, depths in prop::collection::vec(0_u8..5, 1..4),
    ) {
        let mut game = record(Noughts(0, 0), bound);
        wander(&mut game, plies, path);
        check(function, bytes, &[game], &depths);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn othello(
        function in functions(), bytes in tables(), plies in 0_usize..60, path: u64,
        near in 1_usize..8, depths in prop::collection::vec(0_u8..4, 1..3),
    ) {
        let mut game = record(Othello::new().start(), plies + near);
        wander(&mut game, plies, path);
        check(function, bytes, &[game], &depths);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn malawi(
        function in functions(), bytes in tables(), plies in 0_usize..60, path: u64,
        near in 1_usize..8, depths in prop::collection::vec(0_u8..3, 1..3),
    ) {
        let mut game = record(Malawi.start(), plies + near);
        wander(&mut game, plies, path);
        check(function, bytes, &[game], &depths);
    }
}

fn check_early_stop<P: Position>(start: P, function: Noise, bytes: usize, depth: u8) {
    let game = record(start, 100);
    let mut early = Searcher::new(Noise { early: true, ..function }, bytes);
    let mut plain = Searcher::new(Noise { early: false, ..function }, bytes);
    let never = AtomicBool::new(false);
    for depth in [depth, 5, 0] {
        let a = early.search(&game, &Limits::depth(depth), &never);
        let b = plain.search(&game, &Limits::depth(depth), &never);
        assert_eq!((a.value, a.nodes, a.line), (b.value, b.nodes, b.line));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// heinz93's requirement: a search cannot tell an early stop from a full
    /// computation that is clamped.
    #[test]
    fn an_early_stop_changes_no_value_no_node_and_no_line(
        seed: u16, function in functions(), bytes in tables(), depth in 1_u8..8,
    ) {
        check_early_stop(Dag::new(seed), function, bytes, depth);
        for often in 1..4 {
            check_early_stop(Noisy { calm: Dag::new(seed), often }, function, bytes, depth);
        }
    }

    /// The test function itself keeps the invariant it is used to test.
    #[test]
    fn noise_is_clamped(function in functions(), key: u16, alpha in -20_000_i32..20_000, width in 1_i32..9999) {
        let window = Window::new(Score(alpha), Score(alpha + width));
        let position = Dag::new(key);
        let state = position.key();
        let value = function.value(&position, &state, Window::FULL);
        prop_assert_eq!(function.value(&position, &state, window), window.clamp(value));
    }
}
