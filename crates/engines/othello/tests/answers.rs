//! The solver against the plain one of the game, on positions of random play.

use evalsmith_core::{Game, Position, Solve, rng};
use evalsmith_engine_othello::{Answer, Bounds, Question, Solver, Technique, Techniques, Watch};
use evalsmith_othello::{Board, Endgame, Move, Othello, Portable};
use rand::RngExt;

fn endgame(index: u64, empties: u32) -> Option<Board<Portable>> {
    let mut random = rng::stream(11, "engine endgames", index);
    let mut board = Othello::new().start();
    while board.empty().count_ones() > empties {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            return None;
        }
        board = board.play(moves[random.random_range(0..moves.len())]);
    }
    Some(board)
}

fn plain(solver: &mut Endgame, board: &Board<Portable>) -> i32 {
    solver.solve(board).outcome.margin().into()
}

fn ask(solver: &mut Solver, board: &Board<Portable>, question: Question) -> Answer {
    let watch = Watch::new();
    let answer = solver.ask(board, question, &watch);
    assert!(answer.complete);
    assert_eq!(answer.nodes, watch.nodes());
    assert!(answer.nodes > 0);
    assert_eq!(answer.best, answer.line.first().copied());
    answer
}

/// The margin for the side to move at the beginning of the line.
fn played_out(mut board: Board<Portable>, line: &[Move]) -> i32 {
    for &m in line {
        assert!(board.moves().any(|legal| legal == m), "{m} in {line:?}");
        board = board.play(m);
    }
    assert_eq!(board.moves().count(), 0, "{line:?} ends early");
    board.final_margin() * if line.len().is_multiple_of(2) { 1 } else { -1 }
}

#[test]
fn scores_and_lines_are_those_of_the_plain_solver() {
    let (mut solver, mut twin) = (Solver::new(4, 1), Endgame::new());
    let mut solved = 0;
    for index in 0..20_000 {
        let Some(board) = endgame(index, (index % 11) as u32) else { continue };
        let answer = ask(&mut solver, &board, Question::Score);
        let score = plain(&mut twin, &board);
        assert_eq!(answer.bounds.exact().map(i32::from), Some(score), "{board:?}");
        assert_eq!(played_out(board, &answer.line), score, "{board:?}");
        solved += 1;
    }
    assert!(solved > 19_000, "{solved}");
}

#[test]
fn deeper_positions_use_every_layer() {
    let (mut solver, mut twin) = (Solver::new(4, 1), Endgame::new());
    for board in (0..60).filter_map(|i| endgame(100_000 + i, 13 + (i % 3) as u32)) {
        let answer = ask(&mut solver, &board, Question::Score);
        let score = plain(&mut twin, &board);
        assert_eq!(answer.bounds.exact().map(i32::from), Some(score), "{board:?}");
        assert_eq!(played_out(board, &answer.line), score, "{board:?}");
    }
}

#[test]
fn techniques_change_the_price_of_a_score_and_never_the_score() {
    let boards: Vec<_> = (0..12).filter_map(|i| endgame(150_000 + i, 17)).collect();
    let solve = |techniques| {
        let mut solver = Solver::new(4, 1).with_techniques(techniques);
        let answers = boards.iter().map(|board| ask(&mut solver, board, Question::Score));
        answers.map(|answer| (answer.bounds, answer.nodes)).unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let (scores, nodes) = solve(Techniques::ALL);
    for technique in Technique::ALL {
        let (same, more) = solve(Techniques::ALL.without(technique));
        assert_eq!(same, scores, "{technique}");
        match technique {
            // They pay with more empty squares than a test has time for.
            Technique::Ordering | Technique::Preparation | Technique::Probcut => {
                assert_ne!(more, nodes, "{technique}");
            }
            _ => assert!(more.iter().sum::<u64>() > nodes.iter().sum(), "{technique}"),
        }
    }
}

#[test]
fn verdicts_and_windows_agree_with_scores() {
    let (mut solver, mut twin) = (Solver::new(1, 1), Endgame::new());
    for index in 0..3000_u64 {
        let Some(board) = endgame(200_000 + index, 4 + (index % 9) as u32) else { continue };
        let score = plain(&mut twin, &board);
        let Bounds { lower, upper } = ask(&mut solver, &board, Question::Verdict).bounds;
        assert!(i32::from(lower) <= score && score <= i32::from(upper));
        assert_eq!(lower > 0, score > 0, "{board:?}");
        assert_eq!(upper < 0, score < 0, "{board:?}");

        let mut random = rng::stream(12, "windows", index);
        let alpha = random.random_range(-70..70_i8);
        let beta = random.random_range(alpha + 1..=71);
        let answer = ask(&mut solver, &board, Question::Within { alpha, beta });
        let Bounds { lower, upper } = answer.bounds;
        assert!(i32::from(lower) <= score && score <= i32::from(upper), "{board:?}");
        if score <= i32::from(alpha) {
            assert!(upper <= alpha, "{board:?} {score} in {alpha} {beta}: {lower} {upper}");
        } else if score >= i32::from(beta) {
            assert!(lower >= beta, "{board:?} {score} in {alpha} {beta}: {lower} {upper}");
        } else {
            assert_eq!(answer.bounds.exact().map(i32::from), Some(score), "{alpha} {beta}");
        }
        if let Some(best) = answer.best
            && lower > -64
        {
            assert!(-plain(&mut twin, &board.play(best)) >= i32::from(lower), "{best}");
        }
    }
}

#[test]
fn prepared_verdicts_and_windows_agree_with_scores() {
    // With so many empty squares selective searches come first, within the same window.
    for board in (0..8).filter_map(|i| endgame(250_000 + i, 17)) {
        let score = ask(&mut Solver::new(4, 1), &board, Question::Score).bounds.exact().unwrap();
        let verdict = ask(&mut Solver::new(4, 1), &board, Question::Verdict).bounds;
        assert_eq!((verdict.lower > 0, verdict.upper < 0), (score > 0, score < 0), "{board:?}");
        for (alpha, beta) in
            [(score - 5, score - 2), (score - 1, score + 1), (score + 2, score + 5)]
        {
            let Bounds { lower, upper } =
                ask(&mut Solver::new(4, 1), &board, Question::Within { alpha, beta }).bounds;
            assert!(lower <= score && score <= upper, "{board:?}");
            assert!(lower >= beta || upper <= alpha || lower == upper, "{board:?} {alpha} {beta}");
        }
    }
}

#[test]
fn threads_change_no_score() {
    let mut solvers = [1, 2, 4].map(|threads| Solver::new(16, threads));
    // Few deep trees, with splits below splits, and many small ones, where threads come
    // and go.
    let deep = (0..6).filter_map(|i| endgame(300_000 + i, 18));
    let many = (0..150).filter_map(|i| endgame(310_000 + i, 15));
    for board in deep.chain(many) {
        let scores = solvers.each_mut().map(|solver| {
            let answer = ask(solver, &board, Question::Score);
            let score = answer.bounds.exact().expect("complete");
            assert_eq!(played_out(board, &answer.line), i32::from(score), "{board:?}");
            score
        });
        assert!(scores.iter().all(|&s| s == scores[0]), "{board:?}: {scores:?}");
    }
}

#[test]
fn one_thread_visits_the_same_positions_every_time() {
    let boards: Vec<_> = (0..10).filter_map(|i| endgame(400_000 + i, 14)).collect();
    let mut solver = Solver::new(1, 1);
    let mut run = || {
        solver.forget();
        boards.iter().map(|b| ask(&mut solver, b, Question::Score)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_stopped_solve_tells_only_what_is_true() {
    let board = endgame(500_000, 16).expect("a game");
    let score = plain(&mut Endgame::new(), &board);
    for threads in [1, 2] {
        let watch = Watch::new();
        watch.stop();
        let answer = Solver::new(1, threads).ask(&board, Question::Score, &watch);
        assert!(!answer.complete);
        let best = answer.best.expect("the game goes on");
        assert!(board.moves().any(|m| m == best));
        assert!(i32::from(answer.bounds.lower) <= score && score <= i32::from(answer.bounds.upper));
    }
}

#[test]
fn a_stopped_solve_of_a_pass_proves_nothing() {
    let pass = (0..).filter_map(|i| endgame(600_000 + i, 14)).map(|b| b.passed());
    let board = pass.into_iter().find(|b| b.moves().next() == Some(Move::PASS)).expect("passes");
    let watch = Watch::new();
    watch.stop();
    let answer = Solver::new(1, 1).ask(&board, Question::Score, &watch);
    assert_eq!((answer.bounds, answer.best), (Bounds::ALL, Some(Move::PASS)));
    assert!(!answer.complete);
}

#[test]
fn a_solve_can_be_stopped_on_the_way() {
    let board = endgame(500_001, 26).expect("a game");
    let watch = Watch::new();
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            while watch.nodes() == 0 {
                std::thread::yield_now();
            }
            watch.stop();
        });
        Solver::new(1, 2).ask(&board, Question::Score, &watch)
    });
    assert!(answer.best.is_some());
    assert!(watch.nodes() >= answer.nodes);
}

#[test]
fn the_ends_of_games_are_no_special_case() {
    let mut solver = Solver::new(1, 2);
    let mut score = |own: u64, opp: u64| {
        let board = Board::new(own, opp, Portable).expect("disjoint");
        let answer = solver.ask(&board, Question::Score, &Watch::new());
        (answer.bounds.exact().expect("complete"), answer.line)
    };
    // A full board; nobody can move, with and without discs.
    assert_eq!(score(!0 << 20, (1 << 20) - 1), (24, vec![]));
    assert_eq!(score(0, 0), (0, vec![]));
    assert_eq!(score(0b11, 1 << 63), (62, vec![]));
    // Only the opponent can move, and wins all.
    assert_eq!(score(0b10, 0b01), (-64, vec![Move::PASS, Move(2)]));
    // Two squares are empty, and neither side can play there.
    let (own, opp) = (0b10, !0b111);
    let (margin, line) = score(own, opp);
    assert_eq!((margin, line), (-62, vec![]));
}
