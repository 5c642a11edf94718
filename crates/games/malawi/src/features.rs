//! Six integer features, each the side to move's share less the opponent's.
//!
//! All but two come from the two sides' landing squares, computed once for a
//! position and only when asked for. A landing square that is empty is as good
//! as an attacked one: whatever enemy tile goes there can be captured next.

use crate::board::Board;
use crate::reach::Reach;
use crate::square::{ENEMY_BASE, OWN_BASE, Set};
use evalsmith_core::Features;

/// The features of Malawi.
#[derive(Clone, Copy, Debug, Default)]
pub struct MalawiFeatures;

/// The landing squares of both sides, once known.
#[derive(Debug, Default)]
pub struct Scratch(Option<[Reach; 2]>);

const NAMES: [&str; 6] = ["balls", "mobility", "threats", "advance", "runners", "guard"];

/// What one side can do: its own tiles, where they land, and what the opponent
/// does to the line it wants to reach.
struct View<'a> {
    tiles: Set,
    reach: &'a Reach,
    goal: Set,
    against: &'a Reach,
    board: &'a Board,
}

impl View<'_> {
    /// Tiles' ways to the goal line that end where nothing can capture them,
    /// and tiles with balls that stand there unharmed.
    fn runners(&self) -> u32 {
        let safe = self.goal & !self.against.union();
        self.reach.count(safe & self.board.empty())
            + (self.tiles & self.board.balls.anywhere() & safe).count_ones()
    }

    /// Squares of the goal line on which this side cannot arrive unpunished.
    fn barred(&self) -> u32 {
        (self.goal & (!self.board.empty() | self.against.union())).count_ones()
    }
}

fn difference(own: u32, enemy: u32) -> f32 {
    (own as i32 - enemy as i32) as f32
}

/// Rows that the tiles with balls have come from row 0.
fn advance(set: Set) -> u32 {
    (1..6).map(|row| row * (set >> (8 * row) & 0x3F).count_ones()).sum()
}

impl Features<Board> for MalawiFeatures {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn count(&self) -> usize {
        NAMES.len()
    }

    #[inline]
    fn get(&self, board: &Board, i: usize, scratch: &mut Scratch) -> f32 {
        let Board { own, enemy, balls, .. } = board;
        let with_balls = balls.anywhere();
        match i {
            0 => return difference(balls.total(*own), balls.total(*enemy)),
            3 => {
                let theirs = crate::square::flip(enemy & with_balls);
                return difference(advance(own & with_balls), advance(theirs));
            }
            _ => {}
        }
        let [mine, theirs] =
            scratch.0.get_or_insert_with(|| [board.own_reach(*own), board.enemy_reach()]);
        let me = View { tiles: *own, reach: mine, goal: ENEMY_BASE, against: theirs, board };
        let you = View { tiles: *enemy, reach: theirs, goal: OWN_BASE, against: mine, board };
        match i {
            1 => difference(mine.count(!0), theirs.count(!0)),
            2 => difference(balls.total(enemy & mine.union()), balls.total(own & theirs.union())),
            4 => difference(me.runners(), you.runners()),
            5 => difference(you.barred(), me.barred()),
            _ => panic!("Malawi has {} features, none numbered {i}", NAMES.len()),
        }
    }
}
