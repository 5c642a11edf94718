//! The cold side of Chess.

use crate::atoms::Pieces;
use crate::board::{Board, STAGES};
use crate::dialect::Coordinates;
use crate::features::ChessFeatures;
use crate::moves::Move;
use crate::{fen, packing, picture, san};
use evalsmith_core::{Atoms, Defaults, Dialect, Game, Malformed, Picture, Protocol, Side, Way};

/// Chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chess;

impl Chess {
    /// A legal move as UCI writes it: `e2e4`, `e7e8q`, castling `e1g1`.
    pub fn format_uci(&self, position: &Board, m: Move) -> String {
        san::format_uci(position, m)
    }
}

/// A position knows its side to move, so the arguments that name it are not read.
impl Game for Chess {
    type Position = Board;
    type Features = ChessFeatures;

    fn name(&self) -> &'static str {
        "chess"
    }

    fn stages(&self) -> usize {
        STAGES
    }

    fn start(&self) -> Board {
        Board::start()
    }

    fn features(&self) -> ChessFeatures {
        ChessFeatures
    }

    /// Sixteen pawns make six moves each and thirty pieces are captured; between
    /// two of these, and after the last, fewer than a hundred half-moves pass.
    fn max_plies(&self) -> usize {
        (16 * 6 + 30 + 1) * 100
    }

    fn format_move(&self, position: &Board, m: Move) -> String {
        san::format_move(position, m)
    }

    /// Reads SAN and UCI.
    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        san::parse_move(position, text)
    }

    /// Writes FEN.
    fn format(&self, position: &Board, _to_move: Side) -> String {
        fen::format(position)
    }

    /// Reads FEN, and EPD's four fields.
    fn parse(&self, text: &str) -> Result<(Board, Side), Malformed> {
        let board = fen::parse(text)?;
        let to_move = board.to_move();
        Ok((board, to_move))
    }

    fn draw(&self, position: &Board, _to_move: Side) -> String {
        fen::draw(position)
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
        let board = packing::unpack(bytes)?;
        let to_move = board.to_move();
        Ok((board, to_move))
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            games: 4000,
            depth: 2,
            opening_plies: 8,
            chance: 0.05,
            solve_at: 0,
            decided_at: 4.0,
            radius: 24,
            searched: 0.3,
            cpu_ms: 1.0,
            pairs: 200,
            match_plies: 8,
        }
    }

    fn side_names(&self) -> [&'static str; 2] {
        ["white", "black"]
    }

    fn hand_weights(&self) -> Option<Vec<f64>> {
        Some(ChessFeatures::HAND_WEIGHTS.to_vec())
    }

    /// UCI and xboard write the same positions and moves.
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Board>>> {
        matches!(protocol, Protocol::Uci | Protocol::Xboard)
            .then(|| Box::new(Coordinates) as Box<dyn Dialect<Board>>)
    }

    fn atoms(&self) -> Option<Box<dyn Atoms<Board>>> {
        Some(Box::new(Pieces))
    }

    /// The published numbers, and a leaf more for each game that mate ended
    /// before: 8 at the fourth half-move, 347 at the fifth.
    fn perft_table(&self) -> &'static [u64] {
        &[20, 400, 8_902, 197_281, 4_865_609 + 8, 119_060_324 + 8 + 347]
    }
}
