//! A move in one word, and the moves of a position one by one.

use crate::balls::Balls;
use crate::reach::Reach;
use crate::square::{self, Set, Square, squares};
use std::fmt;

/// What a move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A tile goes as far as it has balls.
    Step,
    /// A tile takes the balls of the enemy tile it would step on.
    Capture,
    /// A tile's balls go to other tiles of its side.
    Distribution,
}

/// A move, in the mover's view: its own base line is row 0.
///
/// The low 48 bits hold the target squares (one of them, or the recipients),
/// then six bits the origin, then two the kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u64);

const TARGETS: u64 = (1 << 48) - 1;

impl Move {
    #[inline]
    pub(crate) fn new(kind: MoveKind, from: Square, targets: Set) -> Self {
        debug_assert!(targets & !square::BOARD == 0 && targets != 0);
        Self(targets | u64::from(from.bit()) << 48 | (kind as u64) << 54)
    }

    /// What the move does.
    #[inline]
    pub fn kind(self) -> MoveKind {
        match self.0 >> 54 {
            0 => MoveKind::Step,
            1 => MoveKind::Capture,
            _ => MoveKind::Distribution,
        }
    }

    /// The tile that steps, captures or gives.
    #[inline]
    pub fn from(self) -> Square {
        Square::lowest(1 << (self.0 >> 48 & 0x3F))
    }

    /// The square stepped on, the tile captured, or those that receive.
    pub fn to(self) -> impl Iterator<Item = Square> {
        squares(self.targets())
    }

    #[inline]
    pub(crate) fn targets(self) -> Set {
        self.0 & TARGETS
    }

    /// The move with left and right exchanged.
    pub(crate) fn mirrored(self) -> Self {
        let from = Square::lowest(square::mirror(self.from().set()));
        Self::new(self.kind(), from, square::mirror(self.targets()))
    }

    /// A number below 4096, by multiplicative hashing: origin, kind and targets
    /// all reach the upper twelve bits of the product.
    #[inline]
    pub(crate) fn slot(self) -> u16 {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as u16
    }
}

/// The move's text in the mover's view.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind() {
            MoveKind::Step => '-',
            MoveKind::Capture => 'x',
            MoveKind::Distribution => '>',
        };
        write!(f, "{}{sign}", self.from())?;
        self.to().try_for_each(|square| write!(f, "{square}"))
    }
}

/// The moves of a position: captures, then steps, then distributions. At most
/// 84: four directions and ten distributions for each of six tiles.
#[derive(Clone, Debug)]
pub struct Moves {
    movers: Set,
    /// Landing squares of captures, then of steps, by direction.
    landings: [Set; 8],
    /// For each tile the choices of recipients left: a set of six-bit masks over
    /// the tiles in order.
    choices: [u64; 6],
    tiles: [u8; 6],
    /// The squares of each mask of the first three tiles, and of the last three.
    recipients: [[Set; 8]; 2],
    at: usize,
}

/// `CHOICES[tile][balls]`: the masks of six tiles without `tile` that have as
/// many members as there are balls, five at most.
const CHOICES: [[u64; 16]; 6] = {
    let mut table = [[0; 16]; 6];
    let mut tile = 0;
    while tile < 6 {
        let mut balls = 1;
        while balls < 16 {
            let size = if balls < 5 { balls as u32 } else { 5 };
            let mut mask = 0_u64;
            while mask < 64 {
                if mask >> tile & 1 == 0 && mask.count_ones() == size {
                    table[tile][balls] |= 1 << mask;
                }
                mask += 1;
            }
            balls += 1;
        }
        tile += 1;
    }
    table
};

impl Moves {
    /// No moves: the game is over.
    #[inline]
    pub(crate) fn none() -> Self {
        Self {
            movers: 0,
            landings: [0; 8],
            choices: [0; 6],
            tiles: [0; 6],
            recipients: [[0; 8]; 2],
            at: 14,
        }
    }

    /// The moves of the side with the six tiles `own`, which land as `reach` says.
    #[inline]
    pub(crate) fn new(own: Set, balls: &Balls, reach: &Reach, enemy: Set) -> Self {
        let mut moves = Self { movers: own, at: 0, ..Self::none() };
        for (direction, landing) in reach.0.into_iter().enumerate() {
            moves.landings[direction] = landing & enemy;
            moves.landings[direction + 4] = landing & !enemy;
        }
        for (i, square) in squares(own).enumerate() {
            moves.tiles[i] = square.bit();
            moves.choices[i] = CHOICES[i][usize::from(balls.on(square))];
            let masks = &mut moves.recipients[i / 3];
            let bit = 1 << (i % 3);
            for mask in 0..bit {
                masks[mask | bit] = masks[mask] | square.set();
            }
        }
        moves
    }
}

#[inline]
fn pop(set: &mut u64) -> u32 {
    let lowest = set.trailing_zeros();
    *set &= *set - 1;
    lowest
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        while self.at < 8 {
            let landing = &mut self.landings[self.at];
            if *landing != 0 {
                let to = Square::lowest(1 << pop(landing));
                let kind = if self.at < 4 { MoveKind::Capture } else { MoveKind::Step };
                let from = Reach::origin(self.at & 3, to, self.movers);
                return Some(Move::new(kind, from, to.set()));
            }
            self.at += 1;
        }
        while self.at < 14 {
            let tile = self.at - 8;
            let choices = &mut self.choices[tile];
            if *choices != 0 {
                let mask = pop(choices) as usize;
                let to = self.recipients[0][mask & 7] | self.recipients[1][mask >> 3];
                let from = Square::lowest(1 << self.tiles[tile]);
                return Some(Move::new(MoveKind::Distribution, from, to));
            }
            self.at += 1;
        }
        None
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left: u32 = self.landings.iter().chain(&self.choices).map(|set| set.count_ones()).sum();
        (left as usize, Some(left as usize))
    }
}

impl ExactSizeIterator for Moves {}
