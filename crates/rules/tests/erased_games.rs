//! Every game keeps all promises when its type is forgotten.

use evalsmith_chess::Chess;
use evalsmith_core::conformance::{Kit, check_dialects};
use evalsmith_core::{
    Ending, Evaluate, Features, Game, GameRecord, Outcome, Position, Protocol, Reason, Side,
    Window, rng,
};
use evalsmith_go::Go;
use evalsmith_learn::Function;
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use evalsmith_rules::{DynGame, Pos};
use evalsmith_search::{Limits, Search, Searcher};
use evalsmith_shogi::Shogi;
use rand::RngExt;
use std::sync::atomic::AtomicBool;

#[test]
fn the_kit_passes() {
    Kit::of(DynGame::new(Othello::new())).games(20).perft_leaves(100_000).run();
    Kit::of(DynGame::new(Malawi)).games(5).perft_leaves(100_000).run();
    Kit::of(DynGame::new(Chess)).games(3).perft_leaves(100_000).run();
    Kit::of(DynGame::new(Go::new())).games(3).perft_leaves(100_000).run();
    Kit::of(DynGame::new(Shogi)).games(1).perft_leaves(100_000).bounded().run();
}

/// A random game, by the same choices in both forms.
fn walk<G: Game>(game: &G, seed: u64) {
    let erased = DynGame::new(game.clone());
    assert_eq!(erased.name(), game.name());
    assert_eq!(erased.stages(), game.stages());
    assert_eq!(erased.perft(2), evalsmith_core::perft(&game.start(), 2));
    for protocol in Protocol::ALL {
        let spoken = game.dialect(protocol).is_some();
        assert_eq!(erased.dialect(protocol).is_some(), spoken, "{protocol}");
    }
    check_dialects(&erased, 1);
    let mut random = rng::stream(seed, "erased", 0);
    let mut typed = GameRecord::new(game.start(), Side::First, game.max_plies());
    let mut record = GameRecord::new(erased.start(), Side::First, erased.max_plies());
    let mut solver = (game.solver(), erased.solver());
    loop {
        let (p, q) = (typed.position(), record.position());
        let side = typed.side();
        assert_eq!(q.get(), Some(p));
        assert_eq!((p.key(), p.stage(), p.outcome()), (q.key(), q.stage(), q.outcome()));
        assert_eq!(game.format(p, side), erased.format(q, side));
        assert_eq!(game.pack(p, side), erased.pack(q, side));
        assert_eq!(game.draw(p, side), erased.draw(q, side));
        let (mut features, mut others) = (Vec::new(), Vec::new());
        game.features().append_all(p, &mut features);
        let named = erased.features();
        let mut scratch = Vec::new();
        others.extend((0..named.count()).map(|i| named.get(q, i, &mut scratch)));
        assert_eq!(features, others);
        if let (Some(atoms), Some(others)) = (game.atoms(), erased.atoms()) {
            let [mut a, mut b] = [(); 2].map(|()| vec![0; atoms.ranges().len()]);
            atoms.write_waiting(p, &mut a);
            others.write_waiting(q, &mut b);
            assert_eq!(a, b);
        }
        if let (Some(a), Some(b)) = (&mut solver.0, &mut solver.1) {
            assert_eq!(a.moves_left(p), b.moves_left(q));
            if a.moves_left(p) <= 8 {
                let (a, b) = (a.solve(p), b.solve(q));
                assert_eq!((a.outcome, a.nodes), (b.outcome, b.nodes));
                let text = |m| game.format_move(p, m);
                assert_eq!(a.best.map(text), b.best.map(|m| erased.format_move(q, m)));
            }
        }
        assert_eq!(typed.ending(), record.ending());
        if typed.ending().is_some() {
            break;
        }
        let moves: Vec<_> = p.moves().collect();
        let others: Vec<_> = q.moves().collect();
        assert_eq!(moves.len(), others.len());
        let at = random.random_range(0..moves.len());
        for (&m, &n) in moves.iter().zip(&others) {
            let slots = (<G::Position as Position>::slot(m), <Pos as Position>::slot(n));
            assert_eq!(slots.0, slots.1);
            assert_eq!((p.promise(m), game.way(p, m)), (q.promise(n), erased.way(q, n)));
            let text = game.format_move(p, m);
            assert_eq!(text, erased.format_move(q, n));
            assert_eq!(erased.parse_move(q, &text), Ok(n));
        }
        let (m, n) = (moves[at], others[at]);
        typed.play(m).expect("legal");
        record.play(n).expect("legal");
    }
}

#[test]
fn an_erased_game_says_what_the_game_says() {
    walk(&Othello::new(), 1);
    walk(&Malawi, 2);
    walk(&Chess, 3);
    walk(&Go::new(), 4);
    walk(&Shogi, 5);
}

#[test]
fn positions_of_two_games_are_never_equal() {
    let (chess, go) = (DynGame::new(Chess), DynGame::new(Go::new()));
    assert_eq!(chess.start(), chess.start());
    assert_ne!(chess.start(), go.start());
}

/// A search through the border finds what the search behind it finds, move after move.
fn same_searches<G: Game>(game: &G, depth: u8) {
    let erased = DynGame::new(game.clone());
    let function = erased.function_by_hand().expect("weights");
    let (limits, never) = (Limits::depth(depth), AtomicBool::new(false));
    let mut search = function.search(1 << 16);
    let typed = Function::by_hand(game).expect("weights");
    let mut searcher = Searcher::new(typed.clone(), 1 << 16);
    let mut record = GameRecord::new(erased.start(), Side::First, erased.max_plies());
    let mut known = GameRecord::new(game.start(), Side::First, game.max_plies());
    for ply in 0..8 {
        let found = search.search(&record, &limits, &never);
        let expected = searcher.search(&known, &limits, &never);
        let facts = (found.value, found.nodes, found.depth, found.complete, found.line.len());
        let wanted = (expected.value, expected.nodes, expected.depth, expected.complete);
        assert_eq!(facts, (wanted.0, wanted.1, wanted.2, wanted.3, expected.line.len()));
        let best = (found.best.expect("a move"), expected.best.expect("a move"));
        let text = erased.format_move(record.position(), best.0);
        assert_eq!(text, game.format_move(known.position(), best.1), "ply {ply}");
        assert_eq!(
            function.value(record.position()),
            typed.value(known.position(), &typed.start(known.position()), Window::FULL)
        );
        let quiet = (search.quiet(&record).value, searcher.quiet(&known).value);
        assert_eq!(quiet.0, quiet.1);
        record.play(best.0).expect("legal");
        known.play(best.1).expect("legal");
        if ply == 4 {
            record.take_back();
            known.take_back();
        }
    }
    let limits = Limits::depth(2);
    let ranked = search.rank_moves(&record, &limits, &never);
    let expected = searcher.rank_moves(&known, &limits, &never);
    let named = |m| erased.format_move(record.position(), m);
    let ranked: Vec<_> = ranked.into_iter().map(|(m, value)| (named(m), value)).collect();
    let named = |m| game.format_move(known.position(), m);
    let expected: Vec<_> = expected.into_iter().map(|(m, value)| (named(m), value)).collect();
    assert_eq!(ranked, expected);
}

#[test]
fn searches_through_the_border_are_the_typed_ones() {
    same_searches(&Othello::new(), 5);
    same_searches(&Malawi, 3);
    same_searches(&Chess, 3);
    same_searches(&Go::new(), 2);
    same_searches(&Shogi, 2);
}

/// An adjudicated game is over for a search behind the border too, and goes on when the
/// adjudication is taken back.
#[test]
fn an_adjudication_crosses_the_border() {
    let game = DynGame::new(Othello::new());
    let mut search = game.trivial_function().search(0);
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let m = record.position().moves().next().expect("a move");
    record.play(m).expect("legal");
    let never = AtomicBool::new(false);
    let limits = Limits::depth(1);
    assert!(search.search(&record, &limits, &never).best.is_some());
    let mut ended = record.clone();
    ended.adjudicate(Ending { outcome: Outcome::WIN, reason: Reason::Agreed });
    assert!(search.search(&ended, &limits, &never).best.is_none());
    assert!(search.search(&record, &limits, &never).best.is_some());
}
