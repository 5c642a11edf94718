//! The cold side of Go.

use crate::atoms::Points;
use crate::board::{Board, STAGES};
use crate::dialect::Gtp;
use crate::features::GoFeatures;
use crate::moves::Move;
use crate::{notation, packing, picture, symmetry};
use evalsmith_core::{
    Atoms, Defaults, Dialect, Game, Malformed, Picture, Protocol, Side, Symmetry, Way,
};

/// Go on 9x9 points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Go {
    komi: i8,
}

impl Go {
    /// The game with a komi of 7, the value that makes it even as far as is
    /// known. Draws are possible.
    pub const fn new() -> Self {
        Self::with_komi(14)
    }

    /// The game with this komi in half points: 15 is 7½, which excludes draws.
    pub const fn with_komi(half_points: i8) -> Self {
        Self { komi: half_points }
    }

    /// White's compensation in half points.
    pub const fn komi(&self) -> i8 {
        self.komi
    }
}

impl Default for Go {
    fn default() -> Self {
        Self::new()
    }
}

/// The side to move is known to a position, so the arguments that name it are
/// not read.
impl Game for Go {
    type Position = Board;
    type Features = GoFeatures;

    fn name(&self) -> &'static str {
        "go"
    }

    fn stages(&self) -> usize {
        STAGES
    }

    fn start(&self) -> Board {
        Board::start(self.komi)
    }

    fn features(&self) -> GoFeatures {
        GoFeatures
    }

    /// Superko bounds every game, far beyond use. Random games, which fill their own
    /// eyes, last 124 plies on average, and one in a thousand more than 370.
    fn max_plies(&self) -> usize {
        600
    }

    fn format_move(&self, _position: &Board, m: Move) -> String {
        m.to_string()
    }

    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        notation::parse_move(position, text)
    }

    fn format(&self, position: &Board, _to_move: Side) -> String {
        notation::format(position)
    }

    fn parse(&self, text: &str) -> Result<(Board, Side), Malformed> {
        notation::parse(text, self.komi).map(|board| (board, board.to_move()))
    }

    fn draw(&self, position: &Board, _to_move: Side) -> String {
        notation::draw(position)
    }

    fn picture(&self, position: &Board, _to_move: Side) -> Option<Picture> {
        Some(picture::picture(position))
    }

    fn way(&self, _position: &Board, m: Move) -> Way {
        picture::way(m)
    }

    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
        picture::set_up(picture, self.komi, to_move)
    }

    fn pack(&self, position: &Board, _to_move: Side) -> Vec<u8> {
        packing::pack(position)
    }

    fn unpack(&self, bytes: &[u8]) -> Result<(Board, Side), Malformed> {
        packing::unpack(bytes, self.komi).map(|board| (board, board.to_move()))
    }

    fn side_names(&self) -> [&'static str; 2] {
        ["black", "white"]
    }

    fn margin_unit(&self) -> Option<&'static str> {
        Some("half points")
    }

    /// Eighty moves to choose from allow two plies.
    fn defaults(&self) -> Defaults {
        Defaults {
            games: 4000,
            depth: 2,
            opening_plies: 8,
            chance: 0.05,
            solve_at: 0,
            decided_at: 0.0,
            radius: 2,
            searched: 0.0,
            cpu_ms: 1.0,
            pairs: 200,
            match_plies: 6,
        }
    }

    fn hand_weights(&self) -> Option<Vec<f64>> {
        Some(GoFeatures::HAND_WEIGHTS.to_vec())
    }

    fn symmetries(&self) -> Vec<Symmetry<Board>> {
        symmetry::all()
    }

    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Board>>> {
        (protocol == Protocol::Gtp).then(|| Box::new(Gtp(*self)) as Box<dyn Dialect<Board>>)
    }

    fn atoms(&self) -> Option<Box<dyn Atoms<Board>>> {
        Some(Box::new(Points))
    }

    fn perft_table(&self) -> &'static [u64] {
        &[82, 6_643, 531_523, 42_002_891]
    }
}
