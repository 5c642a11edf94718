//! How many balls lie on each square, bit-sliced.
//!
//! Plane i holds bit i of every square's count, so that one addition serves all
//! recipients of a distribution and one mask finds all tiles with three balls.
//! Four planes suffice: no side has more than twelve balls.

use crate::square::{self, Set, Square};

/// The counts of all squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Balls(pub(crate) [Set; 4]);

impl Balls {
    /// Puts `count`, at most 15, on an empty square.
    pub(crate) fn put(&mut self, square: Square, count: u8) {
        for (i, plane) in self.0.iter_mut().enumerate() {
            *plane |= u64::from(count >> i & 1) << square.bit();
        }
    }

    /// The count on one square.
    #[inline]
    pub(crate) fn on(&self, square: Square) -> u8 {
        let bit = |plane: usize| (self.0[plane] >> square.bit() & 1) as u8;
        bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3
    }

    /// The squares with at least one ball.
    #[inline]
    pub(crate) fn anywhere(&self) -> Set {
        self.0[0] | self.0[1] | self.0[2] | self.0[3]
    }

    /// The balls on a set of squares.
    #[inline]
    pub(crate) fn total(&self, set: Set) -> u32 {
        let [ones, twos, fours, eights] = self.0.map(|plane| (plane & set).count_ones());
        ones + 2 * twos + 4 * fours + 8 * eights
    }

    /// The most balls on one square of a set.
    #[inline]
    pub(crate) fn most(&self, set: Set) -> u32 {
        let mut tallest = set;
        (0..4).rev().fold(0, |most, plane| {
            let with = tallest & self.0[plane];
            if with == 0 {
                return most;
            }
            tallest = with;
            most | 1 << plane
        })
    }

    /// The squares of the set with exactly 1, 2, 3, 4 and 5 balls: the only
    /// counts that reach another square of the board.
    #[inline]
    pub(crate) fn with_one_to_five(&self, set: Set) -> [Set; 5] {
        let [ones, twos, fours, eights] = self.0;
        let low = set & !eights & !fours;
        let high = set & !eights & fours & !twos;
        [low & ones & !twos, low & !ones & twos, low & ones & twos, high & !ones, high & ones]
    }

    /// The number of ways to give away the balls of one tile, added over a set
    /// of tiles: 5 over n each, and 1 beyond five balls.
    #[inline]
    pub(crate) fn distributions(&self, set: Set) -> u32 {
        let [one, two, three, four, _] = self.with_one_to_five(set);
        let five_or_more = set & self.anywhere() & !(one | two | three | four);
        5 * (one | four).count_ones() + 10 * (two | three).count_ones() + five_or_more.count_ones()
    }

    /// Takes all balls from a set of squares.
    #[inline]
    pub(crate) fn clear(&mut self, set: Set) {
        for plane in &mut self.0 {
            *plane &= !set;
        }
    }

    /// Adds one ball to each square of a set.
    #[inline]
    pub(crate) fn add_one(&mut self, set: Set) {
        let mut carry = set;
        for plane in &mut self.0 {
            let sum = *plane ^ carry;
            carry &= *plane;
            *plane = sum;
        }
        debug_assert_eq!(carry, 0, "no tile holds sixteen balls");
    }

    /// Moves the balls of one square to another that has none.
    #[inline]
    pub(crate) fn carry(&mut self, from: Square, to: Set) {
        let both = from.set() | to;
        for plane in &mut self.0 {
            *plane ^= both & (*plane >> from.bit() & 1).wrapping_neg();
        }
    }

    /// The counts seen from the other end of the board.
    #[inline]
    pub(crate) fn flipped(&self) -> Self {
        Self(self.0.map(square::flip))
    }

    /// The counts with left and right exchanged.
    pub(crate) fn mirrored(&self) -> Self {
        Self(self.0.map(square::mirror))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::{BOARD, squares};
    use proptest::prelude::*;

    fn from_counts(counts: &[u8]) -> Balls {
        let mut balls = Balls::default();
        Square::all().zip(counts).for_each(|(square, &count)| balls.put(square, count));
        balls
    }

    proptest! {
        #[test]
        fn sliced_counts_are_counts(
            counts in prop::collection::vec(0_u8..15, 36),
            set in any::<u64>().prop_map(|bits| bits & BOARD),
        ) {
            let balls = from_counts(&counts);
            let mut more = balls;
            more.add_one(set);
            let mut fewer = balls;
            fewer.clear(set);
            for (square, &count) in Square::all().zip(&counts) {
                let inside = set & square.set() != 0;
                prop_assert_eq!(balls.on(square), count);
                prop_assert_eq!(more.on(square), count + u8::from(inside));
                prop_assert_eq!(fewer.on(square), if inside { 0 } else { count });
                prop_assert_eq!(balls.anywhere() & square.set() != 0, count > 0);
                for (n, with) in (1..).zip(balls.with_one_to_five(set)) {
                    prop_assert_eq!(with & square.set() != 0, inside && count == n);
                }
            }
            let each = |square| u32::from(balls.on(square));
            prop_assert_eq!(balls.total(set), squares(set).map(each).sum::<u32>());
            prop_assert_eq!(balls.most(set), squares(set).map(each).max().unwrap_or(0));
            let ways = |square| [0, 5, 10, 10, 5, 1][usize::from(balls.on(square).min(5))];
            prop_assert_eq!(balls.distributions(set), squares(set).map(ways).sum::<u32>());
        }

        #[test]
        fn carried_balls_arrive(counts in prop::collection::vec(0_u8..15, 36), a in 0_usize..36, b in 0_usize..36) {
            prop_assume!(a != b);
            let mut counts = counts;
            counts[b] = 0;
            let squares: Vec<_> = Square::all().collect();
            let mut balls = from_counts(&counts);
            balls.carry(squares[a], squares[b].set());
            counts.swap(a, b);
            prop_assert_eq!(balls, from_counts(&counts));
        }
    }
}
