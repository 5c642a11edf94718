//! The last two empty squares, without a loop.

use super::{NOTHING, Tree};
use crate::{Board, Kernel};

/// The squares around each square.
static AROUND: [u64; 64] = {
    let mut around = [0; 64];
    let mut square = 0;
    while square < 64 {
        let set = 1_u64 << square;
        let row = set | (set << 1) & 0xFEFE_FEFE_FEFE_FEFE | (set >> 1) & 0x7F7F_7F7F_7F7F_7F7F;
        around[square] = (row | row << 8 | row >> 8) & !set;
        square += 1;
    }
    around
};

/// What a disc on the empty `square` flips; quick where no opponent stands near.
#[inline(always)]
pub(super) fn flips<K: Kernel>(board: &Board<K>, square: u8) -> u64 {
    if AROUND[usize::from(square & 63)] & board.opp() == 0 {
        return 0;
    }
    board.kernel().flips(board.own(), board.opp(), square)
}

/// The value with one empty square, `empty`.
#[inline(always)]
pub(super) fn one<K: Kernel>(board: &Board<K>, empty: u64) -> i32 {
    let square = empty.trailing_zeros() as u8;
    let own = board.own().count_ones() as i32;
    let mine = board.kernel().flips(board.own(), board.opp(), square).count_ones() as i32;
    if mine != 0 {
        return 2 * (own + mine + 1) - 64;
    }
    let theirs = board.kernel().flips(board.opp(), board.own(), square).count_ones() as i32;
    if theirs != 0 {
        return 2 * (own - theirs) - 64;
    }
    board.final_margin()
}

/// The value with two empty squares.
#[inline(always)]
pub(super) fn two<K: Kernel>(
    tree: &mut Tree,
    board: &Board<K>,
    empty: u64,
    alpha: i32,
    beta: i32,
) -> i32 {
    match best_of_two(tree, board, empty, beta) {
        NOTHING => match best_of_two(tree, &board.passed(), empty, -alpha) {
            NOTHING => board.final_margin(),
            theirs => -theirs,
        },
        mine => mine,
    }
}

/// The better of two moves, the first alone if it reaches `beta`; [`NOTHING`]
/// when there is none.
#[inline(always)]
fn best_of_two<K: Kernel>(tree: &mut Tree, board: &Board<K>, empty: u64, beta: i32) -> i32 {
    let first = empty & empty.wrapping_neg();
    let second = empty ^ first;
    let mut best = NOTHING;
    for (square, left) in [(first, second), (second, first)] {
        let square = square.trailing_zeros() as u8;
        let flips = flips(board, square);
        if flips != 0 {
            tree.nodes += 1;
            best = best.max(-one(&board.placed(square, flips), left));
            if best >= beta {
                break;
            }
        }
    }
    best
}
