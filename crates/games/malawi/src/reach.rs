//! Where tiles land: all tiles of one direction at once.
//!
//! The tiles with five balls take a step; those with four join them; and so on,
//! until after the fifth step every tile has gone as far as its balls say. On
//! the way only empty squares carry on. Two tiles never land on one square in
//! one direction, since the hinder one would have to pass the other; so a
//! landing square and a direction name the tile that came.

use crate::balls::Balls;
use crate::square::{Set, Square};

/// The landing squares of one side: up, down, right, left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Reach(pub(crate) [Set; 4]);

impl Reach {
    /// Where the tiles of `movers` land, over `empty` squares, on the squares of
    /// `targets`.
    #[inline]
    pub(crate) fn of(movers: Set, balls: &Balls, empty: Set, targets: Set) -> Self {
        let by_count = balls.with_one_to_five(movers);
        let glide = |shift: fn(Set) -> Set| {
            let [one, two, three, four, five] = by_count;
            let mut gliding = five;
            for joining in [four, three, two, one] {
                gliding = shift(gliding) & empty | joining;
            }
            shift(gliding) & targets
        };
        Self([glide(|s| s << 8), glide(|s| s >> 8), glide(|s| s << 1), glide(|s| s >> 1)])
    }

    /// The number of different moves to a set of squares.
    #[inline]
    pub(crate) fn count(&self, to: Set) -> u32 {
        self.0.iter().map(|landing| (landing & to).count_ones()).sum()
    }

    /// Every square landed on, from whichever direction.
    #[inline]
    pub(crate) fn union(&self) -> Set {
        let [up, down, right, left] = self.0;
        up | down | right | left
    }

    /// The tile among `movers` that lands on `to` in a direction (an index into
    /// the four): the nearest one against the direction.
    #[inline]
    pub(crate) fn origin(direction: usize, to: Square, movers: Set) -> Square {
        let below = to.set() - 1;
        let above = !(below | to.set());
        let column = 0x0101_0101_0101_u64 << to.column();
        let row = 0xFF_u64 << (8 * to.row());
        match direction {
            0 => Square::highest(movers & column & below),
            1 => Square::lowest(movers & column & above),
            2 => Square::highest(movers & row & below),
            _ => Square::lowest(movers & row & above),
        }
    }
}
