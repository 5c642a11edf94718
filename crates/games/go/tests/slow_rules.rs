//! The rules a second time, slowly and obviously: on a two-dimensional array,
//! knowing the fast ones only by their text.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_core::conformance::{Kit, check_features};
use evalsmith_core::{Game, Position, perft_by_bulk, rng};
use evalsmith_go::{Board, Go, Move};
use rand::RngExt;

type Stones = [[char; 9]; 9];

#[derive(Clone)]
struct Slow {
    /// `stones[row][column]` from the lower left: `X`, `O` or `.`.
    stones: Stones,
    mover: char,
    /// Where the mover would bring back the board before the last move.
    ko: Option<(usize, usize)>,
    passes: u32,
}

fn vertex(row: usize, column: usize) -> String {
    format!("{}{}", ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J'][column], row + 1)
}

fn neighbours(row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
    let up = (row < 8).then_some((row + 1, column));
    let right = (column < 8).then_some((row, column + 1));
    let down = (row > 0).then(|| (row - 1, column));
    let left = (column > 0).then(|| (row, column - 1));
    [up, right, down, left].into_iter().flatten()
}

/// The points of one sign that hang together with a point, and the signs beside them.
fn region(stones: &Stones, row: usize, column: usize) -> (Vec<(usize, usize)>, Vec<char>) {
    let sign = stones[row][column];
    let mut seen = [[false; 9]; 9];
    seen[row][column] = true;
    let mut points = vec![(row, column)];
    let mut beside = Vec::new();
    let mut next = 0;
    while next < points.len() {
        for (r, c) in neighbours(points[next].0, points[next].1) {
            if stones[r][c] != sign {
                if !beside.contains(&stones[r][c]) {
                    beside.push(stones[r][c]);
                }
            } else if !seen[r][c] {
                seen[r][c] = true;
                points.push((r, c));
            }
        }
        next += 1;
    }
    (points, beside)
}

/// The board after a stone, ko and superko apart; `None` where it is not allowed.
fn put(stones: &Stones, row: usize, column: usize, sign: char) -> Option<Stones> {
    if stones[row][column] != '.' {
        return None;
    }
    let mut after = *stones;
    after[row][column] = sign;
    for (r, c) in neighbours(row, column) {
        if after[r][c] != '.' && after[r][c] != sign {
            let (chain, beside) = region(&after, r, c);
            if !beside.contains(&'.') {
                for (r, c) in chain {
                    after[r][c] = '.';
                }
            }
        }
    }
    region(&after, row, column).1.contains(&'.').then_some(after)
}

fn other(sign: char) -> char {
    if sign == 'X' { 'O' } else { 'X' }
}

impl Slow {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut stones = [['.'; 9]; 9];
        for (row, line) in fields[0].split('/').rev().enumerate() {
            let mut column = 0;
            for c in line.chars() {
                if let Some(run) = c.to_digit(10) {
                    column += run as usize;
                } else {
                    stones[row][column] = c;
                    column += 1;
                }
            }
        }
        let all = (0..9).flat_map(|row| (0..9).map(move |column| (row, column)));
        let ko = all.into_iter().find(|&(row, column)| vertex(row, column) == fields[2]);
        let mover = if fields[1] == "b" { 'X' } else { 'O' };
        Self { stones, mover, ko, passes: fields[3].parse().unwrap() }
    }

    fn write(&self) -> String {
        let mut rows = Vec::new();
        for row in self.stones.iter().rev() {
            let mut text: String = row.iter().collect();
            for run in (1..=9).rev() {
                text = text.replace(&".".repeat(run), &run.to_string());
            }
            rows.push(text);
        }
        let mover = if self.mover == 'X' { 'b' } else { 'w' };
        let ko = self.ko.map_or("-".to_owned(), |(row, column)| vertex(row, column));
        format!("{} {mover} {ko} {}", rows.join("/"), self.passes)
    }

    /// Black's area less White's.
    fn lead(&self) -> i32 {
        let mut lead = 0;
        for row in 0..9 {
            for column in 0..9 {
                let owner = match self.stones[row][column] {
                    '.' => region(&self.stones, row, column).1,
                    sign => vec![sign],
                };
                lead += match owner[..] {
                    ['X'] => 1,
                    ['O'] => -1,
                    _ => 0,
                };
            }
        }
        lead
    }

    fn successors(&self) -> Vec<(String, Self)> {
        let mut found = Vec::new();
        if self.passes == 2 {
            return found;
        }
        let mover = other(self.mover);
        for row in 0..9 {
            for column in 0..9 {
                if self.ko == Some((row, column)) {
                    continue;
                }
                let Some(stones) = put(&self.stones, row, column, self.mover) else { continue };
                // What brings the board back takes the new stone, so it is beside it.
                let mut ko = None;
                for (r, c) in neighbours(row, column) {
                    if put(&stones, r, c, mover) == Some(self.stones) {
                        ko = Some((r, c));
                    }
                }
                found.push((vertex(row, column), Self { stones, mover, ko, passes: 0 }));
            }
        }
        found.push((
            "pass".to_owned(),
            Self { mover, ko: None, passes: self.passes + 1, stones: self.stones },
        ));
        found
    }

    fn leaves(&self, depth: u32) -> u64 {
        let successors = self.successors();
        if depth == 1 || successors.is_empty() {
            return successors.len().max(1) as u64;
        }
        successors.iter().map(|(_, next)| next.leaves(depth - 1)).sum()
    }
}

fn slow_of(board: &Board) -> Slow {
    Slow::read(&Go::new().format(board, board.to_move()))
}

fn successors(board: &Board) -> Vec<(Move, Board)> {
    let slow = slow_of(board);
    let black = 2 * slow.lead() - 14;
    let lead = if slow.mover == 'X' { black } else { -black };
    assert_eq!(i32::from(board.lead()), lead, "{}", slow.write());
    let outcome = (slow.passes == 2).then_some(lead);
    assert_eq!(board.outcome().map(|o| i32::from(o.margin())), outcome, "{}", slow.write());
    let read = |(name, next): (String, Slow)| {
        let m = Go::new().parse_move(board, &name);
        let m = m.unwrap_or_else(|e| panic!("{}: {e}", slow.write()));
        (m, Go::new().parse(&next.write()).unwrap().0)
    };
    slow.successors().into_iter().map(read).collect()
}

#[test]
fn go_keeps_the_promises_of_a_game() {
    Kit::of(Go::new()).against(successors).games(25).run();
    check_features(&Go::new(), 50);
}

#[test]
fn crowded_boards_have_the_same_moves() {
    let mut kos = 0;
    for index in 0..1500 {
        let mut random = rng::stream(5, "crowded", index);
        let mut stones = [['.'; 9]; 9];
        let mut mover = 'X';
        for _ in 0..random.random_range(60..160) {
            let (row, column) = (random.random_range(0..9), random.random_range(0..9));
            if let Some(after) = put(&stones, row, column, mover) {
                stones = after;
                mover = other(mover);
            }
        }
        let slow = Slow { stones, mover, ko: None, passes: 0 };
        let board = Go::new().parse(&slow.write()).unwrap().0;
        let expected = successors(&board);
        assert_eq!(board.move_count(), expected.len(), "{}", slow.write());
        for (m, after) in expected {
            assert_eq!(board.play(m), after, "{m} in {}", slow.write());
            kos += u32::from(after.ko().is_some());
        }
    }
    assert!(kos > 50, "{kos} kos are too few to test them");
}

#[test]
fn perft_table_is_counted_by_the_slow_rules_too() {
    let start = slow_of(&Go::new().start());
    for (depth, &leaves) in (1..=3).zip(Go::new().perft_table()) {
        assert_eq!(start.leaves(depth), leaves, "slow perft {depth}");
    }
}

#[test]
fn deep_perft_agrees_with_the_table() {
    for (depth, &leaves) in (1..).zip(Go::new().perft_table()) {
        assert_eq!(perft_by_bulk(&Go::new().start(), depth), leaves, "perft {depth}");
    }
}

/// Made the deep end of the table; the quick tests hold the fast rules to it.
#[test]
#[ignore = "takes minutes"]
fn whole_perft_table_is_counted_by_the_slow_rules() {
    let start = slow_of(&Go::new().start());
    for (depth, &leaves) in (1..).zip(Go::new().perft_table()) {
        assert_eq!(start.leaves(depth), leaves, "slow perft {depth}");
    }
}
