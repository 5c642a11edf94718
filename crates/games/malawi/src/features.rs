//! Twenty-four integer features: what a thoughtful player would count.
//!
//! Eight are the side to move's share less the opponent's:
//!
//! * `balls` in play;
//! * `mobility`: steps and captures;
//! * `threats`: balls of tiles that could be captured;
//! * `advance`: rows that the tiles with balls have come from their base line;
//! * `runners`: ways to put a tile on the enemy base line, or a ball on one that
//!   is there already, where nothing can capture it next;
//! * `visitors`: tiles on the enemy base line, with balls or without. One without
//!   looks harmless and is not: any distribution can give it a ball;
//! * `armed`: tiles with balls;
//! * `distributions`: ways to give away the balls of one tile.
//!
//! The others come in pairs, the mover's own and the enemy's, since a tree may ask
//! for either alone: balls, balls that hang and balls that could be taken, the
//! tallest stack, captures, steps, the foremost row of a tile with balls, entries
//! (steps onto the other base line, safe or not), and guards (squares of the own
//! base line that a tile reaches).
//!
//! Most share the two sides' landing squares, computed once for a position and
//! only when asked for.

use crate::atoms::Squares;
use crate::board::Board;
use crate::reach::Reach;
use crate::square::{BOARD, ENEMY_BASE, OWN_BASE, Set, flip};
use evalsmith_core::{Atoms, Features};

/// The features of Malawi.
#[derive(Clone, Copy, Debug, Default)]
pub struct MalawiFeatures;

/// Where the tiles of either side land, once known: on empty squares and on all
/// enemy tiles, since an empty square or tile may hold balls after a move.
#[derive(Debug, Default)]
pub struct Scratch(Option<[Reach; 2]>);

const NAMES: [&str; 24] = [
    "balls",
    "mobility",
    "threats",
    "advance",
    "runners",
    "visitors",
    "armed",
    "distributions",
    "own balls",
    "enemy balls",
    "hanging",
    "prey",
    "own stack",
    "enemy stack",
    "own captures",
    "enemy captures",
    "own steps",
    "enemy steps",
    "own front",
    "enemy front",
    "own entries",
    "enemy entries",
    "own guards",
    "enemy guards",
];

fn difference(own: u32, enemy: u32) -> f32 {
    (own as i32 - enemy as i32) as f32
}

/// The rows from row 0 up of a set's squares, added up.
#[inline]
fn rows(set: Set) -> u32 {
    (1..6).map(|row| row * (set >> (8 * row) & 0x3F).count_ones()).sum()
}

/// The ways of `tiles` to the squares of `goal` that the opponent, who lands as
/// `against` says, does not reach; tiles that stand there are one way each.
#[inline]
fn runners(tiles: Set, reach: &Reach, against: &Reach, goal: Set, empty: Set) -> u32 {
    let safe = goal & !against.union();
    reach.count(safe & empty) + (safe & tiles).count_ones()
}

/// The foremost row from row 0 up of a set's squares; 0 for none.
#[inline]
fn front(set: Set) -> u32 {
    set.checked_ilog2().map_or(0, |bit| bit / 8)
}

impl Features<Board> for MalawiFeatures {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn atoms(&self) -> Option<&dyn Atoms<Board>> {
        Some(&Squares)
    }

    fn count(&self) -> usize {
        NAMES.len()
    }

    #[inline]
    fn get(&self, board: &Board, i: usize, scratch: &mut Scratch) -> f32 {
        let &Board { own, enemy, ref balls, .. } = board;
        let with_balls = balls.anywhere();
        let empty = board.empty();
        let armed = |tiles: Set| tiles & with_balls;
        let count = |number: u32| number as f32;
        // Those that ask for no landing squares.
        match i {
            0 => return difference(balls.total(own), balls.total(enemy)),
            3 => return difference(rows(armed(own)), rows(flip(armed(enemy)))),
            5 => {
                return difference(
                    (own & ENEMY_BASE).count_ones(),
                    (enemy & OWN_BASE).count_ones(),
                );
            }
            6 => return difference(armed(own).count_ones(), armed(enemy).count_ones()),
            7 => return difference(balls.distributions(own), balls.distributions(enemy)),
            8 => return count(balls.total(own)),
            9 => return count(balls.total(enemy)),
            12 => return count(balls.most(own)),
            13 => return count(balls.most(enemy)),
            18 => return count(front(armed(own))),
            19 => return count(front(flip(armed(enemy)))),
            _ => {}
        }
        let [mine, theirs] = scratch.0.get_or_insert_with(|| {
            [own, enemy].map(|tiles| Reach::of(tiles, balls, empty, BOARD & !tiles))
        });
        match i {
            1 => difference(mine.count(empty | armed(enemy)), theirs.count(empty | armed(own))),
            2 => difference(balls.total(enemy & mine.union()), balls.total(own & theirs.union())),
            4 => difference(
                runners(own, mine, theirs, ENEMY_BASE, empty),
                runners(enemy, theirs, mine, OWN_BASE, empty),
            ),
            10 => count(balls.total(own & theirs.union())),
            11 => count(balls.total(enemy & mine.union())),
            14 => count(mine.count(armed(enemy))),
            15 => count(theirs.count(armed(own))),
            16 => count(mine.count(empty)),
            17 => count(theirs.count(empty)),
            20 => count(mine.count(ENEMY_BASE & empty)),
            21 => count(theirs.count(OWN_BASE & empty)),
            22 => count((mine.union() & OWN_BASE).count_ones()),
            23 => count((theirs.union() & ENEMY_BASE).count_ones()),
            _ => panic!("Malawi has {} features, none numbered {i}", NAMES.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Malawi;
    use evalsmith_core::{Game, Position, Side};
    use proptest::prelude::*;

    fn all(board: &Board) -> Vec<f32> {
        let mut row = Vec::new();
        MalawiFeatures.append_all(board, &mut row);
        row
    }

    #[test]
    fn features_say_what_they_are_called() {
        let of = |text| all(&Malawi.parse(text).unwrap().0);
        // White steps a1-a2; Black steps a5 to e5, f4-d4 and f4-f2. Nothing can be
        // captured, but f6 would be, by e6 or f4, if it had a ball.
        let hit_visitor = "b1b1b1b1b1w0/6/5b2/6/6/w1w0w0w0w01 w 4";
        assert_eq!(of(hit_visitor)[..6], [1.0 - 7.0, 1.0 - 7.0, 0.0, -2.0, 0.0, 1.0]);
        // f4 runs to f6, where nothing reaches it; a6 is boxed in.
        let runner = "b2b0b0b0b01/b05/5w2/6/6/1w0w0w0w0w0 w 4";
        assert_eq!(of(runner)[..6], [0.0, 3.0, 0.0, 3.0, 1.0, 0.0]);
        // The same, with a6 free to step and a visitor on a1 that nothing reaches.
        let safe_visitor = "b2b0b0b0b01/6/5w2/6/6/b0w0w0w0w0w0 w 4";
        assert_eq!(of(safe_visitor)[..6], [0.0, 3.0 - 1.0, 0.0, 3.0, 1.0 - 1.0, -1.0]);
        // e4 takes three balls on c4, which could not take its two.
        let exchange = "b0b0b0b0b01/6/2b31w21/6/6/1w0w0w0w0w0 w 4";
        assert_eq!(of(exchange)[2], 3.0, "c4 reaches three squares, e4 two");
    }

    fn by_name(text: &str, name: &str) -> f32 {
        let place = NAMES.iter().position(|n| *n == name).expect("a feature's name");
        all(&Malawi.parse(text).unwrap().0)[place]
    }

    #[test]
    fn one_sided_features_say_what_they_are_called() {
        let start = "b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w 0";
        for (name, value) in [
            ("armed", 0.0),
            ("own balls", 12.0),
            ("enemy stack", 2.0),
            ("own steps", 6.0),
            ("own captures", 0.0),
            ("own front", 0.0),
            ("own guards", 0.0),
        ] {
            assert_eq!(by_name(start, name), value, "{name}");
        }
        // e4 takes three balls on c4; c4, three squares to the right, is off e4.
        let exchange = "b0b0b0b0b01/6/2b31w21/6/6/1w0w0w0w0w0 w 4";
        for (name, value) in [
            ("prey", 3.0),
            ("hanging", 0.0),
            ("own captures", 1.0),
            ("enemy captures", 0.0),
            ("own stack", 2.0),
            ("enemy stack", 3.0),
            ("own front", 3.0),
            ("enemy front", 2.0),
            ("own entries", 0.0),
            ("enemy entries", 0.0),
            ("distributions", 10.0 - 10.0),
        ] {
            assert_eq!(by_name(exchange, name), value, "{name}");
        }
        let runner = "b2b0b0b0b01/b05/5w2/6/6/1w0w0w0w0w0 w 4";
        assert_eq!(by_name(runner, "own entries"), 1.0, "f4-f6");
        assert_eq!(by_name(runner, "own guards"), 0.0);
    }

    /// What the opponent sees: the eight differences turned, the others exchanged.
    fn turned(row: &[f32]) -> Vec<f32> {
        let differences = row[..8].iter().map(|x| 0.0 - x);
        differences.chain(row[8..].chunks(2).flat_map(|pair| [pair[1], pair[0]])).collect()
    }

    fn seen_by_the_opponent(board: &Board) -> Board {
        let side = board.to_move();
        let turned = |side| board.tiles(side).map(|(s, n)| (s.flipped(), n)).collect::<Vec<_>>();
        let (own, enemy) = (turned(side.other()), turned(side));
        Board::assemble(&own, &enemy, board.half_moves() ^ 1).unwrap()
    }

    proptest! {
        #[test]
        fn opponents_see_the_other_side_and_mirrors_the_same(choices in prop::collection::vec(any::<u16>(), 0..120)) {
            let mut board = Malawi.start();
            for choice in choices {
                let count = board.move_count();
                let own_balls = board.tiles(board.to_move()).any(|(_, n)| n > 0);
                let expected = all(&board);
                prop_assert_eq!(&all(&board.mirrored()), &expected);
                if own_balls {
                    prop_assert_eq!(all(&seen_by_the_opponent(&board)), turned(&expected));
                }
                if count == 0 {
                    break;
                }
                board = board.play(board.moves().nth(usize::from(choice) % count).unwrap());
            }
            prop_assert!(board.tiles(Side::First).count() == 6);
        }
    }
}
