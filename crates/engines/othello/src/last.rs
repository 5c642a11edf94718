//! The last four empty squares, without loops or lists.
//!
//! Every function answers for the null window above `alpha`: a value over `alpha`
//! is a lower bound of the true one, another an upper bound. The last flips are
//! only counted, and squares are tried by the parity of their quadrants.

use crate::order::neighbours;
use crate::quadrants::{FOUR, case_of_four};
use crate::stable::Stability;
use crate::twice::compiled_twice;
use evalsmith_othello::{Board, Kernel};

/// Worse than every result.
pub(crate) const NOTHING: i32 = -100;

/// What the drivers near the leaves carry along.
#[derive(Debug)]
pub(crate) struct Leaves {
    /// Positions visited.
    pub(crate) nodes: u64,
    pub(crate) stability: Stability,
}

/// The squares around each square.
static AROUND: [u64; 64] = {
    let mut around = [0; 64];
    let mut square = 0;
    while square < 64 {
        let set = 1_u64 << square;
        around[square] = neighbours(set) & !set;
        square += 1;
    }
    around
};

/// What a disc on the empty `square` flips; quick where no opponent stands near.
#[inline(always)]
fn flips<K: Kernel>(board: &Board<K>, square: u8) -> u64 {
    if AROUND[usize::from(square & 63)] & board.opp() == 0 {
        return 0;
    }
    board.kernel().flips(board.own(), board.opp(), square)
}

/// The value for the owner of `own`, who is to move; only `square` is empty.
#[inline(always)]
fn one<K: Kernel>(kernel: K, own: u64, square: u8, alpha: i32) -> i32 {
    let discs = own.count_ones() as i32;
    let mine = kernel.last_flips(own, square) as i32;
    if mine != 0 {
        return 2 * (discs + mine) - 62;
    }
    // Nobody moving: the last square goes to the winner.
    let still = if discs >= 32 { 2 * discs - 62 } else { 2 * discs - 64 };
    if still <= alpha {
        return still;
    }
    let opp = !own & !(1 << (square & 63));
    match kernel.last_flips(opp, square) as i32 {
        0 => still,
        theirs => 2 * (discs - theirs) - 64,
    }
}

/// The best of two moves, [`NOTHING`] where there is none.
#[inline(always)]
fn either<K: Kernel>(
    leaves: &mut Leaves,
    board: &Board<K>,
    alpha: i32,
    [first, second]: [u8; 2],
) -> i32 {
    let mut best = NOTHING;
    let set = flips(board, first);
    if set != 0 {
        leaves.nodes += 1;
        best = -one(board.kernel(), board.opp() ^ set, second, !alpha);
        if best > alpha {
            return best;
        }
    }
    let set = flips(board, second);
    if set != 0 {
        leaves.nodes += 1;
        best = best.max(-one(board.kernel(), board.opp() ^ set, first, !alpha));
    }
    best
}

/// The value with two empty squares.
#[inline(always)]
fn two<K: Kernel>(leaves: &mut Leaves, board: &Board<K>, alpha: i32, squares: [u8; 2]) -> i32 {
    leaves.nodes += 1;
    match either(leaves, board, alpha, squares) {
        NOTHING => match either(leaves, &board.passed(), !alpha, squares) {
            NOTHING => board.final_margin(),
            theirs => -theirs,
        },
        mine => mine,
    }
}

/// The `N` squares of a set.
#[inline(always)]
fn squares_of<const N: usize>(mut empty: u64) -> [u8; N] {
    std::array::from_fn(|_| {
        let square = empty.trailing_zeros() as u8;
        empty &= empty.wrapping_sub(1);
        square
    })
}

compiled_twice! {
    with ;

    /// The value with three empty squares.
    pub(crate) fn three<K: Kernel>(
        leaves: &mut Leaves,
        mut board: Board<K>,
        mut alpha: i32,
        [a, b, c]: [u8; 3],
    ) -> i32 {
        leaves.nodes += 1;
        let mut sign = 1;
        loop {
            let mut best = NOTHING;
            let set = flips(&board, a);
            if set != 0 {
                best = -two(leaves, &board.placed(a, set), !alpha, [b, c]);
                if best > alpha {
                    return sign * best;
                }
            }
            let set = flips(&board, b);
            if set != 0 {
                best = best.max(-two(leaves, &board.placed(b, set), !alpha, [a, c]));
                if best > alpha {
                    return sign * best;
                }
            }
            let set = flips(&board, c);
            if set != 0 {
                best = best.max(-two(leaves, &board.placed(c, set), !alpha, [a, b]));
            }
            if best != NOTHING {
                return sign * best;
            }
            if sign < 0 {
                return -board.final_margin();
            }
            board = board.passed();
            alpha = !alpha;
            sign = -1;
        }
    }

    /// The value with four empty squares.
    pub(crate) fn four<K: Kernel>(leaves: &mut Leaves, board: Board<K>, alpha: i32) -> i32 {
        leaves.nodes += 1;
        if leaves.stability.may_bound(4, alpha) {
            let bound = leaves.stability.bound(&board);
            if bound <= alpha {
                return bound;
            }
        }
        let squares: [u8; 4] = squares_of(board.empty());
        let orders = &FOUR[case_of_four(squares)];
        let best = best_of_four(leaves, &board, alpha, squares, orders);
        if best != NOTHING {
            return best;
        }
        let best = best_of_four(leaves, &board.passed(), !alpha, squares, orders);
        if best != NOTHING {
            return -best;
        }
        board.final_margin()
    }

    fn best_of_four<K: Kernel>(
        leaves: &mut Leaves,
        board: &Board<K>,
        alpha: i32,
        squares: [u8; 4],
        orders: &[[u8; 4]; 4],
    ) -> i32 {
        let mut best = NOTHING;
        for order in orders {
            let [first, rest @ ..] = order.map(|i| squares[usize::from(i & 3)]);
            let set = flips(board, first);
            if set != 0 {
                best = best.max(-three(leaves, board.placed(first, set), !alpha, rest));
                if best > alpha {
                    break;
                }
            }
        }
        best
    }

    /// The value with at most four empty squares.
    pub(crate) fn few<K: Kernel>(leaves: &mut Leaves, board: Board<K>, alpha: i32) -> i32 {
        match board.empty().count_ones() {
            4 => four(leaves, board, alpha),
            3 => three(leaves, board, alpha, squares_of(board.empty())),
            2 => two(leaves, &board, alpha, squares_of(board.empty())),
            1 => {
                leaves.nodes += 1;
                one(board.kernel(), board.own(), board.empty().trailing_zeros() as u8, alpha)
            }
            _ => {
                leaves.nodes += 1;
                board.final_margin()
            }
        }
    }
}
