//! What an edge is worth: a table of all 3^8 edges by probabilistic minimax.
//!
//! After Rosenbloom's IAGO and Lee and Mahajan's BILL (lee86, feature 4). An edge
//! is looked at alone. A move onto it is *sure* where it flips along the edge, and
//! otherwise only *possible*, through a capture in the interior, with a likelihood
//! that depends on the square. The mover takes the best option there is: if the
//! options, from best to worst, have values v and likelihoods p, the edge is worth
//!
//! ```text
//! p1 v1 + (1-p1) p2 v2 + (1-p1)(1-p2) p3 v3 + ...
//! ```
//!
//! Leaving the edge alone is an option of likelihood one. Then it is the other
//! side's turn on the same edge, and if that side leaves it too, the discs are
//! counted as they stand. Every placed disc leads to a fuller edge, so the table
//! is filled from full edges backwards and holds values for the side to move.

use crate::edges::COUNT;
use std::sync::OnceLock;

/// Stored units in one stable disc.
const UNIT: f32 = 64.0;

/// The value of every edge for the side to move.
pub struct Table {
    values: Box<[i16; COUNT]>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table of {COUNT} edges")
    }
}

impl Table {
    /// The worth of four edges together.
    ///
    /// # Panics
    /// When a number is no edge's.
    #[inline]
    pub fn sum(&self, numbers: [u16; 4]) -> f32 {
        let value = |number: u16| i32::from(self.values[usize::from(number)]);
        numbers.into_iter().map(value).sum::<i32>() as f32 * UNIT.recip()
    }
}

/// The table, made on first use.
pub fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(fill)
}

/// The eight squares: 0 empty, 1 the mover's, 2 the other side's.
type Edge = [u8; 8];

fn spell(mut number: usize) -> Edge {
    std::array::from_fn(|_| {
        let digit = number % 3;
        number /= 3;
        digit as u8
    })
}

fn number(edge: Edge) -> usize {
    edge.iter().rev().fold(0, |n, &digit| 3 * n + usize::from(digit))
}

/// The same edge as the other side sees it.
fn swapped(edge: Edge) -> Edge {
    edge.map(|disc| (3 - disc) % 3)
}

/// The edge after the mover's disc on `square`, and whether it flips along it.
fn placed(edge: Edge, square: usize) -> (Edge, bool) {
    let mut next = edge;
    next[square] = 1;
    let mut flip = |line: &mut dyn Iterator<Item = usize>| {
        let mut run = Vec::with_capacity(6);
        for s in line {
            match edge[s] {
                2 => run.push(s),
                1 => {
                    for &s in &run {
                        next[s] = 1;
                    }
                    return !run.is_empty();
                }
                _ => return false,
            }
        }
        false
    };
    let right = flip(&mut (square + 1..8));
    let left = flip(&mut (0..square).rev());
    (next, left || right)
}

/// How likely a move that flips nothing along the edge can be made at all.
fn likelihood(square: usize) -> f64 {
    match square.min(7 - square) {
        0 => 0.10,
        1 => 0.25,
        2 => 0.40,
        _ => 0.50,
    }
}

/// The discs as they stand. A disc is stable when the edge is full or when it is
/// joined to a corner by its own colour; an edge's two corners count half, since
/// two edges share each.
fn standing(edge: Edge) -> f64 {
    let full = edge.iter().all(|&disc| disc != 0);
    let joined =
        |mut squares: std::ops::RangeInclusive<usize>, disc| squares.all(|s| edge[s] == disc);
    let worth = |square: usize| {
        let disc = edge[square];
        let stable = full || joined(0..=square, disc) || joined(square..=7, disc);
        let points = match (square.min(7 - square), stable) {
            (0, _) => 2.0,
            (_, true) => 1.0,
            (1, false) => -0.75,
            (2, false) => 0.3,
            (_, false) => 0.2,
        };
        match disc {
            1 => points,
            2 => -points,
            _ => 0.0,
        }
    };
    (0..8).map(worth).sum()
}

/// How many squares of an edge are empty.
fn empties(number: usize) -> usize {
    spell(number).into_iter().filter(|&disc| disc == 0).count()
}

fn fill() -> Table {
    let mut order: Vec<usize> = (0..COUNT).collect();
    order.sort_by_key(|&n| empties(n));
    // The value after the other side left the edge alone, and the value otherwise.
    let mut last_chance = vec![0.0; COUNT];
    let mut value = vec![0.0; COUNT];
    for level in order.chunk_by(|&a, &b| empties(a) == empties(b)) {
        for &n in level {
            let edge = spell(n);
            last_chance[n] = best_of(edge, standing(edge), &value);
        }
        for &n in level {
            let edge = spell(n);
            value[n] = best_of(edge, -last_chance[number(swapped(edge))], &value);
        }
    }
    let values: Vec<i16> = value.iter().map(|v| (v * f64::from(UNIT)).round() as i16).collect();
    Table { values: values.try_into().expect("one value for each edge") }
}

/// The expected value of the best option that turns out to be there.
fn best_of(edge: Edge, leaving: f64, value: &[f64]) -> f64 {
    let mut options = vec![(leaving, 1.0)];
    for square in (0..8).filter(|&s| edge[s] == 0) {
        let (next, sure) = placed(edge, square);
        let likelihood = if sure { 1.0 } else { likelihood(square) };
        options.push((-value[number(swapped(next))], likelihood));
    }
    options.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut left = 1.0;
    let mut expected = 0.0;
    for (value, likelihood) in options {
        expected += left * likelihood * value;
        left *= 1.0 - likelihood;
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(text: &str) -> f32 {
        let edge: Vec<u8> = text
            .bytes()
            .map(|b| b"-XO".iter().position(|&s| s == b).expect("sign") as u8)
            .collect();
        let at = number(edge.try_into().expect("eight squares"));
        table().sum([at as u16, 0, 0, 0]) - 3.0 * table().sum([0; 4]) / 4.0
    }

    #[test]
    fn edges_have_no_left_and_right() {
        for n in 0..COUNT {
            let mut edge = spell(n);
            edge.reverse();
            assert_eq!(table().values[n], table().values[number(edge)], "{:?}", spell(n));
        }
    }

    #[test]
    fn the_move_is_never_a_burden() {
        for n in 0..COUNT {
            let theirs = table().values[number(swapped(spell(n)))];
            assert!(table().values[n] >= -theirs - 1, "{:?}", spell(n));
        }
    }

    #[test]
    fn full_edges_are_counted() {
        assert_eq!(worth("XXXXXXXX"), 10.0);
        assert_eq!(worth("OOOOOOOO"), -10.0);
        assert_eq!(worth("XXXXOOOO"), 0.0);
        assert_eq!(worth("OXXXXXXO"), 2.0);
    }

    #[test]
    fn well_known_edges_stand_in_the_right_order() {
        // A corner that can be taken, a balanced edge, an unbalanced one, a lone C-square.
        assert!(worth("-OOOOOX-") > 3.0);
        assert!(worth("--XXXX--") > worth("-XXXXX--"));
        assert!(worth("--X--X--") > worth("-X------"));
        assert!(worth("-X------") < worth("--------"));
        assert!(worth("X-------") > worth("-XXXXXX-"));
    }
}
