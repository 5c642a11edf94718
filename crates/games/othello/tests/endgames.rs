//! Published endgames with known scores.
//!
//! The files are no part of the project; without them the tests say so and pass.
#![expect(clippy::print_stderr, reason = "says what was skipped")]

use evalsmith_core::{Game, Outcome, Position, Side, Solve};
use evalsmith_othello::{Board, Endgame, Kernel, Move, Othello, with_best_kernel};
use std::path::Path;

fn lines(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/othello");
    let Ok(text) = std::fs::read_to_string(folder.join("endgame").join(name)) else {
        eprintln!("skipped: {name} is not at hand");
        return Vec::new();
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// The value of a move, in discs for the side that makes it.
fn value_of<K: Kernel>(solver: &mut Endgame, board: &Board<K>, m: Move) -> i16 {
    -solver.solve(&board.play(m)).outcome.margin()
}

/// Lines of board, side to move, best square (-1 for a pass), and its score as
/// Black sees it. The source counts discs alone: where perfect play leaves empty
/// squares, ours gives them to the winner and lies further out. Returns how many
/// lines there are, and in how many that happens.
fn solve_listed<K: Kernel>(game: &Othello<K>, name: &str) -> (usize, usize) {
    let mut solver = Endgame::new();
    let lines = lines(name);
    let mut further = 0;
    for line in &lines {
        let [squares, side, best, score] =
            line.split_whitespace().collect::<Vec<_>>().try_into().expect("four words");
        let (board, to_move) = game.parse(&format!("{squares} {}", &side[..1])).expect("a board");
        let listed = best.parse().map_or(Move::PASS, Move);
        let score = Outcome::by(score.parse().expect("a score"));
        let score = score.seen_by(Side::First, to_move).margin();
        let found = solver.solve(&board);
        let margin = found.outcome.margin();
        for m in [found.best.expect("a move"), listed] {
            assert_eq!(value_of(&mut solver, &board, m), margin, "{m} in {line}");
        }
        let beyond = (margin - score) * score.signum();
        assert!((0..=2).contains(&beyond), "{margin} for {line}");
        further += usize::from(beyond > 0);
    }
    (lines.len(), further)
}

/// OBF lines: the board, then every move with its score. Returns how many
/// problems and moves there are.
fn solve_obf<K: Kernel>(game: &Othello<K>, name: &str) -> (usize, usize) {
    let mut solver = Endgame::new();
    let lines = lines(name);
    let mut moves = 0;
    for line in &lines {
        let (board, _) = game.parse(line).expect("a board");
        for entry in line.split(';').skip(1).filter(|e| !e.trim().is_empty()) {
            let (m, score) = entry.split_once(':').expect("a move and its score");
            let m = game.parse_move(&board, m).expect("a legal move");
            let score: i16 = score.trim().parse().expect("a score");
            assert_eq!(value_of(&mut solver, &board, m), score, "{m} in {line}");
            moves += 1;
        }
    }
    (lines.len(), moves)
}

#[test]
fn thirteen_and_fourteen_empties() {
    let (count, further) = with_best_kernel(
        |game| solve_listed(&game, "eg_13_14.txt"),
        |game| solve_listed(&game, "eg_13_14.txt"),
    );
    if count == 492 {
        assert_eq!(further, 27);
    }
}

#[test]
fn every_move_of_the_first_ffo_problems() {
    let (problems, moves) = with_best_kernel(
        |game| solve_obf(&game, "fforum-1-19.obf"),
        |game| solve_obf(&game, "fforum-1-19.obf"),
    );
    if problems == 19 {
        assert_eq!(moves, 145);
    }
}
