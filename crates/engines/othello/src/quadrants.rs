//! Parity: who will make the last move in a region.
//!
//! The quadrants stand for the regions, as in most endgame solvers: to move in a
//! quadrant with an odd number of empty squares promises the last move there.

pub(crate) use evalsmith_othello::{CORNERS, odd_quadrants as odd};

/// The orders in which four empty squares are tried: for each first move, which
/// follow. Row `k` begins with the square tried as `k`-th and goes on with the
/// three that are left, in the order for the opponent.
///
/// The index holds, two bits each, how the quadrants of the first three squares
/// differ from the fourth's. Squares alone in their quadrant come first.
pub(crate) static FOUR: [[[u8; 4]; 4]; 64] = {
    let mut table = [[[0; 4]; 4]; 64];
    let mut case = 0;
    while case < 64 {
        let quadrants = [case & 3, case >> 2 & 3, case >> 4, 0];
        let first = alone_first([0, 1, 2, 3], quadrants);
        let mut k = 0;
        while k < 4 {
            // The square just played no longer counts: a quadrant of its own.
            let mut after = quadrants;
            after[first[k] as usize] = 9;
            let rest = alone_first(first, after);
            let (mut from, mut to) = (0, 1);
            table[case][k][0] = first[k];
            while from < 4 {
                if rest[from] != first[k] {
                    table[case][k][to] = rest[from];
                    to += 1;
                }
                from += 1;
            }
            k += 1;
        }
        case += 1;
    }
    table
};

/// The case of four squares in [`FOUR`].
#[inline(always)]
pub(crate) const fn case_of_four(squares: [u8; 4]) -> usize {
    let [a, b, c, d] = squares;
    (quadrant(a ^ d) | quadrant(b ^ d) << 2 | quadrant(c ^ d) << 4) & 63
}

#[inline(always)]
const fn quadrant(square: u8) -> usize {
    (square >> 2 & 1 | square >> 4 & 2) as usize
}

/// The squares alone in their quadrant, then the others.
const fn alone_first(squares: [u8; 4], quadrants: [usize; 4]) -> [u8; 4] {
    let mut sorted = [0; 4];
    let mut to = 0;
    let mut crowded = false;
    loop {
        let mut i = 0;
        while i < 4 {
            let mut together = 0;
            let mut j = 0;
            while j < 4 {
                if quadrants[squares[j] as usize] == quadrants[squares[i] as usize] {
                    together += 1;
                }
                j += 1;
            }
            if (together > 1) == crowded {
                sorted[to] = squares[i];
                to += 1;
            }
            i += 1;
        }
        if crowded {
            return sorted;
        }
        crowded = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_quadrants_hold_an_odd_number_of_empty_squares() {
        assert_eq!(odd(0), 0);
        assert_eq!(odd(1), 0x0000_0000_0F0F_0F0F);
        assert_eq!(odd(1 | 1 << 9 | 1 << 63), 0xF0F0_F0F0_0000_0000);
        assert_eq!(odd(!0), 0);
    }

    #[test]
    fn every_order_of_four_tries_lone_squares_first_and_forgets_none() {
        for (case, orders) in FOUR.iter().enumerate() {
            let quadrants = [case & 3, case >> 2 & 3, case >> 4, 0];
            let mut seen = [false; 4];
            for order in orders {
                let mut all = *order;
                all.sort_unstable();
                assert_eq!(all, [0, 1, 2, 3]);
                seen[usize::from(order[0])] = true;
                let lone = |i: u8| {
                    order[1..]
                        .iter()
                        .filter(|&&j| quadrants[usize::from(j)] == quadrants[usize::from(i)])
                        .count()
                        == 1
                };
                let lonely: Vec<_> = order[1..].iter().map(|&i| lone(i)).collect();
                assert!(lonely.is_sorted_by(|a, b| a >= b), "{case} {order:?}");
            }
            assert_eq!(seen, [true; 4]);
        }
        assert_eq!(case_of_four([0, 7, 56, 63]), 0b01_10_11);
    }
}
