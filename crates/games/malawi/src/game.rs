//! The cold side of Malawi.

use crate::atoms::Squares;
use crate::board::{Board, HALF_MOVES, STAGES};
use crate::features::MalawiFeatures;
use crate::moves::Move;
use crate::{notation, packing, picture};
use evalsmith_core::{
    Atoms, Defaults, Dialect, Features, Game, Malformed, OwnNotation, Picture, Protocol, Side,
    Symmetry, Way,
};

/// Malawi.
#[derive(Clone, Copy, Debug, Default)]
pub struct Malawi;

/// The side to move is known by a position's count of half-moves, so the
/// arguments that name it are not read.
impl Game for Malawi {
    type Position = Board;
    type Features = MalawiFeatures;

    fn name(&self) -> &'static str {
        "malawi"
    }

    fn stages(&self) -> usize {
        STAGES
    }

    fn start(&self) -> Board {
        Board::start()
    }

    fn features(&self) -> MalawiFeatures {
        MalawiFeatures
    }

    /// The rules end every game at 500 half-moves; a record never has to.
    fn max_plies(&self) -> usize {
        usize::from(HALF_MOVES) + 1
    }

    fn format_move(&self, position: &Board, m: Move) -> String {
        notation::format_move(position, m)
    }

    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        notation::parse_move(position, text)
    }

    fn format(&self, position: &Board, _to_move: Side) -> String {
        notation::format(position)
    }

    fn parse(&self, text: &str) -> Result<(Board, Side), Malformed> {
        notation::parse(text).map(|board| (board, board.to_move()))
    }

    fn draw(&self, position: &Board, _to_move: Side) -> String {
        notation::draw(position)
    }

    fn picture(&self, position: &Board, _to_move: Side) -> Option<Picture> {
        Some(picture::picture(position))
    }

    fn way(&self, position: &Board, m: Move) -> Way {
        picture::way(position, m)
    }

    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
        picture::set_up(picture, to_move)
    }

    fn pack(&self, position: &Board, _to_move: Side) -> Vec<u8> {
        packing::pack(position)
    }

    fn unpack(&self, bytes: &[u8]) -> Result<(Board, Side), Malformed> {
        packing::unpack(bytes).map(|board| (board, board.to_move()))
    }

    /// With up to seventy moves to choose from, three plies are what a minute
    /// allows.
    /// Results say little about positions here: with them alone, and the six features
    /// that have weights set by hand, the learned function lost to the hand-weighted
    /// one by some eighty Elo; with the search's opinion for half of the target it was
    /// level on a seed that was not used to choose the half, and with all 24 features
    /// it is ahead there.
    fn defaults(&self) -> Defaults {
        Defaults {
            depth: 3,
            opening_plies: 8,
            chance: 0.02,
            searched: 0.5,
            pairs: 120,
            ..Defaults::default()
        }
    }

    fn side_names(&self) -> [&'static str; 2] {
        ["white", "black"]
    }

    /// Found by a few matches between guesses: what wins is balls that move. Only
    /// six features have a weight, and the others are never computed for it.
    fn hand_weights(&self) -> Option<Vec<f64>> {
        let mut weights = vec![0.5, 0.05, 0.12, 0.06, 0.8, 1.0];
        weights.resize(self.features().count(), 0.0);
        Some(weights)
    }

    /// GTP's commands carry the game's own moves.
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Board>>> {
        (protocol == Protocol::Gtp).then(|| Box::new(OwnNotation(*self)) as Box<dyn Dialect<Board>>)
    }

    fn symmetries(&self) -> Vec<Symmetry<Board>> {
        vec![Symmetry::new("mirror", Board::mirrored, Move::mirrored)]
    }

    fn atoms(&self) -> Option<Box<dyn Atoms<Board>>> {
        Some(Box::new(Squares))
    }

    fn perft_table(&self) -> &'static [u64] {
        &[66, 4_356, 244_854, 13_757_392, 631_848_674]
    }
}
