//! Published perft numbers, of games that nothing but mate and stalemate ends.
//!
//! The house counts a finished game as a leaf at any depth and does not play on
//! after a draw; the numbers of the chess programming wiki count only lines of
//! full length. So the lines are counted here their way, and the table from the
//! start position both ways.

use evalsmith_chess::{Board, Chess};
use evalsmith_core::{Game, Position, perft, perft_by_bulk};

/// Lines of full length, and those that end before with their last ply.
fn lines(board: &Board, depth: u32) -> (u64, u64) {
    if depth == 0 {
        return (1, 0);
    }
    if board.outcome().is_some() {
        return (0, 1);
    }
    board
        .moves()
        .map(|m| lines(&board.play(m), depth - 1))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// <https://www.chessprogramming.org/Perft_Results>, positions 1 to 6.
const PUBLISHED: [(&str, &[u64]); 7] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8_902, 197_281, 4_865_609],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333]),
    ("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", &[6, 264, 9_467, 422_333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594],
    ),
];

#[test]
fn lines_are_those_published() {
    for (text, published) in PUBLISHED {
        let (board, _) = Chess.parse(text).expect("a legal position");
        for (depth, &expected) in (1..).zip(published) {
            assert_eq!(lines(&board, depth).0, expected, "{text} at depth {depth}");
        }
    }
}

#[test]
fn finished_games_are_leaves() {
    let start = Chess.start();
    for (depth, &expected) in (1..=5).zip(Chess.perft_table()) {
        let (full, finished) = lines(&start, depth);
        assert_eq!(full + finished, expected, "depth {depth}");
        assert_eq!(perft(&start, depth), expected, "depth {depth}");
    }
}

#[test]
#[ignore = "a minute of counting: run with --release -- --ignored"]
fn sixth_ply_too() {
    let start = Chess.start();
    assert_eq!(lines(&start, 6), (119_060_324, 8 + 347));
    assert_eq!(perft_by_bulk(&start, 6), Chess.perft_table()[5]);
}
