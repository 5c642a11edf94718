//! The rules a second time, on a plain board of squares and by trying everything,
//! and what the world agrees on: perft numbers and mates.

use evalsmith_core::conformance::{Kit, check_features};
use evalsmith_core::{Game, Outcome, Position, perft_by_bulk};
use evalsmith_shogi::{Board, Move, Shogi};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq)]
struct Man {
    black: bool,
    kind: u8,
    promoted: bool,
}

const KINDS: &[u8; 7] = b"RBGSNLP";

fn held(kind: u8) -> usize {
    KINDS.iter().position(|&k| k == kind).expect("a kind that a hand can hold")
}

#[derive(Clone)]
struct Plain {
    /// Row by row from rank a, each from file 9.
    cells: [Option<Man>; 81],
    /// White's hand, then Black's, by `KINDS`.
    hands: [[u8; 7]; 2],
    black_moves: bool,
}

type Steps = &'static [(i32, i32)];
const FORWARD: Steps = &[(-1, 0)];
const KNIGHT: Steps = &[(-2, -1), (-2, 1)];
const SILVER: Steps = &[(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 1)];
const GOLD: Steps = &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0)];
const DIAGONAL: Steps = &[(-1, -1), (-1, 1), (1, -1), (1, 1)];
const STRAIGHT: Steps = &[(-1, 0), (0, -1), (0, 1), (1, 0)];
const ALL: Steps = &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

impl Plain {
    fn read(sfen: &str) -> Self {
        let fields: Vec<&str> = sfen.split(' ').collect();
        let mut plain =
            Self { cells: [None; 81], hands: [[0; 7]; 2], black_moves: fields[1] == "b" };
        for (row, text) in fields[0].split('/').enumerate() {
            let (mut column, mut promoted) = (0, false);
            for c in text.bytes() {
                match c {
                    b'1'..=b'9' => column += usize::from(c - b'0'),
                    b'+' => promoted = true,
                    _ => {
                        let (black, kind) = (c.is_ascii_uppercase(), c.to_ascii_uppercase());
                        plain.cells[9 * row + column] = Some(Man { black, kind, promoted });
                        column += 1;
                        promoted = false;
                    }
                }
            }
        }
        let mut count = 0;
        for c in fields[2].bytes().filter(|&c| c != b'-') {
            if c.is_ascii_digit() {
                count = 10 * count + c - b'0';
            } else {
                let kind = held(c.to_ascii_uppercase());
                plain.hands[usize::from(c.is_ascii_uppercase())][kind] = count.max(1);
                count = 0;
            }
        }
        plain
    }

    fn write(&self) -> String {
        let mut text = String::new();
        for (row, cells) in self.cells.chunks(9).enumerate() {
            text.push_str(if row > 0 { "/" } else { "" });
            // One by one: a run of ones is as good as their sum.
            for cell in cells {
                match cell {
                    None => text.push('1'),
                    Some(man) => {
                        text.push_str(if man.promoted { "+" } else { "" });
                        let letter = if man.black { man.kind } else { man.kind + 32 };
                        text.push(char::from(letter));
                    }
                }
            }
        }
        text.push_str(if self.black_moves { " b " } else { " w " });
        let before = text.len();
        for black in [true, false] {
            for (&kind, &n) in KINDS.iter().zip(&self.hands[usize::from(black)]) {
                if n > 0 {
                    let letter = char::from(if black { kind } else { kind + 32 });
                    let _ = write!(text, "{n}{letter}");
                }
            }
        }
        if text.len() == before {
            text.push('-');
        }
        text
    }

    fn reach(&self, at: usize) -> Vec<usize> {
        let Some(man) = self.cells[at] else { return Vec::new() };
        let (steps, slides): (Steps, Steps) = match (man.kind, man.promoted) {
            (b'K', _) => (ALL, &[]),
            (b'B', false) => (&[], DIAGONAL),
            (b'B', true) => (STRAIGHT, DIAGONAL),
            (b'R', false) => (&[], STRAIGHT),
            (b'R', true) => (DIAGONAL, STRAIGHT),
            (b'P', false) => (FORWARD, &[]),
            (b'L', false) => (&[], FORWARD),
            (b'N', false) => (KNIGHT, &[]),
            (b'S', false) => (SILVER, &[]),
            _ => (GOLD, &[]),
        };
        let mut found = Vec::new();
        for (list, far) in [(steps, 1), (slides, 8)] {
            for &(down, right) in list {
                let down = if man.black { down } else { -down };
                let (mut row, mut column) = ((at / 9) as i32, (at % 9) as i32);
                for _ in 0..far {
                    (row, column) = (row + down, column + right);
                    if !(0..9).contains(&row) || !(0..9).contains(&column) {
                        break;
                    }
                    let there = (9 * row + column) as usize;
                    found.push(there);
                    if self.cells[there].is_some() {
                        break;
                    }
                }
            }
        }
        found
    }

    fn in_check(&self, black: bool) -> bool {
        (0..81).any(|at| {
            self.cells[at].is_some_and(|man| man.black != black)
                && self.reach(at).into_iter().any(|there| {
                    self.cells[there].is_some_and(|man| man.black == black && man.kind == b'K')
                })
        })
    }

    /// Rows from the far end, for the side to move.
    fn rows_left(&self, at: usize) -> usize {
        if self.black_moves { at / 9 } else { 8 - at / 9 }
    }

    fn stuck(&self, kind: u8, at: usize) -> bool {
        let rows = self.rows_left(at);
        rows == 0 && matches!(kind, b'P' | b'L' | b'N') || rows == 1 && kind == b'N'
    }

    fn legal(&self) -> Vec<(String, Plain)> {
        let black = self.black_moves;
        let name = |at: usize| format!("{}{}", 9 - at % 9, char::from(b"abcdefghi"[at / 9]));
        let mut found = Vec::new();
        for from in 0..81 {
            let Some(man) = self.cells[from].filter(|man| man.black == black) else { continue };
            for to in self.reach(from) {
                if self.cells[to].is_some_and(|other| other.black == black) {
                    continue;
                }
                let may = !man.promoted
                    && !matches!(man.kind, b'G' | b'K')
                    && (self.rows_left(from) < 3 || self.rows_left(to) < 3);
                for promotes in [false, true] {
                    if promotes && !may || !promotes && !man.promoted && self.stuck(man.kind, to) {
                        continue;
                    }
                    let mut next = self.clone();
                    if let Some(taken) = next.cells[to] {
                        next.hands[usize::from(black)][held(taken.kind)] += 1;
                    }
                    next.cells[to] = Some(Man { promoted: man.promoted || promotes, ..man });
                    next.cells[from] = None;
                    let plus = if promotes { "+" } else { "" };
                    found.push((format!("{}{}{plus}", name(from), name(to)), next));
                }
            }
        }
        for (i, &kind) in KINDS.iter().enumerate() {
            for to in (0..81).filter(|&to| self.cells[to].is_none()) {
                let second_pawn = kind == b'P'
                    && (0..9).any(|row| {
                        self.cells[9 * row + to % 9]
                            == Some(Man { black, kind: b'P', promoted: false })
                    });
                if self.hands[usize::from(black)][i] == 0 || self.stuck(kind, to) || second_pawn {
                    continue;
                }
                let mut next = self.clone();
                next.hands[usize::from(black)][i] -= 1;
                next.cells[to] = Some(Man { black, kind, promoted: false });
                next.black_moves = !black;
                let parried = !next.in_check(black);
                if kind == b'P' && parried && next.in_check(!black) && next.legal().is_empty() {
                    continue;
                }
                found.push((format!("{}*{}", char::from(kind), name(to)), next));
            }
        }
        found.retain(|(_, next)| !next.in_check(black));
        for (_, next) in &mut found {
            next.black_moves = !black;
        }
        found
    }
}

fn slow(board: &Board) -> Vec<(Move, Board)> {
    let plain = Plain::read(&Shogi.format(board, board.to_move()));
    let resolved = plain.legal().into_iter().map(|(name, next)| {
        let m = Shogi.parse_move(board, &name).unwrap_or_else(|e| panic!("{board:?}: {e}"));
        (m, read(&next.write()))
    });
    resolved.collect()
}

fn read(sfen: &str) -> Board {
    Shogi.parse(sfen).unwrap_or_else(|e| panic!("{e}")).0
}

#[test]
fn shogi_keeps_the_promises() {
    Kit::of(Shogi).against(slow).games(6).bounded().run();
    check_features(&Shogi, 20);
}

/// Leaves at exactly this depth, as the field publishes them: a game that ends
/// earlier counts nothing.
fn leaves(board: &Board, depth: u32) -> u64 {
    if depth == 1 {
        return board.move_count() as u64;
    }
    board.moves().map(|m| leaves(&board.play(m), depth - 1)).sum()
}

#[test]
fn published_perft_numbers() {
    let table: [(&str, &[u64]); 2] = [
        // The festival of move generation, the field's benchmark.
        (
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            &[207, 28_684, 4_809_015],
        ),
        // The most moves a position can have.
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105_677, 53_393_368]),
    ];
    for (depth, &expected) in (1..).zip(Shogi.perft_table()) {
        assert_eq!(perft_by_bulk(&Shogi.start(), depth), expected, "depth {depth}");
    }
    for (sfen, numbers) in table {
        for (depth, &expected) in (1..).zip(numbers) {
            assert_eq!(leaves(&read(sfen), depth), expected, "depth {depth} of {sfen}");
        }
    }
}

#[test]
fn positions_with_many_drops_and_checks_equal_the_slow_rules() {
    for sfen in [
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        "3lkl3/9/4G4/9/9/9/9/9/4K4 b RPrp 1",
        "3lkl3/K4r3/4G4/7B1/9/9/9/9/9 b RPgp 1",
    ] {
        let board = read(sfen);
        let mut seen = 0;
        for m in board.moves() {
            let next = board.play(m);
            let expected = slow(&next);
            assert_eq!(next.move_count(), expected.len(), "{next:?}");
            for (reply, after) in expected {
                assert_eq!(next.play(reply), after, "{reply} in {next:?}");
                assert_eq!(next.play(reply).key(), after.key(), "{reply} in {next:?}");
                seen += 1;
            }
        }
        assert!(seen > 1000, "{seen} of {sfen}");
    }
}

#[test]
fn sides_without_a_move_have_lost() {
    for (sfen, over) in [
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", true),
        ("4k4/4G4/9/9/9/9/9/9/4K4 w - 1", false),
        ("4k4/4G4/4P4/9/8b/9/9/9/K8 w - 1", true),
        ("4k4/4G4/4P4/6b2/9/9/9/9/K8 w - 1", false),
        ("8k/6G2/7G1/9/9/9/9/9/4K4 w - 1", true),
        ("8k/6G2/7G1/9/9/9/9/9/4K4 w p 1", false),
    ] {
        let board = read(sfen);
        assert_eq!(board.outcome(), over.then_some(Outcome::LOSS), "{sfen}");
        assert_eq!(slow(&board).is_empty(), over, "{sfen}");
    }
}
