//! The position: two sets of tiles, bit-sliced balls and the count of half-moves.
//!
//! The board is turned round after every move, so that the side to move always
//! sees its own base line as row 0. Invariants: each side has six tiles on
//! squares of their own; balls lie on tiles only, at most twelve a side; the side
//! that has just moved has a ball; an even count of half-moves means that White,
//! the first player, is to move.

use crate::balls::Balls;
use crate::moves::{Move, MoveKind, Moves};
use crate::reach::Reach;
use crate::square::{self, BOARD, ENEMY_BASE, OWN_BASE, Set, Square, squares};
use evalsmith_core::{Outcome, Position, Side, Stage};

/// After this many half-moves the player to move has lost.
pub const HALF_MOVES: u16 = 500;

/// A Malawi position, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pub(crate) own: Set,
    pub(crate) enemy: Set,
    pub(crate) balls: Balls,
    half_moves: u16,
}

impl Board {
    /// The start position.
    pub fn start() -> Self {
        let balls = Balls([0, OWN_BASE | ENEMY_BASE, 0, 0]);
        Self { own: OWN_BASE, enemy: ENEMY_BASE, balls, half_moves: 0 }
    }

    /// A position from its parts, or what is wrong with them.
    pub(crate) fn assemble(
        own: &[(Square, u8)],
        enemy: &[(Square, u8)],
        half_moves: u16,
    ) -> Result<Self, String> {
        let mut board = Self { own: 0, enemy: 0, balls: Balls::default(), half_moves };
        let to_move = board.to_move();
        for (side, tiles) in [(to_move, own), (to_move.other(), enemy)] {
            let name = crate::notation::name(side);
            let mut set = 0;
            let mut total = 0;
            for &(square, count) in tiles {
                if (board.own | set) & square.set() != 0 {
                    return Err(format!("two tiles stand on one square ({name} has one of them)"));
                }
                set |= square.set();
                total += u32::from(count);
                if total > 12 {
                    return Err(format!("{name} has more than twelve balls"));
                }
                board.balls.put(square, count);
            }
            if tiles.len() != 6 {
                return Err(format!("{name} has {} tiles instead of six", tiles.len()));
            }
            if side == to_move {
                board.own = set;
            } else {
                board.enemy = set;
                if total == 0 {
                    return Err(format!("{name} has just moved and must have a ball"));
                }
            }
        }
        if half_moves > HALF_MOVES {
            return Err(format!("{half_moves} half-moves are more than {HALF_MOVES}"));
        }
        Ok(board)
    }

    /// The half-moves played since the start position.
    #[inline]
    pub fn half_moves(&self) -> u16 {
        self.half_moves
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        Side::First.after(usize::from(self.half_moves))
    }

    /// A side's tiles with their balls, in the view of the side to move.
    pub fn tiles(&self, side: Side) -> impl Iterator<Item = (Square, u8)> {
        let set = if side == self.to_move() { self.own } else { self.enemy };
        let balls = self.balls;
        squares(set).map(move |square| (square, balls.on(square)))
    }

    /// The board with left and right exchanged.
    pub(crate) fn mirrored(&self) -> Self {
        Self {
            own: square::mirror(self.own),
            enemy: square::mirror(self.enemy),
            balls: self.balls.mirrored(),
            half_moves: self.half_moves,
        }
    }

    /// The squares without tiles.
    #[inline]
    pub(crate) fn empty(&self) -> Set {
        BOARD & !(self.own | self.enemy)
    }

    /// Where the given tiles of the side to move land by steps and captures.
    #[inline]
    pub(crate) fn own_reach(&self, movers: Set) -> Reach {
        let empty = self.empty();
        Reach::of(movers, &self.balls, empty, empty | self.enemy & self.balls.anywhere())
    }
}

/// Stages: the balls that are gone, 0 to 23. They measure how far a game has come
/// better than its length does, since both sides can shuffle; and the worth
/// of one ball more grows nearly tenfold while they go.
pub(crate) const STAGES: usize = 24;

impl Position for Board {
    type Move = Move;
    type Moves = Moves;

    #[inline]
    fn moves(&self) -> Moves {
        if self.outcome().is_some() {
            return Moves::none();
        }
        Moves::new(self.own, &self.balls, &self.own_reach(self.own), self.enemy)
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.outcome().is_some() {
            return 0;
        }
        (self.own_reach(self.own).count(BOARD) + self.balls.distributions(self.own)) as usize
    }

    #[inline]
    fn play(&self, m: Move) -> Self {
        let mut own = self.own;
        let mut balls = self.balls;
        match m.kind() {
            MoveKind::Step => {
                own ^= m.from().set() | m.targets();
                balls.carry(m.from(), m.targets());
            }
            MoveKind::Capture => balls.clear(m.targets()),
            MoveKind::Distribution => {
                balls.clear(m.from().set());
                balls.add_one(m.targets());
            }
        }
        Self {
            own: square::flip(self.enemy),
            enemy: square::flip(own),
            balls: balls.flipped(),
            half_moves: self.half_moves + 1,
        }
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        let with_balls = self.own & self.balls.anywhere();
        if with_balls == 0 {
            return Some(Outcome::LOSS);
        }
        let arrived = with_balls & ENEMY_BASE;
        if arrived != 0 && self.own_reach(arrived).union() != 0 {
            return Some(Outcome::WIN);
        }
        (self.half_moves >= HALF_MOVES).then_some(Outcome::LOSS)
    }

    #[inline]
    fn key(&self) -> u64 {
        let fold = |a: u64, b: u64| {
            let wide = u128::from(a) * u128::from(b);
            (wide as u64) ^ (wide >> 64) as u64
        };
        let [ones, twos, fours, eights] = self.balls.0;
        let count = u64::from(self.half_moves) << 48;
        let tiles =
            fold(self.own ^ count ^ 0xA076_1D64_78BD_642F, self.enemy ^ 0xE703_7ED1_A0B4_28DB);
        let low = fold(ones ^ 0x8EBC_6AF0_9C88_C6E3, twos ^ 0x5899_65CC_7537_4CC3);
        let high = fold(fours ^ 0x1D8E_4E27_C47D_124F, eights ^ 0xEB44_ACCA_B455_D165);
        fold(tiles ^ high ^ 0x9E37_79B9_7F4A_7C15, low ^ 0xD6E8_FEB8_6659_FD93)
    }

    #[inline]
    fn stage(&self) -> Stage {
        Stage((24 - self.balls.total(BOARD)) as u8)
    }

    #[inline]
    fn slot(m: Move) -> u16 {
        m.slot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Malawi;
    use evalsmith_core::Game;
    use std::collections::HashSet;

    fn outcome(text: &str) -> Option<Outcome> {
        Malawi.parse(text).unwrap().0.outcome()
    }

    #[test]
    fn base_line_is_won_by_a_tile_that_could_move() {
        let free = "w1b1b1b1b1b1/6/6/6/b05/1w1w1w1w1w1 w 20";
        assert_eq!(outcome(free), Some(Outcome::WIN), "it steps down or captures b6");
        let without_balls = "w0b1b1b1b1b1/6/6/6/b05/1w1w1w1w1w1 w 20";
        assert_eq!(outcome(without_balls), None);
        let boxed_in = "w1b0b1b1b1b1/b05/6/6/6/1w1w1w1w1w1 w 20";
        assert_eq!(outcome(boxed_in), None, "tiles without balls only block");
        let by_capture = "w1b0b1b1b1b1/b15/6/6/6/1w1w1w1w1w1 w 20";
        assert_eq!(outcome(by_capture), Some(Outcome::WIN));
        let too_many = "w6b1b1b1b1b1/6/6/6/b05/1w1w1w1w1w1 w 20";
        assert_eq!(outcome(too_many), None, "six squares lead off the board");
        let not_its_turn = "w1b1b1b1b1b1/6/6/6/b05/1w1w1w1w1w1 b 21";
        assert_eq!(outcome(not_its_turn), None);
    }

    #[test]
    fn balls_and_half_moves_run_out() {
        let bare = "b2b2b2b2b2b2/6/6/6/6/w0w0w0w0w0w0 w 20";
        assert_eq!(outcome(bare), Some(Outcome::LOSS));
        let late = "b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 w 500";
        assert_eq!(outcome(late), Some(Outcome::LOSS));
        let later = "b2b2b2b2b2b2/6/6/6/6/w2w2w2w2w2w2 b 499";
        assert_eq!(outcome(later), None);
        let won_in_time = "w1b1b1b1b1b1/6/6/6/b05/1w1w1w1w1w1 w 500";
        assert_eq!(outcome(won_in_time), Some(Outcome::WIN), "the board decides first");
    }

    #[test]
    fn excess_balls_leave_the_game() {
        let (board, _) = Malawi.parse("b2b2b2b2b2b2/6/6/6/6/w8w0w1w0w1w0 w 0").unwrap();
        let m = Malawi.parse_move(&board, "a1>b1c1d1e1f1").unwrap();
        let after = board.play(m);
        assert_eq!(Malawi.format(&after, Side::Second), "b2b2b2b2b2b2/6/6/6/6/w0w1w2w1w2w1 b 1");
        assert!(board.moves().filter(|m| m.from().column() == 0).count() == 1);
    }

    #[test]
    fn slots_of_a_position_rarely_collide() {
        let mut board = Malawi.start();
        let (mut listed, mut shared) = (0, 0);
        for turn in 0..200 {
            let moves: Vec<Move> = board.moves().collect();
            let slots: HashSet<u16> = moves.iter().map(|&m| Board::slot(m)).collect();
            assert!(slots.iter().all(|&slot| slot < 4096));
            listed += moves.len();
            shared += moves.len() - slots.len();
            let Some(&m) = moves.get(turn * 31 % moves.len().max(1)) else { break };
            board = board.play(m);
        }
        assert!(listed > 500 && shared * 50 < listed, "{shared} of {listed} moves share a slot");
    }
}
