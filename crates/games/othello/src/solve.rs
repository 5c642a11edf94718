//! Exact endgames: the disc difference under perfect play, and a move for it.
//!
//! Fail-soft negamax in three layers. With many empty squares, moves that leave
//! the opponent few replies come first, a principal variation search asks by null
//! windows whether the others are better, and a table remembers whole boards.
//! With few, squares are tried by parity: those in quadrants with an odd number
//! of empty squares first, to make the last move there. The last two squares are
//! straight code.
//!
//! Invariant: a result, its move and its node count depend on the position alone,
//! for entries of earlier calls are never believed.

mod last;
mod order;
mod table;

use crate::{Board, Kernel, Move};
use evalsmith_core::{Outcome, Position, Solve, Solved};
use order::Ordered;
pub use order::{CORNERS, odd_quadrants};
use table::Table;

/// With at most so many empty squares, parity alone orders the moves.
const SHALLOW: u32 = 5;
/// With at least so many empty squares, boards are remembered.
const REMEMBERED: u32 = 8;
/// Worse than every result.
const NOTHING: i32 = -100;

/// An endgame solver with its table; make it once and solve many positions.
#[derive(Debug)]
pub struct Endgame {
    tree: Tree,
}

#[derive(Debug)]
struct Tree {
    table: Table,
    nodes: u64,
}

impl Endgame {
    /// A solver with an empty table of two MiB.
    pub fn new() -> Self {
        Self { tree: Tree { table: Table::new(), nodes: 0 } }
    }
}

impl Default for Endgame {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Kernel> Solve<Board<K>> for Endgame {
    /// The empty squares.
    fn moves_left(&self, board: &Board<K>) -> u32 {
        board.empty().count_ones()
    }

    fn solve(&mut self, board: &Board<K>) -> Solved<Move> {
        let tree = &mut self.tree;
        tree.nodes = 1;
        tree.table.forget();
        let moves = board.mobility();
        let (margin, best) = if moves != 0 {
            best_move(tree, *board, moves)
        } else if board.opponent_mobility() != 0 {
            (-negamax(tree, board.passed(), -64, 64), Some(Move::PASS))
        } else {
            (board.final_margin(), None)
        };
        Solved { outcome: Outcome::by(margin as i16), best, nodes: tree.nodes }
    }
}

fn best_move<K: Kernel>(tree: &mut Tree, board: Board<K>, moves: u64) -> (i32, Option<Move>) {
    let (mut best, mut best_move) = (NOTHING, None);
    for m in Ordered::new(&board, moves, None) {
        let child = board.play(m);
        let mut value = NOTHING;
        if best_move.is_some() {
            value = -negamax(tree, child, -best - 1, -best);
        }
        if best_move.is_none() || value > best {
            value = -negamax(tree, child, -64, -best.max(-64));
        }
        if value > best {
            (best, best_move) = (value, Some(m));
        }
    }
    (best, best_move)
}

/// The value of a position, exact between `alpha` and `beta` and a bound beyond,
/// by the fastest code this machine runs.
fn negamax<K: Kernel>(tree: &mut Tree, board: Board<K>, alpha: i32, beta: i32) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if evalsmith_core::x86_v3_available() {
        // SAFETY: the processor has every feature the function was compiled for.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        return unsafe { deep_x86_v3(tree, board, alpha, beta) };
    }
    deep(tree, board, alpha, beta)
}

macro_rules! searchers {
    ($(#[$attribute:meta])* $deep:ident, $shallow:ident) => {
        $(#[$attribute])*
        fn $deep<K: Kernel>(tree: &mut Tree, board: Board<K>, alpha: i32, beta: i32) -> i32 {
            let empty = board.empty().count_ones();
            if empty <= SHALLOW {
                return $shallow(tree, board, alpha, beta);
            }
            tree.nodes += 1;
            let moves = board.mobility();
            if moves == 0 {
                return match board.opponent_mobility() {
                    0 => board.final_margin(),
                    _ => -$deep(tree, board.passed(), -beta, -alpha),
                };
            }
            let remembered = empty >= REMEMBERED;
            let (mut low, mut high, mut first) = (alpha, beta, None);
            if remembered && let Some(known) = tree.table.get(&board) {
                if known.lower >= beta || known.lower == known.upper {
                    return known.lower;
                }
                if known.upper <= alpha {
                    return known.upper;
                }
                (low, high) = (alpha.max(known.lower), beta.min(known.upper));
                first = Some(known.best);
            }
            let window = (low, high);
            let (mut best, mut best_move) = (NOTHING, Move::PASS);
            for m in Ordered::new(&board, moves, first) {
                let child = board.play(m);
                let mut value = NOTHING;
                if best > NOTHING {
                    value = -$deep(tree, child, -low - 1, -low);
                }
                if best == NOTHING || (low < value && value < high) {
                    value = -$deep(tree, child, -high, -low);
                }
                if value > best {
                    (best, best_move) = (value, m);
                    low = low.max(value);
                    if low >= high {
                        break;
                    }
                }
            }
            if remembered {
                tree.table.put(&board, best, window, best_move);
            }
            best
        }

        $(#[$attribute])*
        fn $shallow<K: Kernel>(tree: &mut Tree, board: Board<K>, alpha: i32, beta: i32) -> i32 {
            tree.nodes += 1;
            let empty = board.empty();
            match empty.count_ones() {
                0 => return board.final_margin(),
                1 => return last::one(&board, empty),
                2 => return last::two(tree, &board, empty, alpha, beta),
                _ => {}
            }
            let odd = odd_quadrants(empty);
            let (mut best, mut low) = (NOTHING, alpha);
            for mut squares in [empty & odd, empty & !odd] {
                while squares != 0 {
                    let square = squares.trailing_zeros() as u8;
                    squares &= squares - 1;
                    let flips = last::flips(&board, square);
                    if flips == 0 {
                        continue;
                    }
                    let value = -$shallow(tree, board.placed(square, flips), -beta, -low);
                    if value > best {
                        best = value;
                        if value >= beta {
                            return best;
                        }
                        low = low.max(value);
                    }
                }
            }
            if best > NOTHING {
                return best;
            }
            match board.opponent_mobility() {
                0 => board.final_margin(),
                _ => -$shallow(tree, board.passed(), -beta, -alpha),
            }
        }
    };
}

searchers!(deep, shallow);
searchers!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    deep_x86_v3,
    shallow_x86_v3
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Othello, Portable};
    use evalsmith_core::{Game, rng};
    use proptest::prelude::*;
    use rand::RngExt;

    /// Plain minimax to the end, every position visited.
    fn plain(board: &Board<Portable>) -> i32 {
        match board.outcome() {
            Some(outcome) => i32::from(outcome.margin()),
            None => board.moves().map(|m| -plain(&board.play(m))).max().expect("moves"),
        }
    }

    fn random_endgame(index: u64, empties: u32) -> Option<Board<Portable>> {
        let mut random = rng::stream(5, "endgames", index);
        let mut board = Othello::new().start();
        while board.empty().count_ones() > empties {
            let moves: Vec<_> = board.moves().collect();
            if moves.is_empty() {
                return None;
            }
            board = board.play(moves[random.random_range(0..moves.len())]);
        }
        Some(board)
    }

    #[test]
    fn equals_plain_minimax_and_the_move_reaches_the_value() {
        let mut solver = Endgame::new();
        let mut solved = 0;
        for index in 0..1500 {
            let Some(board) = random_endgame(index, 1 + (index % 8) as u32) else { continue };
            let found = solver.solve(&board);
            assert_eq!(i32::from(found.outcome.margin()), plain(&board), "{board:?}");
            match found.best {
                Some(m) => {
                    assert_eq!(i32::from(found.outcome.margin()), -plain(&board.play(m)), "{m}");
                }
                None => assert!(board.outcome().is_some()),
            }
            solved += 1;
        }
        assert!(solved > 1400, "{solved}");
    }

    #[test]
    fn nothing_depends_on_what_was_solved_before() {
        let boards: Vec<_> = (0..30).filter_map(|i| random_endgame(i, 12)).collect();
        let mut used = Endgame::new();
        let first: Vec<_> = boards.iter().map(|b| used.solve(b)).collect();
        let backwards: Vec<_> = boards.iter().rev().map(|b| used.solve(b)).collect();
        let fresh: Vec<_> = boards.iter().map(|b| Endgame::new().solve(b)).collect();
        assert_eq!(first, fresh);
        assert!(first.iter().eq(backwards.iter().rev()));
    }

    #[test]
    fn both_kernels_solve_alike() {
        let Some(game) = Othello::detect() else { return };
        for board in (100..130).filter_map(|i| random_endgame(i, 11)) {
            let fast =
                Board::new(board.own(), board.opp(), game.start().kernel()).expect("disjoint");
            assert_eq!(Endgame::new().solve(&board), Endgame::new().solve(&fast));
        }
    }

    proptest! {
        #[test]
        fn any_board_with_few_empties_is_solved(
            own in any::<u64>(), holes in proptest::collection::vec(0..64_u32, 0..=7),
        ) {
            let filled = holes.iter().fold(!0_u64, |set, hole| set & !(1 << hole));
            let board = Board::new(own & filled, !own & filled, Portable).expect("disjoint");
            let found = Endgame::new().solve(&board);
            prop_assert_eq!(i32::from(found.outcome.margin()), plain(&board));
        }
    }
}
