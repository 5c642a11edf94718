//! BILL's four features (lee86, section 3.2), and two that mean something else
//! at every stage: discs are a burden early and all that counts in the end.
//!
//! Each is the mover's part minus the opponent's by the same measure; only the
//! edge table also knows whose move it is. Typical values lie between -20 and 20.
//!
//! | feature | unit | measure |
//! |---|---|---|
//! | `mobility` | moves | legal moves; a corner counts 3, next to an empty corner a C-square counts ½ and an X-square 0 |
//! | `potential` | squares | half of: the other side's frontier discs, the empty squares beside its discs, and half the pairs of both |
//! | `squares` | points | a table of squares, less for C- and X-squares by an empty corner, more for surrounded discs |
//! | `edge` | stable discs, about | a table of all edges, filled by [probabilistic minimax](edge) |
//! | `discs` | discs | the difference |
//! | `stable` | discs | those that hang together with an own corner so that nothing can flip them |
//!
//! BILL's tables were never printed; the weights here are this project's own.

mod chosen;
pub mod edge;
mod lines;
mod measures;

pub use chosen::{Chosen, Selection};

use crate::{Board, Kernel, edges};
use evalsmith_core::Features;

const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares beside a corner on the edge.
const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// The squares beside a corner on the diagonal.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
const BORDER: u64 = 0xFF81_8181_8181_81FF;
const SIDES: u64 = 0x8181_8181_8181_8181;
const ENDS: u64 = 0xFF00_0000_0000_00FF;
const INTERIOR: u64 = 0x007E_7E7E_7E7E_7E00;
const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

const COUNT: usize = 6;
const NAMES: [&str; COUNT] = ["mobility", "potential", "squares", "edge", "discs", "stable"];

/// The features.
#[derive(Clone, Copy, Debug)]
pub struct Bill {
    edges: &'static edge::Table,
}

impl Bill {
    /// Log-odds of a win per unit of each feature: round numbers of the size that
    /// tournament games suggest, with more weight on mobility and edges, which won
    /// more games at three plies. One weight for the whole game cannot use the
    /// last two features.
    pub const HAND_WEIGHTS: [f64; COUNT] = [0.10, 0.12, 0.05, 0.15, 0.0, 0.0];

    /// The features; the first call in a process fills the edge table.
    pub fn new() -> Self {
        Self { edges: edge::table() }
    }
}

impl Default for Bill {
    fn default() -> Self {
        Self::new()
    }
}

/// What the features of one position share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch {
    /// The squares beside an empty square.
    exposed: Option<u64>,
    /// The squares beside an empty corner.
    risky: Option<u64>,
}

impl Scratch {
    #[inline(always)]
    fn exposed(&mut self, empty: u64) -> u64 {
        *self.exposed.get_or_insert_with(|| neighbours(empty))
    }

    #[inline(always)]
    fn risky(&mut self, empty: u64) -> u64 {
        *self.risky.get_or_insert_with(|| neighbours(empty & CORNERS))
    }
}

impl<K: Kernel> Features<Board<K>> for Bill {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    #[inline(always)]
    fn count(&self) -> usize {
        COUNT
    }

    #[inline(always)]
    fn get(&self, board: &Board<K>, i: usize, scratch: &mut Scratch) -> f32 {
        match i {
            0 => mobility(board, scratch),
            1 => potential(board, scratch),
            2 => squares(board, scratch),
            3 => self.edges.sum(edges::numbers(board.own(), board.opp())),
            4 => (count(board.own()) - count(board.opp())) as f32,
            5 => (count(anchored(board.own())) - count(anchored(board.opp()))) as f32,
            _ => panic!("feature {i} of {COUNT}"),
        }
    }
}

/// Every square within one step, the set itself included.
#[inline(always)]
const fn neighbours(set: u64) -> u64 {
    let row = set | (set << 1) & NOT_A | (set >> 1) & NOT_H;
    row | row << 8 | row >> 8
}

#[inline(always)]
const fn count(set: u64) -> i32 {
    set.count_ones() as i32
}

#[inline(always)]
fn mobility<K: Kernel>(board: &Board<K>, scratch: &mut Scratch) -> f32 {
    let risky = scratch.risky(board.empty());
    let halves = |moves: u64| {
        2 * count(moves & !(risky & X_SQUARES)) + 4 * count(moves & CORNERS)
            - count(moves & risky & C_SQUARES)
    };
    0.5 * (halves(board.mobility()) - halves(board.opponent_mobility())) as f32
}

/// Where the opponent's discs lie open, future moves are to be had. Discs on the
/// edge count only through the empty squares beside them: nothing flips them but
/// a move along the edge.
#[inline(always)]
fn potential<K: Kernel>(board: &Board<K>, scratch: &mut Scratch) -> f32 {
    let (own, opp, empty) = (board.own(), board.opp(), board.empty());
    let exposed = scratch.exposed(empty) & INTERIOR;
    let frontiers = count(opp & exposed) - count(own & exposed);
    let beside = count(neighbours(opp) & empty) - count(neighbours(own) & empty);
    // Interior discs cannot wrap around the board's sides.
    let (own, opp) = (own & INTERIOR, opp & INTERIOR);
    let mut pairs = 0;
    for step in [1, 7, 8, 9] {
        let (up, down) = (empty << step, empty >> step);
        pairs += count(opp & up) + count(opp & down) - count(own & up) - count(own & down);
    }
    0.25 * (2 * (frontiers + beside) + pairs) as f32
}

/// Squares of equal worth in quarter points. The edge's own worth is the edge
/// table's business; here its squares only differ a little.
const WORTH: [(i32, u64); 5] = [
    (24, CORNERS),
    // A- and B-squares: c1, d1 and their images.
    (2, 0x3C00_0081_8100_003C | 0x0000_8100_0081_0000),
    // The second ring without X-squares lies open longest.
    (-2, 0x003C_4242_4242_3C00),
    (2, 0x0000_2400_0024_0000),
    (1, 0x0000_183C_3C18_0000),
];

#[inline(always)]
fn squares<K: Kernel>(board: &Board<K>, scratch: &mut Scratch) -> f32 {
    let empty = board.empty();
    let risky = scratch.risky(empty);
    let surrounded = !scratch.exposed(empty);
    let quarters = |discs: u64| {
        let placed: i32 = WORTH.iter().map(|&(worth, set)| worth * count(discs & set)).sum();
        placed + 3 * count(discs & surrounded)
            - 10 * count(discs & risky & X_SQUARES)
            - 4 * count(discs & risky & C_SQUARES)
    };
    0.25 * (quarters(board.own()) - quarters(board.opp())) as f32
}

/// Discs that cannot be flipped because in each of the four directions they
/// stand at the board's border or beside a disc that cannot be flipped either.
#[inline(always)]
const fn anchored(discs: u64) -> u64 {
    let mut safe = 0;
    loop {
        let (east, west) = ((safe << 1) & NOT_A, (safe >> 1) & NOT_H);
        let across = east | west | SIDES;
        let upright = safe << 8 | safe >> 8 | ENDS;
        let falling = east << 8 | west >> 8 | BORDER;
        let rising = east >> 8 | west << 8 | BORDER;
        let more = discs & across & upright & falling & rising;
        if more == safe {
            return safe;
        }
        safe = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Othello, Portable};
    use evalsmith_core::{Game, Position, conformance};
    use proptest::prelude::*;
    use rand::RngExt;

    fn all(board: &Board<Portable>) -> Vec<f32> {
        let mut values = Vec::new();
        Bill::new().append_all(board, &mut values);
        values
    }

    #[test]
    fn features_keep_the_promises() {
        conformance::check_features(&Othello::new(), 100);
        if let Some(game) = Othello::detect() {
            conformance::check_features(&game, 100);
        }
    }

    /// Every measure again, square by square.
    fn obvious(board: &Board<Portable>) -> [f32; 3] {
        let around = |s: i32| {
            (0..64).filter(move |&t| {
                t != s && (t / 8 - s / 8).abs() <= 1 && (t % 8 - s % 8).abs() <= 1
            })
        };
        let has = |set: u64, s: i32| set >> s & 1 == 1;
        let empty = board.empty();
        let by_empty_corner = |s: i32| around(s).any(|t| has(empty & CORNERS, t));
        let exposed = |s: i32| around(s).any(|t| has(empty, t));
        let moves = |b: &Board<Portable>| -> f32 {
            let worth = |s| match s {
                _ if has(CORNERS, s) => 3.0,
                _ if has(C_SQUARES, s) && by_empty_corner(s) => 0.5,
                _ if has(X_SQUARES, s) && by_empty_corner(s) => 0.0,
                _ => 1.0,
            };
            (0..64).filter(|&s| has(b.mobility(), s)).map(worth).sum()
        };
        let open = |discs: u64| -> f32 {
            let inner: Vec<_> = (0..64).filter(|&s| has(discs & INTERIOR, s)).collect();
            let frontier = inner.iter().filter(|&&s| exposed(s)).count();
            let beside =
                (0..64).filter(|&s| has(empty, s) && around(s).any(|t| has(discs, t))).count();
            let pairs: usize =
                inner.iter().map(|&s| around(s).filter(|&t| has(empty, t)).count()).sum();
            0.5 * (frontier + beside) as f32 + 0.25 * pairs as f32
        };
        let points = |discs: u64| -> f32 {
            let worth = |s: i32| {
                let (row, column) = ((s / 8).min(7 - s / 8), (s % 8).min(7 - s % 8));
                let fixed = match (row.min(column), row.max(column)) {
                    (0, 0) => 6.0,
                    (0, 1) if by_empty_corner(s) => -1.0,
                    (1, 1) if by_empty_corner(s) => -2.5,
                    (0 | 1, 1) => 0.0,
                    (0, _) | (2, 2) => 0.5,
                    (1, _) => -0.5,
                    _ => 0.25,
                };
                fixed + if exposed(s) { 0.0 } else { 0.75 }
            };
            (0..64).filter(|&s| has(discs, s)).map(worth).sum()
        };
        let (own, opp) = (board.own(), board.opp());
        [moves(board) - moves(&board.passed()), open(opp) - open(own), points(own) - points(opp)]
    }

    proptest! {
        #[test]
        fn bit_tricks_equal_the_obvious(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            let own = a & (b | c);
            let board = Board::new(own, b & !own, Portable).expect("disjoint");
            prop_assert_eq!(&all(&board)[..3], &obvious(&board)[..]);
        }

        #[test]
        fn all_but_the_edge_change_sign_with_the_move(a in any::<u64>(), b in any::<u64>()) {
            let board = Board::new(a, b & !a, Portable).expect("disjoint");
            let (mine, theirs) = (all(&board), all(&board.passed()));
            for i in [0, 1, 2, 4, 5] {
                prop_assert_eq!(mine[i], -theirs[i]);
            }
        }
    }

    #[test]
    fn anchored_discs_are_never_flipped() {
        let mut anchored_at_all = 0;
        for game in 0..200 {
            let mut random = evalsmith_core::rng::stream(5, "anchored", game);
            let mut board = Othello::new().start();
            loop {
                let legal: Vec<_> = board.moves().collect();
                if legal.is_empty() {
                    break;
                }
                let (own, opp) = (anchored(board.own()), anchored(board.opp()));
                anchored_at_all += count(own | opp);
                board = board.play(legal[random.random_range(0..legal.len())]);
                assert_eq!(board.opp() & own, own, "{board:?}");
                assert_eq!(board.own() & opp, opp, "{board:?}");
            }
        }
        assert!(anchored_at_all > 1000, "random games take corners");
        assert_eq!(anchored(u64::MAX), u64::MAX);
        assert_eq!(anchored(0x0000_0000_0000_0307), 0x0307, "a1 to c1, a2 and b2");
    }

    #[test]
    fn features_do_not_see_symmetry() {
        let game = Othello::new();
        let record = game.parse_transcript("f5d6c3d3c4f4f6f3e6e7d7").expect("a legal game");
        for board in record.positions() {
            for symmetry in game.symmetries() {
                assert_eq!(all(&(symmetry.position)(board)), all(board), "{}", symmetry.name);
            }
        }
        assert!(record.position().outcome().is_none());
    }
}
