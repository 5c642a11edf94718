//! The conformance kit, against rules on a mailbox board.
#![expect(clippy::print_stderr, reason = "says what was skipped")]

use evalsmith_core::conformance::Kit;
use evalsmith_othello::{Board, Kernel, Move, Othello};

/// Square contents on a board with a border: 'X' to move, 'O' the other, '-' empty.
struct Mailbox([u8; 100]);

impl Mailbox {
    fn of<K: Kernel>(board: &Board<K>) -> Self {
        let mut cells = [b'#'; 100];
        for s in 0..64 {
            cells[cell(s)] = match (board.own() >> s & 1, board.opp() >> s & 1) {
                (1, _) => b'X',
                (_, 1) => b'O',
                _ => b'-',
            };
        }
        Self(cells)
    }

    fn flipped(&self, square: usize, mine: u8, theirs: u8) -> Vec<usize> {
        let mut flipped = Vec::new();
        if self.0[cell(square)] != b'-' {
            return flipped;
        }
        for step in [-11_isize, -10, -9, -1, 1, 9, 10, 11] {
            let mut run = Vec::new();
            let mut at = cell(square).wrapping_add_signed(step);
            while self.0[at] == theirs {
                run.push(at);
                at = at.wrapping_add_signed(step);
            }
            if self.0[at] == mine {
                flipped.append(&mut run);
            }
        }
        flipped
    }

    fn can_move(&self, mine: u8, theirs: u8) -> bool {
        (0..64).any(|s| !self.flipped(s, mine, theirs).is_empty())
    }

    fn set(&self, sign: u8) -> u64 {
        (0..64).filter(|&s| self.0[cell(s)] == sign).map(|s| 1_u64 << s).sum()
    }
}

fn cell(square: usize) -> usize {
    11 + 10 * (square / 8) + square % 8
}

fn slow<K: Kernel>(board: &Board<K>) -> Vec<(Move, Board<K>)> {
    let mailbox = Mailbox::of(board);
    let seen_by_other = |m: &Mailbox| {
        Board::new(m.set(b'O'), m.set(b'X'), board.kernel()).expect("a cell holds one disc")
    };
    let mut successors = Vec::new();
    for square in 0..64 {
        let flipped = mailbox.flipped(square, b'X', b'O');
        if !flipped.is_empty() {
            let mut next = Mailbox(mailbox.0);
            next.0[cell(square)] = b'X';
            for c in flipped {
                next.0[c] = b'X';
            }
            successors.push((Move(square as u8), seen_by_other(&next)));
        }
    }
    if successors.is_empty() && mailbox.can_move(b'O', b'X') {
        successors.push((Move::PASS, seen_by_other(&mailbox)));
    }
    successors
}

#[test]
fn portable_boards_keep_the_rules() {
    Kit::of(Othello::new()).against(slow).run();
}

#[test]
fn x86_v3_boards_keep_the_rules() {
    match Othello::detect() {
        Some(game) => Kit::of(game).against(slow).run(),
        None => eprintln!("skipped: this machine is no x86-64-v3"),
    }
}
