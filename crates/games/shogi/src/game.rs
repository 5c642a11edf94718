//! The cold side of Shogi.

use crate::atoms::Pieces;
use crate::board::Board;
use crate::features::ShogiFeatures;
use crate::moves::Move;
use crate::setup::Setup;
use crate::{entering, mate, notation, packing, picture, progress};
use evalsmith_core::{
    Atoms, Defaults, Dialect, FindMate, Game, Malformed, OwnNotation, Picture, Protocol, Side,
    Symmetry, Way,
};
use std::sync::Arc;

/// Shogi.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shogi;

fn mirrored(board: &Board) -> Board {
    Setup::of(board).mirrored().board().expect("the rules know no left and right")
}

/// A position knows its side to move, so the arguments that name it are not read.
impl Game for Shogi {
    type Position = Board;
    type Features = ShogiFeatures;

    fn name(&self) -> &'static str {
        "shogi"
    }

    fn stages(&self) -> usize {
        progress::STAGES
    }

    fn start(&self) -> Board {
        Board::start()
    }

    fn features(&self) -> ShogiFeatures {
        ShogiFeatures
    }

    /// Twice the longest of two thousand professional games. The rules alone do
    /// not end games of players without a plan.
    fn max_plies(&self) -> usize {
        512
    }

    fn format_move(&self, _position: &Board, m: Move) -> String {
        m.to_string()
    }

    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        notation::usi::parse(position, text)
    }

    fn format(&self, position: &Board, _to_move: Side) -> String {
        notation::sfen::format(position)
    }

    fn parse(&self, text: &str) -> Result<(Board, Side), Malformed> {
        let board = notation::sfen::parse(text)?;
        let side = board.to_move();
        Ok((board, side))
    }

    fn draw(&self, position: &Board, _to_move: Side) -> String {
        notation::diagram::draw(position)
    }

    fn picture(&self, position: &Board, _to_move: Side) -> Option<Picture> {
        Some(picture::picture(position))
    }

    fn way(&self, _position: &Board, m: Move) -> Way {
        picture::way(m)
    }

    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
        picture::set_up(picture, to_move)
    }

    fn pack(&self, position: &Board, _to_move: Side) -> Vec<u8> {
        packing::pack(position)
    }

    fn unpack(&self, bytes: &[u8]) -> Result<(Board, Side), Malformed> {
        let board = packing::unpack(bytes)?;
        let side = board.to_move();
        Ok((board, side))
    }

    /// With eighty moves to choose from and more late in the game, two plies and
    /// their captures are what a minute or two allow.
    fn defaults(&self) -> Defaults {
        Defaults {
            games: 1500,
            depth: 2,
            opening_plies: 8,
            decided_at: 3.0,
            radius: 23,
            searched: 0.3,
            pairs: 100,
            cpu_ms: 10.0,
            ..Defaults::default()
        }
    }

    fn side_names(&self) -> [&'static str; 2] {
        ["black", "white"]
    }

    /// The field's customary values of the pieces, six to seven pawns to a unit of
    /// log-odds. What king safety and mobility are worth is for a learner to say.
    fn hand_weights(&self) -> Option<Vec<f64>> {
        let pieces = [0.15, 0.38, 0.42, 0.62, 0.73, 0.95, 1.07, 0.75, 1.38, 1.58];
        Some([&pieces[..], &[0.0; 5]].concat())
    }

    fn symmetries(&self) -> Vec<Symmetry<Board>> {
        vec![Symmetry::new("mirror", mirrored, Move::mirrored)]
    }

    /// Mates by checks alone.
    fn mate_search(&self) -> Option<FindMate<Board>> {
        Some(Arc::new(mate))
    }

    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Board>>> {
        (protocol == Protocol::Usi).then(|| Box::new(OwnNotation(*self)) as Box<dyn Dialect<Board>>)
    }

    /// The 27-point rule.
    fn may_declare_win(&self, position: &Board) -> bool {
        entering::may_declare(position)
    }

    fn atoms(&self) -> Option<Box<dyn Atoms<Board>>> {
        Some(Box::new(Pieces))
    }

    /// Published numbers; no game is over within these depths.
    fn perft_table(&self) -> &'static [u64] {
        &[30, 900, 25_470, 719_731, 19_861_490]
    }
}
