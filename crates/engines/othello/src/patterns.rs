//! Estimates by patterns: what lines, edges and corners were worth in positions
//! whose score is known (Buro 1997), with mobility beside them.
//!
//! The board is looked at in its eight orientations, so that every edge or corner
//! finds its weight in one table. Weights are fitted by `examples/fit_patterns.rs`
//! to positions of 12 to 24 empty squares, and quantised: `data/patterns.bin` holds
//! eighths of a disc, a byte each, then 256ths of a disc for the plain features.

use crate::judge::{DISC, Judge};
use crate::order::neighbours;
use crate::ternary::ternary;
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
    squares: u64,
    orientations: usize,
}

const fn shape(squares: u64, orientations: usize) -> Shape {
    Shape { squares, orientations }
}

/// Edge with X squares, corner of 3x3, rows 2 to 4, diagonals of 8 to 4, corner of 2x5.
const SHAPES: [Shape; 11] = [
    shape(0x42FF, 4),
    shape(0x07_0707, 4),
    shape(0xFF00, 4),
    shape(0xFF_0000, 4),
    shape(0xFF00_0000, 4),
    shape(0x8040_2010_0804_0201, 2),
    shape(0x0080_4020_1008_0402, 4),
    shape(0x0000_8040_2010_0804, 4),
    shape(0x0000_0080_4020_1008, 4),
    shape(0x0000_0000_8040_2010, 4),
    shape(0x1F1F, 8),
];

/// A shape in one orientation, and where its weights begin.
#[derive(Clone, Copy)]
struct Instance {
    squares: u64,
    orientation: usize,
    offset: usize,
}

const INSTANCES: [Instance; ACTIVE] = {
    let mut instances = [Instance { squares: 0, orientation: 0, offset: 0 }; ACTIVE];
    let (mut at, mut offset, mut i) = (0, 0, 0);
    while i < SHAPES.len() {
        let mut orientation = 0;
        while orientation < SHAPES[i].orientations {
            let squares = SHAPES[i].squares;
            instances[at] = Instance { squares, orientation, offset };
            orientation += 1;
            at += 1;
        }
        offset += 3_usize.pow(SHAPES[i].squares.count_ones());
        i += 1;
    }
    instances
};

static TERNARY: [u16; 1024] = ternary();

static DATA: &[u8; WEIGHTS + 4 * COUNTS] = include_bytes!("../data/patterns.bin");

/// A judge by a few patterns, which needs no opening: for tests, and for short solves. The
/// engine plays by the [shipped patterns](crate::shipped::patterns).
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallPatterns;

impl SmallPatterns {
    /// The weights that speak in a position, and its counts: mobility of the mover
    /// and of the opponent, potential mobility of both, one, and one if the number
    /// of empty squares is odd. For fitting.
    #[inline(always)]
    pub fn features<K: Kernel>(board: &Board<K>, moves: u64) -> ([usize; ACTIVE], [i32; COUNTS]) {
        let (own, opp) = (orientations(board.own()), orientations(board.opp()));
        let active = std::array::from_fn(|i| {
            let Instance { squares, orientation, offset } = INSTANCES[i];
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

impl Judge for SmallPatterns {
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
