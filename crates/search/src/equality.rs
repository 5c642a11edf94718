//! The invariant of this room, tested: searches have the value of minimax.

use crate::toys::{Dag, Kayles, Loops, Noise, Noughts, minimax, record, wander};
use crate::{Limits, Searcher};
use evalsmith_core::{Evaluate, Game, GameRecord, Position, Score, Window};
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// The value at the end of a line, for the side to move in the record.
fn value_of_line<P: Position, E: Evaluate<P>>(
    function: &E,
    game: &GameRecord<P>,
    line: &[P::Move],
    depth: u8,
) -> Score {
    let mut game = game.clone();
    for &m in line {
        game.play(m).expect("the line is legal");
    }
    if game.ending().is_none() {
        assert_eq!(line.len(), usize::from(depth), "the line ends before horizon and game");
    }
    let leaf = minimax(function, &mut game, 0);
    if line.len().is_multiple_of(2) { leaf } else { -leaf }
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

            let ranked = searcher.rank_moves(game, &Limits::depth(depth), &never);
            assert_eq!(ranked.len(), game.position().move_count());
            assert!(ranked.is_sorted_by_key(|&(_, value)| std::cmp::Reverse(value)));
            for (m, value) in ranked {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// heinz93's requirement: a search cannot tell an early stop from a full
    /// computation that is clamped.
    #[test]
    fn an_early_stop_changes_no_value_no_node_and_no_line(
        seed: u16, function in functions(), bytes in tables(), depth in 1_u8..8,
    ) {
        let game = record(Dag::new(seed), 100);
        let mut early = Searcher::new(Noise { early: true, ..function }, bytes);
        let mut plain = Searcher::new(Noise { early: false, ..function }, bytes);
        let never = AtomicBool::new(false);
        for depth in [depth, 5] {
            let a = early.search(&game, &Limits::depth(depth), &never);
            let b = plain.search(&game, &Limits::depth(depth), &never);
            prop_assert_eq!((a.value, a.nodes, a.line), (b.value, b.nodes, b.line));
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
