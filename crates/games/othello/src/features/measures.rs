//! Further measures of a position, each the mover's part minus the opponent's:
//! enough for Samuel's signature tables, which want two dozen, and for anybody
//! who asks what else might count.

use super::{
    BORDER, C_SQUARES, CORNERS, INTERIOR, NOT_A, NOT_H, Scratch, X_SQUARES, anchored, count,
    neighbours,
};
use crate::{Board, Kernel};
use evalsmith_core::Position;

/// The squares two from a corner on an edge, and those in the middle of one.
const A_SQUARES: u64 = 0x2400_8100_0081_0024;
const B_SQUARES: u64 = 0x1800_0081_8100_0018;
/// The ring inside the border.
const RING: u64 = 0x007E_4242_4242_7E00;
const CENTRE: u64 = 0x0000_3C3C_3C3C_0000;

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Measure {
    Moves,
    CornerMoves,
    CMoves,
    XMoves,
    EdgeMoves,
    CentreMoves,
    OwnMoves,
    Corners,
    CSquares,
    XSquares,
    ASquares,
    BSquares,
    Border,
    Ring,
    Centre,
    Frontier,
    Surrounded,
    Liberties,
    OpenPairs,
    StableEdge,
    Locked,
    Parity,
    OddRegions,
    Stuck,
    Random,
}

/// All measures with their names.
pub(super) const ALL: [(Measure, &str); 25] = [
    (Measure::Moves, "moves"),
    (Measure::CornerMoves, "corner-moves"),
    (Measure::CMoves, "c-moves"),
    (Measure::XMoves, "x-moves"),
    (Measure::EdgeMoves, "edge-moves"),
    (Measure::CentreMoves, "centre-moves"),
    (Measure::OwnMoves, "own-moves"),
    (Measure::Corners, "corners"),
    (Measure::CSquares, "c-squares"),
    (Measure::XSquares, "x-squares"),
    (Measure::ASquares, "a-squares"),
    (Measure::BSquares, "b-squares"),
    (Measure::Border, "border"),
    (Measure::Ring, "ring"),
    (Measure::Centre, "centre"),
    (Measure::Frontier, "frontier"),
    (Measure::Surrounded, "surrounded"),
    (Measure::Liberties, "liberties"),
    (Measure::OpenPairs, "open-pairs"),
    (Measure::StableEdge, "stable-edge"),
    (Measure::Locked, "locked"),
    (Measure::Parity, "parity"),
    (Measure::OddRegions, "odd-regions"),
    (Measure::Stuck, "stuck"),
    (Measure::Random, "random"),
];

/// The measure of a position.
#[inline]
pub(super) fn get<K: Kernel>(measure: Measure, board: &Board<K>, scratch: &mut Scratch) -> f32 {
    let (own, opp, empty) = (board.own(), board.opp(), board.empty());
    let discs = |set: u64| count(own & set) - count(opp & set);
    let moves = |set: u64| count(board.mobility() & set) - count(board.opponent_mobility() & set);
    let value = match measure {
        Measure::Moves => moves(u64::MAX),
        Measure::CornerMoves => moves(CORNERS),
        Measure::CMoves => moves(C_SQUARES & scratch.risky(empty)),
        Measure::XMoves => moves(X_SQUARES & scratch.risky(empty)),
        Measure::EdgeMoves => moves(A_SQUARES | B_SQUARES),
        Measure::CentreMoves => moves(CENTRE),
        // Moves that only one side has cannot be taken away by the other's.
        Measure::OwnMoves => {
            let (mine, theirs) = (board.mobility(), board.opponent_mobility());
            count(mine & !theirs) - count(theirs & !mine)
        }
        Measure::Corners => discs(CORNERS),
        Measure::CSquares => discs(C_SQUARES & scratch.risky(empty)),
        Measure::XSquares => discs(X_SQUARES & scratch.risky(empty)),
        Measure::ASquares => discs(A_SQUARES),
        Measure::BSquares => discs(B_SQUARES),
        Measure::Border => discs(BORDER),
        Measure::Ring => discs(RING),
        Measure::Centre => discs(CENTRE),
        Measure::Frontier => -discs(scratch.exposed(empty) & INTERIOR),
        Measure::Surrounded => discs(!scratch.exposed(empty)),
        Measure::Liberties => count(neighbours(opp) & empty) - count(neighbours(own) & empty),
        Measure::OpenPairs => open_pairs(opp, empty) - open_pairs(own, empty),
        Measure::StableEdge => count(anchored(own) & BORDER) - count(anchored(opp) & BORDER),
        Measure::Locked => discs(locked(!empty)),
        // With an odd number of empty squares the mover also moves last.
        Measure::Parity => 2 * (count(empty) & 1) - 1,
        Measure::OddRegions => odd_regions(empty),
        Measure::Stuck => {
            i32::from(board.opponent_mobility() == 0) - i32::from(board.mobility() == 0)
        }
        Measure::Random => return random(board.key()),
    };
    value as f32
}

/// Pairs of a disc inside the border and an empty square beside it.
#[inline]
fn open_pairs(discs: u64, empty: u64) -> i32 {
    let inner = discs & INTERIOR;
    [1, 7, 8, 9]
        .iter()
        .map(|step| count(inner & (empty << step)) + count(inner & (empty >> step)))
        .sum()
}

/// Squares whose row, column and diagonals are all full: nothing can flip a disc
/// there.
fn locked(full: u64) -> u64 {
    // In each direction, what an empty square can see along full squares.
    let empty = !full;
    let line = |step: u32, up: u64, down: u64| {
        let (mut ahead, mut back) = (empty, empty);
        for _ in 0..7 {
            ahead |= (ahead << step) & up;
            back |= (back >> step) & down;
        }
        ahead | back
    };
    let all = u64::MAX;
    let open =
        line(1, NOT_A, NOT_H) | line(8, all, all) | line(9, NOT_A, NOT_H) | line(7, NOT_H, NOT_A);
    full & !open
}

/// Connected regions of an odd number of empty squares.
fn odd_regions(mut empty: u64) -> i32 {
    let mut odd = 0;
    while empty != 0 {
        let mut region = empty & empty.wrapping_neg();
        loop {
            let more = neighbours(region) & empty;
            if more == region {
                break;
            }
            region = more;
        }
        odd += count(region) & 1;
        empty &= !region;
    }
    odd
}

/// A number that means nothing: about normal, of mean zero and variance one, the
/// same for equal positions.
fn random(key: u64) -> f32 {
    let word =
        |i: u32| (key.rotate_left(17).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (16 * i)) as u16;
    let sum: f32 = (0..4).map(|i| f32::from(word(i)) / 65536.0 - 0.5).sum();
    sum * 3.0_f32.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Portable;
    use proptest::prelude::*;

    fn around(s: i32) -> impl Iterator<Item = i32> {
        (0..64).filter(move |&t| t != s && (t / 8 - s / 8).abs() <= 1 && (t % 8 - s % 8).abs() <= 1)
    }

    fn has(set: u64, s: i32) -> bool {
        set >> s & 1 == 1
    }

    /// Square by square, as the names say.
    fn obvious(measure: Measure, board: &Board<Portable>) -> Option<i32> {
        let (own, opp, empty) = (board.own(), board.opp(), board.empty());
        let by_empty_corner = |s: i32| around(s).any(|t| has(empty & CORNERS, t));
        let exposed = |s: i32| around(s).any(|t| has(empty, t));
        let (row, column) = (|s: i32| (s / 8).min(7 - s / 8), |s: i32| (s % 8).min(7 - s % 8));
        let low = |s: i32| row(s).min(column(s));
        let high = |s: i32| row(s).max(column(s));
        let difference = |mine: u64, theirs: u64, of: &dyn Fn(i32) -> bool| -> i32 {
            let sum = |set: u64| (0..64).filter(|&s| has(set, s) && of(s)).count() as i32;
            sum(mine) - sum(theirs)
        };
        let (mine, theirs) = (board.mobility(), board.opponent_mobility());
        let full_line = |s: i32, dx: i32, dy: i32| {
            let on = |x: i32, y: i32| (0..8).contains(&x) && (0..8).contains(&y);
            [1, -1].iter().all(|sign| {
                (0..8)
                    .map(|k| (s % 8 + sign * k * dx, s / 8 + sign * k * dy))
                    .take_while(|&(x, y)| on(x, y))
                    .all(|(x, y)| !has(empty, 8 * y + x))
            })
        };
        let locked =
            |s: i32| [(1, 0), (0, 1), (1, 1), (1, -1)].iter().all(|d| full_line(s, d.0, d.1));
        Some(match measure {
            Measure::Moves => difference(mine, theirs, &|_| true),
            Measure::CornerMoves => difference(mine, theirs, &|s| high(s) == 0),
            Measure::CMoves => {
                difference(mine, theirs, &|s| (low(s), high(s)) == (0, 1) && by_empty_corner(s))
            }
            Measure::XMoves => {
                difference(mine, theirs, &|s| (low(s), high(s)) == (1, 1) && by_empty_corner(s))
            }
            Measure::EdgeMoves => difference(mine, theirs, &|s| low(s) == 0 && high(s) >= 2),
            Measure::CentreMoves => difference(mine, theirs, &|s| low(s) >= 2),
            Measure::Corners => difference(own, opp, &|s| high(s) == 0),
            Measure::CSquares => {
                difference(own, opp, &|s| (low(s), high(s)) == (0, 1) && by_empty_corner(s))
            }
            Measure::XSquares => {
                difference(own, opp, &|s| (low(s), high(s)) == (1, 1) && by_empty_corner(s))
            }
            Measure::ASquares => difference(own, opp, &|s| (low(s), high(s)) == (0, 2)),
            Measure::BSquares => difference(own, opp, &|s| (low(s), high(s)) == (0, 3)),
            Measure::Border => difference(own, opp, &|s| low(s) == 0),
            Measure::Ring => difference(own, opp, &|s| low(s) == 1),
            Measure::Centre => difference(own, opp, &|s| low(s) >= 2),
            Measure::Frontier => difference(opp, own, &|s| low(s) >= 1 && exposed(s)),
            Measure::Surrounded => difference(own, opp, &|s| !exposed(s)),
            Measure::Liberties => {
                let beside = |set: u64| difference(empty, 0, &|s| around(s).any(|t| has(set, t)));
                beside(opp) - beside(own)
            }
            Measure::OpenPairs => {
                let pairs = |set: u64| -> i32 {
                    (0..64)
                        .filter(|&s| has(set, s) && low(s) >= 1)
                        .map(|s| around(s).filter(|&t| has(empty, t)).count() as i32)
                        .sum()
                };
                pairs(opp) - pairs(own)
            }
            Measure::Locked => difference(own, opp, &locked),
            _ => return None,
        })
    }

    proptest! {
        #[test]
        fn bit_tricks_equal_the_obvious(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            // Sparse and dense boards in turn: few are full enough to lock a disc.
            let full = if c & 1 == 0 { b } else { b | c | c.rotate_left(11) | a.rotate_left(29) };
            let board = Board::new(a & full, full & !a, Portable).expect("disjoint");
            for (measure, name) in ALL {
                let found = get(measure, &board, &mut Scratch::default());
                if let Some(slow) = obvious(measure, &board) {
                    prop_assert_eq!(found, slow as f32, "{}", name);
                }
                prop_assert!(found.is_finite());
            }
        }
    }

    #[test]
    fn regions_and_parity_are_those_of_a_drawn_board() {
        // a1 alone; c1 and d1; f8: two odd regions and one even one.
        let empty = 1 | 0b1100 | 1 << 61;
        assert_eq!(odd_regions(empty), 2);
        let board = Board::new(!empty, 0, Portable).expect("disjoint");
        let value = |m| get(m, &board, &mut Scratch::default());
        assert_eq!((value(Measure::OddRegions), value(Measure::Parity)), (2.0, -1.0));
        let odd = Board::new(!1, 0, Portable).expect("disjoint");
        assert_eq!(get(Measure::Parity, &odd, &mut Scratch::default()), 1.0);
    }

    #[test]
    fn random_numbers_are_about_normal() {
        let numbers: Vec<f64> = (0..20_000_u64)
            .map(|i| {
                let own = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let board = Board::new(own, !own & (own << 7), Portable).expect("disjoint");
                f64::from(random(board.key()))
            })
            .collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
