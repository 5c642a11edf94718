//! Points and sets of points, ten bits to a row.
//!
//! Bit `10 * row + column` stands for a point; the tenth bit of each row and all
//! bits above the ninth row are never set in a set of points. They stop whatever
//! is shifted over the edge, so that one mask with the points that matter serves
//! for the edges too.

use std::fmt;

/// Rows, columns.
pub(crate) const SIZE: u8 = 9;
/// Bits from one row to the next.
const STRIDE: u8 = SIZE + 1;

/// A set of points.
pub(crate) type Set = u128;

/// The points of the first row.
const ROW: Set = (1 << SIZE) - 1;

/// All points.
pub(crate) const BOARD: Set = {
    let mut set = 0;
    let mut row = 0;
    while row < SIZE {
        set |= ROW << (STRIDE * row);
        row += 1;
    }
    set
};

/// The points on the edge.
pub(crate) const EDGE: Set = BOARD & !(BOARD << 1 & BOARD >> 1 & BOARD << STRIDE & BOARD >> STRIDE);

/// One of the 81 points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u8);

impl Point {
    /// The point in this row, counted from 0 at the bottom, and this column,
    /// from 0 at the left; `None` beyond 8.
    pub const fn new(row: u8, column: u8) -> Option<Self> {
        if row < SIZE && column < SIZE { Some(Self(STRIDE * row + column)) } else { None }
    }

    /// The lowest point of a set that is not empty.
    #[inline]
    pub(crate) fn lowest(set: Set) -> Self {
        debug_assert!(set & !BOARD == 0 && set != 0);
        Self(set.trailing_zeros() as u8)
    }

    /// The point's bit number.
    #[inline]
    pub(crate) const fn bit(self) -> u8 {
        self.0
    }

    /// The set of this point alone.
    #[inline]
    pub(crate) const fn set(self) -> Set {
        1 << self.0
    }

    /// The row, from 0 at the bottom.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 / STRIDE
    }

    /// The column, from 0 at the left.
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 % STRIDE
    }

    /// All points, row by row from the bottom.
    pub fn all() -> impl Iterator<Item = Self> {
        points(BOARD)
    }
}

/// `A1` to `J9`, without the letter I.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = b"ABCDEFGHJ"[usize::from(self.column())];
        write!(f, "{}{}", char::from(letter), self.row() + 1)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The points of a set, lowest first.
pub(crate) fn points(mut set: Set) -> impl Iterator<Item = Point> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let point = Point::lowest(set);
            set &= set - 1;
            point
        })
    })
}

/// The bits beside a set's points, among them bits beyond the edge.
#[inline]
pub(crate) const fn beside(set: Set) -> Set {
    set << 1 | set >> 1 | set << STRIDE | set >> STRIDE
}

/// The four sets of bits one diagonal step away, among them bits beyond the edge.
#[inline]
pub(crate) const fn diagonal(set: Set) -> [Set; 4] {
    [set << (STRIDE - 1), set >> (STRIDE - 1), set << (STRIDE + 1), set >> (STRIDE + 1)]
}

/// All points of `within` that hang together with `seed`, a part of it.
#[inline]
pub(crate) const fn flood(seed: Set, within: Set) -> Set {
    let mut filled = seed;
    loop {
        let next = filled | beside(filled) & within;
        if next == filled {
            return filled;
        }
        filled = next;
    }
}

/// The set turned by half a circle.
#[inline]
pub(crate) const fn rotate_half(set: Set) -> Set {
    // The last point's bit becomes bit 0.
    set.reverse_bits() >> (Set::BITS - 1 - (STRIDE * SIZE - 2) as u32)
}

/// The set with the rows in reverse order.
pub(crate) const fn upend(set: Set) -> Set {
    let mut upended = 0;
    let mut row = 0;
    while row < SIZE {
        upended |= (set >> (STRIDE * row) & ROW) << (STRIDE * (SIZE - 1 - row));
        row += 1;
    }
    upended
}

/// The set with rows and columns exchanged: each diagonal above the main one
/// changes places with its image below.
pub(crate) const fn transpose(set: Set) -> Set {
    let mut x = set;
    let mut distance = 1;
    while distance < SIZE {
        let mut diagonal = 0;
        let mut row = 0;
        while row + distance < SIZE {
            diagonal |= 1 << (STRIDE * row + row + distance);
            row += 1;
        }
        let shift = (STRIDE - 1) * distance;
        let differing = (x ^ x >> shift) & diagonal;
        x ^= differing | differing << shift;
        distance += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(row: u8, column: u8) -> Set {
        Point::new(row, column).unwrap().set()
    }

    #[test]
    fn sets_hold_81_points_32_of_them_on_the_edge() {
        assert_eq!((BOARD.count_ones(), EDGE.count_ones()), (81, 32));
        assert_eq!(Point::all().fold(0, |set, point| set | point.set()), BOARD);
        assert_eq!((Point::new(9, 0), Point::new(0, 9)), (None, None));
        let names: Vec<_> = Point::all().map(|p| p.to_string()).collect();
        assert_eq!((&*names[0], &*names[8], &*names[80]), ("A1", "J1", "J9"));
    }

    #[test]
    fn turns_move_points_as_said() {
        for point in Point::all() {
            let (row, column) = (point.row(), point.column());
            assert_eq!(rotate_half(point.set()), at(8 - row, 8 - column));
            assert_eq!(upend(point.set()), at(8 - row, column));
            assert_eq!(transpose(point.set()), at(column, row));
            let near = |p: &Point| p.row().abs_diff(row) + p.column().abs_diff(column) == 1;
            let expected = Point::all().filter(near).fold(0, |set, p| set | p.set());
            assert_eq!(beside(point.set()) & BOARD, expected);
            let across = |p: &Point| p.row().abs_diff(row) == 1 && p.column().abs_diff(column) == 1;
            let expected = Point::all().filter(across).fold(0, |set, p| set | p.set());
            assert_eq!(diagonal(point.set()).iter().fold(0, |a, b| a | b) & BOARD, expected);
        }
    }

    proptest! {
        #[test]
        fn a_flood_is_all_that_steps_reach(bits in any::<u128>(), more in any::<u128>()) {
            let within = (bits | more) & BOARD;
            for seed in points(within).take(3) {
                let mut reached = vec![seed];
                let mut next = 0;
                while next < reached.len() {
                    let from = reached[next];
                    for to in points(within) {
                        let steps = from.row().abs_diff(to.row()) + from.column().abs_diff(to.column());
                        if steps == 1 && !reached.contains(&to) {
                            reached.push(to);
                        }
                    }
                    next += 1;
                }
                let expected = reached.iter().fold(0, |set, p| set | p.set());
                prop_assert_eq!(flood(seed.set(), within), expected);
            }
        }

        #[test]
        fn sets_turn_as_their_points_do(bits in any::<u128>()) {
            let set = bits & BOARD;
            for turn in [rotate_half, upend, transpose] {
                let expected = points(set).fold(0, |image, p| image | turn(p.set()));
                prop_assert_eq!(turn(set), expected);
            }
        }
    }
}
