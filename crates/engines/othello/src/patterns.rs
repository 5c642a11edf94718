//! Estimates by patterns: what lines, edges and corners were worth in positions
//! whose score is known (Buro 1997), with mobility beside them.
//!
//! The board is looked at in its eight orientations, so that every edge or corner
//! finds its weight in one table. Weights are fitted by `examples/fit_patterns.rs`
//! to positions of 12 to 24 empty squares, and quantised: `data/patterns.bin` holds
//! eighths of a disc, a byte each, then 256ths of a disc for the plain features.

use crate::judge::{DISC, Judge};
use crate::order::neighbours;
use evalsmith_othello::{Board, Kernel, mirror, transpose};

/// Patterns active in a position.
pub const ACTIVE: usize = 46;
/// Features that are plain counts.
pub const COUNTS: usize = 6;
/// Weights of all patterns.
pub const WEIGHTS: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < SHAPES.len() {
        sum += 3_usize.pow(SHAPES[i].squares.count_ones());
        i += 1;
    }
    sum
};

/// Squares whose occupation is one pattern, in the first few orientations.
struct Shape {
    name: &'static str,
    squares: u64,
    orientations: usize,
}

const fn shape(name: &'static str, squares: u64, orientations: usize) -> Shape {
    Shape { name, squares, orientations }
}

const SHAPES: [Shape; 11] = [
    shape("edge with X squares", 0x42FF, 4),
    shape("corner 3x3", 0x07_0707, 4),
    shape("row 2", 0xFF00, 4),
    shape("row 3", 0xFF_0000, 4),
    shape("row 4", 0xFF00_0000, 4),
    shape("diagonal of 8", 0x8040_2010_0804_0201, 2),
    shape("diagonal of 7", 0x0080_4020_1008_0402, 4),
    shape("diagonal of 6", 0x0000_8040_2010_0804, 4),
    shape("diagonal of 5", 0x0000_0080_4020_1008, 4),
    shape("diagonal of 4", 0x0000_0000_8040_2010, 4),
    shape("corner 2x5", 0x1F1F, 8),
];

/// What the plain features count.
const COUNTED: [&str; COUNTS] =
    ["mobility", "their mobility", "frontier", "their frontier", "constant", "parity"];

/// A shape in one orientation, and where its weights begin.
#[derive(Clone, Copy)]
struct Instance {
    shape: usize,
    squares: u64,
    orientation: usize,
    offset: usize,
}

const INSTANCES: [Instance; ACTIVE] = {
    let mut instances = [Instance { shape: 0, squares: 0, orientation: 0, offset: 0 }; ACTIVE];
    let (mut at, mut offset, mut i) = (0, 0, 0);
    while i < SHAPES.len() {
        let mut orientation = 0;
        while orientation < SHAPES[i].orientations {
            let squares = SHAPES[i].squares;
            instances[at] = Instance { shape: i, squares, orientation, offset };
            orientation += 1;
            at += 1;
        }
        offset += 3_usize.pow(SHAPES[i].squares.count_ones());
        i += 1;
    }
    instances
};

/// The number whose digit in base three is one where a bit is set.
static TERNARY: [u16; 1024] = {
    let mut table = [0; 1024];
    let mut bits = 0;
    while bits < 1024 {
        let (mut i, mut power) = (0, 1);
        while i < 10 {
            table[bits] += (bits >> i & 1) as u16 * power;
            power = if i < 9 { power * 3 } else { power };
            i += 1;
        }
        bits += 1;
    }
    table
};

static DATA: &[u8; WEIGHTS + 4 * COUNTS] = include_bytes!("../data/patterns.bin");

/// The judge by patterns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patterns;

impl Patterns {
    /// The weights that speak in a position, and its counts: mobility of the mover
    /// and of the opponent, potential mobility of both, one, and one if the number
    /// of empty squares is odd. For fitting.
    #[inline(always)]
    pub fn features<K: Kernel>(board: &Board<K>, moves: u64) -> ([usize; ACTIVE], [i32; COUNTS]) {
        let (own, opp) = (orientations(board.own()), orientations(board.opp()));
        let active = std::array::from_fn(|i| {
            let Instance { squares, orientation, offset, .. } = INSTANCES[i];
            let digits = |set: u64| {
                let bits = board.kernel().extract(set, squares);
                usize::from(TERNARY[bits as usize & 1023])
            };
            offset + digits(own[orientation]) + 2 * digits(opp[orientation])
        });
        let empty = board.empty();
        let counts = [
            moves.count_ones() as i32,
            board.opponent_mobility().count_ones() as i32,
            (neighbours(board.opp()) & empty).count_ones() as i32,
            (neighbours(board.own()) & empty).count_ones() as i32,
            1,
            (empty.count_ones() & 1) as i32,
        ];
        (active, counts)
    }

    /// What the value of a position is made of, in the order of the weights. The
    /// terms add up to the value but for roundings of less than a tenth of a disc.
    pub fn explain<K: Kernel>(board: &Board<K>) -> Vec<Term> {
        let (active, counts) = Self::features(board, board.mobility());
        let patterns = INSTANCES.iter().zip(active).map(|(instance, weight)| {
            let turned = |square: u32| orientations(1 << square)[instance.orientation];
            let squares = (0..64).filter(|&s| turned(s) & instance.squares != 0);
            Term {
                name: SHAPES[instance.shape].name,
                squares: squares.fold(0, |set, square| set | 1 << square),
                discs: f64::from(DATA[weight] as i8) / 8.0,
            }
        });
        let empties = board.empty().count_ones() as i32;
        let plain = (0..COUNTS).map(|i| {
            let discs = f64::from(counts[i] * count_weight(i, empties)) / 256.0;
            Term { name: COUNTED[i], squares: 0, discs }
        });
        patterns.chain(plain).collect()
    }
}

/// One part of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The kind of pattern, or what is counted.
    pub name: &'static str,
    /// The squares it looks at; none for a count.
    pub squares: u64,
    /// What it speaks for the side to move.
    pub discs: f64,
}

/// The most empty squares of a position that the weights were fitted to.
const FITTED: i32 = 24;

/// The weight of a plain feature in 256ths of a disc. Earlier in the game it stays
/// as it was at the edge of what was fitted: a line drawn on would soon be absurd.
#[inline(always)]
fn count_weight(i: usize, empties: i32) -> i32 {
    let empties = empties.min(FITTED);
    let weight = |n: usize| i32::from(i16::from_le_bytes([DATA[n], DATA[n + 1]]));
    let at = WEIGHTS + 4 * i;
    weight(at) + weight(at + 2) * empties / 16
}

impl Judge for Patterns {
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        let (active, counts) = Self::features(board, moves);
        let patterns: i32 = active.iter().map(|&i| i32::from(DATA[i] as i8)).sum();
        let empties = board.empty().count_ones() as i32;
        let plain: i32 = (0..COUNTS).map(|i| counts[i] * count_weight(i, empties)).sum();
        patterns * (DISC / 8) + plain * DISC / 256
    }
}

/// A set of squares turned round, then mirrored and turned round.
#[inline(always)]
fn orientations(set: u64) -> [u64; 8] {
    let mirrored = mirror(set);
    let transposed = transpose(set);
    let both = mirror(transposed);
    [
        set,
        both,
        mirrored.swap_bytes(),
        transposed.swap_bytes(),
        mirrored,
        transposed,
        set.swap_bytes(),
        both.swap_bytes(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, Position, rng};
    use evalsmith_othello::Othello;
    use rand::RngExt;

    #[test]
    fn terms_add_up_and_look_at_their_squares() {
        let mut random = rng::stream(7, "terms", 0);
        let mut board = Othello::new().start();
        while board.outcome().is_none() {
            let terms = Patterns::explain(&board);
            let sum: f64 = terms.iter().map(|term| term.discs).sum();
            let value = f64::from(Patterns.value(&board, board.mobility())) / f64::from(DISC);
            assert!((sum - value).abs() < 0.1, "{sum} for {value} in {board:?}");
            let moves: Vec<_> = board.moves().collect();
            board = board.play(moves[random.random_range(0..moves.len())]);
        }
        let terms = Patterns::explain(&board);
        let squares = |name| terms.iter().filter(move |t| t.name == name).map(|t| t.squares);
        for row in [0xFF00, 0x00FF_0000_0000_0000, 0x0202_0202_0202_0202, 0x4040_4040_4040_4040] {
            assert!(squares("row 2").any(|set| set == row), "{row:x}");
        }
        assert_eq!(squares("corner 2x5").count(), 8);
    }
}
