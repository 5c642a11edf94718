//! Keys that tell a position, and let the board alone be told again.
//!
//! A key is a hash of the coloured stones, xor a multiple of an odd constant:
//! the multiple is the rest of the position (side to move, ko, passes), a number
//! below [`STATES`]. Multiplying by the constant's inverse therefore shows whether
//! two keys speak of the same board, which is all that positional superko asks.

use crate::point::Set;

/// More than every number that may stand for the rest of a position.
pub(crate) const STATES: u64 = 1 << 10;

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number that times `SPREAD` is one, by Newton's iteration.
const UNSPREAD: u64 = {
    let mut inverse = SPREAD;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
};

#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let wide = a as u128 * b as u128;
    wide as u64 ^ (wide >> 64) as u64
}

/// The hash of a board. No factor of a product is ever zero: each constant has
/// a bit where no point is.
#[inline]
pub(crate) const fn of_board(black: Set, white: Set) -> u64 {
    let high = (black >> 64) as u64 | ((white >> 64) as u64) << 32;
    let low = fold(black as u64 ^ 0xA076_1D64_78BD_642F, white as u64 ^ 0xE703_7ED1_A0B4_28DB);
    fold(low ^ 0x8EBC_6AF0_9C88_C6E3, high ^ 0xD899_65CC_7537_4CC3)
}

/// The key of a position.
#[inline]
pub(crate) const fn of_position(board: u64, state: u64) -> u64 {
    board ^ state.wrapping_mul(SPREAD)
}

/// Whether the key belongs to a position with this board, whatever else it is.
#[inline]
pub(crate) const fn has_board(key: u64, board: u64) -> bool {
    (key ^ board).wrapping_mul(UNSPREAD) < STATES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::BOARD;
    use proptest::prelude::*;

    #[test]
    fn constants_are_what_they_claim() {
        assert_eq!(SPREAD.wrapping_mul(UNSPREAD), 1);
        assert_ne!(0xA076_1D64_78BD_642F & !(BOARD as u64), 0);
        assert_ne!(0xE703_7ED1_A0B4_28DB & !(BOARD as u64), 0);
        assert_eq!(BOARD >> 64 >> 26, 0, "the upper rows fit side by side");
    }

    proptest! {
        #[test]
        fn keys_know_their_board_and_no_other(
            black in any::<u128>(),
            white in any::<u128>(),
            point in 0_u32..81,
            state in 0..STATES,
        ) {
            let (black, white) = (black & BOARD, white & BOARD & !black);
            let board = of_board(black, white);
            prop_assert!(has_board(of_position(board, state), board));
            let bit = 1 << (10 * (point / 9) + point % 9);
            let other = of_board(black ^ bit, white & !bit);
            prop_assert!(!has_board(of_position(other, state), board));
            if black != white {
                prop_assert!(!has_board(of_position(of_board(white, black), state), board));
            }
        }
    }
}
