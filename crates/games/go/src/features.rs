//! Eight integer features, each the side to move's share less the opponent's.
//!
//! | feature | unit | measure |
//! |---|---|---|
//! | `stones` | stones | on the board; one is worth a point of area if it lives |
//! | `territory` | points | empty points fewer steps over empty points from an own stone than from an enemy one |
//! | `komi` | points | what the rules give: negative for Black |
//! | `liberties` | points | empty points beside a stone, each once |
//! | `chains` | chains | connected stones; many for the same stones are weak |
//! | `atari` | chains | with a single liberty |
//! | `hanging` | stones | of those chains |
//! | `eyes` | points | single empty points surrounded by own stones, false eyes apart |
//!
//! `stones`, `territory` and `komi` added are an estimate of the final lead.
//! The three that need chains share one walk over them, made when first asked for.
//! `atari` and `hanging` stand in for quiescence: functions that weigh them gained
//! nothing from playing captures on at the horizon, and it cost more than half of
//! their time; so no move of Go is noisy.

use crate::atoms::Points;
use crate::board::Board;
use crate::chain::{chains, is_single};
use crate::point::{BOARD, EDGE, Set, beside, diagonal};
use evalsmith_core::{Atoms, Features};

/// The features of Go.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoFeatures;

const NAMES: [&str; 8] =
    ["stones", "territory", "komi", "liberties", "chains", "atari", "hanging", "eyes"];

impl GoFeatures {
    /// Log-odds of a win per unit of each feature, round numbers found by matches
    /// between guesses at two plies: a stone that stands alone or can be taken is
    /// a burden, and early territory is not worth its points.
    pub const HAND_WEIGHTS: [f64; 8] = [0.15, 0.05, 0.12, 0.15, -0.5, -0.6, -0.3, 0.1];
}

/// What a walk over the chains of both sides found, once made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch(Option<[Chains; 2]>);

#[derive(Clone, Copy, Debug, Default)]
struct Chains {
    count: u32,
    in_atari: u32,
    hanging: u32,
}

impl Chains {
    fn of(stones: Set, empty: Set) -> Self {
        chains(stones).fold(Self::default(), |mut found, chain| {
            found.count += 1;
            if is_single(beside(chain) & empty) {
                found.in_atari += 1;
                found.hanging += chain.count_ones();
            }
            found
        })
    }
}

/// The empty points nearer to the one side than to the other, for both.
#[inline]
fn territories(own: Set, opp: Set) -> [Set; 2] {
    let mut free = BOARD & !(own | opp);
    let (mut mine, mut theirs) = (own, opp);
    loop {
        let (near_mine, near_theirs) = (beside(mine) & free, beside(theirs) & free);
        if near_mine | near_theirs == 0 {
            return [mine & !theirs & !own, theirs & !mine & !opp];
        }
        free &= !(near_mine | near_theirs);
        // What both reach at once stays with both: the ways beyond it are equal too.
        mine |= near_mine;
        theirs |= near_theirs;
    }
}

/// Single empty points with own stones on all sides, where the enemy holds at
/// most one corner, and none on the edge of the board.
#[inline]
fn eyes(own: Set, opp: Set) -> Set {
    let surrounded = BOARD & !(own | opp) & !beside(BOARD & !own);
    let [a, b, c, d] = diagonal(opp);
    let two = a & b | c & d | (a | b) & (c | d);
    surrounded & !two & !((a | b | c | d) & EDGE)
}

#[inline]
fn difference(own: u32, opp: u32) -> f32 {
    (own as i32 - opp as i32) as f32
}

impl Features<Board> for GoFeatures {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn atoms(&self) -> Option<&dyn Atoms<Board>> {
        Some(&Points)
    }

    #[inline]
    fn count(&self) -> usize {
        NAMES.len()
    }

    #[inline]
    fn get(&self, board: &Board, i: usize, scratch: &mut Scratch) -> f32 {
        let &Board { own, opp, .. } = board;
        let empty = BOARD & !(own | opp);
        let sets = match i {
            0 => [own, opp],
            1 => territories(own, opp),
            2 => return f32::from(board.own_komi()) / 2.0,
            3 => [beside(own) & empty, beside(opp) & empty],
            4..=6 => {
                let [mine, theirs] = *scratch
                    .0
                    .get_or_insert_with(|| [own, opp].map(|stones| Chains::of(stones, empty)));
                return match i {
                    4 => difference(mine.count, theirs.count),
                    5 => difference(mine.in_atari, theirs.in_atari),
                    _ => difference(mine.hanging, theirs.hanging),
                };
            }
            7 => [eyes(own, opp), eyes(opp, own)],
            _ => panic!("Go has {} features, none numbered {i}", NAMES.len()),
        };
        difference(sets[0].count_ones(), sets[1].count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Point;
    use crate::{notation, symmetry};
    use evalsmith_core::Position;
    use proptest::prelude::*;

    fn all(board: &Board) -> Vec<f32> {
        let mut row = Vec::new();
        GoFeatures.append_all(board, &mut row);
        row
    }

    #[test]
    fn features_say_what_they_are_called() {
        let of = |text: &str| all(&notation::parse(text, 15).unwrap());
        assert_eq!(of("9/9/9/9/9/9/9/9/9 b - 0"), [0.0, 0.0, -7.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // One stone owns the empty board.
        assert_eq!(of("9/9/9/9/4X4/9/9/9/9 w - 0"), [-1.0, -80.0, 7.5, -4.0, -1.0, 0.0, 0.0, 0.0]);
        // Black's wall on column C against White's on G: E is half way.
        let walls = ["2X3O2"; 9].join("/");
        assert_eq!(of(&format!("{walls} b - 0"))[..4], [0.0, 0.0, -7.5, 0.0]);
        // Two white stones in atari in the corner, below two black ones.
        let atari = of("9/9/9/9/9/9/9/XX7/OO7 b - 0");
        assert_eq!(atari[3..], [3.0 - 1.0, 1.0 - 1.0, -1.0, -2.0, 0.0]);
    }

    #[test]
    fn eyes_are_told_from_false_ones() {
        let count = |text| {
            let board = notation::parse(text, 15).unwrap();
            eyes(board.own, board.opp).count_ones()
        };
        assert_eq!(count("9/9/9/4X4/3X1X3/4X4/9/9/9 b - 0"), 1);
        assert_eq!(count("9/9/9/3OX4/3X1X3/4X4/9/9/9 b - 0"), 1);
        assert_eq!(count("9/9/9/3OX4/3X1X3/3OX4/9/9/9 b - 0"), 0);
        assert_eq!(count("9/9/9/9/9/9/9/X8/1X7 b - 0"), 1);
        assert_eq!(count("9/9/9/9/9/9/9/XO7/1X7 b - 0"), 0);
        assert_eq!(count("9/9/9/9/9/9/9/X8/2X6 b - 0"), 0, "two points are no single point");
    }

    /// Steps over empty points from a set of stones to every point.
    fn steps_from(stones: Set, empty: Set) -> Vec<(Point, u32)> {
        let near =
            |a: Point, b: Point| a.row().abs_diff(b.row()) + a.column().abs_diff(b.column()) == 1;
        let mut reached: Vec<_> =
            Point::all().filter(|p| stones & p.set() != 0).map(|p| (p, 0)).collect();
        let mut next = 0;
        while next < reached.len() {
            let (from, steps) = reached[next];
            for to in Point::all().filter(|p| empty & p.set() != 0) {
                if near(from, to) && reached.iter().all(|&(p, _)| p != to) {
                    reached.push((to, steps + 1));
                }
            }
            next += 1;
        }
        reached
    }

    proptest! {
        #[test]
        fn opponents_see_the_negative_and_symmetries_the_same(choices in prop::collection::vec(any::<u16>(), 0..120)) {
            let mut board = Board::start(14);
            for choice in choices {
                let count = board.move_count();
                if count == 0 {
                    break;
                }
                board = board.play(board.moves().nth(usize::from(choice) % count).unwrap());
                let expected = all(&board);
                for symmetry in symmetry::all() {
                    prop_assert_eq!(&all(&(symmetry.position)(&board)), &expected);
                }
                let [black, white] = board.by_colour();
                let other = board.to_move().other();
                let turned = Board::assemble([black, white], other, None, 0, 14).unwrap();
                let negative: Vec<f32> = expected.iter().map(|x| 0.0 - x).collect();
                prop_assert_eq!(all(&turned), negative);
            }
        }

        #[test]
        fn territory_is_what_is_nearer(bits in any::<u128>(), colours in any::<u128>(), sparse in any::<u128>()) {
            let stones = bits & sparse & BOARD;
            let (own, opp) = (stones & colours, stones & !colours);
            let empty = BOARD & !stones;
            let [mine, theirs] = territories(own, opp);
            let (from_own, from_opp) = (steps_from(own, empty), steps_from(opp, empty));
            for point in Point::all().filter(|p| empty & p.set() != 0) {
                let steps = |table: &[(Point, u32)]| {
                    table.iter().find(|(p, _)| *p == point).map_or(u32::MAX, |&(_, n)| n)
                };
                let (a, b) = (steps(&from_own), steps(&from_opp));
                prop_assert_eq!(mine & point.set() != 0, a < b, "{}", point);
                prop_assert_eq!(theirs & point.set() != 0, b < a, "{}", point);
            }
        }
    }
}
