//! Pieces of the board as numbers: the line patterns of LOGISTELLO (buro95) and
//! its two corner blocks, for tables of conditional win probability.
//!
//! A code writes the pattern's squares in base 3, square k the digit of weight
//! 3^k: 0 empty, 1 the mover's, 2 the opponent's. The instances of a pattern are
//! its images under the board's symmetries, squares in corresponding order, so
//! that they may share one table.

use std::sync::OnceLock;

/// A pattern: its name and its squares, a1 being 0 and b1 being 1.
const PATTERNS: [(&str, &[u8]); 11] = [
    ("edge2x", &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14]),
    ("row2", &[8, 9, 10, 11, 12, 13, 14, 15]),
    ("row3", &[16, 17, 18, 19, 20, 21, 22, 23]),
    ("row4", &[24, 25, 26, 27, 28, 29, 30, 31]),
    ("diagonal8", &[0, 9, 18, 27, 36, 45, 54, 63]),
    ("diagonal7", &[1, 10, 19, 28, 37, 46, 55]),
    ("diagonal6", &[2, 11, 20, 29, 38, 47]),
    ("diagonal5", &[3, 12, 21, 30, 39]),
    ("diagonal4", &[4, 13, 22, 31]),
    ("corner2x5", &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12]),
    ("corner3x3", &[0, 1, 2, 8, 9, 10, 16, 17, 18]),
];

/// One image of a pattern.
#[derive(Debug)]
pub(super) struct Instance {
    /// The pattern and which image: `row2/3`.
    pub(super) name: String,
    squares: Vec<u8>,
}

/// All instances, pattern by pattern.
pub(super) fn instances() -> &'static [Instance] {
    static INSTANCES: OnceLock<Vec<Instance>> = OnceLock::new();
    INSTANCES.get_or_init(|| {
        let mut all = Vec::new();
        for (name, squares) in PATTERNS {
            let mut seen: Vec<Vec<u8>> = Vec::new();
            for symmetry in 0..8_u8 {
                let image: Vec<u8> = squares.iter().map(|&s| mapped(s, symmetry)).collect();
                let mut set = image.clone();
                set.sort_unstable();
                if !seen.contains(&set) {
                    seen.push(set);
                    let name = format!("{name}/{}", seen.len());
                    all.push(Instance { name, squares: image });
                }
            }
        }
        all
    })
}

/// A square under one of the eight symmetries.
fn mapped(square: u8, symmetry: u8) -> u8 {
    let (mut x, mut y) = (square % 8, square / 8);
    if symmetry & 1 != 0 {
        x = 7 - x;
    }
    if symmetry & 2 != 0 {
        y = 7 - y;
    }
    if symmetry & 4 != 0 {
        (x, y) = (y, x);
    }
    8 * y + x
}

impl Instance {
    /// The number that stands for what is on its squares.
    #[inline]
    pub(super) fn code(&self, own: u64, opp: u64) -> f32 {
        let digit = |s: u8| (own >> s & 1) as u32 + 2 * (opp >> s & 1) as u32;
        self.squares.iter().rev().fold(0, |code, &s| 3 * code + digit(s)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Othello, Portable};
    use evalsmith_core::Game;
    use std::collections::BTreeMap;

    #[test]
    fn instances_are_as_many_as_the_board_has() {
        let mut counts = BTreeMap::new();
        for instance in instances() {
            let pattern = instance.name.split('/').next().expect("a name");
            *counts.entry(pattern.to_owned()).or_insert(0) += 1;
        }
        let expected = [
            ("corner2x5", 8),
            ("corner3x3", 4),
            ("diagonal4", 4),
            ("diagonal5", 4),
            ("diagonal6", 4),
            ("diagonal7", 4),
            ("diagonal8", 2),
            ("edge2x", 4),
            ("row2", 4),
            ("row3", 4),
            ("row4", 4),
        ];
        assert_eq!(counts, expected.map(|(name, n)| (name.to_owned(), n)).into());
        assert_eq!(instances().len(), 46);
    }

    #[test]
    fn a_code_is_read_digit_by_digit_and_symmetric_boards_have_the_same_codes() {
        let row2 = instances().iter().find(|i| i.name == "row2/1").expect("known");
        // a2 own, c2 the opponent's: 1 + 2 * 9.
        assert_eq!(row2.code(1 << 8, 1 << 10), 19.0);
        let game = Othello::new();
        let board = game.parse_transcript("f5d6c3d3c4f4f6f3e6e7d7").expect("a legal game");
        let board = *board.position();
        let sums = |own: u64, opp: u64| {
            // Which instance a symmetry leads to is not told; a palindrome may be
            // read from either end.
            let mut found: Vec<(String, u64, u64)> = Vec::new();
            for i in instances() {
                let back: Vec<u8> = i.squares.iter().rev().copied().collect();
                let other = Instance { name: String::new(), squares: back };
                let codes = [i.code(own, opp) as u64, other.code(own, opp) as u64];
                let pattern = i.name.split('/').next().expect("a name").to_owned();
                found.push((pattern, codes[0].min(codes[1]), codes[0].max(codes[1])));
            }
            found.retain(|f| f.0.starts_with("row") || f.0.starts_with("diagonal"));
            found.sort();
            found
        };
        for symmetry in game.symmetries() {
            let image: crate::Board<Portable> = (symmetry.position)(&board);
            assert_eq!(sums(image.own(), image.opp()), sums(board.own(), board.opp()));
        }
    }
}
